"""Offers: what a view could show beside the newest: text of files, older steps in parts, more of what was asked.

* A step is offered by its heading, and by the parts of its body: a command that is longer than its heading, and what
  it printed. A part that is taken brings the heading with it.
* What a command printed of a file is not offered where most of it is in a ledger: current text comes from there alone.
* Nor is an output of which an agent named the lines that matter: it is shown by those, or by its heading.
* A user's message that binds shortened is offered in parts as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muniment.model.nodes import Excerpt, Message, Receipt
from muniment.selection.covering import Span
from muniment.selection.excerpts import Chunk, Shelf
from muniment.selection.outputs import named_by_agents
from muniment.selection.parts import Names, Part, names_of, parts_of
from muniment.selection.pieces import Desk, Piece, characters_of
from muniment.selection.steps import COMMAND_TOKENS, Happening, has_body, heading_of

HEADING: Final = -1
"""The place of a step's heading among its parts."""
_A_TOKEN: Final = 4
"""Characters of a token, about."""
_A_LABEL: Final = 24
"""Characters by which the beginning of a message is found in its shortened form."""


@dataclass(slots=True, eq=False)
class Offer(Span):
    """A span, and what it is: a chunk of the file `home`, or a part of a step's or message's body."""

    ordinal: int = 0
    node: Happening | None = None
    part: int = HEADING
    text: str = ""
    home: str = ""
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


def offers_of(desk: Desk, shelves: Iterable[Shelf], steps: Sequence[Happening]) -> list[Offer]:
    """Return what files and steps have to offer."""
    offers = [offer for shelf in shelves for offer in _of_file(desk, shelf)]
    told = _in_ledgers(desk)
    for node in steps:
        if isinstance(node, Receipt):
            offers.append(_heading(desk, node))
            if told.get(node.id, 0) * 2 > characters_of(node.output) or named_by_agents(desk, node):
                continue
        offers += _of_body(desk, node)
    return offers


def more_of(desk: Desk, told: Iterable[Message], bound: Iterable[Piece]) -> list[Offer]:
    """Return the parts of users' messages that bind shortened, and of what the runtime told beside them."""
    above = dict(desk.beside)
    whole: set[str] = set()
    for piece in bound:
        above[piece.node.id] = f"{above.get(piece.node.id, '')}\n{piece.text}"
        whole.update([] if piece.left_out else [piece.node.id])
    offers: list[Offer] = []
    for message in told:
        if message.id not in whole:
            offers += _hidden(desk, message, above.get(message.id, ""))
    return offers


def _hidden(desk: Desk, message: Message, shown: str) -> Iterable[Offer]:
    """Yield the parts of a message of which less than half stands in its shortened form: in its head, or its tail."""
    body = desk.text(message.text)
    parts = parts_of(body) if body else ()
    begin = shown.find(body[:_A_LABEL])
    head = _alike(body, shown[begin:]) if shown and begin >= 0 else 0
    tail = min(_alike(body[::-1], shown[::-1]), len(body) - head)
    start = 0
    for number, (part, offer) in enumerate(zip(parts, _of_body(desk, message), strict=True)):
        stop = start + len(part.text)
        above = max(min(stop, head) - start, 0) + max(stop - max(start, len(body) - tail), 0)
        if above * 2 < len(part.text):
            yield offer
        goes_on = number + 1 < len(parts) and not parts[number + 1].lines
        start = stop + part.cut + (not goes_on)


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _of_file(desk: Desk, shelf: Shelf) -> list[Offer]:
    chunks = shelf.chunks()
    offers = desk.stock.once(
        ("offers", shelf.file.id), chunks, lambda: [_chunk_offer(shelf, chunk) for chunk in chunks], len
    )
    return [offer for offer in offers if offer.chunk is not None and not shelf.is_chosen(offer.chunk)]


def _chunk_offer(shelf: Shelf, chunk: Chunk) -> Offer:
    estimate = len(chunk.text) // _A_TOKEN + 1
    file = shelf.file
    return Offer(chunk.names, estimate, file.path, ordinal=chunk.ordinal, text=chunk.text, home=file.id, chunk=chunk)


def _heading(desk: Desk, receipt: Receipt) -> Offer:
    def make() -> Offer:
        heading = heading_of(desk, receipt)
        return _part_offer(receipt, HEADING, heading, names_of(heading))

    return desk.stock.once(("heading", receipt.id), receipt, make, lambda offer: len(offer.text))


def _of_body(desk: Desk, node: Happening) -> list[Offer]:
    def make() -> list[Offer]:
        return [_part_offer(node, place, part.text, part.names) for place, part in _parts(body_of(desk, node))]

    return desk.stock.once(("body", node.id), node, make, lambda offers: sum(len(offer.text) for offer in offers))


def _parts(body: str) -> Iterable[tuple[int, Part]]:
    return enumerate(parts_of(body)) if body else ()


def _part_offer(node: Happening, place: int, text: str, names: Names) -> Offer:
    return Offer(names, len(text) // _A_TOKEN + 1, ordinal=node.ordinal, node=node, part=place, text=text)


def _in_ledgers(desk: Desk) -> dict[str, int]:
    """Return how many characters of what each receipt printed are excerpts of files."""
    told: dict[str, int] = {}
    for excerpt in desk.live.newest([Excerpt]):
        if excerpt.file is not None:
            told[excerpt.receipt] = told.get(excerpt.receipt, 0) + characters_of(excerpt.text)
    return told
