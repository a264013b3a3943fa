"""The tools that ATIF trajectories name: those of many runtimes, known by their names, and what their answers say.

* A shell's exit status is in the result's `extra`, or in the last line of the text as some runtimes write it. Where
  neither tells, it is not known.
* What a read showed is taken from numbered lines only.
* An edit that replaces whole lines is a hunk of unknown place; anything else is a change that nobody told.
"""

from __future__ import annotations

import re

from muniment.importers.editor_tool import NAMES as EDITORS
from muniment.importers.editor_tool import editor_call, editor_outcome
from muniment.importers.lenient import integer, mapping, maybe_string, string
from muniment.importers.openhands_tools import is_harmless, shell_outcome
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.importers.replacing import around
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange

FAMILIES = {
    **dict.fromkeys(("bash", "shell", "exec_command", "execute_bash", "terminal", "run_shell_command"), "command"),
    **dict.fromkeys(("bash_command", "shell_command", "local_shell", "run_command", "execute_command"), "command"),
    **dict.fromkeys(("read", "read_file", "view", "view_file", "open_file", "cat"), "read"),
    **dict.fromkeys(("write", "write_file", "create_file", "edit", "multiedit", "replace", "apply_patch"), "write"),
    **dict.fromkeys(("grep", "glob", "search", "search_files", "list_directory", "ls", "web_search"), "search"),
}
_HARMLESS = frozenset({"todowrite", "todo_write", "update_plan", "task_complete", "mark_task_complete", "ask_user"})
_NUMBERED = re.compile(r"[ ]*(\d+)(?:\t|→|: |\| )(.*)\Z")
_STATUS = re.compile(r"(?:exit(?:ed with)? (?:code|status)|returncode)[:=]?\s*(-?\d+)\W*\Z", re.IGNORECASE)
_ERROR = re.compile(r"\s*(?:<tool_use_error>|error:|failed:|traceback )", re.IGNORECASE)


def call_of(ident: str, name: str, given: JSON_OBJECT) -> OpenCall:
    """Return the call that a function's name and arguments make."""
    if name in EDITORS:
        return editor_call(ident, name, given)
    tool = FAMILIES.get(name.lower().rsplit("__", 1)[-1], "other")
    path = next((path for key in ("file_path", "path", "filePath", "file") if (path := string(given, key))), None)
    kept = {
        key: text for key in ("content", "old_string", "new_string", "pattern") if (text := maybe_string(given, key))
    }
    return OpenCall(
        ident=ident, name=name, tool=tool, command=_command(given) if tool == "command" else None, path=path, kept=kept
    )


def outcome_of(call: OpenCall, text: str, extra: JSON_OBJECT) -> Outcome:
    """Return what a result says; `extra` is what its writer added."""
    failed = extra.get("is_error") is True or string(extra, "status") in ("error", "failed") or None
    if call.name in EDITORS:
        return editor_outcome(call, text, failed=failed)
    if call.tool == "command":
        return _ran(call, text, extra)
    if failed or _ERROR.match(text):
        unwritten = call.tool in ("read", "write", "search")
        return Outcome(output=text, status="failed", effect="none" if unwritten else None)
    if call.tool == "read":
        return _read(text)
    if call.tool == "write":
        return Outcome(output=text, status="ok", effect="writes", changes=_changes(call))
    harmless = call.tool == "search" or is_harmless(call.name) or call.name.lower() in _HARMLESS
    return Outcome(output=text, effect="none" if harmless else None, pattern=call.kept.get("pattern"))


def _command(given: JSON_OBJECT) -> str:
    for key in ("command", "cmd", "keystrokes", "script", "code"):
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return " ".join(str(word) for word in value)
    return ""


def _ran(call: OpenCall, text: str, extra: JSON_OBJECT) -> Outcome:
    told = [integer(extra, key) for key in ("exit_code", "exitCode", "returncode", "return_code")]
    told.append(integer(mapping(extra, "metadata"), "exit_code"))
    code = next((number for number in told if number is not None), None)
    if code is None:
        match = _STATUS.search(text[-120:])
        code = int(match[1]) if match else None
    return shell_outcome(call, text, code)


def _read(text: str) -> Outcome:
    outcome = Outcome(output=text, status="ok", effect="none")
    lines: list[tuple[int, str]] = []
    for line in text.split("\n"):
        match = _NUMBERED.match(line)
        if match is not None and (not lines or int(match[1]) == lines[-1][0] + 1):
            lines.append((int(match[1]), match[2]))
        elif lines:
            break
    if lines:
        outcome.content = "".join(f"{line}\n" for _, line in lines)
        outcome.lines = (lines[0][0], lines[-1][0])
    return outcome


def _changes(call: OpenCall) -> tuple[FileChange, ...]:
    if call.path is None:
        return ()
    if "content" in call.kept and "old_string" not in call.kept:
        return (FileChange(path=call.path, content=call.kept["content"]),)
    hunk = around(call.kept.get("old_string", ""), call.kept.get("new_string", ""))
    return (FileChange(path=call.path, hunks=() if hunk is None else (hunk,)),)
