"""Lists of chat messages as models are sent them: `{"messages": […]}`, with or without the response, or a bare list.

OpenHands and others log each completion so: the whole chat and, beside it, the response.

* `system` and `developer` messages are the harness's; the first `user` message, and each that follows an answer
  without calls, is the user's; others are the harness's own (a reminder between two calls).
* Calls and results are joined by the model's ids. Tools are known by the names that OpenHands and its kin give them;
  what a tool is that nobody knows stays open.
* The response is told behind the messages; where a later log has it as a message, it is not told again.
* A session is named by its file and its first call.
"""

from __future__ import annotations

import msgspec

from muniment import canonical
from muniment.digest import digest_of
from muniment.importers.clocks import iso_of
from muniment.importers.lenient import integer, mapping, objects, storable, string
from muniment.importers.openhands_tools import call_of, content_text, outcome_of
from muniment.importers.plain_records import OpenCall, Spot, called, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record, SessionOpened

_HEAD, _RESPONSE = "document", "response"
_ACTORS = {"user": "user", "assistant": "agent", "tool": "tool", "function": "tool"}


class ChatState(msgspec.Struct):
    """What is remembered between messages. `responded` are marks of responses that were told already."""

    opened: bool = False
    model: str | None = None
    clock: str | None = None
    turn: int = 0
    asked: bool = True
    calls: dict[str, OpenCall] = {}
    responded: list[str] = []


class ChatReader:
    """Reads the messages of one chat, in order."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._session = ""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a message belongs; never raises."""
        role = string(body, "role")
        if role == "assistant" and not self._session:
            first = next((string(call, "id") for call in objects(body, "tool_calls")), "") or content_text(body)
            self._session = f"{self._name}:{digest_of(first.encode('utf-8', 'replace'))[:12]}"
        kind = next((name for name in (_HEAD, _RESPONSE) if name in body), role or "unknown")
        actor = "agent" if kind == _RESPONSE else _ACTORS.get(role, "harness")
        return SourceLine(
            session=self._session, stream="", source_id=None, kind=kind, ignored=kind == "unknown", actor=actor
        )


class ChatNormaliser:
    """Turns the messages of one chat into records."""

    def __init__(self, state: ChatState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one message; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if _HEAD in body:
            head = mapping(body, _HEAD)
            self.state.clock = iso_of(head.get("timestamp"))
            self.state.model = string(mapping(head, "kwargs"), "model").rsplit("/", 1)[-1] or self.state.model
            return []
        spot = Spot(entry, self.state.clock if _RESPONSE in body else None)
        found: list[Record] = []
        if not self.state.opened:
            self.state.opened = True
            found.append(SessionOpened(id=spot.ident("opened"), by="harness", model=self.state.model, **spot.place))
        if _RESPONSE in body:
            return found + self._response(spot, mapping(body, _RESPONSE))
        return found + self._message(spot, body)

    def _message(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        role, text = string(body, "role"), content_text(body)
        if role == "assistant":
            return self._assistant(spot, body, text)
        if role in ("tool", "function"):
            ident = string(body, "tool_call_id")
            call = self.state.calls.pop(ident, None) or OpenCall(
                ident=ident or spot.ident("call"), name=string(body, "name")
            )
            return [returned(spot, call, outcome_of(call, text))]
        if role == "user" and self.state.asked:
            self.state.asked = False
            return [*said(spot, spot.ident("message"), text, by="user", role="prompt")]
        kind = "instructions" if role in ("system", "developer") else "notice"
        return [*said(spot, spot.ident("message"), text, by="harness", role=kind)]

    def _assistant(self, spot: Spot, body: JSON_OBJECT, text: str) -> list[Record]:
        calls = objects(body, "tool_calls")
        mark = digest_of("\n".join([text, *(string(call, "id") for call in calls)]).encode("utf-8", "replace"))[:16]
        if mark in self.state.responded:
            self.state.responded.remove(mark)
            return []
        if _RESPONSE in (spot.entry.body or {}):
            self.state.responded = [*self.state.responded[-8:], mark]
        self.state.turn += 1
        self.state.asked = not calls
        spot = Spot(spot.entry, spot.clock, f"{spot.entry.session}:turn:{self.state.turn}")
        found: list[Record] = [
            *said(spot, spot.ident("thinking"), string(body, "reasoning_content"), by="agent", role="thinking"),
            *said(spot, spot.ident("message"), text, by="agent", role="answer", final=not calls),
        ]
        for place, given in enumerate(calls):
            function = mapping(given, "function")
            arguments = _arguments(string(function, "arguments"))
            ident = string(given, "id") or spot.ident(f"call:{place}")
            call = call_of(ident, string(function, "name"), arguments, None)
            self.state.calls[ident] = call
            found.append(called(spot, call, arguments))
            if call.name == "finish":
                text = string(arguments, "message")
                found += said(spot, spot.ident("final"), text, by="agent", role="answer", final=True)
        return found

    def _response(self, spot: Spot, response: JSON_OBJECT) -> list[Record]:
        message = next((mapping(choice, "message") for choice in objects(response, "choices")), {})
        usage = mapping(response, "usage")
        model = string(response, "model").rsplit("/", 1)[-1] or self.state.model
        found = self._assistant(spot, message, content_text(message)) if message else []
        read = integer(mapping(usage, "prompt_tokens_details"), "cached_tokens") or 0
        given, output = integer(usage, "prompt_tokens") or 0, integer(usage, "completion_tokens") or 0
        return [*found, *used(spot, model, given=given, output=output, read=read)]


class ChatFormat:
    """Lists of chat messages."""

    name = "chat-messages/1"
    title = "List of chat messages (OpenHands completion log)"
    short = "chat-messages"
    runtime = "chat-messages"
    lists: tuple[str, ...] = ("messages", "")
    last: tuple[str, ...] = (_RESPONSE,)
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document is a list of messages, each with its role, some of the model."""
        messages = [*objects(document, "messages"), *objects(document, "")]
        roles = {string(message, "role") for message in messages if "content" in message or "tool_calls" in message}
        return "assistant" in roles and roles <= {"system", "developer", "user", "assistant", "tool", "function"}

    def reader(self, file_name: str) -> ChatReader:
        """Return a reader for a file of that name."""
        return ChatReader(file_name)

    def normaliser(self, state: bytes | None) -> ChatNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return ChatNormaliser(ChatState() if state is None else msgspec.msgpack.decode(state, type=ChatState))


CHAT_MESSAGES = ChatFormat()


def _arguments(text: str) -> JSON_OBJECT:
    """Return the arguments of a call, which are JSON in a text; none where they are not."""
    try:
        value = canonical.decode(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return dict(value) if isinstance(value, dict) else {}
