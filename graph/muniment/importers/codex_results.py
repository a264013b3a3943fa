"""The results of Codex's calls: one `ToolReturned` for each call, made of the two places where a rollout tells of it.

* The result item has the text that the model saw; an event (`exec_command_end`, `patch_apply_end`, `mcp_tool_call_end`,
  newer: a completed item) has the exit code, the diff with true line numbers and the time it took. They may come in
  either order: the first is held until the other comes, if it does not suffice alone.
* What is held never gets lost: a result goes out when the stream goes on without its event, an event at the end of its
  turn.
* An event of a call that no item made (a command inside a script that the agent ran, one that the user typed) is call
  and result in one.
* A poll of a running process carries the process's command and, in the end, its exit code.
* Only a patch that was applied has changes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from muniment.importers.codex_answers import answers, delegation_ends, delegation_starts
from muniment.importers.codex_calls import command_text, folder_of, small
from muniment.importers.codex_output import end_of_event, is_truncated, never_ran, outcome_of
from muniment.importers.codex_patch import changes_of_event, changes_of_patch
from muniment.importers.codex_state import (
    KEPT,
    CodexState,
    End,
    Line,
    OpenCall,
    Outcome,
    Running,
    parsed,
    remember,
    table,
    text_of,
)
from muniment.importers.exit_status import own_status
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import FileChange, ProcessEnded, Record, ToolCalled, ToolReturned

_NO_PROCESS = re.compile(
    r"(?i)\A(?:write_stdin failed: )?.{0,40}(?:unknown (?:process|session) id|no such (?:process|session))"
)
_UNKNOWN = OpenCall(name="", tool="other")


class _Told(NamedTuple):
    """All that is known of a call when its result goes out."""

    ident: str
    call: OpenCall
    outcome: Outcome
    end: End


def called(state: CodexState, line: Line, ident: str, call: OpenCall, arguments: JSON_OBJECT) -> ToolCalled:
    """Return the record of a call; `ident` is the source's id of it."""
    polled = state.running.get(call.poll) if call.poll is not None else None
    return ToolCalled(
        id=state.prefix + ident,
        by="agent" if line.turn else "user",
        session=line.entry.session,
        agent=line.entry.stream,
        clock=line.clock,
        turn=line.turn,
        tool=call.tool,
        name=call.name,
        command=call.command,
        path=call.path,
        arguments=small(arguments),
        cwd=call.cwd,
        description=f"polls: {polled.command}" if polled is not None and polled.command else None,
    )


def result_item(state: CodexState, line: Line, payload: JSON_OBJECT) -> list[Record]:
    """Take a result item: return its record, or hold it until its event comes."""
    ident = text_of(payload.get("call_id"))
    if ident is None or ident in state.answered or ident in state.outputs:
        return []
    call = state.calls.get(ident) or _UNKNOWN
    outcome = outcome_of(payload.get("output"))
    outcome.clock = line.clock
    if ident not in state.ends and _wants_event(call, outcome):
        state.outputs[ident] = outcome
        return []
    return returned(state, line, ident, outcome, state.ends.get(ident))


def result_event(state: CodexState, line: Line, ident: str | None, event: JSON_OBJECT) -> list[Record]:
    """Take an event that tells of a call's end: hold it until the result item comes, or return the record if it has."""
    if ident is None or ident in state.answered:
        return _late_end(state, line, ident, event)
    end = end_of_event(event)
    if ident in state.outputs:
        return returned(state, line, ident, state.outputs[ident], end)
    if ident in state.calls:
        state.ends[ident] = end
        return []
    return _alone(state, line, ident, event)


def release_results(state: CodexState, line: Line) -> list[Record]:
    """Return the records of held results: the stream has gone on without their events."""
    return [
        record
        for ident, outcome in list(state.outputs.items())
        for record in returned(state, line, ident, outcome, state.ends.get(ident))
    ]


def release_all(state: CodexState, line: Line) -> list[Record]:
    """Return the records of all that is held: a turn has ended."""
    found = release_results(state, line)
    for ident, end in list(state.ends.items()):
        found += returned(state, line, ident, Outcome(output=end.output, clock=line.clock), end)
    return found


def returned(state: CodexState, line: Line, ident: str, outcome: Outcome, end: End | None) -> list[Record]:
    """Return the record of a call's result and what follows from it; the call is over."""
    call = state.calls.pop(ident, None) or _UNKNOWN
    state.outputs.pop(ident, None)
    state.ends.pop(ident, None)
    remember(state.answered, ident)
    polled = state.running.get(call.poll) if call.poll is not None else None
    found: list[Record] = [_record(state, line, _Told(ident, call, outcome, end or End()))]
    if polled is not None and call.poll is not None and _is_over(state, call.poll, outcome):
        state.running.pop(call.poll, None)
        code = outcome.exit_code if outcome.exit_code is not None else (end or End()).exit_code
        found.append(_over(state, line, polled, code))
    if call.questions is not None:
        found += answers(state, line, ident, call, outcome)
    if call.tool == "other":
        found += delegation_starts(state, line, ident, call, outcome)
        states = table(parsed(outcome.output).get("status"))
        found += delegation_ends(state, line, state.prefix + ident, states)
    return found


def _is_over(state: CodexState, process: str, outcome: Outcome) -> bool:
    """Tell whether a poll found a process ended, or nothing by that number any more."""
    return process not in state.running or _NO_PROCESS.search(outcome.output or "") is not None


def _record(state: CodexState, line: Line, told: _Told) -> ToolReturned:
    ident, call, outcome, end = told
    exit_code = outcome.exit_code if outcome.exit_code is not None else end.exit_code
    ran = _what_ran(state, ident, call, outcome, over=exit_code is not None)
    status = _status(call, outcome, end, exit_code)
    changes = _changes(call, end) if status == "ok" else ()
    output = outcome.output if outcome.output is not None else end.output
    return ToolReturned(
        id=f"{state.prefix}{ident}:result",
        by="tool",
        session=line.entry.session,
        agent=line.entry.stream,
        clock=outcome.clock,
        extra={"polled": state.prefix + ran.call} if ran.call != ident else None,
        tool=call.tool,
        name=call.name,
        call=state.prefix + ident,
        command=ran.command,
        path=changes[0].path if len(changes) == 1 and call.tool == "write" else call.path,
        output=output,
        status=status,
        exit_code=exit_code,
        own_status=ran.command is None or call.tool != "command" or own_status(ran.command),
        effect=_effect(call, outcome, status),
        writes=tuple(path for change in changes for path in (change.path, change.to) if path is not None),
        changes=changes,
        truncated=outcome.truncated or (outcome.output is None and is_truncated(output or "")),
        duration_ms=end.duration_ms if end.duration_ms is not None else outcome.duration_ms,
        cwd=folder_of(end.cwd, ran.cwd),
        running=outcome.running is not None and exit_code is None and call.poll is None,
    )


def _late_end(state: CodexState, line: Line, ident: str | None, event: JSON_OBJECT) -> list[Record]:
    """An event that tells of the end of a command that went on after its call was answered."""
    process = next((name for name, ran in state.running.items() if ran.call == ident), None)
    code = end_of_event(event).exit_code
    return [] if process is None or code is None else [_over(state, line, state.running.pop(process), code)]


def _over(state: CodexState, line: Line, ran: Running, code: int | None) -> ProcessEnded:
    return ProcessEnded(
        id=f"{state.prefix}{ran.call}:process-ended",
        by="harness",
        session=line.entry.session,
        agent=line.entry.stream,
        clock=line.clock,
        call=state.prefix + ran.call,
        exit_code=code,
    )


def _what_ran(state: CodexState, ident: str, call: OpenCall, outcome: Outcome, *, over: bool) -> Running:
    """Return the command that a result is about, and keep or forget its process."""
    if call.poll is not None:
        ran = state.running.get(call.poll) or Running(command=None, cwd=call.cwd, call=ident)
        if over:
            state.running.pop(call.poll, None)
        return ran
    ran = Running(command=call.command, cwd=call.cwd, call=ident)
    if outcome.running is not None and not over:
        state.running[outcome.running] = ran
        if len(state.running) > KEPT:
            state.running.pop(next(iter(state.running)))
    return ran


def _status(call: OpenCall, outcome: Outcome, end: End, exit_code: int | None) -> str:
    if call.tool == "command":
        if exit_code is not None:
            return "ok" if exit_code == 0 else "failed"
        told = outcome.status or end.status
        return told if told in ("failed", "refused") else "unknown"
    if end.status is not None:
        return end.status
    if exit_code is not None:
        return "ok" if exit_code == 0 else "failed"
    if outcome.status is not None or outcome.output is None:
        return outcome.status or "unknown"
    return "ok" if call.tool != "write" or outcome.output.startswith("Success.") else "unknown"


def _changes(call: OpenCall, end: End) -> tuple[FileChange, ...]:
    if end.changes:
        return changes_of_event(end.changes, folder_of(end.cwd, call.cwd))
    return changes_of_patch(call.patch, call.cwd) if call.patch else ()


def _effect(call: OpenCall, outcome: Outcome, status: str) -> str | None:
    """A patch that failed half-way may have written some of its files; one that was never tried wrote nothing."""
    if call.tool != "write":
        return None
    if status == "ok":
        return "writes"
    return "none" if status == "refused" or never_ran(outcome.output or "") else "unknown"


def _wants_event(call: OpenCall, outcome: Outcome) -> bool:
    if outcome.status is not None or outcome.running is not None:
        return False
    if call.tool == "write":
        return outcome.exit_code in (None, 0)
    return call.tool == "command" and outcome.exit_code is None


def _alone(state: CodexState, line: Line, ident: str, event: JSON_OBJECT) -> list[Record]:
    """Return call and result of an event whose call no item made."""
    if event.get("source") == "unified_exec_interaction":
        return []
    end = end_of_event(event)
    command = command_text(event.get("command"))
    if command is not None:
        call = OpenCall(name="command", tool="command", command=command, cwd=folder_of(end.cwd, state.cwd))
    elif end.changes is not None:
        call = OpenCall(name="apply_patch", tool="write", cwd=state.cwd)
    else:
        made = table(event.get("invocation")) or event
        call = OpenCall(name=f"mcp__{made.get('server')}__{made.get('tool')}", tool="other", cwd=state.cwd)
    typed = event.get("source") == "user_shell"
    state.calls[ident] = call
    arguments = table(table(event.get("invocation")).get("arguments"))
    said = Line(line.entry, line.clock, "" if typed else line.turn)
    first = called(state, said, ident, call, arguments)
    return [first, *returned(state, line, ident, Outcome(clock=line.clock), end)]
