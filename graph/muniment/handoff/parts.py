"""Parts: what a packet may carry, each with the sizes that it may take, and what the builder works with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.closeout.evidence import Evidence
from muniment.derive.texts import readable
from muniment.handoff.contract import SIZES
from muniment.handoff.packet import NextAction, PacketItem
from muniment.handoff.request import PacketRequest
from muniment.model.nodes import AnyNode, Node, Packet, Text, kind_of
from muniment.selection.focus import Focus
from muniment.selection.pieces import Desk, shortened
from muniment.snapshot import LiveReads, Snapshot

SHORT: Final = 2
"""Characters of words that say nothing."""
_WORD: Final = re.compile(r"[\w./-]*\w")
_PLAIN: Final = frozenset(
    {
        *("about", "all", "and", "any", "are", "details", "everything", "for", "from", "have", "into", "keep", "not"),
        *("note", "only", "remember", "that", "the", "them", "then", "these", "this", "those", "what", "when"),
        *("where", "which", "with", "you", "your"),
    }
)
USUAL: Final = (48,)
"""Sizes of what is not in the table."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a packet. `text` is whole; `sizes` are the tokens of it that may be shown, largest first.

    `item` has all but its text. Of one section the part with the lowest `rank` yields last.
    """

    section: str
    item: PacketItem | NextAction
    text: str = ""
    sizes: tuple[int, ...] = USUAL
    ordinal: int = 0
    rank: int = 0

    def at(self, desk: Desk, size: int) -> PacketItem | NextAction:
        """Return it in the size with this number, or its smallest."""
        if isinstance(self.item, NextAction) or not self.text:
            return self.item
        limit = self.sizes[min(size, len(self.sizes) - 1)]
        return msgspec.structs.replace(self.item, text=shortened(desk, self.text, limit, self.item.handle)[0])


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What a packet is built from. `live` has all that is shown; `snapshot` is asked what hangs together.

    `evidence` is what closeouts share. `later`, where the packet does not cover up to the newest record, are the reads
    of all that is on record. `words` are those of the focus. `base` is the packet in force, and `since` the ordinal as
    of which it speaks: what is older and has ended is not looked at again.
    """

    snapshot: Snapshot
    live: LiveReads
    desk: Desk
    focus: Focus
    request: PacketRequest
    evidence: Evidence
    later: LiveReads | None = None
    words: tuple[str, ...] = ()
    base: Packet | None = None
    since: int = 0

    def shown(self, text: str) -> str:
        """Return a text fit to be shown, without words that the reads withhold."""
        return readable(self.live.text(Text(inline=text))) if text else ""

    def matches(self, text: str) -> bool:
        """Tell whether a text holds a word of the focus."""
        return bool(self.words) and any(word in text.casefold() for word in self.words)


def words_of(focus: str) -> tuple[str, ...]:
    """Return the words of a focus that say something, in one case."""
    words = _WORD.findall(focus.casefold())
    return tuple(dict.fromkeys(word for word in words if len(word) > SHORT and word not in _PLAIN))


def item_of(node: Node, **told: object) -> PacketItem:
    """Return what a packet says of a node; `told` are further fields."""
    fields = {"id": node.id, "handle": node.handle, "kind": kind_of(node), "record": node.record, **told}
    return PacketItem(**fields)  # type: ignore[arg-type]


def part_of(section: str, node: AnyNode, text: str, rank: int = 0, **told: object) -> Part:
    """Return the part that a node is, in the sizes of its kind."""
    sizes = SIZES.get(kind_of(node), USUAL)
    return Part(section=section, item=item_of(node, **told), text=text, sizes=sizes, ordinal=node.ordinal, rank=rank)


def ranked(parts: Iterable[Part]) -> list[Part]:
    """Return parts of one section, best first, with that as their ranks."""
    return [msgspec.structs.replace(part, rank=rank) for rank, part in enumerate(parts)]
