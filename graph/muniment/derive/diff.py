"""Diff of two texts, by lines, in a time that no pair of texts can make long.

* Equal heads and tails go first; then lines that are in both texts once are matched, in the longest order that both
  share; what lies between two matches is treated the same way, `LEVELS` deep.
* What is left without such lines is compared line by line where it is small, else it is one hunk.
* So the result is always right, and small where the texts are alike, but not always the smallest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from muniment.model.records import Hunk

LEVELS = 4
SMALL = 2_000
"""Lines; comparing two texts of this size, line by line, takes about ten milliseconds at worst."""


class _Block(NamedTuple):
    """Lines `a`..`a_stop - 1` of the old text beside `b`..`b_stop - 1` of the new one, from 0."""

    a: int
    a_stop: int
    b: int
    b_stop: int


def hunks_between(old: list[str], new: list[str]) -> tuple[Hunk, ...]:
    """Return hunks, without kept lines, that make `new` out of `old`."""
    hunks: list[Hunk] = []
    for block in _changes(old, new, _Block(0, len(old), 0, len(new)), LEVELS):
        removed = [f"-{line}" for line in old[block.a : block.a_stop]]
        added = [f"+{line}" for line in new[block.b : block.b_stop]]
        hunks.append(Hunk(block.a + 1, block.b + 1, (*removed, *added)))
    return tuple(hunks)


def _changes(old: list[str], new: list[str], block: _Block, levels: int) -> Iterator[_Block]:
    block = _trimmed(old, new, block)
    if block.a == block.a_stop or block.b == block.b_stop:
        if block.a < block.a_stop or block.b < block.b_stop:
            yield block
        return
    matches = _matches(old, new, block) if levels else []
    if matches:
        for between in _between(block, matches):
            yield from _changes(old, new, between, levels - 1)
    elif max(block.a_stop - block.a, block.b_stop - block.b) <= SMALL:
        yield from _by_line(old, new, block)
    else:
        yield block


def _by_line(old: list[str], new: list[str], block: _Block) -> Iterator[_Block]:
    """What the longest common part of two blocks leaves out. Lines are compared as numbers, one for each text."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in old[block.a : block.a_stop]]
    right = [numbers.setdefault(line, len(numbers)) for line in new[block.b : block.b_stop]]
    a, b = block.a, block.b
    for step in LCSseq.opcodes(left, right):
        if step.tag == "equal":
            if a < block.a + step.src_start or b < block.b + step.dest_start:
                yield _Block(a, block.a + step.src_start, b, block.b + step.dest_start)
            a, b = block.a + step.src_end, block.b + step.dest_end
    if a < block.a_stop or b < block.b_stop:
        yield _Block(a, block.a_stop, b, block.b_stop)


def _trimmed(old: list[str], new: list[str], block: _Block) -> _Block:
    a, a_stop, b, b_stop = block
    while a < a_stop and b < b_stop and old[a] == new[b]:
        a, b = a + 1, b + 1
    while a < a_stop and b < b_stop and old[a_stop - 1] == new[b_stop - 1]:
        a_stop, b_stop = a_stop - 1, b_stop - 1
    return _Block(a, a_stop, b, b_stop)


def _between(block: _Block, matches: list[tuple[int, int]]) -> Iterator[_Block]:
    a, b = block.a, block.b
    for match_a, match_b in matches:
        yield _Block(a, match_a, b, match_b)
        a, b = match_a + 1, match_b + 1
    yield _Block(a, block.a_stop, b, block.b_stop)


def _matches(old: list[str], new: list[str], block: _Block) -> list[tuple[int, int]]:
    """Return places (old, new) of lines that are in each side once: the longest run of them that ascends in both."""
    times_old = Counter(old[block.a : block.a_stop])
    times_new = Counter(new[block.b : block.b_stop])
    places = {new[b]: b for b in range(block.b, block.b_stop) if times_new[new[b]] == 1}
    pairs = [(a, places[old[a]]) for a in range(block.a, block.a_stop) if times_old[old[a]] == 1 and old[a] in places]
    return _ascending(pairs)


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of `pairs`, which ascend in their first places, that ascends in their second ones too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
