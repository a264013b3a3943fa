"""Patches of Codex: the `*** Begin Patch` text that a model writes, and the diffs that the runtime reports.

* A reported `unified_diff` has true line numbers; a patch's text has none, so its hunks have `old_start` 0.
* Text after `@@` in a patch names a place (a class, a function) and is no line of the hunk.
* Paths are made absolute with the call's working directory.
* What cannot be read as a patch gives no change; nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.importers.codex_state import absolute, text_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, Hunk

_BODY = re.compile(r"^\*\*\* Begin Patch[ \t]*\n(.*?)^\*\*\* End Patch", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_IN_SHELL = re.compile(
    r"\s*(?:cd\s+(?P<cd>'[^'\n]+'|\"[^\"\n]+\"|[^\s;&|]+)\s*&&\s*)?"
    r"(?:apply_patch|applypatch)\s*<<-?\s*(['\"]?)(\w+)\2[ \t]*\n"
    r"(?P<patch>.*?)\n\3(?P<rest>.*)\Z",
    re.DOTALL,
)


def patch_in_shell(command: str) -> tuple[str, str | None, bool] | None:
    """Return the patch that a shell command applies, the folder that it enters first, and whether that is all."""
    if "apply_patch" not in command and "applypatch" not in command:
        return None
    match = _IN_SHELL.match(command)
    if match is not None:
        folder = match["cd"].strip("'\"") if match["cd"] else None
        return match["patch"], folder, not match["rest"].strip()
    inside = _BODY.search(command)
    return (inside[0], None, False) if inside else None


def changes_of_patch(patch: str, cwd: str | None) -> tuple[FileChange, ...]:
    """Return what a patch's text changes, file by file."""
    body = _BODY.search(patch.replace("\r\n", "\n") + "\n")
    if body is None:
        return ()
    return tuple(_change(action, path, lines, cwd) for action, path, lines in _sections(body[1]))


def changes_of_event(changes: dict[str, JSON_OBJECT], cwd: str | None) -> tuple[FileChange, ...]:
    """Return what the runtime reports as changed: path → `{type, content | unified_diff, move_path}`."""
    found = []
    for path, change in changes.items():
        place, kind = absolute(path, cwd), change.get("type")
        if kind == "add":
            found.append(FileChange(path=place, change="created", content=text_of(change.get("content"))))
        elif kind == "delete":
            found.append(FileChange(path=place, change="deleted", before=text_of(change.get("content"))))
        else:
            moved = text_of(change.get("move_path"))
            hunks = hunks_of_diff(text_of(change.get("unified_diff")) or "")
            found.append(_updated(place, absolute(moved, cwd) if moved else None, hunks))
    return tuple(found)


def hunks_of_diff(diff: str) -> tuple[Hunk, ...]:
    """Return the hunks of a unified diff. A file header (`---`, `+++`) before the first hunk is passed over."""
    hunks: list[Hunk] = []
    lines: list[str] = []
    place: tuple[int, int] | None = None
    left = [0, 0]
    for line in diff.split("\n"):
        if place is not None and (left[0] > 0 or left[1] > 0) and line[:1] in ("", " ", "-", "+"):
            lines.append(line or " ")
            left[0] -= line[:1] != "+"
            left[1] -= line[:1] != "-"
            continue
        match = _RANGE.match(line)
        if match is not None:
            if place is not None:
                hunks.append(Hunk(*place, tuple(lines)))
            place, lines = _start(match), []
            left = [int(match[2] or 1) if match[2] != "0" else 0, int(match[4] or 1) if match[4] != "0" else 0]
    if place is not None:
        hunks.append(Hunk(*place, tuple(lines)))
    return tuple(hunks)


def _start(match: re.Match[str]) -> tuple[int, int]:
    """Return where a hunk starts, from 1: `-0,0` stands before the first line; `-5,0` stands after line 5."""
    old, new = int(match[1]), int(match[3])
    return old + (match[2] == "0"), new + (match[4] == "0")


def _sections(body: str) -> Iterator[tuple[str, str, list[str]]]:
    action, path, lines = "", "", list[str]()
    for line in body.split("\n"):
        match = _FILE.match(line)
        if match is None:
            lines.append(line)
            continue
        if action:
            yield action, path, lines
        action, path, lines = match[1], match[2].strip(), []
    if action:
        yield action, path, lines[:-1]  # the body ends in a line end, so its last line is none


def _change(action: str, path: str, lines: list[str], cwd: str | None) -> FileChange:
    place = absolute(path, cwd)
    if action == "Delete":
        return FileChange(path=place, change="deleted")
    if action == "Add":
        added = [line[1:] for line in lines if line.startswith("+")]
        return FileChange(path=place, change="created", content="".join(f"{line}\n" for line in added))
    moved = _MOVE.match(lines[0]) if lines else None
    to = absolute(moved[1].strip(), cwd) if moved else None
    return _updated(place, to, tuple(_hunks_of_patch(lines[1:] if moved else lines)))


def _updated(path: str, to: str | None, hunks: tuple[Hunk, ...]) -> FileChange:
    return FileChange(path=path, change="renamed" if to else "written", to=to, hunks=hunks)


def _hunks_of_patch(lines: list[str]) -> Iterator[Hunk]:
    kept: list[str] = []
    for line in lines:
        if line.startswith(("@@", "*** End of File")):
            if kept:
                yield Hunk(0, 0, tuple(kept))
            kept = []
        elif line[:1] in ("", " ", "-", "+"):
            kept.append(line or " ")
    if kept:
        yield Hunk(0, 0, tuple(kept))
