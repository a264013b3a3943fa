"""The conversations of OpenHands' SDK (V1): a folder with `base_state.json` and one file for each event in `events/`.

* Each event is kept under its own id. The state file is the head: session id, model, working directory.
* Messages of source `user` are the user's; what the runtime adds to them (`extended_content`) is the harness's.
* A call's id is the model's own `tool_call_id`, also where its result names only the action.
* A condensation is a boundary: its summary, and the records of the events that left the context; all others stayed.
* What the user rejected was refused; the reason that was given is the user's.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.importers.codex_state import Step
from muniment.importers.editor_tool import NAMES, editor_outcome
from muniment.importers.lenient import integer, mapping, maybe_string, objects, storable, string, strings
from muniment.importers.openhands_tools import (
    call_of,
    content_text,
    outcome_of,
    shell_outcome,
    terminal_moved,
)
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, said
from muniment.importers.protocol import SourceLine
from muniment.importers.recent_records import records_of, remember
from muniment.importers.todo_lists import todo_moves
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import ContextBoundary, Record, SessionOpened

_HEAD = "document"
_ACTORS = {"user": "user", "agent": "agent"}
_UNREAD = frozenset({"PauseEvent", "ConversationStateUpdateEvent", "CondensationRequest", "LLMCompletionLogEvent"})


class OpenHandsState(msgspec.Struct):
    """What is remembered between events."""

    opened: bool = False
    cwd: str | None = None
    calls: dict[str, OpenCall] = {}
    actions: dict[str, str] = {}
    plan: dict[str, Step] = {}
    going: list[str] = []
    told: dict[str, list[str]] = {}
    """Event → the records that it became, where they have other ids."""


class OpenHandsReader:
    """Reads the events of one conversation, in order."""

    def __init__(self, file_name: str) -> None:
        self._session = file_name

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where an event belongs; never raises."""
        if _HEAD in body:
            head = mapping(body, _HEAD)
            self._session = string(head, "id") or self._session
            return SourceLine(
                session=self._session,
                stream="",
                source_id=None,
                kind=_HEAD,
                ignored=False,
                actor="harness",
                root=_folder(head),
            )
        kind = string(body, "kind") or "unknown"
        actor = "tool" if kind == "ObservationEvent" else _ACTORS.get(string(body, "source"), "harness")
        return SourceLine(
            session=self._session,
            stream="",
            source_id=string(body, "id") or None,
            kind=kind,
            ignored=kind in _UNREAD or kind not in _RULES,
            actor="harness" if kind == "SystemPromptEvent" else actor,
        )


class OpenHandsNormaliser:
    """Turns the events of one conversation into records."""

    def __init__(self, state: OpenHandsState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one event; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if _HEAD in body:
            return self._head(Spot(entry), mapping(body, _HEAD))
        turn = string(body, "llm_response_id")
        rule = _RULES.get(string(body, "kind"))
        found = [] if rule is None else rule(self, Spot(entry, maybe_string(body, "timestamp"), turn), body)
        remember(self.state.told, entry.source_id, found)
        return found

    def _head(self, spot: Spot, head: JSON_OBJECT) -> list[Record]:
        if self.state.opened:
            return []
        tools = objects(mapping(head, "agent"), "tools")
        places = (string(mapping(tool, "params"), "working_dir") for tool in tools)
        root = _folder(head)
        self.state.opened, self.state.cwd = True, root or next((place for place in places if place), None)
        model = string(mapping(mapping(head, "agent"), "llm"), "model").rsplit("/", 1)[-1]
        return [SessionOpened(id=spot.ident("opened"), by="harness", root=root, model=model or None, **spot.place)]

    def _system(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        text = string(mapping(body, "system_prompt"), "text")
        return [*said(spot, spot.entry.source_id, text, by="harness", role="instructions")]

    def _message(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        message = mapping(body, "llm_message")
        text, source, ident = content_text(message), string(body, "source"), spot.entry.source_id
        added = content_text(body, "extended_content")
        found: list[Record] = [
            *said(spot, f"{ident}:thinking", string(message, "reasoning_content"), by="agent", role="thinking")
        ]
        if source == "user":
            found += said(spot, ident, text, by="user", role="prompt")
        elif source == "agent":
            found += said(spot, ident, text, by="agent", role="answer", final=True)
        else:
            found += said(spot, ident, text, by="harness", role="notice")
        return [*found, *said(spot, f"{ident}:added", added, by="harness", role="notice")]

    def _action(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        ident = string(body, "tool_call_id") or f"{spot.entry.source_id}:call"
        own, action, name = spot.entry.source_id, mapping(body, "action"), string(body, "tool_name")
        thought = content_text(body, "thought")
        found: list[Record] = [
            *said(spot, f"{own}:thinking", string(body, "reasoning_content"), by="agent", role="thinking"),
            *said(spot, own, thought, by="agent", role="answer"),
        ]
        if name == "finish":
            found += said(spot, f"{own}:final", string(action, "message"), by="agent", role="answer", final=True)
        elif name == "think":
            found += said(spot, f"{own}:thought", string(action, "thought"), by="agent", role="thinking")
        call = call_of(ident, name, action, self.state.cwd)
        self.state.calls[ident] = call
        self.state.actions[own] = ident
        arguments = {key: value for key, value in action.items() if key not in ("kind", "thought", "message")}
        found.append(called(spot, call, arguments))
        if name == "task_tracker" and string(action, "command") == "plan":
            found += todo_moves(self.state.plan, spot, objects(action, "task_list"), ident)
        return found

    def _observation(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        call = self._answered(body)
        told = mapping(body, "observation")
        error = string(told, "error")
        text = content_text(told, "output") or content_text(told) or string(told, "message") or error
        failed = bool(error) or told.get("is_error") is True
        if call.tool == "command":
            metadata = mapping(told, "metadata")
            code = integer(metadata, "exit_code")
            outcome = shell_outcome(call, text, integer(told, "exit_code") if code is None else code)
            folder = string(metadata, "working_dir")
            self.state.cwd = folder or self.state.cwd
        elif call.name in NAMES:
            before, after = maybe_string(told, "old_content"), maybe_string(told, "new_content")
            outcome = editor_outcome(call, text, failed=failed or None, before=before, after=after)
        else:
            outcome = outcome_of(call, text, failed=failed)
        return [returned(spot, call, outcome), *terminal_moved(spot, call, outcome, self.state.going)]

    def _error(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        text = string(body, "error")
        if not string(body, "tool_call_id"):
            return [*said(spot, spot.entry.source_id, text, by="harness", role="notice")]
        outcome = Outcome(output=text, status="failed", effect="none")  # what it was given was not valid: nothing ran
        return [returned(spot, self._answered(body), outcome, by="harness")]

    def _rejected(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        reason = string(body, "rejection_reason")
        outcome = Outcome(output=reason, status="refused", effect="none")
        refused = returned(spot, self._answered(body), outcome, by="harness")
        return [refused, *said(spot, f"{spot.entry.source_id}:reason", reason, by="user", role="prompt")]

    def _condensation(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        forgotten = strings(body, "forgotten_event_ids")
        return [
            ContextBoundary(
                id=spot.entry.source_id,
                by="compactor",
                trigger="auto",
                text=string(body, "summary") or None,
                forgotten=records_of(self.state.told, forgotten),
                extra={"summary_offset": integer(body, "summary_offset")},
                **spot.place,
            )
        ]

    def _notice(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        text = string(body, "detail") or string(body, "stderr") or string(body, "reason")
        return [*said(spot, spot.entry.source_id, text, by="harness", role="notice")]

    def _answered(self, body: JSON_OBJECT) -> OpenCall:
        """Return, and forget, the call that a result names by its own id or by its action's."""
        ident = string(body, "tool_call_id") or self.state.actions.get(string(body, "action_id"), "")
        self.state.actions.pop(string(body, "action_id"), None)
        name = string(body, "tool_name")
        ident = ident or f"{string(body, 'action_id')}:call"
        return self.state.calls.pop(ident, None) or OpenCall(ident=ident, name=name, cwd=self.state.cwd)


_RULES: dict[str, Callable[[OpenHandsNormaliser, Spot, JSON_OBJECT], list[Record]]] = {
    "SystemPromptEvent": OpenHandsNormaliser._system,
    "MessageEvent": OpenHandsNormaliser._message,
    "ActionEvent": OpenHandsNormaliser._action,
    "ObservationEvent": OpenHandsNormaliser._observation,
    "AgentErrorEvent": OpenHandsNormaliser._error,
    "UserRejectObservation": OpenHandsNormaliser._rejected,
    "Condensation": OpenHandsNormaliser._condensation,
    "ConversationErrorEvent": OpenHandsNormaliser._notice,
    "HookExecutionEvent": OpenHandsNormaliser._notice,
}


class OpenHandsFormat:
    """Conversations of OpenHands' SDK."""

    name = "openhands/1"
    title = "OpenHands conversation (folder of events)"
    short = "openhands"
    runtime = "openhands"
    lists: tuple[str, ...] = ("events",)
    last: tuple[str, ...] = ()
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document has events of the SDK's kinds."""
        return any(string(event, "kind") in _RULES and "source" in event for event in objects(document, "events")[:20])

    def reader(self, file_name: str) -> OpenHandsReader:
        """Return a reader for a folder of that name."""
        return OpenHandsReader(file_name)

    def normaliser(self, state: bytes | None) -> OpenHandsNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        found = OpenHandsState() if state is None else msgspec.msgpack.decode(state, type=OpenHandsState)
        return OpenHandsNormaliser(found)


OPENHANDS = OpenHandsFormat()


def _folder(head: JSON_OBJECT) -> str | None:
    """Return the workspace that a state file names. Where a tool starts is none: the work may be anywhere else."""
    return string(mapping(head, "workspace"), "working_dir") or None
