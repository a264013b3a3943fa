"""The tools of Copilot CLI: what a call is, and what its result says.

* A view's lines are those that its answer numbers (`12. text`); of a whole file it numbers the empty piece behind the
  last line end too.
* A shell's answer ends with its exit status; one without ran on. What an answer was too large for was left out.
* Edits carry a diff with true line numbers beside the text that the model saw.
"""

from __future__ import annotations

import re

from muniment.importers.codex_patch import changes_of_patch, hunks_of_diff
from muniment.importers.lenient import maybe_string, sequence, string
from muniment.importers.plain_records import OpenCall, Outcome
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange

FAMILIES = {
    "view": "read",
    **dict.fromkeys(("create", "edit", "str_replace", "insert", "apply_patch"), "write"),
    **dict.fromkeys(("grep", "rg", "glob", "web_search"), "search"),
    **dict.fromkeys(
        ("bash", "powershell", "read_bash", "write_bash", "read_powershell", "write_powershell"), "command"
    ),
    **dict.fromkeys(("update_todo", "todo"), "tasks"),
}
HARMLESS = frozenset(
    {
        *("ask_user", "report_intent", "web_fetch", "task", "skill", "store_memory", "exit_plan_mode", "task_complete"),
        *("read_agent", "list_agents", "list_bash", "fetch_copilot_cli_documentation", "show_file"),
    }
)
_LINE = re.compile(r"(\d+)\. ?(.*)\Z")
_STATUS = re.compile(r"\s*<(?:shellId: \S+ completed with exit code|exited with exit code|exit code:?) (-?\d+)>\s*\Z")
_RUNNING = re.compile(r"\s*<(?:shellId|command with shellId)[^<>]*(?:running|detached)[^<>]*>", re.IGNORECASE)
_SHELL = re.compile(r"<(?:command with )?shellId:? (\w+)")
_TOO_LARGE = re.compile(r"Output too large to read at once|\[\.\.\. truncated|<\w+ lines truncated>")


def call_of(ident: str, name: str, given: JSON_OBJECT, cwd: str | None) -> OpenCall:
    """Return the call that a tool's name and arguments make."""
    path = string(given, "path") or string(given, "file_path")
    keys = ("pattern", "file_text", "old_str", "new_str", "question", "todos", "shellId")
    kept = {key: value for key in keys if (value := maybe_string(given, key)) is not None}
    kept.update({"view_range": "given"} if sequence(given, "view_range") else {})
    patch = maybe_string(given, "patch") or maybe_string(given, "input")
    kept.update({"patch": patch} if name == "apply_patch" and patch else {})
    tool = FAMILIES.get(name, "other")
    command = maybe_string(given, "command") if name in ("bash", "powershell") else None
    return OpenCall(ident=ident, name=name, tool=tool, command=command, path=path or None, cwd=cwd, kept=kept)


def outcome_of(call: OpenCall, text: str, detail: str, *, success: bool, refused: bool) -> Outcome:
    """Return what a result says: its text for the model, the runtime's own detail, and whether it succeeded."""
    if refused:
        return Outcome(output=text, status="refused", effect="none")
    if call.tool == "command":
        return _ran(text)
    if not success:
        unwritten = call.tool in ("read", "write", "search") or call.name in HARMLESS
        return Outcome(output=text, status="failed", effect="none" if unwritten else None)
    if call.tool == "read":
        return _viewed(call, text, is_folder="\ndiff --git" not in f"\n{detail}" and not _LINE.match(text[:200]))
    if call.tool == "write":
        return Outcome(output=text, status="ok", effect="writes", changes=_changes(call, detail))
    harmless = call.tool in ("search", "tasks") or call.name in HARMLESS
    return Outcome(output=text, status="ok", effect="none" if harmless else None, pattern=call.kept.get("pattern"))


def _ran(text: str) -> Outcome:
    text = text.replace("\r\n", "\n")
    match = _STATUS.search(text)
    truncated = _TOO_LARGE.search(text) is not None
    if match is None:
        running = _RUNNING.search(text) is not None
        own = False if running else None
        return Outcome(output=text, status="unknown", own=own, truncated=truncated, running=running)
    return Outcome(output=text[: match.start()], exit_code=int(match[1]), truncated=truncated)


def shell_of(text: str) -> str:
    """Return the shell that an answer tells of, "" where it tells of none."""
    match = _SHELL.search(text)
    return match[1] if match is not None else ""


def _viewed(call: OpenCall, text: str, *, is_folder: bool) -> Outcome:
    outcome = Outcome(output=text, status="ok", effect="none")
    lines: list[tuple[int, str]] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        match = _LINE.match(line)
        if match is None or (lines and int(match[1]) != lines[-1][0] + 1):
            outcome.truncated = bool(lines)
            break
        lines.append((int(match[1]), match[2]))
    whole = "view_range" not in call.kept and not outcome.truncated
    if whole and len(lines) > 1 and lines[-1][1] == "":
        lines.pop()
    if lines and not is_folder:
        outcome.content = "".join(f"{line}\n" for _, line in lines)
        outcome.lines = (lines[0][0], lines[-1][0])
        outcome.total = lines[-1][0] if whole and lines[0][0] == 1 else None
    return outcome


def _changes(call: OpenCall, detail: str) -> tuple[FileChange, ...]:
    if "patch" in call.kept:
        return changes_of_patch(call.kept["patch"], call.cwd)
    if call.path is None:
        return ()
    if call.name == "create":
        return (FileChange(path=call.path, change="created", content=call.kept.get("file_text")),)
    return (FileChange(path=call.path, hunks=hunks_of_diff(detail)),)
