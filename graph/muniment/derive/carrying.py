"""Carrying: where lines that somebody knows stand after a step. Pure functions over segments of a ledger.

* A run says that some lines stand, unchanged, at another place; what lies in no run is gone.
* Lines that keep their source are the same lines: that is exact for edits. Two texts are compared by a line diff where
  the old one is known whole; where only parts of it are known, a line is the same only at the same place, since a diff
  could take a line for another one that reads alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from muniment.derive.diff import hunks_between
from muniment.model.ledger import Segment


class Run(NamedTuple):
    """Lines `old`..`old + size - 1` of the file before are lines `new`.. of it after."""

    old: int
    new: int
    size: int


Runs = tuple[Run, ...]
Segments = tuple[Segment, ...]
Interval = tuple[int, int]

ALL_STAY: Runs = (Run(1, 1, 1 << 60),)
"""Every line is where it was."""


def by_source(old: Segments, new: Segments) -> Runs:
    """Return the lines that have the same source before and after."""
    places: dict[str, list[Segment]] = defaultdict(list)
    for was in old:
        places[was.excerpt].append(was)
    found: list[Run] = []
    for now in new:
        for was in places.get(now.excerpt, ()):
            first = max(was.offset, now.offset)
            count = min(was.offset + was.count, now.offset + now.count) - first
            if count > 0:
                found.append(Run(was.start + first - was.offset, now.start + first - now.offset, count))
    return tuple(sorted(found))


def by_text(old: Sequence[str | None], new: Sequence[str]) -> Runs:
    """Return the lines that stand in both texts: by a diff, or, where lines of the old one are not known, by place."""
    whole = [line for line in old if line is not None]
    if len(whole) < len(old):
        return in_place(old, new, 1)
    found: list[Run] = []
    a = b = 1
    for hunk in hunks_between(whole, list(new)):
        if hunk.old_start > a:
            found.append(Run(a, b, hunk.old_start - a))
        a = hunk.old_start + sum(line.startswith("-") for line in hunk.lines)
        b = hunk.new_start + sum(line.startswith("+") for line in hunk.lines)
    if len(whole) >= a:
        found.append(Run(a, b, len(whole) - a + 1))
    return tuple(found)


def in_place(old: Sequence[str | None], new: Sequence[str], first: int) -> Runs:
    """Return the lines of `new`, which begins at line `first`, that `old` has at the same place."""
    found: list[Run] = []
    for number, line in enumerate(new, first):
        if number > len(old) or old[number - 1] is None or old[number - 1] != line:
            continue
        if found and found[-1].old + found[-1].size == number:
            found[-1] = Run(found[-1].old, found[-1].new, found[-1].size + 1)
        else:
            found.append(Run(number, number, 1))
    return tuple(found)


def carried(runs: Runs, segments: Segments) -> Segments:
    """Return segments at the places to which runs take them; runs ascend and do not overlap."""
    if runs is ALL_STAY:
        return segments
    found: list[Segment] = []
    for segment in segments:
        place = bisect_right(runs, segment.start, key=lambda run: run.old + run.size)
        while place < len(runs) and runs[place].old < segment.stop:
            run = runs[place]
            first = max(run.old, segment.start)
            count = min(run.old + run.size, segment.stop) - first
            found.append(
                Segment(first + run.new - run.old, count, segment.excerpt, segment.offset + first - segment.start)
            )
            place += 1
    return tuple(sorted(found, key=lambda segment: segment.start))


def laid_over(segments: Segments, fresh: Iterable[Segment]) -> Segments:
    """Return segments with fresh ones on top: where both know a line, the fresh one tells its source."""
    found = list(segments)
    for new in fresh:
        found = [part for old in found for part in _beside(old, new.start, new.stop)]
        found.append(new)
    return tuple(sorted(found, key=lambda segment: segment.start))


def parts_without(segment: Segment, lines: Iterable[int]) -> list[Segment]:
    """Return a segment without some lines of the file."""
    parts = [segment]
    for line in lines:
        parts = [part for whole in parts for part in _beside(whole, line, line + 1)]
    return parts


def clipped(segments: Segments, first: int, last: int | None) -> Segments:
    """Return what of segments lies in lines `first`..`last`; None is the end."""
    stop = last + 1 if last is not None else max((segment.stop for segment in segments), default=first)
    return carried((Run(first, first, stop - first),), segments) if stop > first else ()


def intervals(segments: Segments) -> tuple[Interval, ...]:
    """Return the lines of segments as intervals (first, last), inclusive, ascending, with a gap between any two."""
    found: list[Interval] = []
    for segment in segments:
        if found and found[-1][1] + 1 >= segment.start:
            found[-1] = (found[-1][0], max(found[-1][1], segment.stop - 1))
        else:
            found.append((segment.start, segment.stop - 1))
    return tuple(found)


def _beside(segment: Segment, first: int, stop: int) -> list[Segment]:
    """Return what of a segment lies outside of lines `first`..`stop - 1`."""
    if stop <= segment.start or segment.stop <= first:
        return [segment]
    parts: list[Segment] = []
    if segment.start < first:
        parts.append(Segment(segment.start, first - segment.start, segment.excerpt, segment.offset))
    if stop < segment.stop:
        parts.append(Segment(stop, segment.stop - stop, segment.excerpt, segment.offset + stop - segment.start))
    return parts
