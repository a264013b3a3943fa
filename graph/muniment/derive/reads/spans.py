"""Line intervals with open ends, and what selections of lines make of a file of a given length.

* A span counts from 1, both ends in it; negative numbers count from the end (-1 is the last line), `last` None is open.
* Operations work on the numbers of the lines in what reaches them, not on the file's own: `head | tail` is two of them.
* What is kept for a length is a list of `range`s of the file's line numbers; no list of lines is ever made.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec

REMEMBERED: Final = 256
FAR: Final = 1 << 40
"""A length that no file has: what a selection gives of it is the most that it can give."""


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Lines `first`..`last`, every `step`-th of them."""

    first: int
    last: int | None = None
    step: int = 1


class Op(msgspec.Struct, frozen=True, array_like=True):
    """One operation on a stream of lines.

    `kind`: keep or drop (those of `spans`), reverse, number (`gutter`: a pattern whose first group is the number and
    second the line), strip (numbers that count only some lines), some (any of them, in order: nobody knows which).
    """

    kind: str
    spans: tuple[Span, ...] = ()
    gutter: str = ""


WHOLE: Final = (Span(1, None),)
SOME: Final = Op("some")
REVERSE: Final = Op("reverse")

Ranges = list[range]


def kept(ops: tuple[Op, ...], total: int) -> Ranges:
    """Return the numbers of the lines that selections keep of a file of `total` lines, in order.

    Numbering changes nothing here, and `some` counts as all.
    """
    ranges: Ranges = [range(1, total + 1)]
    for op in ops:
        if op.kind == "reverse":
            ranges = [each[::-1] for each in reversed(ranges)]
        elif op.kind in ("keep", "drop"):
            wanted = _placed(op.spans, count(ranges))
            if op.kind == "drop":
                wanted = _complement(wanted, count(ranges))
            ranges = [piece for place in wanted for piece in _cut(ranges, place)]
    return ranges


def count(ranges: Ranges) -> int:
    """Return how many lines there are in all."""
    return sum(map(len, ranges))


@lru_cache(maxsize=REMEMBERED)
def most(ops: tuple[Op, ...]) -> int | None:
    """Return the most lines that selections can give, None where there is no limit."""
    number = count(kept(ops, FAR))
    return None if number > FAR // 1024 else number


def overlapping(spans: tuple[Span, ...]) -> bool:
    """Tell whether some line of a long file is in two of the spans, or may be."""
    far = [(_from_end(s.first, FAR), FAR if s.last is None else _from_end(s.last, FAR)) for s in spans]
    pairs = sorted(far)
    if len(spans) > 1 and any(s.first < 0 or (s.last or 0) < 0 or s.step > 1 for s in spans):
        return True
    return any(before[1] >= after[0] for before, after in pairwise(pairs))


@lru_cache(maxsize=REMEMBERED)
def from_the_start(ops: tuple[Op, ...]) -> bool:
    """Tell whether a line's place in the stream does not depend on the length of the file."""
    selecting = [op for op in ops if op.kind in ("keep", "drop", "reverse")]
    ends = [end for op in selecting for span in op.spans for end in (span.first, span.last) if end is not None]
    return all(op.kind != "reverse" for op in selecting) and all(end >= 0 for end in ends)


class Fit(msgspec.Struct, frozen=True):
    """Which lines an output of some number of lines can be: of a file of `low` to `high` lines."""

    ranges: Ranges
    low: int
    high: int

    @property
    def total(self) -> int | None:
        """The file's number of lines, where only one fits."""
        return self.low if self.low == self.high else None


@lru_cache(maxsize=REMEMBERED)
def fit(ops: tuple[Op, ...], shown: int, total: int | None = None) -> Fit | None:
    """Return which lines `shown` lines of output are; None where they may be several, or none.

    `total` is the length of the file where that is known; else every length is tried.
    """
    if total is not None:
        ranges = kept(ops, total)
        return Fit(ranges, total, total) if count(ranges) == shown else None
    low = _least(ops, shown)
    if low is None or count(kept(ops, low)) != shown:
        return None
    above = _least(ops, shown + 1)
    high = FAR if above is None else above - 1
    ranges = kept(ops, low)
    same = list(_flat(ranges)) == list(_flat(kept(ops, high)))
    return Fit(ranges, low, high) if same else None


def _least(ops: tuple[Op, ...], shown: int) -> int | None:
    """Return the length of the shortest file of which at least `shown` lines are kept; lengths only ever add lines."""
    most_kept = kept(ops, FAR)
    if count(most_kept) < shown:
        return None
    if from_the_start(ops) and not any(op.kind == "keep" and overlapping(op.spans) for op in ops):
        return _nth(most_kept, shown) if shown else 0  # longer files only add lines behind
    low, high = 0, max(shown, 1)
    while high < FAR and count(kept(ops, high)) < shown:
        low, high = high + 1, min(2 * high, FAR)
    while low < high:
        middle = (low + high) // 2
        if count(kept(ops, middle)) >= shown:
            high = middle
        else:
            low = middle + 1
    return low


def _nth(ranges: Ranges, place: int) -> int:
    """Return the `place`-th line (from 1) of those in the ranges."""
    for each in ranges:
        if place <= len(each):
            return each[place - 1]
        place -= len(each)
    return 0


def _flat(ranges: Ranges) -> list[tuple[int, int, int]]:
    return [(each[0], each[-1], len(each)) for each in ranges if each]


def _from_end(number: int, total: int) -> int:
    return total + 1 + number if number < 0 else number


def _placed(spans: tuple[Span, ...], total: int) -> list[range]:
    places: list[range] = []
    for span in spans:
        first = max(_from_end(span.first, total), 1)
        last = min(total if span.last is None else _from_end(span.last, total), total)
        if first <= last:
            places.append(range(first, last + 1, span.step))
    return sorted(places, key=lambda place: place.start)


def _complement(places: list[range], total: int) -> list[range]:
    left: list[range] = []
    reached = 1
    for place in places:
        if place.start > reached:
            left.append(range(reached, place.start))
        reached = max(reached, place.stop)
    if reached <= total:
        left.append(range(reached, total + 1))
    return left


def _cut(ranges: Ranges, place: range) -> Ranges:
    """Return lines `place` (numbers in the stream, from 1) of a stream; a step is kept where that is one range."""
    found: Ranges = []
    before = 0
    for each in ranges:
        low, high = max(place.start - 1 - before, 0), min(place.stop - 1 - before, len(each))
        if low < high:
            offset = -(before + low - (place.start - 1)) % place.step
            found.append(each[low + offset : high : place.step])
        before += len(each)
    return [each for each in found if each]
