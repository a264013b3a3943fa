"""The editor that shows and replaces text (`str_replace_editor`, `file_editor`, `str_replace_based_edit_tool`).

SWE-agent, OpenHands and others share it: `view`, `create`, `str_replace`, `insert`, `undo_edit`.

* What a view showed is read from its numbered lines, never from the range that was asked for. A view of a whole file
  numbers the empty piece behind its last line end too: that is no line. Where the middle was clipped, the
  longer of the two runs is taken, without the lines that may be cut.
* Where an edit is, is told by the file before and after it, else by the numbered lines around it that the tool shows.
  Where neither tells, the change has no hunks: better no place than a wrong one.
"""

from __future__ import annotations

import re

from muniment.importers.lenient import integer, maybe_string, sequence, string
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.importers.replacing import around, changed_region, within_snippet
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, Hunk

NAMES = frozenset({"str_replace_editor", "file_editor", "str_replace_based_edit_tool", "edit_file", "editor"})
SHOWN = re.compile(r"(?:Here's the result of running `cat -n` on|The file .{1,500}? has been edited)")
_NUMBERED = re.compile(r"[ ]*(\d+)(?:\t(.*))?\Z")
_CLIPPED = re.compile(r"<response clipped>|\[\.\.\. \d+ lines? (?:clipped|omitted)", re.IGNORECASE)
_FAILED = re.compile(
    r"\s*(?:ERROR:|Error:|Invalid `|No replacement was performed|Parameter `|The path |Unrecognized command|usage:)"
)
_FOLDER = re.compile(r"Here's the files and directories up to \d+ levels deep in")
_KEPT = ("command", "path", "file_text", "old_str", "new_str")


def editor_call(ident: str, name: str, arguments: JSON_OBJECT) -> OpenCall:
    """Return the call of the editor that `arguments` make."""
    kept = {key: value for key in _KEPT if (value := maybe_string(arguments, key)) is not None}
    line = integer(arguments, "insert_line")
    if line is not None:
        kept["insert_line"] = str(line)
    if sequence(arguments, "view_range"):
        kept["view_range"] = "given"
    tool = "read" if kept.get("command") == "view" else "write"
    return OpenCall(ident=ident, name=name, tool=tool, path=string(arguments, "path") or None, kept=kept)


def editor_outcome(
    call: OpenCall, text: str, *, failed: bool | None = None, before: str | None = None, after: str | None = None
) -> Outcome:
    """Return what the editor's answer says. `before` and `after` are the whole file, where the source has them."""
    if failed or (failed is None and _FAILED.match(text)):
        return Outcome(output=text, status="failed", effect="none")
    if call.tool == "read":
        return _viewed(call, text)
    change = _change(call, text, before, after)
    return Outcome(output=text, status="ok", effect="writes", changes=() if change is None else (change,))


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """Return the first run of numbered lines in a text, with their numbers; numbers rise by one."""
    found: list[tuple[int, str]] = []
    for line in text.split("\n"):
        match = _NUMBERED.match(line)
        if match is not None and (not found or int(match[1]) == found[-1][0] + 1):
            found.append((int(match[1]), match[2] or ""))
        elif found:
            break
    return found


def _viewed(call: OpenCall, text: str) -> Outcome:
    if _FOLDER.match(text):
        return Outcome(output=text, status="ok", effect="none")
    clipped = _CLIPPED.search(text)
    lines = numbered_lines(text[: clipped.start()] if clipped else text)
    rest = numbered_lines(text[text.find("\n", clipped.end()) + 1 :]) if clipped else lines
    if rest and "view_range" not in call.kept and rest[-1][1] == "":
        rest.pop()
    last = rest[-1][0] if rest and "view_range" not in call.kept else None
    if clipped is not None:
        lines = max(lines[:-1], rest, key=len)
    if not lines:
        return Outcome(output=text, status="ok", effect="none", truncated=clipped is not None)
    return Outcome(
        output=text,
        status="ok",
        effect="none",
        content="".join(f"{line}\n" for _, line in lines),
        lines=(lines[0][0], lines[-1][0]),
        total=last,
        truncated=clipped is not None,
    )


def _change(call: OpenCall, text: str, before: str | None, after: str | None) -> FileChange | None:
    if call.path is None:
        return None
    command = call.kept.get("command")
    if command == "create":
        created = before is None and not re.search(r"overwrit|has been updated", text)
        content = after if after is not None else call.kept.get("file_text")
        return FileChange(
            path=call.path, change="created" if created else "written", content=content, before=before or None
        )
    if before is not None and after is not None:
        region = changed_region(before, after)
        return FileChange(path=call.path, content=after, before=before, hunks=() if region is None else (region,))
    return FileChange(path=call.path, hunks=_hunks(call, text))


def _hunks(call: OpenCall, text: str) -> tuple[Hunk, ...]:
    command, new = call.kept.get("command"), call.kept.get("new_str", "")
    if command == "insert" and (line := call.kept.get("insert_line")) is not None:
        start = int(line) + 1
        return (Hunk(start, start, tuple(f"+{added}" for added in new.removesuffix("\n").split("\n"))),)
    old = call.kept.get("old_str")
    if command != "str_replace" or old is None:
        return ()
    hunk = within_snippet(numbered_lines(text), old, new) or around(old, new)
    return () if hunk is None else (hunk,)
