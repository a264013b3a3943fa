"""The tools of opencode: what a call is, and what its state says when it is over.

* A read's lines are those that its answer numbers; how many the file has stands behind them.
* Edits and patches carry a unified diff with true line numbers for each file, but for display: the indentation that all
  its lines share is cut off. It is put back by the lines that were asked for; where it can't be, the diff is not used.
* An edit also carries the file before and after.
* A call that the user did not permit was refused; one that failed its checks wrote nothing.
"""

from __future__ import annotations

import re

from muniment.importers.codex_patch import changes_of_patch, hunks_of_diff
from muniment.importers.lenient import integer, mapping, maybe_string, objects, string
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.importers.replacing import changed_region
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, Hunk

FAMILIES = {
    "read": "read",
    **dict.fromkeys(("edit", "write", "multiedit", "patch", "apply_patch"), "write"),
    **dict.fromkeys(("grep", "glob", "list", "codesearch", "websearch", "webfetch"), "search"),
    **dict.fromkeys(("todowrite", "todoread"), "tasks"),
    **dict.fromkeys(("bash", "shell"), "command"),
}
HARMLESS = frozenset({"task", "skill", "question", "lsp", "plan_enter", "plan_exit", "invalid", "batch"})
_LINE = re.compile(r"(\d+)(?:: ?|\| ?)(.*)\Z")
_TOTAL = re.compile(r"\(End of file - total (\d+) lines\)|\(Showing lines \d+-\d+ of (\d+)\.")
_MATCHES = re.compile(r"Found (\d+) matches")
_REFUSED = re.compile(r"The user (?:rejected|has rejected|dismissed)|permission (?:denied|rejected)", re.IGNORECASE)


def call_of(ident: str, name: str, given: JSON_OBJECT, cwd: str | None) -> OpenCall:
    """Return the call that a tool's name and input make."""
    path = string(given, "filePath") or string(given, "path")
    pattern = string(given, "pattern") or string(given, "query")
    return OpenCall(
        ident=ident,
        name=name,
        tool=FAMILIES.get(name, "other"),
        command=maybe_string(given, "command") if name in ("bash", "shell") else None,
        path=path or None,
        cwd=string(given, "workdir") or cwd,
        kept={"pattern": pattern} if pattern else {},
    )


def outcome_of(call: OpenCall, given: JSON_OBJECT, state: JSON_OBJECT) -> Outcome:
    """Return what the state of a call says that is over."""
    metadata, text = mapping(state, "metadata"), string(state, "output")
    if string(state, "status") == "error":
        error = string(state, "error")
        if _REFUSED.search(error):
            return Outcome(output=error, status="refused", effect="none")
        unwritten = call.tool in ("write", "read", "search")
        return Outcome(output=error, status="failed", effect="none" if unwritten else None)
    if call.tool == "command":
        return _ran(metadata, text)
    if call.tool == "read":
        return _read(text, metadata)
    if call.tool == "write":
        return Outcome(output=text, status="ok", effect="writes", changes=_changes(call, given, metadata))
    harmless = call.tool in ("search", "tasks") or call.name in HARMLESS
    outcome = Outcome(output=text, status="ok", effect="none" if harmless else None, pattern=call.kept.get("pattern"))
    outcome.truncated = metadata.get("truncated") is True
    return outcome


def matches_of(text: str) -> int | None:
    """Return how many matches a search says that it found."""
    match = _MATCHES.match(text)
    return int(match[1]) if match else None


def _ran(metadata: JSON_OBJECT, text: str) -> Outcome:
    code, truncated = integer(metadata, "exit"), metadata.get("truncated") is True
    if code is None or code < 0:
        return Outcome(output=text, status="unknown", truncated=truncated)
    return Outcome(output=text, exit_code=code, truncated=truncated)


def _read(text: str, metadata: JSON_OBJECT) -> Outcome:
    lines: list[tuple[int, str]] = []
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match is not None and (not lines or int(match[1]) == lines[-1][0] + 1):
            lines.append((int(match[1]), match[2]))
        elif lines:
            break
    total = _TOTAL.search(text)
    outcome = Outcome(output=text, status="ok", effect="none", truncated=metadata.get("truncated") is True)
    if lines and "<type>directory" not in text[:400]:
        outcome.content = "".join(f"{line}\n" for _, line in lines)
        outcome.lines = (lines[0][0], lines[-1][0])
        outcome.total = int(total[1] or total[2]) if total else None
    return outcome


def _changes(call: OpenCall, given: JSON_OBJECT, metadata: JSON_OBJECT) -> tuple[FileChange, ...]:
    files = objects(metadata, "files")
    if files:
        asked = {change.path: change for change in changes_of_patch(string(given, "patchText"), call.cwd)}
        lines = [line[1:] for line in string(given, "patchText").split("\n") if line[:1] in ("+", "-", " ")]
        return tuple(_patched(file, asked, lines) for file in files if string(file, "filePath"))
    if call.path is None:
        return ()
    if call.name == "write":
        created = metadata.get("exists") is False
        content = maybe_string(given, "content")
        return (FileChange(path=call.path, change="created" if created else "written", content=content),)
    told = mapping(metadata, "filediff")
    before, after = maybe_string(told, "before"), maybe_string(told, "after")
    if before is not None and after is not None:
        region = changed_region(before, after)
        hunks: tuple[Hunk, ...] = () if region is None else (region,)
    else:
        lines = [*string(given, "oldString").split("\n"), *string(given, "newString").split("\n")]
        hunks = indented(hunks_of_diff(string(metadata, "diff") or string(told, "patch")), lines)
    return (FileChange(path=call.path, content=after, before=before, hunks=hunks),)


def indented(hunks: tuple[Hunk, ...], asked: list[str]) -> tuple[Hunk, ...]:
    """Return hunks with the indentation that was cut off all their lines; none where `asked` lines don't tell it."""
    known: set[str] | None = None
    wanted = {line.strip(): line for line in asked if line.strip()}
    for line in (line for hunk in hunks for line in hunk.lines if line[0] in "+-" and line[1:].strip()):
        whole = wanted.get(line[1:].strip())
        if whole is not None and whole.endswith(line[1:].rstrip()):
            cut = whole[: len(whole) - len(line[1:])]
            known = {cut} if known is None else known & {cut}
    if not known:
        return ()
    cut = next(iter(known))
    return tuple(
        Hunk(
            hunk.old_start,
            hunk.new_start,
            tuple(f"{line[0]}{cut}{line[1:]}" if line[1:] else line for line in hunk.lines),
        )
        for hunk in hunks
    )


def _patched(file: JSON_OBJECT, asked: dict[str, FileChange], lines: list[str]) -> FileChange:
    path, kind, moved = string(file, "filePath"), string(file, "type"), string(file, "movePath")
    before, after = maybe_string(file, "before"), maybe_string(file, "after")
    hunks = indented(hunks_of_diff(string(file, "patch") or string(file, "diff")), lines)
    if kind == "delete":
        return FileChange(path=path, change="deleted")
    if kind == "add":
        told = asked.get(path)
        content = after if after is not None or told is None else told.content
        return FileChange(path=path, change="created", content=content)
    if kind == "move" and moved:
        return FileChange(path=path, change="renamed", to=moved, hunks=hunks)
    return FileChange(path=path, content=after, before=before, hunks=hunks)
