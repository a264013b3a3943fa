"""Packing: which lines fit into a budget, those of most worth first.

In turns: how the output ended; then, block by block, what is essential, the weightiest block first; then all other
lines of blocks by worth per token; then what stands around them, the end and the beginning of the output.

* Of a run that succeeded half of the room goes to the end, where its results stand.
* Blocks that weigh less than half of the weightiest wait until the others have had their say.
* Of equals the first comes first: it is the cause, and the others its echoes; but blocks near the end weigh a little
  more than those near the beginning, where noise of tests that passed stands.
* What was said before in the same form says less: its worth is divided by the number of times.
* A line costs its tokens; a gap before it costs what the mark costs that is shown for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import sqrt

from muniment.derive.distil.blocks import Block
from muniment.derive.distil.grammar import HINT, REPORT, RULER
from muniment.derive.distil.page import Page

GAP_TOKENS = 6
"""What `[…1234 lines]` costs."""
LAST = 2
"""Lines at the end that are always shown, as the first line is, if they are short: a twentieth of the budget each."""
ESSENTIAL_SHARE = (4, 5)
"""Share of the budget that goes to what is essential in blocks, at most, while other lines of blocks are left."""
WORTH_SAYING, WORTH_MORE = 0.5, 0.75
"""Share of the weightiest block's weight from which on a block has its say at once, and more than a line of it where
there is no room for all that is essential."""
SURVIVED = 0.6
"""What a block in the first quarter of an output weighs beside one in the last: what it reports did not end the run."""
MISSES = 16
"""Lines in a row that do not fit after which no more are tried."""
AROUND = 2
"""Lines before and behind a block that are shown if there is room."""
FADING = 8
"""Lines from the nearer end of a block after which a line is worth half: its middle says least."""


class Packing:
    """The lines that were chosen, and what is left of the budget."""

    def __init__(self, numbers: Sequence[int], length: int, budget: int, cost: Callable[[int], int]) -> None:
        """Begin with nothing chosen. `numbers` are those of the page's lines in an output of `length` lines."""
        self.chosen: set[int] = set()
        self.spent = GAP_TOKENS if length else 0
        self.budget = budget
        self._numbers = numbers
        self._length = length
        self._cost = cost

    @property
    def left(self) -> int:
        """Tokens that are left."""
        return self.budget - self.spent

    def take(self, lines: Iterable[int], limit: int | None = None) -> bool:
        """Choose lines, all or none; tell whether they fit."""
        new = [line for line in lines if line not in self.chosen]
        cost = sum(map(self._cost, new))
        for line in new:
            cost += GAP_TOKENS * (1 - self._follows(line) - self._precedes(line))
            self.chosen.add(line)
        if self.spent + cost > (self.budget if limit is None else min(limit, self.budget)):
            self.chosen.difference_update(new)
            return False
        self.spent += cost
        return True

    def take_one(self, line: int, limit: int | None = None) -> bool:
        """Choose a line; tell whether it fits."""
        if line not in self.chosen:
            cost = self._cost(line) + GAP_TOKENS * (1 - self._follows(line) - self._precedes(line))
            if self.spent + cost > (self.budget if limit is None else min(limit, self.budget)):
                return False
            self.chosen.add(line)
            self.spent += cost
            return True
        return self.spent <= (self.budget if limit is None else min(limit, self.budget))

    def take_each(self, lines: Iterable[int], misses: int = MISSES) -> None:
        """Choose lines one by one until several in a row do not fit."""
        missed = 0
        for line in lines:
            if line in self.chosen:
                continue
            missed = 0 if self.take_one(line) else missed + 1
            if missed >= misses or self.left <= 1:
                return

    def take_tail(self, tokens: int) -> None:
        """Choose the last lines, so many tokens of them."""
        for line in range(len(self._numbers) - 1, -1, -1):
            if not self.take_one(line, tokens):
                return

    def _follows(self, line: int) -> bool:
        """Tell whether nothing is left out right before a line."""
        if line == 0:
            return self._numbers[0] == 1
        return line - 1 in self.chosen and self._numbers[line - 1] + 1 == self._numbers[line]

    def _precedes(self, line: int) -> bool:
        """Tell whether nothing is left out right behind a line."""
        if line + 1 == len(self._numbers):
            return self._numbers[line] == self._length
        return line + 1 in self.chosen and self._numbers[line] + 1 == self._numbers[line + 1]


def weight_of(block: Block, length: int) -> float:
    """Return how much a block weighs beside the others."""
    return block.worth * _standing(block, length)


def _standing(block: Block, length: int) -> float:
    quarter = block.best.line * 4 // max(length, 1)
    return SURVIVED + (1 - SURVIVED) * quarter / 3


def ranked(blocks: list[Block], length: int) -> list[Block]:
    """Return blocks, the weightiest first."""
    return sorted(blocks, key=lambda block: (-weight_of(block, length), block.first))


def worths_of_rest(blocks: list[Block], length: int, frames: Mapping[int, float]) -> dict[int, float]:
    """Return what each line of the blocks is worth when nothing is essential any more.

    Of what did not end the run, details are worth still less.
    """
    found: dict[int, float] = {}
    for block in blocks:
        weight = weight_of(block, length) * _standing(block, length)
        for line in range(block.first, block.last + 1):
            depth = min(line - block.first, block.last - line)
            found[line] = weight / (1 + depth / FADING) * frames.get(line, 1)
        for sign in block.signs:
            own = weight * sign.worth / block.best.worth
            found[sign.line] = max(found[sign.line], own) / sqrt(1 + sign.before)
    return found


def grow(packing: Packing, worths: Mapping[int, float], signs: Collection[int], page: Page) -> None:
    """Choose lines by worth per token, next to others rather than alone, since then they cost no mark for a gap.

    Only a sign may stand alone; other lines say nothing without what they belong to.
    """
    waiting: list[tuple[float, int]] = []

    def offer(line: int) -> None:
        if line in worths and line not in packing.chosen:
            joined = line - 1 in packing.chosen or line + 1 in packing.chosen
            if not joined and line not in signs:
                return
            heappush(waiting, (-worths[line] / (len(page.shown[line]) // 4 + (1 if joined else 1 + GAP_TOKENS)), line))

    for line in worths:
        offer(line)
    missed = 0
    while waiting and missed < MISSES and packing.left > 1:
        line = heappop(waiting)[1]
        if line in packing.chosen:
            continue
        if packing.take_one(line):
            missed = 0
            offer(line - 1)
            offer(line + 1)
        else:
            missed += 1


def around(blocks: list[Block], length: int) -> Iterable[int]:
    """Yield the lines before and behind blocks, nearest first."""
    for distance in range(1, AROUND + 1):
        for block in blocks:
            if block.best.worth >= HINT:
                yield from (line for line in (block.first - distance, block.last + distance) if 0 <= line < length)


def pack(packing: Packing, blocks: list[Block], page: Page, frames: Mapping[int, float]) -> None:
    """Choose how the output ended and began, and lines of blocks as long as there are any and room for them."""
    length = len(page)
    best = ranked(blocks, length)
    many, of = ESSENTIAL_SHARE
    limit = packing.left * many // of
    for line in (*range(length - 1, max(length - 1 - LAST, -1), -1), *range(min(length, 1))):
        packing.take_one(line, packing.spent + packing.budget // 20 + GAP_TOKENS)
    most = weight_of(best[0], length) if best else 0
    for block in best:
        share = weight_of(block, length) / most
        if share >= WORTH_SAYING and block.worth >= HINT:
            less = (block.core, block.core[:1]) if share >= WORTH_MORE else (block.core[:1],)
            any(packing.take(lines, limit) for lines in (block.essential, *less))
    signs = {sign.line for block in best for sign in block.signs}
    grow(packing, worths_of_rest(best, length, frames), signs, page)


def fill(packing: Packing, blocks: list[Block], page: Page) -> None:
    """Choose what stands around blocks, and lines from the end and the beginning, until the budget is spent."""
    length = len(page)
    best = ranked(blocks, length)
    near = around([block for block in best if block.best.worth >= REPORT], length)
    packing.take_each(line for line in near if page.judged[line].strip() and not RULER.match(page.judged[line]))
    tail, head = iter(range(length - 1, -1, -1)), iter(range(length))
    packing.take_each(line for group in zip(tail, tail, head, strict=False) for line in group)
