"""Carrying: where lines that somebody knows stand after a step. Pure functions over segments of a ledger.

* A run says that some lines stand, unchanged, at another place; what lies in no run is gone.
* Lines that keep their source are the same lines: that is exact for edits. Two texts are compared by a line diff where
  the old one is known whole; where only parts of it are known, a line is the same only at the same place, since a diff
  could take a line for another one that reads alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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
    """Return the lines that have the same source before and after; lines of one source keep their order."""
    head = next((i for i, (was, now) in enumerate(zip(old, new, strict=False)) if was != now), min(len(old), len(new)))
    ends = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = next((i for i, (was, now) in enumerate(ends) if was != now), min(len(old), len(new)) - head)
    found = [Run(1, 1, old[head - 1].stop - 1)] if head else []
    for run in _moved(old[head : len(old) - tail], new[head : len(new) - tail]):
        _extend(found, run)
    if tail:
        first = old[-tail].start
        _extend(found, Run(first, first, old[-1].stop - first))
    return tuple(found)


def _moved(old: Segments, new: Segments) -> list[Run]:
    places: dict[str, list[Segment]] = defaultdict(list)
    for was in old:
        places[was.excerpt].append(was)
    reached: dict[str, int] = defaultdict(int)
    found: list[Run] = []
    for now in new:
        known, place = places.get(now.excerpt, []), reached[now.excerpt]
        while place < len(known) and known[place].offset + known[place].count <= now.offset:
            place += 1
        reached[now.excerpt] = place
        while place < len(known) and known[place].offset < now.offset + now.count:
            was = known[place]
            first = max(was.offset, now.offset)
            size = min(was.offset + was.count, now.offset + now.count) - first
            _extend(found, Run(was.start + first - was.offset, now.start + first - now.offset, size))
            place += 1
    return found


def _extend(runs: list[Run], run: Run) -> None:
    """Add a run behind others, as one with the last where it goes on from that."""
    last = runs[-1] if runs else None
    if last is not None and last.old + last.size == run.old and last.new + last.size == run.new:
        runs[-1] = Run(last.old, last.new, last.size + run.size)
    else:
        runs.append(run)


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
    """Return segments at the places to which runs take them; runs ascend, before and after, and do not overlap."""
    if runs is ALL_STAY:
        return segments
    found: list[Segment] = []
    for run in runs:
        stop, shift = run.old + run.size, run.new - run.old
        begin = bisect_right(segments, run.old, key=lambda segment: segment.stop)
        end = bisect_left(segments, stop, key=lambda segment: segment.start)
        inner = segments[begin:end]
        if not shift and inner and inner[0].start >= run.old and inner[-1].stop <= stop:
            found += inner
            continue
        for segment in inner:
            first = max(run.old, segment.start)
            count = min(stop, segment.stop) - first
            found.append(Segment(first + shift, count, segment.excerpt, segment.offset + first - segment.start))
    return tuple(found)


def laid_over(segments: Segments, fresh: Iterable[Segment]) -> Segments:
    """Return segments with fresh ones on top: where both know a line, the fresh one tells its source."""
    found = segments
    for new in fresh:
        begin = bisect_right(found, new.start, key=lambda segment: segment.stop)
        end = bisect_left(found, new.stop, key=lambda segment: segment.start)
        beside = [part for old in found[begin:end] for part in _beside(old, new.start, new.stop)]
        before = [part for part in beside if part.start < new.start]
        found = (*found[:begin], *before, new, *beside[len(before) :], *found[end:])
    return found


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
