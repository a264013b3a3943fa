"""Choosing: the offers that cover most, one after another, until their room is full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from muniment.model.nodes import Message
from muniment.selection.covering import Cover, Shown
from muniment.selection.excerpts import Chunk, Shelf
from muniment.selection.offers import HEADING, Offer, body_of, more_of, offers_of
from muniment.selection.parts import names_of
from muniment.selection.past import Past
from muniment.selection.pieces import FOR_NAMES, Desk, Piece
from muniment.selection.steps import Happening, Steps, parted_piece

SMALLEST_ROOM: Final = 12
TOLD: Final = frozenset({"instructions", "notice"})
"""Roles of what a runtime says beside the user, in the conversation itself."""
MOST_CHUNKS: Final = 1_000
"""Chunks of files that are weighed whatever their names: about 100,000 tokens. What a view costs must not follow how
many files were ever seen."""
JOINT: Final = 8
"""Tokens of the marks around a part: what is left out before it, and where it ends."""


class Chosen:
    """What was chosen: chunks of files, which their shelves know already, and steps with the parts of their bodies."""

    def __init__(self, desk: Desk, offers: Sequence[Offer], shelves: Sequence[Shelf], room: int) -> None:
        self.chunks: list[tuple[Shelf, Chunk]] = []
        self.parts: dict[str, tuple[Happening, list[int]]] = {}
        self._names: dict[str, dict[str, None]] = {}
        self._desk = desk
        self._offers = offers
        self._room = room
        self._shelves = {shelf.file.id: shelf for shelf in shelves}
        self._headings = {offer.node.id: offer for offer in offers if offer.node is not None and offer.part == HEADING}

    def cost(self, place: int) -> int | None:
        """Return what an offer costs now; None where it does not fit, or is there already."""
        offer = self._offers[place]
        chunk = offer.chunk
        cost = self._part_cost(offer) if chunk is None else self._shelves[offer.home].cost(chunk)
        return cost if 0 < cost <= self._room else None

    def take(self, place: int, telling: Callable[[Iterable[str]], tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
        """Take an offer; return the names that are shown by it. `telling` returns for which of them it is taken."""
        offer = self._offers[place]
        self._room -= self.cost(place) or 0
        if offer.chunk is not None:
            shelf = self._shelves[offer.home]
            shelf.choose(offer.chunk, telling(offer.names))
            self.chunks.append((shelf, offer.chunk))
            return (offer.names,)
        assert offer.node is not None
        heading = self._headings.get(offer.node.id)
        _, parts = self.parts.setdefault(offer.node.id, (offer.node, []))
        parts.append(offer.part)
        shown = (offer.names, heading.names if heading is not None else ())
        self._names.setdefault(offer.node.id, {}).update(dict.fromkeys(telling(chain.from_iterable(shown))))
        return shown

    def names(self, node: str) -> tuple[str, ...]:
        """Return the names for which a step was taken."""
        return tuple(self._names.get(node, ()))

    @property
    def full(self) -> bool:
        """Whether nothing more can fit."""
        return self._room < SMALLEST_ROOM

    def _part_cost(self, offer: Offer) -> int:
        assert offer.node is not None
        there = offer.node.id in self.parts
        if offer.part == HEADING:
            return 0 if there else self._tokens(offer)
        heading = self._headings.get(offer.node.id)
        carried = self._tokens(heading) if heading is not None and not there else 0
        return self._tokens(offer) + JOINT + carried

    def _tokens(self, offer: Offer) -> int:
        if offer.tokens < 0:
            offer.tokens = self._desk.cost(offer.text)
        return offer.tokens


def covering(
    desk: Desk, steps: Steps, shelves: Sequence[Shelf], shown: dict[str, Piece], bound: Sequence[Piece], room: int
) -> Chosen:
    """Choose within `room` tokens; `shown` are the pieces of steps that the view has, `bound` what binds."""
    messages = [message for message in desk.live.newest([Message]) if not desk.live.ended(message.id)]
    asked = [message for message in messages if message.by == "user"]
    told = [
        message for message in messages if message.by == "harness" and message.role in TOLD and desk.needed(message)
    ]
    past = Past(desk, steps.all, asked, told, near=[shelf.file.path for shelf in shelves if shelf.near])
    hidden = [node for node in steps.best if node.id not in shown]
    offers = [*offers_of(desk, _weighed(shelves, past), hidden), *more_of(desk, [*asked, *told], bound)]
    distances = past.distances([offer.ordinal for offer in offers])
    seen: list[Shown] = [(names_of(piece.text), past.distance(piece.node.ordinal)) for piece in shown.values()]
    seen += [(chunk.names, past.distance(chunk.ordinal)) for shelf in shelves for chunk in shelf.chosen()]
    cover = Cover(offers, distances, seen, past)
    cover.add(name for piece in bound for name in names_of(piece.text))
    chosen = Chosen(desk, offers, shelves, room)
    for place in cover.best(chosen.cost):
        for names in chosen.take(place, cover.telling):
            cover.add(names)
        if chosen.full:
            break
    return chosen


def _weighed(shelves: Sequence[Shelf], past: Past) -> Iterable[Shelf]:
    """Yield the files whose text is weighed: the first, as far as `MOST_CHUNKS` go, and those whose path holds a name
    that is at hand or was given as code.
    """
    chunks = 0
    for shelf in shelves:
        if chunks < MOST_CHUNKS or past.names_now(names_of(shelf.path)):
            chunks += len(shelf.chunks())
            yield shelf


def pieces_of(desk: Desk, steps: Steps, chosen: Chosen) -> Iterable[Piece]:
    """Yield the steps that were chosen, and what was added of users' messages."""
    for node, parts in chosen.parts.values():
        piece = parted_piece(desk, steps, node, body_of(desk, node), parts)
        names = chosen.names(node.id)
        yield replace(piece, names=names, why=f"{piece.why}; {FOR_NAMES}") if names else piece
