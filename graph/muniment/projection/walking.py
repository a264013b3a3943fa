"""The walk in the engine: who is reached in how many hops, and by which edge.

The engine finds who is reached and how far away; of several shortest ways it would give any. Which edge counts is
settled as in `MemorySnapshot.walk`: that of the earliest node one hop nearer, and of several edges between the two, one
that leads away before one that leads here, then the older one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import AnyNode
from muniment.projection.reading import Reader
from muniment.projection.rows import edge_of, node_of, number
from muniment.projection.tables import walking
from muniment.snapshot import Step, Way

MOST_HOPS = 30
"""What the engines allow."""

_ENDS: dict[Way, tuple[str, str]] = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}


class Walk:
    """One walk of one snapshot."""

    def __init__(self, reader: Reader, upto: int, kinds: Collection[EdgeKind], hops: int, way: Way) -> None:
        self._reader = reader
        self._upto = upto
        self._kinds = kinds
        self._hops = hops
        self._way = way
        self._nodes: dict[str, AnyNode] = {}
        self._far: dict[str, int] = {}
        self._best: dict[str, tuple[tuple[int, str, int, int], Edge]] = {}

    def steps(self, seeds: Iterable[AnyNode]) -> list[Step]:
        """Return the steps, in their order."""
        begin = {node.id: node for node in seeds}
        self._nodes = dict(begin)
        self._far = dict.fromkeys(begin, 0)
        if self._hops > 0 and self._kinds:
            for seed in begin:
                self._reach(seed)
            for seed in begin:
                self._settle(seed)
        order = sorted(self._nodes.values(), key=lambda node: (self._far[node.id], node.ordinal, node.id))
        return [Step(node, self._far[node.id], self._edge_to(node.id)) for node in order]

    def _reach(self, seed: str) -> None:
        statement = self._statement("walk")
        for node, hops, data in self._reader.engine.rows(statement, id=seed, mission=self._reader.key):
            name, far = str(node), number(hops)
            if name not in self._nodes:
                self._nodes[name] = self._reader.remember(node_of(data))
            self._far[name] = min(far, self._far.get(name, far))

    def _settle(self, seed: str) -> None:
        """Find for each node that `seed` reaches the edge by which it is reached."""
        names = {"out": ("walk out",), "in": ("walk in",), "both": ("walk out", "walk in")}[self._way]
        for place, name in enumerate(names):
            away = 0 if name == "walk out" else 1
            rows = self._reader.engine.rows(self._statement(name), id=seed, mission=self._reader.key, upto=self._upto)
            for seq, edge in map(edge_of, rows):
                near, far = (edge.source, edge.target) if away == 0 else (edge.target, edge.source)
                self._weigh(near, far, edge, place and away, seq)

    def _weigh(self, near: str, far: str, edge: Edge, away: int, seq: int) -> None:
        if near not in self._far or self._far[near] + 1 != self._far[far]:
            return
        rank = (self._nodes[near].ordinal, near, away, seq)
        if far not in self._best or rank < self._best[far][0]:
            self._best[far] = (rank, edge)

    def _edge_to(self, node: str) -> Edge | None:
        return self._best[node][1] if node in self._best else None

    def _statement(self, name: str) -> str:
        return walking(name, self._kinds, _ENDS[self._way], self._hops, self._upto)
