"""The event lists of OpenHands before its SDK (0.1x to 0.6x): a list of events, or an object with it as `history`.

* Actions and observations, joined by `cause`. A call's id is the model's own, where the event has it.
* Messages of source `user` are the user's. The system prompt, recalled context and errors without a cause are the
  harness's.
* Token usage comes with each action; several actions of one response tell it once.
* The patch that an evaluation kept (`test_result.git_patch`) stays in the head.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.importers.editor_tool import SHOWN, editor_call, editor_outcome
from muniment.importers.lenient import integer, mapping, maybe_string, objects, sequence, storable, string
from muniment.importers.openhands_legacy_reader import HEAD, LegacyReader, is_unread, kind_of
from muniment.importers.openhands_tools import call_of, is_harmless, shell_outcome, terminal_moved
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, said, used
from muniment.importers.recent_records import records_of, remember
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import ContextBoundary, Record, SessionOpened

_KEPT = 64


class LegacyState(msgspec.Struct):
    """What is remembered between events. `calls` are by the number of the action's event."""

    opened: bool = False
    model: str | None = None
    cwd: str | None = None
    turn: str = ""
    calls: dict[str, OpenCall] = {}
    going: list[str] = []
    told: dict[str, list[str]] = {}
    """Event → the records that it became, where they have other ids."""


class LegacyNormaliser:
    """Turns the events of one list into records."""

    def __init__(self, state: LegacyState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one event; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if HEAD in body:
            config = mapping(mapping(mapping(body, HEAD), "metadata"), "llm_config")
            self.state.model = string(config, "model").rsplit("/", 1)[-1] or None
            return []
        spot = Spot(entry, maybe_string(body, "timestamp"), self._turn(body))
        found: list[Record] = [] if self.state.opened else [self._open(spot)]
        if is_unread(body):
            return found
        kind, is_action = kind_of(body)
        rule = (
            _ACTIONS.get(kind, LegacyNormaliser._act) if is_action else _OBSERVATIONS.get(kind, LegacyNormaliser._see)
        )
        found += rule(self, spot, body)
        remember(self.state.told, entry.source_id, found)
        return found

    def _open(self, spot: Spot) -> Record:
        self.state.opened = True
        return SessionOpened(id=spot.ident("opened"), by="harness", model=self.state.model, **spot.place)

    def _turn(self, body: JSON_OBJECT) -> str:
        response = string(mapping(mapping(body, "tool_call_metadata"), "model_response"), "id")
        return response or f"{body.get('id')}"

    def _system(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        text = string(mapping(body, "args"), "content") or string(body, "message")
        return [*said(spot, spot.entry.source_id, text, by="harness", role="instructions")]

    def _message(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        args = mapping(body, "args")
        text = string(args, "content") or string(body, "message")
        if string(body, "source") == "user":
            return [*said(spot, spot.entry.source_id, text, by="user", role="prompt")]
        final = args.get("wait_for_response") is not False
        return [
            *said(spot, spot.entry.source_id, text, by="agent", role="answer", final=final),
            *self._used(spot, body),
        ]

    def _finish(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        args = mapping(body, "args")
        text = "\n\n".join(part for key in ("thought", "final_thought") if (part := string(args, key).strip()))
        text = text or string(body, "message")
        return [*said(spot, spot.entry.source_id, text, by="agent", role="answer", final=True), *self._used(spot, body)]

    def _think(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        text = string(mapping(body, "args"), "thought") or string(body, "message")
        return [*said(spot, spot.entry.source_id, text, by="agent", role="thinking"), *self._used(spot, body)]

    def _condensed(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        args = mapping(body, "args")
        forgotten = [ident for ident in sequence(args, "forgotten_event_ids") if isinstance(ident, int)]
        first, last = integer(args, "forgotten_events_start_id"), integer(args, "forgotten_events_end_id")
        if not forgotten and first is not None and last is not None and 0 <= last - first < 100_000:
            forgotten = list(range(first, last + 1))
        gone = [f"event:{ident}" for ident in forgotten]
        return [
            ContextBoundary(
                id=spot.entry.source_id,
                by="compactor",
                trigger="auto",
                text=string(args, "summary") or None,
                forgotten=records_of(self.state.told, gone),
                extra={"summary_offset": integer(args, "summary_offset")},
                **spot.place,
            )
        ]

    def _act(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        args, kind = mapping(body, "args"), string(body, "action")
        own = spot.entry.source_id
        metadata = mapping(body, "tool_call_metadata")
        ident = string(metadata, "tool_call_id") or f"{own}:call"
        name = string(metadata, "function_name") or kind
        by = "user" if string(body, "source") == "user" else "agent"
        found: list[Record] = [*said(spot, own, string(args, "thought"), by="agent", role="answer")]
        call = self._call(ident, name, kind, args)
        self.state.calls[_number(body.get("id"))] = call
        if len(self.state.calls) > _KEPT:
            self.state.calls.pop(next(iter(self.state.calls)))
        kept = ("path", "view_range", "is_input", "query", "url", "name")
        given: JSON_OBJECT = {key: args[key] for key in kept if key in args}
        return [*found, called(spot, call, given, by=by), *self._used(spot, body)]

    def _call(self, ident: str, name: str, kind: str, args: JSON_OBJECT) -> OpenCall:
        if kind in ("read", "edit", "write"):
            command = "view" if kind == "read" else string(args, "command") or "create"
            content = maybe_string(args, "content") if kind == "write" else maybe_string(args, "file_text")
            given = {**args, "command": command, **({} if content is None else {"file_text": content})}
            call = editor_call(ident, name, given)
        elif kind == "run":
            call = call_of(ident, "run", args, self.state.cwd)
            call.name = name
        elif kind == "run_ipython":
            call = OpenCall(ident=ident, name=name, kept={"code": string(args, "code")[:2000]})
        else:
            call = OpenCall(ident=ident, name=name)
        call.cwd = maybe_string(args, "cwd") or self.state.cwd
        return call

    def _see(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        call = self.state.calls.pop(_number(body.get("cause")), None)
        text, extras, kind = string(body, "content"), mapping(body, "extras"), string(body, "observation")
        if call is None:
            return [*said(spot, spot.entry.source_id, text, by="harness", role="notice")]
        if kind == "error":
            return [returned(spot, call, Outcome(output=text, status="failed"))]
        if kind == "user_rejected":
            refused = Outcome(output=text, status="refused", effect="none")
            return [returned(spot, call, refused, by="harness")]
        outcome = self._outcome(call, text, extras)
        return [returned(spot, call, outcome), *terminal_moved(spot, call, outcome, self.state.going)]

    def _outcome(self, call: OpenCall, text: str, extras: JSON_OBJECT) -> Outcome:
        if call.tool == "command":
            metadata = mapping(extras, "metadata")
            code = integer(metadata, "exit_code")
            self.state.cwd = string(metadata, "working_dir") or self.state.cwd
            return shell_outcome(call, text, integer(extras, "exit_code") if code is None else code)
        if call.tool == "read" and not SHOWN.match(text) and extras.get("impl_source") in (None, "default"):
            whole = "view_range" not in call.kept and not text.startswith(("ERROR:", "Error"))
            return Outcome(output=text, effect="none", content=text if whole else None)
        if call.tool in ("read", "write"):
            before, after = maybe_string(extras, "old_content"), maybe_string(extras, "new_content")
            return editor_outcome(call, text, before=before, after=after)
        return Outcome(output=text, effect="none" if is_harmless(call.name) else None)

    def _used(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        if spot.turn == self.state.turn:
            return []
        self.state.turn = spot.turn
        response = mapping(mapping(body, "tool_call_metadata"), "model_response")
        usage = mapping(response, "usage")
        read = integer(usage, "cache_read_input_tokens")
        read = integer(mapping(usage, "prompt_tokens_details"), "cached_tokens") if read is None else read
        return [
            *used(
                spot,
                string(response, "model").rsplit("/", 1)[-1] or self.state.model,
                given=integer(usage, "prompt_tokens") or 0,
                output=integer(usage, "completion_tokens") or 0,
                read=read or 0,
                written=integer(usage, "cache_creation_input_tokens") or 0,
            )
        ]


_Rule = Callable[[LegacyNormaliser, Spot, JSON_OBJECT], list[Record]]
_ACTIONS: dict[str, _Rule] = {
    "system": LegacyNormaliser._system,
    "message": LegacyNormaliser._message,
    "finish": LegacyNormaliser._finish,
    "think": LegacyNormaliser._think,
    "condensation": LegacyNormaliser._condensed,
}
_OBSERVATIONS: dict[str, _Rule] = {}


class LegacyFormat:
    """Event lists of OpenHands before its SDK."""

    name = "openhands-legacy/1"
    title = "OpenHands event list (before the SDK)"
    short = "openhands-legacy"
    runtime = "openhands-legacy"
    lists: tuple[str, ...] = ("history", "")
    last: tuple[str, ...] = ()
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document has a list of actions and observations with their sources."""
        events = [*objects(document, "history"), *objects(document, "")]
        return any("source" in event and kind_of(event)[0] and "timestamp" in event for event in events[:20])

    def reader(self, file_name: str) -> LegacyReader:
        """Return a reader for a file of that name."""
        return LegacyReader(file_name)

    def normaliser(self, state: bytes | None) -> LegacyNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return LegacyNormaliser(LegacyState() if state is None else msgspec.msgpack.decode(state, type=LegacyState))


OPENHANDS_LEGACY = LegacyFormat()


def _number(value: object) -> str:
    return str(value) if isinstance(value, int) else ""
