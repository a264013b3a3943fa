"""The walk in the engine: who is reached in how many hops, and by which edge.

The engine finds all shortest ways. Which of their last edges counts is settled as in `snapshot.walk`: that of the
earliest node one hop nearer, and of several edges between the two, one that leads away before one that leads here,
then the older one.

* Of several seeds each is walked from by itself; a node is as far away as it is from the nearest.
* Where there are too many equally short ways to list, the answer is None, and the walk is made edge by edge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import AnyNode
from muniment.model.packing import restored
from muniment.projection.reading import Reader
from muniment.projection.rows import node_of, number
from muniment.projection.tables import walking
from muniment.snapshot import Step, Way

MOST_HOPS: Final = 30
"""What the engines allow."""
MOST_WAYS: Final = 20_000
"""Ways from one seed that are listed."""

_ENDS: Final[dict[Way, tuple[str, str]]] = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}

Place = tuple[int, int]
"""Where the engine keeps a node: its table and its row."""
Rank = tuple[int, str, int, int]


class Walk:
    """One walk of one snapshot."""

    def __init__(self, reader: Reader, upto: int, kinds: Collection[EdgeKind], hops: int, way: Way) -> None:
        self._reader = reader
        self._wanted = bool(kinds) and hops > 0
        self._statement = walking(kinds, _ENDS[way], hops, upto, MOST_WAYS) if self._wanted else ""
        self._nodes: dict[str, AnyNode] = {}
        self._far: dict[str, int] = {}
        self._names: dict[Place, str] = {}
        self._lasts: list[tuple[str, dict[str, object]]] = []
        self._best: dict[str, tuple[Rank, Edge]] = {}

    def steps(self, seeds: Iterable[AnyNode]) -> list[Step] | None:
        """Return the steps, in their order."""
        begin = {node.id: node for node in seeds}
        self._nodes = dict(begin)
        self._far = dict.fromkeys(begin, 0)
        if self._wanted and not all(self._reach(seed) for seed in begin):
            return None
        for name, last in self._lasts:
            self._weigh(name, last)
        order = sorted(self._nodes.values(), key=lambda node: (self._far[node.id], node.ordinal, node.id))
        return [Step(node, self._far[node.id], self._edge_to(node.id)) for node in order]

    def _reach(self, seed: str) -> bool:
        """List the ways from a seed; False where there are too many."""
        rows = self._reader.engine.once(self._statement, id=seed, mission=self._reader.key)
        for node, source, place, hops, data, last in rows:
            name, far = str(node), number(hops)
            assert isinstance(last, dict)
            self._names[_place(source)] = seed
            self._names[_place(place)] = name
            if name not in self._nodes:
                self._nodes[name] = self._reader.remember(node_of(data))
            self._far[name] = min(far, self._far.get(name, far))
            self._lasts.append((name, {key.lower(): value for key, value in last.items()}))
        return len(rows) < MOST_WAYS

    def _weigh(self, name: str, last: dict[str, object]) -> None:
        """Take the last edge of a way, if it is the best so far that leads to its node from one hop nearer."""
        source, target = self._names.get(_place(last["_src"])), self._names.get(_place(last["_dst"]))
        near = source if target == name else target
        if source is None or target is None or near is None or self._far[near] + 1 != self._far[name]:
            return
        seq = number(last["seq"])
        rank = (self._nodes[near].ordinal, near, 0 if near == source else 1, seq)
        if name not in self._best or rank < self._best[name][0]:
            state = restored(str(last["state"] or ""))
            edge = Edge(EdgeKind(str(last["_label"])), source, target, number(last["ordinal"]), state)
            self._best[name] = (rank, edge)

    def _edge_to(self, node: str) -> Edge | None:
        return self._best[node][1] if node in self._best else None


def _place(value: object) -> Place:
    assert isinstance(value, dict)
    return number(value["table"]), number(value["offset"])
