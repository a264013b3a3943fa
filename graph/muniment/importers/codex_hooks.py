"""Payloads of Codex's hooks (`codex-hook/1`), one a line, as they came on stdin.

* Calls and results go through the rules of the rollout: the same call has the same record, with the same id.
* A command's result has its output only: how it exited no hook tells, so its status is unknown until the rollout is
  read. A patch's result has a header with its exit code.
* A call that comes after a result opens a new response; hooks do not tell the model's own.
* What the agent said last comes with `Stop`. What it said between, its thoughts, its plan and its tokens no hook tells.
* A boundary is told once: by `PostCompact` or `SessionStart` (`compact`), whichever is first.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec

from muniment.importers.codex_calls import call_of
from muniment.importers.codex_output import outcome_of
from muniment.importers.codex_results import called, returned
from muniment.importers.codex_state import CodexState, Line, Outcome, encodable, is_windows
from muniment.importers.hook_streams import HookReader, agent_of, clock_of, workspace_seen
from muniment.importers.lenient import mapping, string
from muniment.importers.protocol import Normaliser, SourceReader
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import (
    ContextBoundary,
    Message,
    ModelChanged,
    Record,
    SessionClosed,
    SessionOpened,
    SessionResumed,
)

_SHELL: Final = "Bash"
_PATCH: Final = "apply_patch"
_EVENTS: Final = frozenset(
    {
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
        *("Stop", "PreCompact", "PostCompact"),
    }
)
_KNOWN: Final = _EVENTS | {"PermissionRequest", "SubagentStart", "SubagentStop", "Interrupt"}


class CodexHookState(msgspec.Struct):
    """Everything that is remembered between the payloads of one agent; `inner` is what a rollout's rules remember."""

    inner: CodexState = msgspec.field(default_factory=CodexState)
    opened: bool = False
    turn: str = ""
    events: int = 0
    stops: int = 0
    compacting: bool = False
    trigger: str = ""
    boundaries: int = 0


class CodexHookNormaliser:
    """Turns the payloads of one agent's hooks into records."""

    def __init__(self, state: CodexHookState) -> None:
        self.state = state
        self._rules = {
            "SessionStart": self._started,
            "SessionEnd": self._ended,
            "UserPromptSubmit": self._prompted,
            "PreToolUse": self._calling,
            "PostToolUse": self._returned,
            "Stop": self._stopped,
            "PreCompact": self._compacting,
            "PostCompact": self._compacted,
        }

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one payload, their ids distinct; odd input gives fewer records, never an error."""
        if entry.body is None:
            return []
        body, agent = encodable(entry.body), agent_of(entry.stream)
        state = self.state
        state.turn = string(body, "turn_id") or state.turn
        state.inner.cwd = string(body, "cwd") or state.inner.cwd
        state.inner.child = bool(agent)
        line = Line(entry, clock_of(body))
        records = [] if agent else self._opened(entry, body)
        rule = self._rules.get(string(body, "hook_event_name"))
        if rule is not None:
            records += rule(line, body)
        state.events += 1
        records += workspace_seen(f"workspace:{state.events}", body)
        clock = clock_of(body)
        return [msgspec.structs.replace(record, session=entry.session, agent=agent, clock=clock) for record in records]

    def _opened(self, entry: Entry, body: JSON_OBJECT) -> list[Record]:
        root = string(body, "cwd")
        if self.state.opened or not root:
            return []
        self.state.opened = True
        self.state.inner.model = string(body, "model") or None
        windows = is_windows(root)
        return [
            SessionOpened(
                id=f"{entry.session}:opened",
                by="harness",
                root=root,
                fs_style="windows" if windows else "posix",
                case_sensitive=not windows,
                model=self.state.inner.model,
            )
        ]

    def _started(self, line: Line, body: JSON_OBJECT) -> list[Record]:
        source, model, before = string(body, "source"), string(body, "model"), self.state.inner.model
        name = line.entry.session
        records: list[Record] = []
        if source == "resume":
            records.append(SessionResumed(id=f"{name}:resumed:{self.state.events}", by="harness"))
        if source == "compact":
            records += self._crossed(line)
        if model and before and model != before:
            ident = f"{name}:model:{self.state.events}"
            records.append(ModelChanged(id=ident, by="harness", to=model, source=before))
        self.state.inner.model = model or before
        return records

    def _ended(self, line: Line, _: JSON_OBJECT) -> list[Record]:
        return [SessionClosed(id=f"{line.entry.session}:closed:{self.state.events}", by="harness")]

    def _prompted(self, _: Line, body: JSON_OBJECT) -> list[Record]:
        text = string(body, "prompt")
        by = "agent" if self.state.inner.child else "user"
        ident = f"prompt:{self.state.turn or self.state.events}"
        return [Message(id=ident, by=by, role="prompt", text=text)] if text.strip() else []

    def _calling(self, line: Line, body: JSON_OBJECT) -> list[Record]:
        state, ident = self.state.inner, string(body, "tool_use_id")
        if not ident or ident in state.calls or ident in state.answered:
            return []
        if not state.responding:
            state.response += 1
        state.responding = True
        call, arguments = call_of(_item(body), state.cwd)
        state.calls[ident] = call
        return [called(state, self._within(line), ident, call, arguments)]

    def _returned(self, line: Line, body: JSON_OBJECT) -> list[Record]:
        state, ident = self.state.inner, string(body, "tool_use_id")
        if not ident or ident in state.answered:
            return []
        records = self._calling(line, body)
        state.responding = False
        response = body.get("tool_response")
        shell = string(body, "tool_name") == _SHELL
        outcome = Outcome(output=response) if shell and isinstance(response, str) else outcome_of(response)
        return [*records, *returned(state, self._within(line), ident, outcome, None)]

    def _stopped(self, line: Line, body: JSON_OBJECT) -> list[Record]:
        self.state.stops += 1
        text = string(body, "last_assistant_message")
        turn = self._within(line).turn
        self.state.inner.responding = False
        ident = f"stop:{self.state.turn}:{self.state.stops}"
        said = Message(id=ident, by="agent", role="answer", text=text, turn=turn, final=True)
        return [said] if text.strip() else []

    def _compacting(self, _: Line, body: JSON_OBJECT) -> list[Record]:
        self.state.compacting, self.state.trigger = True, string(body, "trigger")
        return []

    def _compacted(self, line: Line, body: JSON_OBJECT) -> list[Record]:
        self.state.trigger = string(body, "trigger") or self.state.trigger
        return self._crossed(line)

    def _crossed(self, line: Line) -> list[Record]:
        if not self.state.compacting:
            return []
        self.state.compacting = False
        self.state.boundaries += 1
        ident = f"{line.entry.session}:boundary:{self.state.boundaries}"
        return [ContextBoundary(id=ident, by="compactor", trigger=self.state.trigger or None)]

    def _within(self, line: Line) -> Line:
        agent = agent_of(line.entry.stream)
        return Line(line.entry, line.clock, f"{agent or line.entry.session}:turn:{self.state.inner.response}")


class CodexHookFormat:
    """The format, as `importers.FORMATS` lists it."""

    name = "codex-hook/1"
    title = "Codex hook payloads"
    short = "codex-hook"
    runtime = "codex"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether the first objects of a file are payloads of Codex's hooks, which name a rollout or a turn."""
        return any(
            string(body, "hook_event_name") in _KNOWN
            and "session_id" in body
            and ("turn_id" in body or "rollout-" in string(body, "transcript_path"))
            for body in first
        )

    def reader(self, file_name: str) -> SourceReader:  # noqa: ARG002 (the name says nothing here)
        """Return a reader."""
        return HookReader(_EVENTS)

    def normaliser(self, state: bytes | None) -> Normaliser:
        """Return a normaliser for one agent's hooks, new or from the bytes of an earlier state."""
        return CodexHookNormaliser(
            CodexHookState() if state is None else msgspec.msgpack.decode(state, type=CodexHookState)
        )


CODEX_HOOK: Final = CodexHookFormat()


def _item(body: JSON_OBJECT) -> JSON_OBJECT:
    """Return a call as the rollout's item would have it."""
    name, given = string(body, "tool_name"), mapping(body, "tool_input")
    if name == _SHELL:
        return {
            "type": "function_call",
            "name": "exec_command",
            "arguments": json.dumps({**given, "cmd": given.get("command")}),
        }
    if name == _PATCH:
        return {"type": "custom_tool_call", "name": _PATCH, "input": string(given, "command")}
    return {"type": "function_call", "name": name, "arguments": json.dumps(given)}
