"""How a file's ledger changes with what is seen and done: pure functions over `model.ledger.LedgerState`.

* A read sets its interval, and nothing else; a splice replaces its old lines and shifts those after it; a whole write
  replaces all. Lines that no event touched keep the source where they were seen.
* What contradicts itself makes the ledger forget, never guess: splices out of order, or of an unknown place, leave no
  line known; a line seen or changed beyond the end makes the length unknown.
* `complete` is always "the length is known, and each line up to it has a source".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import Final

import msgspec

from muniment.derive.diff import hunks_between
from muniment.derive.hunks import Splice, added_lines, added_text, located, splices_of
from muniment.model.ledger import LedgerState, Segment
from muniment.model.nodes import Intervals

__all__ = [
    "Splice",
    "added_lines",
    "added_text",
    "covered",
    "edited",
    "forgotten",
    "hunks_between",
    "known_lines",
    "located",
    "overlapping",
    "replaced",
    "shown",
    "splices_of",
]


_count_of: Final = attrgetter("count")
_start_of: Final = attrgetter("start")
_stop_of: Final = attrgetter("stop")


def shown(state: LedgerState, runs: Intervals, *, excerpt: str, total: int | None, version: str) -> LedgerState:
    """Return the ledger after a read showed runs of lines, whose text in `excerpt` is one behind the other; one run
    that ends before it begins is none.

    `total` is the file's number of lines where the read tells it: what was known beyond it is dropped. A total smaller
    than what was shown itself is raised to that.
    """
    last = runs[-1][1]
    if total is not None:
        total = max(total, last) if last >= runs[0][0] else total
    elif state.total is not None and last <= state.total:
        total = state.total
    end = total + 1 if total is not None else _end(state)
    segments: list[Segment] = []
    reached, offset = 1, 0
    for first, final in runs:
        _add(segments, _within(state.segments, reached, min(first, end)))
        if final >= first:
            _add(segments, [Segment(first, final - first + 1, excerpt, offset)])
        reached, offset = final + 1, offset + final - first + 1
    _add(segments, _within(state.segments, reached, end))
    return _state(segments, total, version)


def replaced(count: int, *, excerpt: str, version: str) -> LedgerState:
    """Return the ledger of a file of `count` lines that was written, or read, whole."""
    return _state([Segment(1, count, excerpt, 0)] if count else [], count, version)


def edited(state: LedgerState, splices: tuple[Splice, ...], *, version: str) -> LedgerState:
    """Return the ledger after an edit; `splices` are in lines of the old file, ascending and disjoint.

    Splices that are not so, or whose place is not known, leave nothing known.
    """
    if not _in_order(splices):
        return forgotten(state, version)
    segments: list[Segment] = []
    shift, reached = 0, 1
    for splice in splices:
        _add(segments, _moved(_within(state.segments, reached, splice.start), shift))
        if splice.added:
            _add(segments, [Segment(splice.start + shift, splice.added, splice.excerpt, splice.offset)])
        shift += splice.added - splice.removed
        reached = splice.stop
    _add(segments, _moved(_within(state.segments, reached, _end(state)), shift))
    total = state.total + shift if state.total is not None and reached - 1 <= state.total else None
    return _state(segments, total, version)


def forgotten(state: LedgerState, version: str) -> LedgerState:
    """Return the ledger after a change of which nobody knows what it did: no line and no length is known."""
    return msgspec.structs.replace(state, segments=(), total=None, version=version, complete=False)


def covered(state: LedgerState) -> tuple[tuple[int, int], ...]:
    """Return the known lines as intervals (first, last), inclusive, ascending, with a gap between any two."""
    found: list[tuple[int, int]] = []
    for segment in state.segments:
        if found and found[-1][1] + 1 == segment.start:
            found[-1] = (found[-1][0], segment.stop - 1)
        else:
            found.append((segment.start, segment.stop - 1))
    return tuple(found)


def known_lines(state: LedgerState, lines_of: Callable[[str], list[str]]) -> list[str | None]:
    """Return the current lines, index 0 for line 1, up to the last line known or the file's end; None where not known.

    `lines_of` gives the lines of an excerpt's text; where it gives too few (a purged text), the rest is not known.
    """
    known: list[str | None] = [None] * (state.total if state.total is not None else _end(state) - 1)
    texts = {excerpt: lines_of(excerpt) for excerpt in dict.fromkeys(segment.excerpt for segment in state.segments)}
    for segment in state.segments:
        lines = texts[segment.excerpt][segment.offset : segment.offset + segment.count]
        known[segment.start - 1 : segment.start - 1 + len(lines)] = lines
    return known


def _state(segments: list[Segment], total: int | None, version: str) -> LedgerState:
    complete = total is not None and sum(map(_count_of, segments)) == total
    return LedgerState(tuple(segments), total, version, complete)


def _add(segments: list[Segment], more: list[Segment]) -> None:
    """Add segments behind others, of which no two that meet go on from one another; the last and the first may."""
    last = segments[-1] if segments and more else None
    if last is not None and last.excerpt == more[0].excerpt and _continues(last, more[0]):
        segments[-1] = Segment(last.start, last.count + more[0].count, last.excerpt, last.offset)
        more = more[1:]
    segments += more


def _continues(last: Segment, segment: Segment) -> bool:
    return last.stop == segment.start and last.offset + last.count == segment.offset


def overlapping(segments: tuple[Segment, ...], first: int, stop: int) -> tuple[Segment, ...]:
    """Return the segments that have some of lines `first`..`stop - 1`, whole."""
    begin = bisect_right(segments, first, key=_stop_of)
    return segments[begin : bisect_left(segments, stop, lo=begin, key=_start_of)]


def _within(segments: tuple[Segment, ...], first: int, stop: int) -> list[Segment]:
    """Return what lies in lines `first`..`stop - 1`, cut at its ends."""
    if first >= stop:
        return []
    found = list(overlapping(segments, first, stop))
    for place in {0, len(found) - 1} if found else ():
        segment = found[place]
        begin, end = max(first, segment.start), min(stop, segment.stop)
        if end - begin < segment.count:
            found[place] = Segment(begin, end - begin, segment.excerpt, segment.offset + begin - segment.start)
    return found


def _moved(segments: list[Segment], shift: int) -> list[Segment]:
    if not shift:
        return segments
    return [Segment(segment.start + shift, segment.count, segment.excerpt, segment.offset) for segment in segments]


def _in_order(splices: tuple[Splice, ...]) -> bool:
    reached = 1
    for splice in splices:
        if splice.start < reached:
            return False
        reached = splice.stop
    return True


def _end(state: LedgerState) -> int:
    """Return the first line after the last one known."""
    return state.segments[-1].stop if state.segments else 1
