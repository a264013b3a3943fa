"""Repeats: a read that shows again what an earlier read of the same agent showed.

Two reads repeat one another when they are of one file and one agent, the lines of the narrower lie inside the wider
one, and these lines
are equal, character for character. The edge goes from the newer to the older; its state says which may give way:
`covers` (the newer shows all of the older, which may be replaced by a marker) or `within` (the newer is narrower: the
older stays).
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from muniment.derive.builder import Builder
from muniment.derive.state import SEEN_READS, FileState, SeenRead
from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Excerpt, Intervals

COVERS = "covers"
WITHIN = "within"


def note_read(builder: Builder, file: FileState, excerpt: Excerpt, lines: list[str]) -> None:
    """Compare a new read with the agent's earlier ones of the file, and remember it."""
    agent = _agent(excerpt)
    first, last = excerpt.first, excerpt.last
    for earlier in reversed(file.reads):
        if earlier.first <= last and first <= earlier.last and earlier.agent == agent:
            relation = _relation(builder, earlier, excerpt, lines)
            if relation:
                builder.edge(EdgeKind.REPEATS, excerpt.id, earlier.excerpt, relation)
    seen = SeenRead(agent, excerpt.id, excerpt.first, excerpt.last, excerpt.digest, excerpt.text, excerpt.runs)
    file.reads = [*file.reads[-(SEEN_READS - 1) :], seen]


def _relation(builder: Builder, earlier: SeenRead, excerpt: Excerpt, lines: list[str]) -> str:
    if earlier.digest == excerpt.digest:
        return COVERS
    if earlier.runs or excerpt.runs:
        return _of_runs(builder, earlier, excerpt, lines)
    covers = excerpt.first <= earlier.first and earlier.last <= excerpt.last
    within = earlier.first <= excerpt.first and excerpt.last <= earlier.last
    if not covers and not within:
        return ""
    old = split_lines(builder.text_of(earlier.text))
    if covers:
        start = earlier.first - excerpt.first
        return COVERS if lines[start : start + len(old)] == old else ""
    start = excerpt.first - earlier.first
    return WITHIN if old[start : start + len(lines)] == lines else ""


def _of_runs(builder: Builder, earlier: SeenRead, excerpt: Excerpt, lines: list[str]) -> str:
    """Compare reads of which one at least showed several runs of lines: the lines of one must all be in the other."""
    old_runs = earlier.runs or ((earlier.first, earlier.last),)
    new_runs = excerpt.runs or ((excerpt.first, excerpt.last),)
    covers = _hold(new_runs, old_runs)
    if not covers and not _hold(old_runs, new_runs):
        return ""
    old = _numbered(old_runs, split_lines(builder.text_of(earlier.text)))
    new = _numbered(new_runs, lines)
    if covers:
        return COVERS if old.items() <= new.items() else ""
    return WITHIN if new.items() <= old.items() else ""


def _hold(wide: Intervals, narrow: Intervals) -> bool:
    """Tell whether each run of lines lies inside one of some wider runs."""
    for first, last in narrow:
        place = bisect_right(wide, first, key=itemgetter(0)) - 1
        if place < 0 or last > wide[place][1]:
            return False
    return True


def _numbered(runs: Intervals, lines: list[str]) -> dict[int, str]:
    numbers = (number for first, last in runs for number in range(first, last + 1))
    return dict(zip(numbers, lines, strict=False))


def _agent(excerpt: Excerpt) -> str:
    return f"{excerpt.session}\n{excerpt.agent}"
