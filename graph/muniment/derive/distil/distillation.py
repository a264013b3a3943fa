"""Distillation: the excerpts of an output, what each establishes, what was left out, and what it costs to show them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.derive.distil.blocks import Block, blocks_of
from muniment.derive.distil.grammar import FOREIGN, FRAME, PROJECT_FRAME
from muniment.derive.distil.packing import Packing, pack
from muniment.derive.distil.page import Page, clipped, page_of
from muniment.derive.distil.showing import shows_files
from muniment.derive.distil.signs import Sign, signs_of
from muniment.tokens import TokenCounter, o200k

FIRST_LINES = "first lines"
LAST_LINES = "last lines"
CONTEXT = "context"
FEWEST_CHARACTERS = 120
MOST_CHARACTERS = 480
"""Characters of a line that are shown at least and at most; between them a third of the budget's tokens, which is
about a twelfth of the budget."""


PROJECT_WORTH = 2.0
FOREIGN_WORTH = 0.5
"""How much more a frame in a file of the project says than another line, and how much less one in a library."""


class Span(msgspec.Struct, frozen=True):
    """Lines `first`..`last` of an output (from 1, inclusive), and what they establish, weightiest first."""

    first: int
    last: int
    establishes: tuple[str, ...]


class Distillation(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of an output: `excerpts` in order of lines, disjoint; `omitted` are the line ranges between.

    `text` is how it is shown, with a mark for each gap, and `tokens` what that costs: at most the budget.
    """

    excerpts: tuple[Span, ...]
    omitted: tuple[tuple[int, int], ...]
    lines: int
    text: str
    tokens: int


def distil(
    text: str,
    *,
    command: str | None = None,
    status: str | int | None = None,
    budget: int,
    counter: TokenCounter | None = None,
) -> Distillation:
    """Return the lines of an output that matter most, in at most `budget` tokens.

    `command` and `status` (ok, failed, unknown, or an exit code) say what printed it and how that ended.
    """
    counter = counter or o200k()
    page = page_of(text)
    signs = [] if shows_files(command, status) else signs_of(page)
    blocks = blocks_of(page, signs)
    most = min(max(FEWEST_CHARACTERS, budget // 5), MOST_CHARACTERS)
    shown = Shown(page, most, counter)
    packing = Packing(page, budget, shown.cost)
    frames = frames_of(page, blocks)
    pack(packing, blocks, page, frames)
    return told(shown, packing, signs, frames)


class Shown:
    """The lines of a page as they are shown, each made and counted once."""

    def __init__(self, page: Page, most: int, counter: TokenCounter) -> None:
        self.page = page
        self.counter = counter
        self._most = most
        self._lines: dict[int, str] = {}

    def line(self, number: int) -> str:
        """Return a line as it is shown."""
        if number not in self._lines:
            self._lines[number] = clipped(self.page.shown[number], self._most)
        return self._lines[number]

    def cost(self, number: int) -> int:
        """Return what showing a line costs."""
        return self.counter.count(self.line(number) + "\n")


def frames_of(page: Page, blocks: Iterable[Block]) -> dict[int, float]:
    """Return for each line of a block that is a frame how much more or less it says than another line."""
    found: dict[int, float] = {}
    for block in blocks:
        for number in range(block.first, block.last + 1):
            frame = FRAME.match(page.judged[number])
            if frame:
                foreign = any(FOREIGN.search(part) for part in frame.groups() if part)
                found[number] = FOREIGN_WORTH if foreign else PROJECT_WORTH
    return found


def told(shown: Shown, packing: Packing, signs: list[Sign], frames: dict[int, float]) -> Distillation:
    """Return what was chosen as a distillation."""
    by_line = {sign.line: sign for sign in signs}
    chosen = sorted(packing.chosen)
    length = len(shown.page)
    spans: list[Span] = []
    for first, last in runs(chosen):
        said = sorted((by_line[n] for n in range(first, last + 1) if n in by_line), key=lambda s: (-s.worth, s.line))
        names = list(dict.fromkeys(sign.establishes for sign in said))
        names += [PROJECT_FRAME] if any(frames.get(n) == PROJECT_WORTH for n in range(first, last + 1)) else []
        names += [FIRST_LINES] if first == 0 else []
        names += [LAST_LINES] if last == length - 1 else []
        spans.append(Span(first + 1, last + 1, tuple(names) or (CONTEXT,)))
    text = composed(shown, spans, length)
    return Distillation(
        excerpts=tuple(spans),
        omitted=tuple(gaps(spans, length)),
        lines=length,
        text=text,
        tokens=shown.counter.count(text),
    )


def runs(lines: list[int]) -> Iterable[tuple[int, int]]:
    """Yield the runs of consecutive numbers."""
    first = None
    for place, line in enumerate(lines):
        first = line if first is None else first
        if place + 1 == len(lines) or lines[place + 1] != line + 1:
            yield first, line
            first = None


def gaps(spans: list[Span], length: int) -> Iterable[tuple[int, int]]:
    """Yield the line ranges that no span holds."""
    begin = 1
    for span in spans:
        if span.first > begin:
            yield begin, span.first - 1
        begin = span.last + 1
    if begin <= length:
        yield begin, length


def composed(shown: Shown, spans: list[Span], length: int) -> str:
    """Return the text of a distillation."""
    parts: list[str] = []
    begin = 1
    for span in spans:
        if span.first > begin:
            parts.append(omission(span.first - begin))
        parts += [shown.line(number - 1) for number in range(span.first, span.last + 1)]
        begin = span.last + 1
    if begin <= length:
        parts.append(omission(length - begin + 1))
    return "\n".join(parts)


def omission(lines: int) -> str:
    """Return the mark for lines that are left out."""
    return f"[… {lines} line{'s' if lines != 1 else ''}]"
