"""Excerpts: the current lines of files, cut into chunks that a view can choose among.

* Text comes from the ledger only: lines as they are now, each with the excerpt where it was seen. What only a withdrawn
  receipt shows is no current text.
* A run of known lines is cut at an empty line once it has 8 lines, at the latest after 20 lines or 1,600 characters.
* Within a file the newest seen chunk comes first, then those nearest to it: who edits a place needs its surroundings.
* Chosen chunks that touch are joined again when shown; no line is shown twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from muniment.current import current_ledger
from muniment.derive.texts import readable
from muniment.model.ledger import LedgerState, Segment
from muniment.model.nodes import WRITES_NAMED, Excerpt, File, Receipt
from muniment.selection.head import Lines, beside
from muniment.selection.parts import Names, chunk_text, chunks_of, names_of
from muniment.selection.pieces import FOR_NAMES, Desk, Piece

REACH = 1_500
"""Lines on each side of the newest place that are looked at: more than a view could show."""
HANDLES_SHOWN = 4


TELLING_TOOLS = frozenset({"read", "search", "write"})
"""Tools whose results say what they changed."""


class Chunk(msgspec.Struct, eq=False):
    """Lines `first`..`last` of a file as they are now, and as they may be shown.

    `sources` are the excerpts where they were seen, in order; `ordinal` is when the newest of them was. `names` are
    those of the path and of the text. `cut` is how many characters of long lines are not shown; `tokens` what the text
    costs, once that was counted.
    """

    first: int
    last: int
    text: str
    sources: tuple[Excerpt, ...]
    ordinal: int
    names: Names
    cut: int = 0
    tokens: int = -1

    def cost(self, desk: Desk) -> int:
        """Return what its text costs."""
        if self.tokens < 0:
            self.tokens = desk.cost(self.text)
        return self.tokens


class Shelf:
    """The chunks of one file, and which of them were chosen."""

    def __init__(
        self, desk: Desk, file: File, doubt: str = "", *, near: bool = False, head: Sequence[Lines] = ()
    ) -> None:
        self.file = file
        self.near = near
        """Whether the task in focus has worked on it."""
        self.path = readable(file.path)
        whole = current_ledger(desk.live, file.id)
        self.state = beside(whole, head) if head else whole
        """The known lines that can be shown here: the head shows the others."""
        self.doubt = doubt
        self._desk = desk
        self._chunks: list[Chunk] | None = None
        self._chosen: dict[int, Chunk] = {}
        self._for_names: dict[int, Names] = {}
        self._ends: set[int] = set()
        self._beside = bool(head)

    @property
    def known(self) -> int:
        """How many current lines are known."""
        return sum(segment.count for segment in self.state.segments)

    @property
    def hidden(self) -> int:
        """How many of them are not shown."""
        return self.known - sum(chunk.last - chunk.first + 1 for chunk in self._chosen.values())

    def waiting(self) -> list[Chunk]:
        """Return the chunks that are not chosen, best first."""
        return [chunk for chunk in self.chunks() if chunk.first not in self._chosen]

    def chunks(self) -> list[Chunk]:
        """Return the chunks of what can be shown, best first."""
        if self._chunks is None:
            key = ("chunks beside a head" if self._beside else "chunks", self.file.id)
            self._chunks = self._desk.stock.once(key, self.state, self._cut, _characters)
        return self._chunks

    def _cut(self) -> list[Chunk]:
        return _ordered(_chunks(self._desk, self.state, names_of(self.path)))

    def is_chosen(self, chunk: Chunk) -> bool:
        """Tell whether a chunk of this file is chosen."""
        return chunk.first in self._chosen

    def cost(self, chunk: Chunk) -> int:
        """Return what showing a chunk costs: its text, and a heading unless it touches a chosen one."""
        cost = chunk.cost(self._desk)
        joined = chunk.last + 1 in self._chosen or chunk.first in self._ends
        return cost if joined else cost + self._heading_cost

    @cached_property
    def _heading_cost(self) -> int:
        return self._desk.cost(f"{self.path}:1000-1000 (R999{self.doubt})")

    def choose(self, chunk: Chunk, names: Names = ()) -> None:
        """Show a chunk, for these names."""
        self._chosen[chunk.first] = chunk
        self._for_names[chunk.first] = names
        self._ends.add(chunk.last + 1)

    def chosen(self) -> list[Chunk]:
        """Return the chunks that are chosen, in order of lines."""
        return [chunk for _, chunk in sorted(self._chosen.items())]

    def chosen_for(self, chunk: Chunk) -> Names:
        """Return the names for which a chunk was chosen."""
        return self._for_names.get(chunk.first, ())

    def put_back(self, chunk: Chunk) -> None:
        """Do not show a chunk after all."""
        del self._chosen[chunk.first]
        self._ends.discard(chunk.last + 1)

    def pieces(self, section: str = "text") -> list[Piece]:
        """Return the chosen chunks as pieces, those that touch joined, in order of lines."""
        runs: list[list[Chunk]] = []
        for _, chunk in sorted(self._chosen.items()):
            if runs and runs[-1][-1].last + 1 == chunk.first:
                runs[-1].append(chunk)
            else:
                runs.append([chunk])
        return [self._piece(run, section) for run in runs]

    def shown_of(self) -> dict[str, int]:
        """Return for each receipt how many characters of what it showed are chosen."""
        shown: dict[str, int] = {}
        for chunk in self._chosen.values():
            for source in chunk.sources:
                shown[source.receipt] = shown.get(source.receipt, 0) + len(chunk.text) // len(chunk.sources)
        return shown

    def _piece(self, run: list[Chunk], section: str) -> Piece:
        sources = _once(source for chunk in run for source in chunk.sources)
        receipts = tuple(dict.fromkeys(source.receipt for source in sources))
        shown_by = f"{handles(self._desk, sources)}{self.doubt}"
        text = "\n".join([f"{self.path}:{run[0].first}-{run[-1].last} ({shown_by})", *(c.text for c in run)])
        names = tuple(dict.fromkeys(name for chunk in run for name in self.chosen_for(chunk)))
        why = f"current lines of a file, last touched at ordinal {self._desk.live.touched(self.file.id)}"
        return Piece(
            node=sources[0],
            section=section,
            text=text,
            tokens=self._desk.cost(text),
            why=f"{why}; {FOR_NAMES}" if names else why,
            names=names,
            path=self.file.path,
            lines=(run[0].first, run[-1].last),
            receipts=receipts,
            left_out=_tokens(sum(chunk.cut for chunk in run)),
        )


class Doubts:
    """What may have changed files unseen since their content was told last."""

    def __init__(self, desk: Desk) -> None:
        self._live = desk.live
        blind = [
            receipt
            for receipt in reversed(desk.live.newest([Receipt]))
            if receipt.effect != "none"
            and WRITES_NAMED not in receipt.flags
            and receipt.tool not in TELLING_TOOLS
            and receipt.status != "refused"
        ]
        self._ordinals = [receipt.ordinal for receipt in blind]
        self._handles = [receipt.handle for receipt in blind]

    def of(self, file: str) -> str:
        """Return what is to be said of a file: the first that may have changed it; "" where nothing may have."""
        place = bisect_right(self._ordinals, self._live.touched(file))
        return f"; perhaps changed by {self._handles[place]}" if place < len(self._handles) else ""


def standing(now: Desk, state: LedgerState, then: LedgerState, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Return those chunks, cut when `then` was known of their file, that are the same lines at the same place in what
    is known now (`state`), and that no withdrawn receipt showed.
    """
    if state == then:
        return chunks
    known = dict(_numbered(now, state))

    def stands(chunk: Chunk) -> bool:
        lines = [known[number] for number in range(chunk.first, chunk.last + 1) if number in known]
        withdrawn = any(now.live.ended(source.receipt) for source in chunk.sources)
        return not withdrawn and len(lines) > chunk.last - chunk.first and chunk_text(lines) == chunk.text

    return [chunk for chunk in chunks if stands(chunk)]


def doubt_pieces(desk: Desk, shelf: Shelf, doubt: str) -> list[Piece]:
    """Return a line that says what may have changed a file whose text stands in the head."""
    if not doubt:
        return []
    text = f"{shelf.path}{doubt}"
    return [
        Piece(
            node=shelf.file,
            section="doubted",
            text=text,
            tokens=desk.cost(text),
            why="something may have changed it, unseen, since it was told last",
            path=shelf.file.path,
        )
    ]


def handles(desk: Desk, sources: Iterable[Excerpt]) -> str:
    """Return the handles of what showed these excerpts, the newest few."""
    tellers = {source.receipt: source for source in sorted(sources, key=lambda source: (-source.ordinal, source.id))}
    names = [node.handle if (node := desk.live.node(t)) is not None else s.handle for t, s in tellers.items()]
    more = f" +{len(names) - HANDLES_SHOWN}" if len(names) > HANDLES_SHOWN else ""
    return ", ".join(names[:HANDLES_SHOWN]) + more


def sources_of(desk: Desk, state: LedgerState) -> list[Excerpt]:
    """Return the excerpts where the current lines of a file were seen."""
    found = (desk.live.node(segment.excerpt) for segment in state.segments)
    return _once(node for node in found if isinstance(node, Excerpt))


def _tokens(characters: int) -> int:
    return -(-characters // 4)


def _once(sources: Iterable[Excerpt]) -> list[Excerpt]:
    return list({source.id: source for source in sources}.values())


def _characters(chunks: list[Chunk]) -> int:
    return sum(len(chunk.text) for chunk in chunks)


def _ordered(chunks: list[Chunk]) -> list[Chunk]:
    if not chunks:
        return []
    hot = max(chunks, key=lambda chunk: (chunk.ordinal, -chunk.first)).first
    return sorted(chunks, key=lambda chunk: (-chunk.ordinal, abs(chunk.first - hot), chunk.first))


def _chunks(desk: Desk, state: LedgerState, path: Names) -> list[Chunk]:
    found: list[Chunk] = []
    run: list[tuple[int, Excerpt]] = []
    lines: list[str] = []
    start = 1
    for segment, source in _near(desk, state):
        if segment.start != start + len(lines):
            found += _cut(run, lines, start, path)
            run, lines, start = [], [], segment.start
        lines += desk.lines(source.id, source.text)[segment.offset : segment.offset + segment.count]
        run.append((len(lines), source))
    return found + _cut(run, lines, start, path)


def _numbered(desk: Desk, state: LedgerState) -> Iterable[tuple[int, str]]:
    for segment in state.segments:
        source = desk.live.node(segment.excerpt)
        if isinstance(source, Excerpt):
            lines = desk.lines(source.id, source.text)[segment.offset : segment.offset + segment.count]
            yield from enumerate(lines, segment.start)


def _near(desk: Desk, state: LedgerState) -> list[tuple[Segment, Excerpt]]:
    """Return the segments whose text is there, reduced to the lines in reach of the one that was seen last."""
    nodes = [(segment, desk.live.node(segment.excerpt)) for segment in state.segments]
    known = [(segment, node) for segment, node in nodes if isinstance(node, Excerpt)]
    if not known:
        return []
    hot = max(known, key=lambda pair: (pair[1].ordinal, -pair[0].start))[0].start
    near = ((_within(segment, hot - REACH, hot + REACH), node) for segment, node in known)
    return [(segment, node) for segment, node in near if segment.count > 0]


def _within(segment: Segment, first: int, stop: int) -> Segment:
    start = max(segment.start, first)
    return Segment(start, min(segment.stop, stop) - start, segment.excerpt, segment.offset + start - segment.start)


def _cut(run: list[tuple[int, Excerpt]], lines: list[str], start: int, path: Names) -> list[Chunk]:
    """Cut known lines that follow one another; `run` tells up to which of them each source shows them."""
    found: list[Chunk] = []
    place = 0
    for part in chunks_of("\n".join(lines)) if lines else ():
        sources = [run[place][1]]
        while run[place][0] < part.first + part.lines:
            place += 1
            sources.append(run[place][1])
        newest = max(source.ordinal for source in sources)
        first = start + part.first
        last = first + part.lines - 1
        names = tuple(dict.fromkeys((*path, *part.names)))
        found.append(Chunk(first, last, part.text, tuple(_once(sources)), newest, names, part.cut))
        place += run[place][0] == part.first + part.lines
    return found
