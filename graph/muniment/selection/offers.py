"""Offers: what a view could show beside the newest: text of files, older steps in parts, more of what was asked.

* A step is offered by its heading, and by the parts of its body: a command that is longer than its heading, and what
  it printed. A part that is taken brings the heading with it.
* What a command printed of a file is not offered where most of it is in a ledger: current text comes from there alone.
* A user's message that binds shortened is offered in parts as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muniment.model.nodes import Excerpt, Message, Receipt
from muniment.selection.covering import Span
from muniment.selection.excerpts import Chunk, Shelf
from muniment.selection.parts import Part, names_of, parts_of
from muniment.selection.past import Past
from muniment.selection.pieces import Desk, Piece, characters_of
from muniment.selection.steps import COMMAND_TOKENS, Happening, has_body, heading_of

HEADING: Final = -1
"""The place of a step's heading among its parts."""
_A_TOKEN: Final = 4
"""Characters of a token, about."""
_A_LABEL: Final = 24
"""Characters by which the beginning of a message is found in its shortened form."""


@dataclass(slots=True)
class Offer:
    """A span, and what it is: a chunk of a file, or a part of a step's or message's body."""

    span: Span
    node: Happening | None = None
    part: int = HEADING
    text: str = ""
    shelf: Shelf | None = None
    chunk: Chunk | None = None
    tokens: int = -1
    """What its text costs, once that was counted."""


def body_of(desk: Desk, node: Happening) -> str:
    """Return what a step's parts are cut from."""
    if isinstance(node, Message):
        return desk.text(node.text)
    command = desk.text(node.command) if characters_of(node.command) > COMMAND_TOKENS * _A_TOKEN else ""
    output = desk.text(node.output) if has_body(node) else ""
    return f"{command}\n{output}".strip("\n")


def offers_of(desk: Desk, past: Past, shelves: Iterable[Shelf], steps: Sequence[Happening]) -> list[Offer]:
    """Return what files and steps have to offer."""
    offers = [_chunk_offer(past, shelf, chunk) for shelf in shelves for chunk in shelf.waiting()]
    told = _in_ledgers(desk)
    for node in steps:
        distance = past.distance(node.ordinal)
        if isinstance(node, Receipt):
            heading = heading_of(desk, node)
            offers.append(_offer(node, HEADING, heading, names_of(heading), distance))
            if told.get(node.id, 0) * 2 > characters_of(node.output):
                continue
        body = body_of(desk, node)
        offers += [_part_offer(node, place, part, distance) for place, part in _parts(body)]
    return offers


def more_of(desk: Desk, past: Past, told: Iterable[Message], bound: Iterable[Piece]) -> list[Offer]:
    """Return the parts of users' messages that bind shortened, and of what the runtime told beside them."""
    above: dict[str, str] = {}
    whole: set[str] = set()
    for piece in bound:
        above[piece.node.id] = f"{above.get(piece.node.id, '')}\n{piece.text}"
        whole.update([] if piece.left_out else [piece.node.id])
    offers: list[Offer] = []
    for message in told:
        shown = above.get(message.id, "")
        if message.id not in whole:
            distance = past.distance(message.ordinal)
            hidden = _hidden(desk.text(message.text), shown)
            offers += [_part_offer(message, n, part, distance) for n, part in hidden]
    return offers


def _hidden(body: str, shown: str) -> Iterable[tuple[int, Part]]:
    """Yield the parts of a message of which less than half stands in its shortened form: in its head, or its tail."""
    parts = parts_of(body) if body else ()
    begin = shown.find(body[:_A_LABEL])
    head = _alike(body, shown[begin:]) if shown and begin >= 0 else 0
    tail = min(_alike(body[::-1], shown[::-1]), len(body) - head)
    start = 0
    for number, part in enumerate(parts):
        stop = start + len(part.text)
        above = max(min(stop, head) - start, 0) + max(stop - max(start, len(body) - tail), 0)
        if above * 2 < len(part.text):
            yield number, part
        goes_on = number + 1 < len(parts) and not parts[number + 1].lines
        start = stop + part.cut + (not goes_on)


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _parts(body: str) -> Iterable[tuple[int, Part]]:
    return enumerate(parts_of(body)) if body else ()


def _part_offer(node: Happening, place: int, part: Part, distance: int) -> Offer:
    return _offer(node, place, part.text, part.names, distance)


def _offer(node: Happening, place: int, text: str, names: tuple[str, ...], distance: int) -> Offer:
    return Offer(Span(names, distance, len(text) // _A_TOKEN + 1), node, place, text)


def _chunk_offer(past: Past, shelf: Shelf, chunk: Chunk) -> Offer:
    names = tuple(dict.fromkeys((*names_of(shelf.path), *chunk.names)))
    span = Span(names, past.distance(chunk.ordinal), len(chunk.text) // _A_TOKEN + 1, file=shelf.file.path)
    return Offer(span, text=chunk.text, shelf=shelf, chunk=chunk)


def _in_ledgers(desk: Desk) -> dict[str, int]:
    """Return how many characters of what each receipt printed are excerpts of files."""
    told: dict[str, int] = {}
    for excerpt in desk.live.newest([Excerpt]):
        if excerpt.file is not None:
            told[excerpt.receipt] = told.get(excerpt.receipt, 0) + characters_of(excerpt.text)
    return told
