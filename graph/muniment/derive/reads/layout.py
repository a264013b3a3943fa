"""Layout: where each part of what a command line shows can begin in its output.

* The parts are found again in order. Each has lengths that it can have where it begins; a part whose beginning is the
  same in every way to cut the output begins there for certain.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final

import msgspec

from muniment.derive.reads.evaluate import Shown
from muniment.derive.reads.hits import HitRun, blame_run, hit_run, patch_run
from muniment.derive.reads.spans import FAR, Op, from_the_start, kept, most
from muniment.derive.reads.streams import Blame, Hits, Lines, Literal, Patch, Told

MOST_STARTS: Final = 400
"""Places at which a part that must be looked at line by line may begin; with more nothing is claimed."""
_SPOKEN: Final = re.compile(
    r"(?:(?:/[\w./-]*/)?(?:sed|cat|head|tail|nl|g?awk|tac|bat|e?grep|rg|ls|find|git|bash|zsh|sh|dash|python3?|jq|less|more|wc|cd)"
    r"(?:: line \d+|:\d+)?: |fatal: |Shell cwd was reset to |Traceback \(most recent call last\)|regex parse error"
    r"|Binary file .* matches|Command (?:timed out|was aborted)|\(no output\))"
)


class Known(msgspec.Struct, frozen=True):
    """What is known of a file before: its lines, None where one is not known, and its length."""

    lines: list[str | None]
    total: int | None


KnownOf = Callable[[str], Known | None]


class Page:
    """An output, cut into lines. `begins`, `ends`: nothing is missing at that end."""

    def __init__(self, lines: list[str], *, begins: bool, ends: bool, known: KnownOf) -> None:
        self.lines = lines
        self.begins = begins
        self.ends = ends
        self.known = known
        self._hits: dict[tuple[int, Hits], HitRun] = {}

    @cached_property
    def spoken(self) -> bool:
        """Whether one of the lines is a program's own word."""
        return any(map(_SPOKEN.match, self.lines))

    def hits(self, part: Hits, start: int) -> HitRun:
        """Return how many lines from `start` on are a search's, and what they tell."""
        if (start, part) not in self._hits:
            self._hits[start, part] = hit_run(part, self.lines, start)
        return self._hits[start, part]

    def clean(self, start: int, stop: int) -> bool:
        """Tell whether lines are as a file would have them."""
        text = "\n".join(self.lines[start:stop])
        return "\x1b" not in text and "\ufffd" not in text


def loosened(each: Shown) -> Shown:
    """Return a part that may not be there."""
    return msgspec.structs.replace(each, run=False, sure=False)


def bounds_of(page: Page, shown: tuple[Shown, ...]) -> list[list[int]] | None:
    """Return, for the beginning of each part and the end of the last, the places where it can be; None if unknown."""
    size = len(page.lines)
    starts: list[list[int]] = [[0]]
    ends: list[dict[int, range | set[int]]] = []
    for each in shown:
        if _limit(each) is None and len(starts[-1]) > MOST_STARTS:
            return None
        ends.append(_ends(page, each, starts[-1]))
        starts.append(_union(ends[-1].values()))
    bounds: list[list[int]] = [[size] if size in starts[-1][-1:] else []]
    for place in range(len(shown) - 1, -1, -1):
        later = bounds[0]
        bounds.insert(0, [start for start in starts[place] if _reaches(ends[place][start], later)])
    return bounds if all(bounds) else None


def _union(ends: Iterable[range | set[int]]) -> list[int]:
    """Return all places in these sets, in order; ranges come with ascending beginnings."""
    found: set[int] = set()
    reached = 0
    for each in ends:
        if isinstance(each, range):
            found.update(range(max(each.start, reached) if each.start <= reached else each.start, each.stop))
            reached = max(reached, each.stop)
        else:
            found |= each
    return sorted(found)


def _limit(each: Shown) -> int | None:
    """Return a number for parts whose lengths need no look at the lines."""
    part = each.part
    if isinstance(part, Lines):
        return None if gutter_of(part.ops) else 0
    return None if isinstance(part, Literal | Patch | Blame | Hits) else 0


def _reaches(ends: range | set[int], later: list[int]) -> bool:
    if isinstance(ends, range):
        at = bisect_left(later, ends.start)
        return at < len(later) and later[at] < ends.stop
    return not ends.isdisjoint(later)


def _ends(page: Page, each: Shown, starts: list[int]) -> dict[int, range | set[int]]:
    """Return where a part can end, for each place where it can begin."""
    size = len(page.lines)
    most_lines = _most_lines(each, size)
    if most_lines is None:
        return {start: _end_at(page, each, start) for start in starts}
    return {start: range(start, min(size, start + most_lines) + 1) for start in starts}


def _most_lines(each: Shown, size: int) -> int | None:
    """Return how many lines a part has at most, None where a look at the lines tells more."""
    part = each.part
    if isinstance(part, Lines) and not gutter_of(part.ops):
        limit = None if any(op.kind == "some" for op in part.ops) else most(part.ops)
        return size if limit is None else limit + (1 if part.ending else 0)
    if isinstance(part, Lines | Literal | Blame) or (isinstance(part, Patch) and part.plain):
        return None
    if isinstance(part, Hits) and part.numbered and part.whole:
        return None
    return 0 if isinstance(part, Told) and part.silent else size


def _end_at(page: Page, each: Shown, start: int) -> range | set[int]:
    """Return where a part that begins at `start` can end, by the lines that stand there."""
    part = each.part
    if isinstance(part, Literal):
        stop = start + len(part.lines)
        ends = {stop} if tuple(page.lines[start:stop]) == part.lines else set()
        return ends if each.run else ends | {start}
    if isinstance(part, Patch):
        return {start + patch_run(page.lines, start).used}
    if isinstance(part, Blame):
        return range(start, start + len(blame_run(page.lines, start)) + 1)
    if isinstance(part, Hits):
        return range(start, start + page.hits(part, start)[0] + 1)
    if isinstance(part, Lines):
        return range(start, start + len(numbered_run(part, page.lines, start, len(page.lines))) + 1)
    return set()


def gutter_of(ops: tuple[Op, ...]) -> str:
    """Return the pattern by which numbers are told from lines, "" where there are none."""
    return next((op.gutter for op in ops if op.kind == "number"), "")


def numbered_run(part: Lines, lines: list[str], start: int, stop: int) -> list[tuple[int, str]]:
    """Return the lines with their numbers, up to the first that does not fit: (number in the numbered stream, text)."""
    gutter = re.compile(gutter_of(part.ops), re.DOTALL)
    behind = part.ops[next(i for i, op in enumerate(part.ops) if op.kind == "number") + 1 :]
    wanted = None
    if from_the_start(behind) and not any(op.kind == "some" for op in behind):
        wanted = _iterate(behind)
    backwards = any(op.kind == "reverse" for op in behind)
    found: list[tuple[int, str]] = []
    for text in lines[start:stop]:
        match = gutter.match(text)
        if match is None or match[1] is None:
            break
        number = int(match[1])
        if wanted is not None and next(wanted, 0) != number:
            break
        if found and (number >= found[-1][0] if backwards else number <= found[-1][0]):
            break
        found.append((number, match[2] or ""))
    return found


def _iterate(ops: tuple[Op, ...]) -> Iterator[int]:
    return (number for each in kept(ops, FAR) for number in each)
