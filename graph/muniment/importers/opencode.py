"""The exports of opencode (`opencode export`): one document, `{info, messages: [{info, parts}]}`.

* A message is an entry, under its own id. While it grows it is exported again with more parts: then only what is new
  in it is told.
* Text that the user wrote is the user's; parts marked `synthetic` are the harness's.
* A call is a part that holds call and result; the calls of a message are one response, up to the end of a step.
* A message that a compaction wrote (`summary`) is a boundary with its summary.
* A child session (`parentID`) is a stream of its parent's session; `task` calls start and end it.
"""

from __future__ import annotations

import msgspec

from muniment.digest import digest_of
from muniment.importers.clocks import iso_of_thousandths
from muniment.importers.codex_state import Step
from muniment.importers.lenient import integer, mapping, objects, storable, string
from muniment.importers.opencode_children import delegated
from muniment.importers.opencode_tools import call_of, matches_of, outcome_of
from muniment.importers.plain_records import Spot, called, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.importers.todo_lists import todo_moves
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import (
    ContextBoundary,
    ModelChanged,
    Record,
    SessionOpened,
)

_HEAD = "document"


class OpencodeState(msgspec.Struct):
    """What is remembered between messages; `told` is what of the newest message was told already."""

    opened: bool = False
    cwd: str | None = None
    model: str | None = None
    message: str = ""
    told: list[str] = []
    plan: dict[str, Step] = {}


class OpencodeReader:
    """Reads the messages of one export, in order."""

    def __init__(self, file_name: str) -> None:
        self._session = file_name
        self._stream = ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a message belongs; never raises."""
        info, root = mapping(body, "info"), None
        if _HEAD in body:
            info = mapping(mapping(body, _HEAD), "info")
            own, parent = string(info, "id") or self._session, string(info, "parentID")
            self._session, self._stream = (parent, own) if parent else (own, "")
            root = string(info, "directory") or None
        role = string(info, "role")
        kind = _HEAD if _HEAD in body else role or "unknown"
        actor = {"user": "agent" if self._stream else "user", "assistant": "agent"}.get(role, "harness")
        return SourceLine(
            session=self._session,
            stream=self._stream,
            source_id=string(info, "id") or None if role else None,
            kind=kind,
            ignored=kind == "unknown",
            actor=actor,
            root=root,
        )


class OpencodeNormaliser:
    """Turns the messages of one export into records."""

    def __init__(self, state: OpencodeState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one message, less what was told of it before; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if _HEAD in body:
            return self._head(Spot(entry), mapping(mapping(body, _HEAD), "info"))
        info = mapping(body, "info")
        if string(info, "id") != self.state.message:
            self.state.message, self.state.told = string(info, "id"), []
        spot = Spot(entry, iso_of_thousandths(mapping(info, "time").get("created")))
        return self._user(spot, body) if string(info, "role") == "user" else self._assistant(spot, info, body)

    def _head(self, spot: Spot, info: JSON_OBJECT) -> list[Record]:
        if self.state.opened:
            return []
        self.state.opened, self.state.cwd = True, string(info, "directory") or None
        if spot.entry.stream:
            return []
        root, version = self.state.cwd, string(info, "version") or None
        return [SessionOpened(id=spot.ident("opened"), by="harness", root=root, version=version, **spot.place)]

    def _user(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        found: list[Record] = []
        by = "agent" if spot.entry.stream else "user"
        for part in objects(body, "parts"):
            if string(part, "type") == "text" and self._is_new(part, string(part, "text")):
                harness = part.get("synthetic") is True
                found += said(
                    spot,
                    _id(spot, part),
                    string(part, "text"),
                    by="harness" if harness else by,
                    role="notice" if harness else "prompt",
                )
        return found

    def _assistant(self, spot: Spot, info: JSON_OBJECT, body: JSON_OBJECT) -> list[Record]:
        if info.get("summary") is True:
            return self._summary(spot, body)
        found = self._model(spot, info)
        parts, step = objects(body, "parts"), 0
        final = string(info, "finish") in ("stop", "end_turn", "length")
        last = next((string(part, "id") for part in reversed(parts) if string(part, "type") == "text"), "")
        for part in parts:
            kind = string(part, "type")
            step += kind == "step-start"
            at = Spot(spot.entry, spot.clock, f"{string(info, 'id')}:{step}")
            if kind in ("text", "reasoning") and self._is_new(part, string(part, "text")):
                role = "answer" if kind == "text" else "thinking"
                ends = final and role == "answer" and string(part, "id") == last
                found += said(at, _id(at, part), string(part, "text"), by="agent", role=role, final=ends)
            elif kind == "tool":
                found += self._tool(at, part)
        return found + self._end(spot, info)

    def _summary(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        texts = (string(part, "text") for part in objects(body, "parts") if string(part, "type") == "text")
        text = "\n".join(text for text in texts if text)
        if not text or not self._is_new({"id": "summary"}, ""):
            return []
        ident = f"{self.state.message}:boundary"
        return [ContextBoundary(id=ident, by="compactor", trigger="auto", text=text, **spot.place)]

    def _model(self, spot: Spot, info: JSON_OBJECT) -> list[Record]:
        model = string(info, "modelID")
        before, self.state.model = self.state.model, model or self.state.model
        if not model or model == before:
            return []
        ident = f"{self.state.message}:model"
        return [ModelChanged(id=ident, by="harness", to=model, source=before, **spot.place)]

    def _tool(self, spot: Spot, part: JSON_OBJECT) -> list[Record]:
        state, given = mapping(part, "state"), mapping(mapping(part, "state"), "input")
        name = string(part, "tool")
        call = call_of(string(part, "callID") or _id(spot, part), name, given, self.state.cwd)
        found: list[Record] = []
        if self._is_new({"id": f"{call.ident}:called"}, ""):
            shown = {key: value for key, value in given.items() if key not in ("patchText", "content", "command")}
            found.append(called(spot, call, shown))
        if string(state, "status") not in ("completed", "error") or not self._is_new({"id": f"{call.ident}:over"}, ""):
            return found
        time = mapping(state, "time")
        start, end = integer(time, "start"), integer(time, "end")
        outcome = outcome_of(call, given, state)
        outcome.duration_ms = end - start if start is not None and end is not None and end >= start else None
        over = Spot(spot.entry, iso_of_thousandths(end))
        result = returned(over, call, outcome)
        if call.tool == "search":
            result = msgspec.structs.replace(result, matches=matches_of(outcome.output or ""))
        found.append(result)
        if name == "todowrite" and outcome.status == "ok":
            found += todo_moves(self.state.plan, over, objects(given, "todos"), call.ident)
        return found + delegated(over, call, state, given) if name == "task" else found

    def _end(self, spot: Spot, info: JSON_OBJECT) -> list[Record]:
        """Return the usage of a message that is complete, and its error."""
        found: list[Record] = []
        error = string(mapping(mapping(info, "error"), "data"), "message") or string(mapping(info, "error"), "name")
        if error and self._is_new({"id": "error"}, error):
            found += said(spot, f"{self.state.message}:error", error, by="harness", role="notice")
        tokens = mapping(info, "tokens")
        cache = mapping(tokens, "cache")
        read, written = integer(cache, "read") or 0, integer(cache, "write") or 0
        given, output = (integer(tokens, "input") or 0) + read + written, integer(tokens, "output") or 0
        if "completed" in mapping(info, "time") and self._is_new({"id": "tokens"}, ""):
            at = Spot(spot.entry, spot.clock, f"{self.state.message}:1")
            found += used(at, self.state.model, given=given, output=output, read=read, written=written)
        return found

    def _is_new(self, part: JSON_OBJECT, text: str) -> bool:
        """Tell whether a part, with this text, was not told before; and remember it."""
        mark = f"{string(part, 'id')}:{digest_of(text.encode('utf-8', 'replace'))[:8] if text else ''}"
        if mark in self.state.told:
            return False
        self.state.told.append(mark)
        return True


class OpencodeFormat:
    """Exports of opencode."""

    name = "opencode/1"
    title = "opencode export"
    short = "opencode"
    runtime = "opencode"
    lists: tuple[str, ...] = ("messages",)
    last: tuple[str, ...] = ()
    revisable = True

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document has messages that are made of parts."""
        return any(
            "role" in mapping(message, "info") and "parts" in message for message in objects(document, "messages")
        )

    def reader(self, file_name: str) -> OpencodeReader:
        """Return a reader for a file of that name."""
        return OpencodeReader(file_name)

    def normaliser(self, state: bytes | None) -> OpencodeNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return OpencodeNormaliser(
            OpencodeState() if state is None else msgspec.msgpack.decode(state, type=OpencodeState)
        )


OPENCODE = OpencodeFormat()


def _id(spot: Spot, part: JSON_OBJECT) -> str:
    return string(part, "id") or spot.ident("part")
