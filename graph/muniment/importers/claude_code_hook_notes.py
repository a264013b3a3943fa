"""What hooks of Claude Code tell beside calls and prompts: sessions, boundaries, tasks, files that changed."""

from __future__ import annotations

import re
from typing import Final

from muniment.importers.claude_code_hook_state import Hooked, HookState
from muniment.importers.claude_code_state import Item
from muniment.importers.lenient import string
from muniment.model.records import (
    ContextBoundary,
    FileChangedOutside,
    InstructionsLoaded,
    Message,
    ModelChanged,
    Record,
    SessionOpened,
    SessionResumed,
    TaskMoved,
    TaskStated,
)

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_CHANGES: Final = {"unlink": "deleted"}


def opened(told: Hooked, state: HookState) -> list[Record]:
    """Return the opening of the session, at the first payload of the root agent, whatever it is."""
    if state.opened or told.agent or told.cwd is None:
        return []
    state.opened = True
    windows = _WINDOWS.match(told.cwd) is not None
    return [
        SessionOpened(
            id=f"{told.session}:opened",
            by="harness",
            root=told.cwd,
            fs_style="windows" if windows else "posix",
            case_sensitive=not windows,
        )
    ]


def session_started(told: Hooked, state: HookState) -> list[Record]:
    """Return what a start tells: that the session was resumed, that its context was replaced, another model."""
    source, model = string(told.body, "source"), string(told.body, "model")
    records: list[Record] = []
    if source == "resume":
        records.append(SessionResumed(id=f"{told.session}:resumed:{state.events}", by="harness"))
    if source == "compact":
        records += _crossed(told, state)
    if model and state.inner.models.get(told.agent) != model:
        before = state.inner.models.get(told.agent)
        state.inner.models[told.agent] = model
        records.append(ModelChanged(id=f"{told.session}:model:{state.events}", by="harness", to=model, source=before))
    return records


def boundary(told: Hooked, state: HookState) -> list[Record]:
    """Remember that the context is about to be replaced; whether it is, is told later."""
    state.compacting = True
    state.trigger = string(told.body, "trigger")
    return []


def compacted(told: Hooked, state: HookState) -> list[Record]:
    """Return the boundary, if it has not been told, and the summary."""
    state.trigger = string(told.body, "trigger") or state.trigger
    records = _crossed(told, state)
    summary = string(told.body, "compact_summary")
    if summary:
        ident = f"{told.session}:summary:{state.boundaries}"
        records.append(Message(id=ident, by="compactor", role="summary", text=summary))
    return records


def task_created(told: Hooked, state: HookState) -> list[Record]:
    """Return a task that no call of the task tool is about to tell of."""
    number, subject = string(told.body, "task_id"), string(told.body, "task_subject")
    by_tool = any(call.name == "TaskCreate" for call in state.inner.calls.values())
    if by_tool or not number or not subject or number in state.inner.tasks:
        return []
    state.inner.tasks[number] = Item(f"task:{number}", "open")
    description = string(told.body, "task_description")
    text = f"{subject}\n{description}" if description and description != subject else subject
    return [TaskStated(id=f"task:{number}", by="agent", text=text)]


def task_completed(told: Hooked, state: HookState) -> list[Record]:
    """Return the end of a task that no call of the task tool is about to tell of."""
    item = state.inner.tasks.get(string(told.body, "task_id"))
    by_tool = any(call.name == "TaskUpdate" for call in state.inner.calls.values())
    if by_tool or item is None or item.state == "settled":
        return []
    item.state = "settled"
    return [TaskMoved(id=f"{item.task}:completed:{state.events}", by="agent", task=item.task, to="settled")]


def file_changed(told: Hooked, state: HookState) -> list[Record]:
    """Return that a file changed outside, unless the agent has just written it."""
    path = string(told.body, "file_path")
    if path in state.wrote:
        state.wrote.remove(path)
        return []
    change = _CHANGES.get(string(told.body, "event"), "written")
    return [FileChangedOutside(id=f"file:{state.events}", by="harness", path=path, change=change)] if path else []


def instructions_loaded(told: Hooked, state: HookState) -> list[Record]:
    """Return that an instruction file was given to the agent; its text is not told."""
    path = string(told.body, "file_path")
    return [InstructionsLoaded(id=f"instructions:{state.events}", by="harness", path=path)] if path else []


def _crossed(told: Hooked, state: HookState) -> list[Record]:
    if not state.compacting:
        return []
    state.compacting = False
    state.boundaries += 1
    ident = f"{told.session}:boundary:{state.boundaries}"
    return [ContextBoundary(id=ident, by="harness", trigger=state.trigger or None)]
