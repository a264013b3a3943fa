"""Payloads of Claude Code's hooks (`claude-code-hook/1`), one a line, as they came on stdin.

* A payload is read as the line that the transcript would hold of it, by the rules of the transcript: so a call, its
  result, a prompt or a task has the same record, with the same id, from whichever it comes.
* A result comes with `PostToolUse`, as the structured result; a failure with `PostToolUseFailure`, as text; what
  neither tells (a tool that does not exist, a call that was forbidden) comes with `PostToolBatch`, as the text that the
  model saw. A result whose call was not seen brings the call with it.
* All calls up to a `PostToolBatch` are one response; its name is `<prompt>:<number>`: hooks do not tell the model's.
* What the agent said last comes with `Stop`. What it said between, its thoughts and its tokens no hook tells.
* A boundary is told once: by `SessionStart` (`compact`) or `PostCompact`, whichever is first; the summary is the
  latter's.
* `SubagentStop` ends a child that runs in the background; one without a type is the harness's own and ends nothing.
* `TaskCreated` and `TaskCompleted` count where no call of a tool says the same; a file that is told to have changed
  right after the agent wrote it has not changed outside.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.importers.claude_code_agent import agent_records
from muniment.importers.claude_code_children import background_ended
from muniment.importers.claude_code_hook_notes import (
    boundary,
    compacted,
    file_changed,
    instructions_loaded,
    opened,
    session_started,
    task_completed,
    task_created,
)
from muniment.importers.claude_code_hook_state import Hooked, HookState, text_of_response
from muniment.importers.claude_code_state import Line
from muniment.importers.claude_code_user import user_line_records
from muniment.importers.codex_state import encodable, remember
from muniment.importers.hook_streams import HookReader, agent_of, clock_of, workspace_seen
from muniment.importers.lenient import mapping, objects, string
from muniment.importers.protocol import Normaliser, SourceReader
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record, SessionClosed

_PEOPLE: Final = frozenset({"", "user", "sdk"})
_EVENTS: Final = frozenset(
    {
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
        *("PostToolBatch", "Stop", "SubagentStop", "PreCompact", "PostCompact"),
        *("TaskCreated", "TaskCompleted", "FileChanged", "InstructionsLoaded"),
    }
)
_KNOWN: Final = _EVENTS | {
    *("SubagentStart", "CwdChanged", "StopFailure", "PermissionDenied", "Notification", "TeammateIdle"),
    *("UserPromptExpansion", "PermissionRequest", "DirectoryAdded", "ConfigChange"),
}
_ERRORS: Final = ("<tool_use_error>", "Error: ", "Exit code ", "The user doesn't want", "Permission to use ")


class ClaudeCodeHookNormaliser:
    """Turns the payloads of one agent's hooks into records; what it remembers is `state`."""

    def __init__(self, state: HookState) -> None:
        self.state = state
        self._rules = {
            "SessionStart": session_started,
            "SessionEnd": _ended,
            "UserPromptSubmit": _prompted,
            "PreToolUse": _calling,
            "PostToolUse": _returned,
            "PostToolUseFailure": _failed,
            "PostToolBatch": _batch,
            "Stop": _stopped,
            "SubagentStop": _child_stopped,
            "PreCompact": boundary,
            "PostCompact": compacted,
            "TaskCreated": task_created,
            "TaskCompleted": task_completed,
            "FileChanged": file_changed,
            "InstructionsLoaded": instructions_loaded,
        }

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one payload, their ids distinct; odd input gives fewer records, never an error."""
        if entry.body is None:
            return []
        body = encodable(entry.body)
        told = Hooked(body=body, session=entry.session, agent=agent_of(entry.stream), cwd=string(body, "cwd") or None)
        self.state.prompt = string(body, "prompt_id") or self.state.prompt
        records = opened(told, self.state)
        rule = self._rules.get(string(body, "hook_event_name"))
        if rule is not None:
            records += rule(told, self.state)
        self.state.events += 1
        records += workspace_seen(f"workspace:{self.state.events}", body)
        return _placed(records, told)


class ClaudeCodeHookFormat:
    """The format, as `importers.FORMATS` lists it."""

    name = "claude-code-hook/1"
    title = "Claude Code hook payloads"
    short = "claude-code-hook"
    runtime = "claude-code"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether the first objects of a file are payloads of Claude Code: Codex's name the model each time."""
        return any(
            string(body, "hook_event_name") in _KNOWN and "session_id" in body and not _is_codex(body) for body in first
        )

    def reader(self, file_name: str) -> SourceReader:  # noqa: ARG002 (the name says nothing here)
        """Return a reader."""
        return HookReader(_EVENTS)

    def normaliser(self, state: bytes | None) -> Normaliser:
        """Return a normaliser for one agent's hooks, new or from the msgpack bytes of an earlier `state`."""
        return ClaudeCodeHookNormaliser(HookState() if state is None else msgspec.msgpack.decode(state, type=HookState))


CLAUDE_CODE_HOOK: Final = ClaudeCodeHookFormat()


def _is_codex(body: JSON_OBJECT) -> bool:
    transcript = string(body, "transcript_path").replace("\\", "/").rsplit("/", 1)[-1]
    return "turn_id" in body or transcript.startswith("rollout-")


def _prompted(told: Hooked, state: HookState) -> list[Record]:
    people = string(told.body, "source") in _PEOPLE
    body: JSON_OBJECT = {
        "message": {"role": "user", "content": string(told.body, "prompt")},
        "promptSource": "" if people else "system",
    }
    return user_line_records(_line(f"prompt:{state.prompt or state.events}", body, told), state.inner)


def _calling(told: Hooked, state: HookState) -> list[Record]:
    return _call(told, told.body, state)


def _call(told: Hooked, given: JSON_OBJECT, state: HookState) -> list[Record]:
    """Return the call that a payload tells of, once."""
    call = string(given, "tool_use_id")
    if not call or call in state.inner.calls or call in state.answered:
        return []
    block = {"type": "tool_use", "id": call, "name": string(given, "tool_name"), "input": mapping(given, "tool_input")}
    body: JSON_OBJECT = {"message": {"id": state.turn, "content": [block]}}
    return agent_records(_line(call, body, told), state.inner)


def _returned(told: Hooked, state: HookState) -> list[Record]:
    response = told.body.get("tool_response")
    records = _result(told, told.body, state, {"content": text_of_response(response)}, response)
    state.wrote += [path for record in records for path in getattr(record, "writes", ())]
    del state.wrote[:-64]
    return records


def _failed(told: Hooked, state: HookState) -> list[Record]:
    text = string(told.body, "error")
    if told.body.get("is_interrupt") is True:
        text = f"[Request interrupted by user]\n{text}"
    return _result(told, told.body, state, {"content": text, "is_error": True}, None)


def _batch(told: Hooked, state: HookState) -> list[Record]:
    records: list[Record] = []
    for given in objects(told.body, "tool_calls"):
        text = text_of_response(given.get("tool_response"))
        block: JSON_OBJECT = {"content": text, "is_error": text.startswith(_ERRORS)}
        records += _result(told, given, state, block, None)
    state.responses += 1
    return records


def _result(told: Hooked, given: JSON_OBJECT, state: HookState, block: JSON_OBJECT, result: object) -> list[Record]:
    call = string(given, "tool_use_id")
    if not call or call in state.answered:
        return []
    records = _call(told, given, state)
    remember(state.answered, call)
    block = {"type": "tool_result", "tool_use_id": call, **block}
    body: JSON_OBJECT = {"message": {"role": "user", "content": [block]}, "toolUseResult": result}
    return records + user_line_records(_line(f"{call}:line", body, told), state.inner)


def _stopped(told: Hooked, state: HookState) -> list[Record]:
    state.stops += 1
    text = {"type": "text", "text": string(told.body, "last_assistant_message")}
    body: JSON_OBJECT = {"message": {"id": state.turn, "stop_reason": "end_turn", "content": [text]}}
    state.responses += 1
    return agent_records(_line(f"stop:{state.prompt}:{state.stops}", body, told), state.inner)


def _child_stopped(told: Hooked, state: HookState) -> list[Record]:
    if not string(told.body, "agent_type"):
        return []
    text = string(told.body, "last_assistant_message") or None
    return background_ended(string(told.body, "agent_id"), "completed", text, state.inner)


def _ended(told: Hooked, state: HookState) -> list[Record]:
    return [SessionClosed(id=f"{told.session}:closed:{state.events}", by="harness")]


def _line(ident: str, body: JSON_OBJECT, told: Hooked) -> Line:
    return Line(id=ident, body=body, session=told.session, agent=told.agent, clock=clock_of(told.body), cwd=told.cwd)


def _placed(records: list[Record], told: Hooked) -> list[Record]:
    clock = clock_of(told.body)
    return [msgspec.structs.replace(record, session=told.session, agent=told.agent, clock=clock) for record in records]
