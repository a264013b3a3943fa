"""The actions of SWE-agent: its commands for windows, searches and edits, the shared editor, and the shell.

An action is a line of text, also where the model called a function. What is none of the agent's own commands is a
shell command. No exit status is recorded.
"""

from __future__ import annotations

import re
import shlex

from muniment.importers.editor_tool import NAMES, editor_call, editor_outcome
from muniment.importers.file_windows import Window, change_between
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.model.entries import JSON_OBJECT

READS = frozenset({"open", "goto", "scroll_down", "scroll_up", "set_cursors", "filemap", "view"})
EDITS = frozenset({"edit", "insert", "create", "append", "replace"})
SEARCHES = frozenset({"search_file", "search_dir", "find_file", "search_files"})
_DONE = re.compile(r"File updated|Text replaced|Successfully|has been (?:edited|updated|created)")
_NOT_DONE = re.compile(
    r"NOT been applied|introduced new syntax error|No edit|not found|Usage:|Error:|Invalid", re.IGNORECASE
)
_FLAG = re.compile(r"--?([a-z_]+)\Z")


def call_of(ident: str, action: str, cwd: str | None) -> OpenCall:
    """Return the call that an action makes."""
    text = action.strip()
    name = text.split(None, 1)[0] if text else ""
    if name in NAMES:
        call = editor_call(ident, name, _editor_arguments(text))
        call.cwd = cwd
        return call
    if name in READS:
        return OpenCall(ident=ident, name=name, tool="read", path=_path(name, text), cwd=cwd)
    if name in EDITS and (name != "append" or "\n" in text):
        return OpenCall(ident=ident, name=name, tool="write", path=_path(name, text), cwd=cwd)
    if name in SEARCHES:
        return OpenCall(ident=ident, name=name, tool="search", cwd=cwd)
    if name == "submit" or text.startswith("exit_"):
        return OpenCall(ident=ident, name=name, cwd=cwd)
    return OpenCall(ident=ident, name="bash", tool="command", command=text, cwd=cwd)


def outcome_of(call: OpenCall, text: str, window: Window | None, before: Window | None) -> Outcome:
    """Return what an observation says of a call. `window` is what it shows of a file, `before` the one known so far."""
    if call.name in NAMES:
        return editor_outcome(call, text)
    if call.tool == "read":
        if window is None:
            return Outcome(output=text, status="unknown", effect="none")
        return Outcome(
            output=text,
            status="ok",
            effect="none",
            path=window.path,
            content=window.content,
            lines=(window.first, window.last),
            total=window.total,
        )
    if call.tool == "write":
        return _edited(call, text, window, before)
    if call.tool == "search":
        return Outcome(output=text, status="ok", effect="none")
    if call.name == "submit" or call.name.startswith("exit_"):
        return Outcome(output=text, status="ok", effect="none")
    return Outcome(output=text)


def _edited(call: OpenCall, text: str, window: Window | None, before: Window | None) -> Outcome:
    done = _DONE.search(text)
    failed = _NOT_DONE.search(_outside(text[: done.start()] if done else text))
    if failed:
        return Outcome(output=text, status="failed", effect="none")
    if window is None:
        return Outcome(output=text, status="unknown", effect="writes" if call.path else None)
    change = change_between(before, window, created=call.name == "create")
    return Outcome(output=text, status="ok", effect="writes", path=window.path, changes=(change,))


def _outside(text: str) -> str:
    """Return an observation without the numbered lines of files in it."""
    return "\n".join(line for line in text.split("\n") if not re.match(r"\d+:", line))


def _path(name: str, text: str) -> str | None:
    """Return the file that a command names, where it names one."""
    if name not in ("open", "create", "filemap", "view"):
        return None
    words = _words(text)
    return words[1] if len(words) > 1 else None


def _editor_arguments(text: str) -> JSON_OBJECT:
    """Return the arguments of the editor, given as on a command line: command, path, then flags with values."""
    words = _words(text)
    arguments: JSON_OBJECT = {}
    for name, word in zip(("command", "path"), words[1:3], strict=False):
        arguments[name] = word
    place = 3
    while place < len(words):
        flag = _FLAG.match(words[place])
        values: list[str] = []
        place += 1
        while place < len(words) and not (values and flag and _FLAG.match(words[place])) and len(values) < 2:
            values.append(words[place])
            place += 1
            if flag is not None and flag[1] != "view_range":
                break
        if flag is not None and values:
            arguments[flag[1]] = _value(flag[1], values)
    return arguments


def _value(name: str, values: list[str]) -> object:
    if name == "view_range":
        return values
    return int(values[0]) if name == "insert_line" and values[0].isdecimal() else values[0]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that never closes
        return text.split()
