"""Standing: what a projection says of itself, compared with the fold before it is served.

A mission's base fold at a position follows from the journal up to there and from what was known of its streams when it
was folded: which children had been spliced in, at which length, and whether two tellings were merged (the *marks*). So
a projection may go on from where it stands exactly if

* it was made from the same journal, epoch, derivation and tables (the *basis*),
* the mission's entry with the stored number has the stored hash, at or before where the fold is,
* every mark that it was made under still holds, and nothing was merged since.

Where only the last does not hold (a child came late, or a session that is told twice has grown), the mission is
compared item by item with the fold and cut back. Anything else, and all is built anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

import msgspec

from muniment.derive import fold
from muniment.graph import Additions
from muniment.model.edges import EdgeKind
from muniment.projection.rows import Counts
from muniment.projection.tables import SCHEMA_VERSION

MERGED: Final = "merged\n"
"""How a mark begins that says that two tellings were merged, and when."""


class StoreBasis(msgspec.Struct, frozen=True):
    """What a database was made from."""

    journal: str
    epoch: int
    derivation: str = fold.VERSION
    tables: str = SCHEMA_VERSION


class Standing(msgspec.Struct):
    """How far a mission has been projected."""

    position: int = 0
    number: int = 0
    hash: str = ""
    generation: int = 0
    ordinal: int = 0
    """All up to here is projected, and nothing behind."""
    marks: list[str] = []
    counts: Counts = Counts()
    sizes: dict[str, int] = {}
    """Kind → nodes of it."""
    joins: set[str] = set()
    """Which kinds of edges there are, from which kinds of nodes to which: what is not there need not be asked for."""


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """How far a mission's fold has come, and under which marks. `number` and `hash`: the last entry looked at."""

    position: int
    number: int
    hash: bytes
    ordinal: int
    generation: int
    marks: frozenset[str]
    counts: Counts


class Feed(Protocol):
    """A mission's fold, caught up with the journal, as the projection needs it."""

    @property
    def mission(self) -> str:
        """The mission's id."""

    @property
    def reached(self) -> Reached:
        """How far the fold has come."""

    def holds(self, number: int, entry_hash: bytes) -> bool:
        """Tell whether the mission's entry with this number has this hash."""

    def added(self, after: Counts) -> Iterator[Additions]:
        """Yield the items of the base fold behind `after`, in order."""


def goes_on(standing: Standing, feed: Feed) -> bool:
    """Tell whether a projection that stands there may be continued with the fold's newer additions."""
    now = feed.reached
    if standing.counts.items > now.counts.items or not now.marks.issuperset(standing.marks):
        return False
    if standing.counts.items and _merged(standing.marks) != _merged(now.marks):
        return False
    return is_behind(standing, feed)


def is_behind(standing: Standing, feed: Feed) -> bool:
    """Tell whether a projection that stands there was made from the beginning of what the fold was made from."""
    if standing.position > feed.reached.position:
        return False
    return standing.number == 0 or feed.holds(standing.number, bytes.fromhex(standing.hash))


def moved(standing: Standing, now: Reached, ordinal: int) -> None:
    """Write into a standing that it is made from what the fold has reached, up to an ordinal."""
    standing.position = now.position
    standing.number, standing.hash = now.number, now.hash.hex()
    standing.generation = now.generation
    standing.ordinal = ordinal
    standing.marks = sorted(now.marks)


def join(source: str, kind: EdgeKind, target: str) -> str:
    """Return how a join of two kinds of nodes is written in a standing."""
    return f"{source} {kind.value} {target}"


def ends_of(joins: Iterable[str]) -> dict[tuple[str, str], frozenset[EdgeKind]]:
    """Return, by side ("edges out", "edges in") and kind of node, which kinds of edges there are."""
    found: dict[tuple[str, str], set[EdgeKind]] = defaultdict(set)
    for text in joins:
        source, kind, target = text.split(" ")
        found["edges out", source].add(EdgeKind(kind))
        found["edges in", target].add(EdgeKind(kind))
    return {end: frozenset(kinds) for end, kinds in found.items()}


def _merged(marks: Iterable[str]) -> set[str]:
    """Return the marks that say that tellings were merged: these must not be new either."""
    return {mark for mark in marks if mark.startswith(MERGED)}
