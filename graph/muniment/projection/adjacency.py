"""Adjacency: the edges at nodes, as they were read from the engine and as they were projected since.

* A node that was projected while this is held has all its edges behind it, so what is newest is known without asking.
* Of any other node, the edges of the kinds that are asked for are read, in one statement, and remembered. Edges never
  change; new ones are added as they are projected.
* What was not used for longest is forgotten first. Nodes with very many edges are read each time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final, Literal, NamedTuple

from muniment.graph import Additions
from muniment.model.edges import Edge, EdgeKind

HELD: Final = 40_000
"""Edges and nodes that are remembered at most."""
MANY: Final = 4_000
"""Edges at one node from which on they are not remembered."""

Side = Literal["edges out", "edges in"]
Read = Callable[[Side, str, frozenset[EdgeKind]], list[Edge]]

_ALL: Final = frozenset(EdgeKind)


class _Known(NamedTuple):
    """The edges of some kinds on one side of a node, in order."""

    kinds: frozenset[EdgeKind]
    edges: list[Edge]


class Adjacency:
    """The edges of one mission's nodes; `read` gets those that are not known."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: OrderedDict[tuple[Side, str], _Known] = OrderedDict()
        self._held = 0

    def edges(self, side: Side, node: str, kinds: Collection[EdgeKind], upto: int) -> list[Edge]:
        """Return the edges of these kinds on one side of a node, up to an ordinal, in order."""
        wanted = frozenset(kinds)
        known = self._known.get((side, node))
        if known is None or not wanted <= known.kinds:
            asked = wanted | known.kinds if known is not None else wanted
            known = _Known(asked, self._read(side, node, asked))
            self._remember((side, node), known)
        else:
            self._known.move_to_end((side, node))
        return [edge for edge in known.edges if edge.ordinal <= upto and edge.kind in wanted]

    def extend(self, written: Additions) -> None:
        """Take in what was just projected: new nodes, and edges."""
        for node in written.nodes:
            self._remember(("edges out", node.id), _Known(_ALL, []))
            self._remember(("edges in", node.id), _Known(_ALL, []))
        for edge in written.edges:
            self._add(("edges out", edge.source), edge)
            self._add(("edges in", edge.target), edge)

    def _add(self, place: tuple[Side, str], edge: Edge) -> None:
        known = self._known.get(place)
        if known is None or edge.kind not in known.kinds:
            return
        known.edges.append(edge)
        self._held += 1
        if len(known.edges) > MANY:
            self._forget(place)

    def _remember(self, place: tuple[Side, str], known: _Known) -> None:
        self._forget(place)
        if len(known.edges) > MANY:
            return
        self._known[place] = known
        self._held += 1 + len(known.edges)
        while self._held > HELD:
            self._forget(next(iter(self._known)))

    def _forget(self, place: tuple[Side, str]) -> None:
        known = self._known.pop(place, None)
        if known is not None:
            self._held -= 1 + len(known.edges)
