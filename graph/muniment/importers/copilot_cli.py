"""The event logs of Copilot CLI (`~/.copilot/session-state/…/events.jsonl`): one event a line, each with its own id.

* `user.message` is the user's as it was typed (`content`); what the runtime made of it (`transformedContent`) is not
  told. In the events of a sub-agent (`parentToolCallId`) it is its parent agent's.
* Calls are told by the message that makes them, results by `tool.execution_complete`; `tool.execution_start` counts
  only where no message did.
* An answer to `ask_user` is the user's own word.
* A hook's events repeat what is told already.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.importers.codex_state import Step
from muniment.importers.copilot_cli_session import answered, compacted
from muniment.importers.copilot_cli_tools import call_of, outcome_of, shell_of
from muniment.importers.lenient import integer, mapping, maybe_string, objects, storable, string
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, process_ended, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.importers.todo_lists import boxes_in, todo_moves
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import (
    BranchChanged,
    DelegationEnded,
    DelegationStarted,
    ModelChanged,
    Record,
    SessionClosed,
    SessionOpened,
    SessionResumed,
)


class CopilotState(msgspec.Struct):
    """What is remembered between events."""

    opened: bool = False
    cwd: str | None = None
    model: str | None = None
    calls: dict[str, OpenCall] = {}
    plan: dict[str, Step] = {}
    children: dict[str, str] = {}
    running: dict[str, str] = {}


class CopilotReader:
    """Reads the events of one log, in order."""

    def __init__(self) -> None:
        self._session = ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where an event belongs; never raises."""
        kind, data, root = string(body, "type") or "unknown", mapping(body, "data"), None
        if kind in ("session.start", "session.resume"):
            self._session = self._session or string(data, "sessionId")
            root = string(mapping(data, "context"), "cwd") or None
        actor = {"user": "user", "assistant": "agent", "tool": "tool"}.get(kind.split(".")[0], "harness")
        if actor == "user" and string(data, "parentToolCallId"):
            actor = "agent"
        return SourceLine(
            session=self._session,
            stream="",
            source_id=string(body, "id") or None,
            kind=kind,
            ignored=kind not in _RULES,
            actor="agent" if kind == "tool.execution_start" else actor,
            root=root,
        )


class CopilotNormaliser:
    """Turns the events of one log into records."""

    def __init__(self, state: CopilotState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one event; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        rule = _RULES.get(string(body, "type"))
        data = mapping(body, "data")
        turn = string(data, "apiCallId") or string(data, "messageId") or string(data, "turnId")
        spot = Spot(entry, maybe_string(body, "timestamp"), turn, string(data, "parentToolCallId"))
        return [] if rule is None else rule(self, spot, data)

    def _start(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        context = mapping(data, "context")
        self.state.cwd = string(context, "cwd") or self.state.cwd
        if self.state.opened:
            return [SessionResumed(id=spot.ident("resumed"), by="harness", **spot.place)]
        self.state.opened = True
        self.state.model = string(data, "selectedModel") or self.state.model
        found: list[Record] = [
            SessionOpened(
                id=spot.ident("opened"),
                by="harness",
                root=self.state.cwd,
                model=self.state.model,
                version=string(data, "copilotVersion") or None,
                **spot.place,
            )
        ]
        branch = string(context, "branch")
        return found + (
            [BranchChanged(id=spot.ident("branch"), by="harness", to=branch, **spot.place)] if branch else []
        )

    def _model(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        model = string(data, "newModel") or string(data, "model")
        before, self.state.model = self.state.model, model or self.state.model
        if not model or model == before:
            return []
        return [ModelChanged(id=spot.ident("model"), by="harness", to=model, source=before, **spot.place)]

    def _system(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        return [*said(spot, spot.entry.source_id, string(data, "content"), by="harness", role="instructions")]

    def _user(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        typed = not spot.agent and string(data, "source") in ("", "user")
        by = "user" if typed else "agent" if spot.agent else "harness"
        role = "notice" if by == "harness" else "prompt"
        return [*said(spot, spot.entry.source_id, string(data, "content"), by=by, role=role)]

    def _assistant(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        own, requests = spot.entry.source_id, objects(data, "toolRequests")
        found = self._model(spot, {"model": data.get("model")}) if not spot.agent else []
        found += said(spot, f"{own}:thinking", string(data, "reasoningText"), by="agent", role="thinking")
        final = not requests and not spot.agent
        found += said(spot, own, string(data, "content"), by="agent", role="answer", final=final)
        for request in requests:
            ident, name = string(request, "toolCallId"), string(request, "name")
            if ident:
                found.append(self._call(spot, ident, name, mapping(request, "arguments")))
        tokens = integer(data, "outputTokens") or 0
        return [*found, *used(spot, string(data, "model") or self.state.model, given=0, output=tokens)]

    def _started(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        ident = string(data, "toolCallId")
        if not ident or ident in self.state.calls:
            return []
        return [self._call(spot, ident, string(data, "toolName"), mapping(data, "arguments"))]

    def _call(self, spot: Spot, ident: str, name: str, given: JSON_OBJECT) -> Record:
        call = call_of(ident, name, given, self.state.cwd)
        self.state.calls[ident] = call
        left_out = ("file_text", "old_str", "new_str", "patch", "input")
        return called(spot, call, {key: value for key, value in given.items() if key not in left_out})

    def _completed(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        ident = string(data, "toolCallId")
        call = self.state.calls.pop(ident, None) or OpenCall(ident=ident or spot.ident("call"), name="")
        result, error = mapping(data, "result"), mapping(data, "error")
        text = string(result, "content") or string(error, "message")
        success = data.get("success") is True
        refused = string(error, "code") in ("denied", "rejected") or string(data, "resultType") in (
            "denied",
            "rejected",
        )
        detail = string(result, "detailedContent")
        outcome = outcome_of(call, text, detail, success=success, refused=refused)
        found: list[Record] = [returned(spot, call, outcome), *self._processes(spot, call, outcome, text)]
        if call.name == "ask_user" and success:
            return found + answered(spot, call, text)
        if call.tool == "tasks" and success and call.kept.get("todos"):
            found += todo_moves(self.state.plan, spot, boxes_in(call.kept["todos"]), call.ident)
        return found

    def _processes(self, spot: Spot, call: OpenCall, outcome: Outcome, text: str) -> list[Record]:
        """What an answer says of commands that go on: that this one does, or that another has ended."""
        shell = shell_of(text) or call.kept.get("shellId", "")
        if outcome.running and call.command is not None:
            self.state.running[shell] = call.ident
            return []
        over = outcome.exit_code is not None or call.name.startswith("stop_")
        started = self.state.running.pop(shell, None) if over else None
        return [process_ended(spot, started, outcome.exit_code)] if started is not None else []

    def _child_started(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        call = string(data, "toolCallId")
        if not call:
            return []
        ident = self.state.children[call] = f"{call}:delegation"
        text = string(data, "agentDescription") or string(data, "agentName") or None
        return [DelegationStarted(id=ident, by="agent", child=call, text=text, call=call, **spot.place)]

    def _child_ended(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        call = string(data, "toolCallId")
        ident = self.state.children.pop(call, None)
        if ident is None:
            return []
        outcome = "failed" if string(data, "error") else "done"
        text = string(data, "error") or None
        return [
            DelegationEnded(
                id=spot.ident("ended"),
                by="harness",
                delegation=ident,
                outcome=outcome,
                text=text,
                child=call,
                **spot.place,
            )
        ]

    def _compacted(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        return compacted(spot, data)

    def _notice(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:
        text = string(data, "message") or string(data, "reason") or string(data, "content")
        return [*said(spot, spot.entry.source_id, text, by="harness", role="notice")]

    def _closed(self, spot: Spot, data: JSON_OBJECT) -> list[Record]:  # noqa: ARG002 (all rules are called alike)
        return [SessionClosed(id=spot.ident("closed"), by="harness", **spot.place)]


_RULES: dict[str, Callable[[CopilotNormaliser, Spot, JSON_OBJECT], list[Record]]] = {
    "session.start": CopilotNormaliser._start,
    "session.resume": CopilotNormaliser._start,
    "session.model_change": CopilotNormaliser._model,
    "session.compaction_complete": CopilotNormaliser._compacted,
    "session.error": CopilotNormaliser._notice,
    "session.warning": CopilotNormaliser._notice,
    "session.shutdown": CopilotNormaliser._closed,
    "system.message": CopilotNormaliser._system,
    "user.message": CopilotNormaliser._user,
    "assistant.message": CopilotNormaliser._assistant,
    "tool.execution_start": CopilotNormaliser._started,
    "tool.execution_complete": CopilotNormaliser._completed,
    "subagent.started": CopilotNormaliser._child_started,
    "subagent.completed": CopilotNormaliser._child_ended,
    "subagent.failed": CopilotNormaliser._child_ended,
    "abort": CopilotNormaliser._notice,
}


class CopilotFormat:
    """Event logs of Copilot CLI."""

    name = "copilot-cli/1"
    title = "Copilot CLI event log"
    short = "copilot-cli"
    runtime = "copilot-cli"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether any of the first objects is an event of the log's form, of a kind that only it has."""
        kinds = _RULES.keys() - {"abort"}
        return any(string(line, "type") in kinds and isinstance(line.get("data"), dict) for line in first)

    def reader(self, file_name: str) -> CopilotReader:  # noqa: ARG002 (the name says nothing here)
        """Return a reader."""
        return CopilotReader()

    def normaliser(self, state: bytes | None) -> CopilotNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return CopilotNormaliser(CopilotState() if state is None else msgspec.msgpack.decode(state, type=CopilotState))


COPILOT_CLI = CopilotFormat()
