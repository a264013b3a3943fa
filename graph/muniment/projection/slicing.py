"""Slicing: additions in pieces of about so many items, each piece up to an ordinal.

* A piece has all items up to its ordinal: what is projected is the graph as of that ordinal, and what is laid over it
  lies behind.
* Items of one ordinal stay together, however many there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from muniment.graph import Additions, Observation
from muniment.model.edges import Edge
from muniment.model.nodes import AnyNode


class Slice(NamedTuple):
    """Additions up to an ordinal."""

    ordinal: int
    added: Additions


def size_of(added: Additions) -> int:
    """Return how many nodes, edges and ledgers there are."""
    return len(added.nodes) + len(added.edges) + len(added.observations)


def slices(parts: Iterable[Additions], items: int) -> Iterator[Slice]:
    """Yield what is in `parts`, in order, in pieces of at least `items` items, but for the last."""
    held = Additions([], [], [])
    for part in parts:
        held.nodes.extend(part.nodes)
        held.edges.extend(part.edges)
        held.observations.extend(part.observations)
        if size_of(held) >= items:
            *whole, held = _cut(held, items)
            yield from (Slice(_last(piece), piece) for piece in whole)
    if size_of(held):
        yield Slice(_last(held), held)


def _cut(added: Additions, items: int) -> list[Additions]:
    """Return pieces; the last one is what may still grow."""
    ordinals = sorted(map(_ordinal, (*added.nodes, *added.edges, *added.observations)))
    pieces: list[Additions] = []
    done: tuple[int, ...] = (0, 0, 0)
    for ordinal in dict.fromkeys(ordinals[items - 1 :: items]):
        lists = (added.nodes, added.edges, added.observations)
        ends = tuple(bisect_right(each, ordinal, key=_ordinal) for each in lists)
        pieces.append(_between(added, done, ends))
        done = ends
    return [*pieces, _between(added, done, (len(added.nodes), len(added.edges), len(added.observations)))]


def _between(added: Additions, begin: tuple[int, ...], end: tuple[int, ...]) -> Additions:
    return Additions(
        added.nodes[begin[0] : end[0]], added.edges[begin[1] : end[1]], added.observations[begin[2] : end[2]]
    )


def _last(added: Additions) -> int:
    return max(each[-1].ordinal for each in (added.nodes, added.edges, added.observations) if each)


def _ordinal(item: AnyNode | Edge | Observation) -> int:
    return item.ordinal
