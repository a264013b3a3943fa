"""Compactors: somebody else's words in a packet. They carry no authority, and never decide what is in it.

* A compactor is given the packet's text as its provider may see it, and answers with words, with several pieces of them
  with what each cites, or with a packet that it proposes. All of it goes through the same check as any other packet.
* Words cite what they name: handles and ids that the packet carries are found in them.
* Whatever goes wrong is told as a `CompactorError` of one word: `FAILURES`. The packet without words is as good.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from muniment.errors import EvidenceError
from muniment.handoff.packet import Packet, Prose
from muniment.handoff.render import handles_of, render
from muniment.tokens import TokenCounter

ROOM: Final = 600
"""Tokens of a packet that are kept for a compactor's words."""
MOST_PIECES: Final = 50
MOST_CHARACTERS: Final = 100_000

NO_ROOM: Final = "no_room"

FAILURES: Final[dict[str, str]] = {
    "timeout": "it did not answer in time",
    "status": "it answered with an error",
    "unreachable": "it could not be reached",
    "too_large": "its answer is larger than it may be",
    "garbage": "its answer is neither words nor a packet",
    "raised": "it failed",
    NO_ROOM: "the budget has no room for its words, so it was not asked",
}
"""Reason of a failure → what it says, in words."""

_NAMED: Final = re.compile(r"\b[A-Z][a-z]?[1-9][0-9]*[a-z]*\b|\b[a-z_]+:[0-9a-f]{24}\b")


class CompactorError(EvidenceError):
    """A compactor gave nothing that can be used; `reason` is a word of `FAILURES`."""

    code = "compactor"

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(FAILURES[reason] + (f": {detail}" if detail else ""))


class Compactor(Protocol):
    """Writes words for packets, or proposes one. `name` and `provider` are those by which a policy approves of it."""

    @property
    def name(self) -> str:
        """What the policy calls it."""

    @property
    def provider(self) -> str:
        """Whose it is: what may be shown to it."""

    def __call__(self, text: str, packet: Packet) -> object:
        """Return words, or an object with `prose` or `packet`.

        Raises:
            CompactorError: it cannot.
        """


def answered(packet: Packet, answer: object, counter: TokenCounter, name: str = "") -> Packet | dict[str, object]:
    """Return the packet that the answer of a compactor of this name makes of the one that it was asked for.

    Raises:
        CompactorError: the answer is no such answer.
    """
    if isinstance(answer, str):
        return _with_prose(msgspec.structs.replace(packet, compactor=name), [answer], counter)
    if not isinstance(answer, Mapping) or len({"prose", "packet"} & set(answer)) != 1:
        raise CompactorError("garbage")
    if "packet" in answer:
        proposed = answer["packet"]
        if not isinstance(proposed, Mapping):
            raise CompactorError("garbage", "its packet is no object")
        return {**{str(field): value for field, value in proposed.items()}, "compactor": name}
    prose = answer["prose"]
    packet = msgspec.structs.replace(packet, compactor=name)
    return _with_prose(packet, list(prose) if isinstance(prose, list | tuple) else [prose], counter)


def _with_prose(packet: Packet, pieces: list[object], counter: TokenCounter) -> Packet:
    if len(pieces) > MOST_PIECES:
        raise CompactorError("too_large", f"more than {MOST_PIECES} pieces")
    handles = {handle: node for node, handle in handles_of(packet).items()}
    prose = tuple(said for piece in pieces if (said := _said(piece, handles)).text)
    if sum(len(said.text) for said in prose) > MOST_CHARACTERS:
        raise CompactorError("too_large", f"more than {MOST_CHARACTERS:,} characters")
    if not prose:
        raise CompactorError("garbage", "it says nothing")
    told = msgspec.structs.replace(packet, id="", prose=prose)
    return msgspec.structs.replace(told, tokens=counter.count(render(told)))


def _said(piece: object, handles: Mapping[str, str]) -> Prose:
    """Return a piece of words, with what it cites: what it says that it does, and what it names."""
    told = piece if isinstance(piece, Mapping) else {"text": piece}
    text, cites = told.get("text"), told.get("cites", ())
    if not isinstance(text, str) or not isinstance(cites, list | tuple):
        raise CompactorError("garbage", "a piece of its words is no text")
    known = set(handles.values())
    named = [handles.get(name, name) for name in _NAMED.findall(text)]
    given = [handles.get(str(each), str(each)) for each in cites]
    return Prose(text=text.strip(), cites=tuple(dict.fromkeys([*given, *(each for each in named if each in known)])))
