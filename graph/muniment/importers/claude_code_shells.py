"""Commands of Claude Code that run in the background: when one starts, and how anybody learns that it has ended.

* It starts with the call's answer, which gives its task id; a command that took too long may be put there too.
* It has ended when a poll finds it completed, failed or killed, when it was stopped (`KillShell`, `TaskStop`), or when
  a notice says so: `<task-notification>`, an attachment `task_status`, a reminder about background shells.
* Its end is told once.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.importers.claude_code_state import OpenCall, State
from muniment.importers.lenient import integer, mapping, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import ProcessEnded, Record

STOPS: Final = frozenset({"KillShell", "KillBash", "TaskStop"})
_STARTED: Final = re.compile(r"Command (?:running in|was manually) background(?:ed)? (?:by user )?with ID: (\w+)")
_OVER: Final = frozenset({"completed", "failed", "killed", "stopped", "cancelled", "exited"})
_TAG: Final = re.compile(r"<(task-id|task_id|shell-id|status|exit_code|exit-code)>\s*(.*?)\s*</\1>", re.DOTALL)
_REMINDER: Final = re.compile(r"Background (?:Bash|shell|command) (\w+) \(command: .*?\) \(status: (\w+)\)", re.DOTALL)
_NAMES: Final = ("bash_id", "shell_id", "task_id")


def remember_shell(call_id: str, call: OpenCall, told: JSON_OBJECT, text: str, state: State) -> bool:
    """Remember a command that goes on in the background; tell whether it does."""
    match = _STARTED.match(text)
    task = string(told, "backgroundTaskId") or (match[1] if match else "")
    if task:
        state.shells[task] = call
        state.started[task] = call_id
    return bool(task)


def shell_polled(call: OpenCall, told: JSON_OBJECT, text: str, state: State) -> list[Record]:
    """Return the end of a command in the background, where a poll found it ended."""
    task = mapping(told, "task") or told
    tags = {match[1].replace("-", "_"): match[2] for match in _TAG.finditer(text)}
    name = string(task, "task_id") or string(task, "shellId") or _named(call) or tags.get("task_id", "")
    code = integer(task, "exitCode")
    if code is None and tags.get("exit_code", "").lstrip("-").isdecimal():
        code = int(tags["exit_code"])
    return shell_ended(name, string(task, "status") or tags.get("status", ""), state, code=code)


def shell_stopped(call: OpenCall, told: JSON_OBJECT, state: State) -> list[Record]:
    """Return the end of a command that was stopped."""
    name = string(told, "task_id") or string(told, "shell_id") or _named(call)
    return shell_ended(name, "killed", state)


def shells_noticed(text: str, state: State) -> list[Record]:
    """Return the ends of commands in the background that a notice of the harness tells of."""
    if not state.started or ("task-notification" not in text and "Background " not in text):
        return []
    found: list[Record] = []
    for part in text.split("<task-notification>")[1:]:
        tags = {match[1].replace("-", "_"): match[2] for match in _TAG.finditer(part)}
        found += shell_ended(tags.get("task_id", "") or tags.get("shell_id", ""), tags.get("status", ""), state)
    for name, status in _REMINDER.findall(text):
        found += shell_ended(name, status, state)
    return found


def shell_ended(name: str, status: str, state: State, *, code: int | None = None) -> list[Record]:
    """Return the end of a command in the background, once; nothing where it is not known, or goes on."""
    if name not in state.started or status not in _OVER:
        return []
    call = state.started.pop(name)
    return [ProcessEnded(id=f"{call}:process-ended", by="harness", call=call, exit_code=code)]


def _named(call: OpenCall) -> str:
    return next((given for name in _NAMES if (given := string(call.input, name))), "")
