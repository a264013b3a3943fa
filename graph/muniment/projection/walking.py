"""The walk in the engine: who is reached in how many hops, and by which edge.

The engine finds who is reached and how far away; of several shortest ways it would give any. So the edge is looked up
at each node that is reached, and settled as in `snapshot.walk`: that from the earliest node one hop nearer, and of
several between the two, one that leads away before one that leads here, then the older one. (All shortest ways at once
would be one statement less, but both engines read all edges of the database for it.)

Of several seeds each is walked from by itself; a node is as far away as it is from the nearest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import AnyNode
from muniment.projection.reading import Reader
from muniment.projection.rows import number
from muniment.projection.tables import walking
from muniment.snapshot import Step, Way

MOST_HOPS: Final = 30
"""What the engines allow."""

_ENDS: Final[dict[Way, tuple[str, str]]] = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}


class Walk:
    """One walk of one snapshot."""

    def __init__(self, reader: Reader, upto: int, kinds: Collection[EdgeKind], hops: int, way: Way) -> None:
        self._reader = reader
        self._upto = upto
        self._kinds = kinds
        self._way = way
        self._wanted = bool(kinds) and hops > 0
        self._statement = walking(kinds, _ENDS[way], hops, upto) if self._wanted else ""
        self._nodes: dict[str, AnyNode] = {}
        self._far: dict[str, int] = {}

    def steps(self, seeds: Iterable[AnyNode]) -> list[Step]:
        """Return the steps, in their order."""
        begin = {node.id: node for node in seeds}
        self._nodes = dict(begin)
        self._far = dict.fromkeys(begin, 0)
        if self._wanted:
            for seed in begin:
                self._reach(seed)
        order = sorted(self._nodes.values(), key=lambda node: (self._far[node.id], node.ordinal, node.id))
        return [Step(node, self._far[node.id], self._edge_to(node.id)) for node in order]

    def _reach(self, seed: str) -> None:
        for row in self._reader.engine.once(self._statement, id=seed, mission=self._reader.key):
            name, far = str(row[0]), number(row[1])
            node = self._nodes.get(name) or self._reader.node(name, self._upto)
            if node is not None:
                self._nodes[name] = node
                self._far[name] = min(far, self._far.get(name, far))

    def _edge_to(self, node: str) -> Edge | None:
        """Return the edge by which a node is reached, None for a seed."""
        if self._far[node] == 0:
            return None
        leading: list[tuple[int, str, int, Edge]] = []
        if self._way != "in":
            edges = self._reader.edges("edges in", node, self._kinds, self._upto)
            leading += [(0, edge.source, place, edge) for place, edge in enumerate(edges)]
        if self._way != "out":
            edges = self._reader.edges("edges out", node, self._kinds, self._upto)
            leading += [(1, edge.target, place, edge) for place, edge in enumerate(edges)]
        nearer = [found for found in leading if self._far.get(found[1]) == self._far[node] - 1]
        return min(nearer, key=lambda found: (self._nodes[found[1]].ordinal, found[1], *found[::2][:2]))[3]
