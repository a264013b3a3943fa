"""The past, as far as it tells what comes next: which names were used, when, and how far back each thing is.

* An act is a tool call: what it named in its command, path or pattern was used, and is likely to be used again.
* Distance is in tokens, about: what was said and printed since, at four characters a token.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, islice, repeat
from typing import Final

from muniment.model.nodes import Message, Receipt
from muniment.selection.parts import Names, literal_names, names_of
from muniment.selection.pieces import Desk, size_of

_AN_ACT: Final = 30
"""Tokens of a call beside its command and its output."""
_ON_FILES: Final = frozenset({"read", "write"})
LONGEST_TOLD: Final = 1_500
"""Tokens of what a runtime tells above which its names say nothing: it names too much."""
_LATELY: Final = 6
"""Things that happened last: what they name is what is at hand."""


class Past:
    """What the focused agent's steps and the user's words tell, the newest first."""

    def __init__(
        self,
        desk: Desk,
        steps: Sequence[Receipt | Message],
        asked: Sequence[Message],
        told: Sequence[Message] = (),
        *,
        near: Collection[str] = (),
    ) -> None:
        """Read the steps, newest first, what users asked and what the runtime told beside them; `near`: the paths that
        the task in focus has worked on.
        """
        self.uses: Counter[str] = Counter()
        self.last_use: dict[str, int] = {}
        """Name → how many acts ago it was used last."""
        self.said: set[str] = set()
        """Names that somebody said or used, and that no tool alone printed."""
        receipts = [step for step in steps if isinstance(step, Receipt)]
        acts = [_acted(desk, receipt) for receipt in receipts]
        self.uses.update(chain.from_iterable(acts))
        for ago in reversed(range(len(acts))):
            self.last_use.update(zip(acts[ago], repeat(ago)))
        self.said.update(self.uses)
        told = [message for message in told if size_of(message.text) <= LONGEST_TOLD]
        for message in (*asked, *told, *(step for step in steps if isinstance(step, Message))):
            self.said.update(_told_by(desk, message))
        self.literal = {name for message in (*asked, *told) for name in _literal(desk, message)}
        """Names that a user or the runtime gave as code: to be used as they stand."""
        last = (receipt.path for receipt in receipts if receipt.path and receipt.tool in _ON_FILES)
        self.files = frozenset(near or islice(last, 1))
        """The files at hand: those of the task in focus, else the one read or written last."""
        self._ordinals: list[int] = []
        self._distances: list[int] = []
        together = sorted([*steps, *asked], key=lambda node: (-node.ordinal, node.id))
        self._measure(together)
        self.at_hand: Names = tuple(
            dict.fromkeys(name for node in together[:_LATELY] for name in _named_by(desk, node))
        )
        self._now = frozenset(self.at_hand)

    def names_now(self, names: Names) -> bool:
        """Tell whether one of these names is at hand, or was given as code."""
        return not (self._now.isdisjoint(names) and self.literal.isdisjoint(names))

    def distance(self, ordinal: int) -> int:
        """Return about how many tokens ago something happened."""
        place = bisect_left(self._ordinals, -ordinal)
        return self._distances[place - 1] if place else 0

    def distances(self, ordinals: Sequence[int]) -> list[int]:
        """Return the distance of each of many ordinals, of which many are the same."""
        known = {ordinal: self.distance(ordinal) for ordinal in set(ordinals)}
        return [known[ordinal] for ordinal in ordinals]

    def _measure(self, together: Sequence[Receipt | Message]) -> None:
        distance = 0
        for node in together:
            self._ordinals.append(-node.ordinal)
            distance += _size(node)
            self._distances.append(distance)


def _act(desk: Desk, receipt: Receipt) -> str:
    return " ".join(filter(None, (desk.text(receipt.command), receipt.path, receipt.pattern)))


def _acted(desk: Desk, receipt: Receipt) -> Names:
    return desk.stock.once(("acted", receipt.id), receipt, lambda: names_of(_act(desk, receipt)), len)


def _told_by(desk: Desk, message: Message) -> Names:
    return desk.stock.once(("told", message.id), message, lambda: names_of(desk.text(message.text)), len)


def _literal(desk: Desk, message: Message) -> Names:
    return desk.stock.once(("literal", message.id), message, lambda: literal_names(desk.text(message.text)), len)


def _named_by(desk: Desk, node: Receipt | Message) -> Names:
    if isinstance(node, Message):
        return _told_by(desk, node)
    return _acted(desk, node) + names_of(desk.text(node.output))


def _size(node: Receipt | Message) -> int:
    if isinstance(node, Message):
        return size_of(node.text)
    return size_of(node.output) + size_of(node.command) + _AN_ACT
