"""The chats of Gemini CLI (`~/.gemini/tmp/…/chats/session-*`): one JSON document, newer ones a JSON object a line.

* Messages of type `user` are the user's; what the runtime put behind them out of files that they name is the harness's.
* A message is written anew while its calls run: what was told of it is not told again. So its lines in the newer form
  have no id of their own.
* `$rewindTo` takes back a message and all behind it: the user's words among them are withdrawn, and the context is
  another one.
* Reasoning is told as its subjects and descriptions.
"""

from __future__ import annotations

import msgspec

from muniment.digest import digest_of
from muniment.importers.codex_state import Step
from muniment.importers.gemini_cli_tools import call_of, outcome_of
from muniment.importers.lenient import integer, mapping, maybe_string, objects, storable, string
from muniment.importers.openhands_tools import content_text
from muniment.importers.plain_records import Spot, called, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.importers.todo_lists import todo_moves
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import ContextBoundary, ModelChanged, Record, SessionOpened, Withdrawal

_HEAD = "document"
_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_REFERENCED = "\n--- Content from referenced files ---"
_KEPT = 256


class GeminiState(msgspec.Struct):
    """What is remembered between messages. `told` are marks of what was told of the newest messages."""

    opened: bool = False
    model: str | None = None
    told: list[str] = []
    prompts: list[tuple[str, bool]] = []
    plan: dict[str, Step] = {}


class GeminiReader:
    """Reads the messages of one chat, in order."""

    def __init__(self, file_name: str) -> None:
        self._session = file_name
        self._lines = False

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a message belongs; never raises."""
        kind, is_head = _kind(body)
        if is_head:
            self._session = string(mapping(body, _HEAD) or body, "sessionId") or self._session
            self._lines = _HEAD not in body
        actor = {"user": "user", "gemini": "agent"}.get(kind, "harness")
        return SourceLine(
            session=self._session,
            stream="",
            source_id=None if self._lines or is_head else string(body, "id") or None,
            kind=kind,
            ignored=kind in ("$set", "unknown"),
            actor=actor,
            root=_folder(mapping(body, _HEAD) or body) if is_head else None,
        )


class GeminiNormaliser:
    """Turns the messages of one chat into records."""

    def __init__(self, state: GeminiState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one message, less what was told of it before; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        kind, is_head = _kind(body)
        if is_head:
            return self._head(Spot(entry), mapping(body, _HEAD) or body)
        spot = Spot(entry, maybe_string(body, "timestamp"), string(body, "id"))
        if kind == "user":
            return self._user(spot, body)
        if kind == "gemini":
            return self._agent(spot, body)
        if kind == "$rewindTo":
            return self._rewound(spot, string(body, "$rewindTo"))
        if kind in ("info", "error", "warning") and self._is_new(f"{spot.turn}:notice"):
            return [*said(spot, _id(spot), content_text(body), by="harness", role="notice")]
        return []

    def _head(self, spot: Spot, head: JSON_OBJECT) -> list[Record]:
        if self.state.opened:
            return []
        self.state.opened = True
        at = Spot(spot.entry, string(head, "startTime") or None)
        return [SessionOpened(id=spot.ident("opened"), by="harness", root=_folder(head), **at.place)]

    def _user(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        if not self._is_new(f"{spot.turn}:said"):
            return []
        text, _, referenced = (content_text(body, "displayContent") or content_text(body)).partition(_REFERENCED)
        ident = _id(spot)
        self.state.prompts = [*self.state.prompts[-_KEPT:], (ident, True)]
        found: list[Record] = [*said(spot, ident, text, by="user", role="prompt")]
        return [*found, *said(spot, f"{ident}:referenced", referenced, by="harness", role="notice")]

    def _agent(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        ident, tools = _id(spot), objects(body, "toolCalls")
        found = self._model(spot, string(body, "model"))
        thoughts = "\n\n".join(
            "\n".join(part for key in ("subject", "description") if (part := string(thought, key)))
            for thought in objects(body, "thoughts")
        )
        text = content_text(body)
        if self._is_new(f"{spot.turn}:thinking", thoughts):
            found += said(spot, f"{ident}:thinking", thoughts, by="agent", role="thinking")
        if self._is_new(f"{spot.turn}:said", text):
            self.state.prompts = [*self.state.prompts[-_KEPT:], (ident, False)]
            found += said(spot, ident, text, by="agent", role="answer", final=not tools)
        for tool in tools:
            found += self._tool(spot, tool)
        tokens = mapping(body, "tokens")
        if tokens and self._is_new(f"{spot.turn}:tokens"):
            output = (integer(tokens, "output") or 0) + (integer(tokens, "thoughts") or 0)
            given, read = integer(tokens, "input") or 0, integer(tokens, "cached") or 0
            found += used(spot, self.state.model, given=given, output=output, read=read)
        return found

    def _model(self, spot: Spot, model: str) -> list[Record]:
        before, self.state.model = self.state.model, model or self.state.model
        if not model or model == before:
            return []
        return [ModelChanged(id=spot.ident("model"), by="harness", to=model, source=before, **spot.place)]

    def _tool(self, spot: Spot, tool: JSON_OBJECT) -> list[Record]:
        name, given = string(tool, "name"), mapping(tool, "args")
        call = call_of(string(tool, "id") or spot.ident("call"), name, given)
        found: list[Record] = []
        if self._is_new(f"{call.ident}:called"):
            left_out = ("content", "old_string", "new_string", "todos")
            shown = {key: value for key, value in given.items() if key not in left_out}
            found.append(called(spot, call, shown))
        if string(tool, "status") not in ("success", "error", "cancelled") or not self._is_new(f"{call.ident}:over"):
            return found
        over = Spot(spot.entry, maybe_string(tool, "timestamp") or spot.clock)
        outcome = outcome_of(call, tool)
        found.append(returned(over, call, outcome))
        if call.tool == "tasks" and outcome.status == "ok":
            found += todo_moves(self.state.plan, over, objects(given, "todos"), call.ident)
        return found

    def _rewound(self, spot: Spot, ident: str) -> list[Record]:
        """Return what takes back a message and all behind it."""
        idents = [prompt for prompt, _ in self.state.prompts]
        place = idents.index(ident) if ident in idents else len(idents)
        gone, self.state.prompts = self.state.prompts[place:], self.state.prompts[:place]
        found: list[Record] = [
            Withdrawal(
                id=f"{spot.ident('rewound')}:{prompt}", by="user", target=prompt, text="taken back", **spot.place
            )
            for prompt, typed in gone
            if typed
        ]
        left = tuple(prompt for prompt, _ in gone)
        ident = spot.ident("boundary")
        return [*found, ContextBoundary(id=ident, by="user", trigger="rewind", forgotten=left, **spot.place)]

    def _is_new(self, mark: str, text: str = "") -> bool:
        """Tell whether something, with this text, was not told before; and remember it."""
        if text:
            mark = f"{mark}:{digest_of(text.encode('utf-8', 'replace'))[:8]}"
        if mark in self.state.told:
            return False
        self.state.told = [*self.state.told[-4 * _KEPT :], mark]
        return True


class GeminiFormat:
    """Chats of Gemini CLI, as documents and as lines."""

    name = "gemini-cli/1"
    title = "Gemini CLI chat"
    short = "gemini-cli"
    runtime = "gemini-cli"
    lists: tuple[str, ...] = ("messages",)
    last: tuple[str, ...] = ()
    revisable = True

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether any of the first objects is the beginning of a chat, or one of its messages."""
        return any(_is_start(line) or "$rewindTo" in line for line in first)

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document is a chat with messages of Gemini CLI's types."""
        messages = objects(document, "messages")
        return _is_start(document) or any(string(each, "type") == "gemini" and "id" in each for each in messages)

    def reader(self, file_name: str) -> GeminiReader:
        """Return a reader for a file of that name."""
        return GeminiReader(file_name)

    def normaliser(self, state: bytes | None) -> GeminiNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return GeminiNormaliser(GeminiState() if state is None else msgspec.msgpack.decode(state, type=GeminiState))


GEMINI_CLI = GeminiFormat()


def _kind(body: JSON_OBJECT) -> tuple[str, bool]:
    """Return the kind of a body, and whether it is the head of its chat."""
    if _HEAD in body or (_is_start(body) and "type" not in body):
        return _HEAD, True
    for control in ("$set", "$rewindTo"):
        if control in body:
            return control, False
    kind = string(body, "type")
    return (kind if kind in _TYPES else "unknown"), False


def _is_start(body: JSON_OBJECT) -> bool:
    return isinstance(body.get("sessionId"), str) and isinstance(body.get("projectHash"), str)


def _folder(head: JSON_OBJECT) -> str | None:
    """Return the folder that a chat says that it works in; older ones tell only a hash of it."""
    folders = head.get("directories")
    first = folders[0] if isinstance(folders, list) and folders else head.get("projectRoot")
    return first if isinstance(first, str) and first else None


def _id(spot: Spot) -> str:
    return spot.turn or spot.ident("message")
