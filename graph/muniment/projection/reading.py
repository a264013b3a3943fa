"""Reading one mission's nodes, edges and ledgers out of the engine, as of an ordinal.

* Nodes never change, so those that were read or written are remembered, up to a limit; so are edges at nodes
  (`adjacency.py`), of which a walk is made.
* So is a window of the newest of each kind that somebody asked for.
* What is in force is asked for all the time and small: its nodes, and all edges that move or end something, are kept
  in memory as they are in the engine, read once and then extended with what is projected.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection

from muniment.graph import Additions, Graph, Observation
from muniment.model.edges import Edge, EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    AnyNode,
    Decision,
    Delegation,
    Fact,
    Gap,
    Message,
    Packet,
    Question,
    Session,
    Task,
    Timer,
    kind_of,
)
from muniment.model.packing import escaped
from muniment.projection.adjacency import Adjacency, Side
from muniment.projection.engine import Engine
from muniment.projection.rows import (
    BINDING,
    ENDED,
    ENDING,
    PAGE,
    Counts,
    edge_of,
    ledger_of,
    node_of,
    number,
    page_name,
    record_name,
)
from muniment.projection.standing import Standing, ends_of
from muniment.projection.tables import named, over
from muniment.snapshot import WINDOW

REMEMBERED = 20_000
EVER = 2**62
"""An ordinal that no mission reaches."""

_SMALL = (Fact, Decision, Task, Question, Delegation, Timer, Gap, Session, Packet)


class Reader:
    """One mission in the engine."""

    def __init__(self, engine: Engine, mission: str, standing: Standing) -> None:
        self.engine = engine
        self.mission = mission
        self.key = escaped(mission)
        self._standing = standing
        self._nodes: OrderedDict[str, AnyNode] = OrderedDict()
        self._newest: dict[str, Observation] = {}
        self._recent: dict[str, list[AnyNode]] = {}
        self._small: Graph | None = None
        self._joins: tuple[int, dict[tuple[str, str], frozenset[EdgeKind]]] = (0, {})
        self._adjacency = Adjacency(self._edges)

    @property
    def newest_ordinal(self) -> int:
        """The ordinal up to which the mission is projected."""
        return self._standing.ordinal

    @property
    def counts(self) -> Counts:
        """How much of the mission is projected."""
        return self._standing.counts

    def node(self, node: str, upto: int) -> AnyNode | None:
        """Return a node."""
        found = self._nodes.get(node)
        if found is None:
            rows = self.engine.rows(named("node"), id=escaped(node), mission=self.key, upto=EVER)
            if not rows:
                return None
            found = self.remember(node_of(rows[0][0]))
        return found if found.ordinal <= upto else None

    def kind_at(self, node: str) -> str:
        """Return the kind of a node, "" where there is none."""
        found = self.node(node, EVER)
        return kind_of(found) if found is not None else ""

    def remember(self, node: AnyNode) -> AnyNode:
        """Keep a node at hand."""
        self._nodes[node.id] = node
        if len(self._nodes) > REMEMBERED:
            self._nodes.popitem(last=False)
        return node

    def of_kind(self, kind: str, upto: int) -> list[AnyNode]:
        """Return the nodes of a kind (or the messages that bind), in order."""
        return [node for page in range(self._pages(kind)) for node in self._page(kind, page, upto)]

    def newest(self, kind: str, most: int, upto: int) -> list[AnyNode]:
        """Return the newest nodes of a kind, newest first."""
        recent = self._recent.get(kind)
        if recent is None:
            recent = self._recent[kind] = self._last_pages(kind, WINDOW, EVER)[::-1]
        seen = [node for node in reversed(recent) if node.ordinal <= upto]
        if len(seen) < most and len(recent) < self._standing.sizes.get(kind, 0):
            seen = self._last_pages(kind, most, upto)
        return seen[:most]

    def of_record(self, record: str) -> list[AnyNode]:
        """Return the nodes that a record made, of whatever ordinal."""
        return self._bucket(record_name(self.mission, record), EVER)

    def of_handle(self, handle: str) -> list[AnyNode]:
        """Return the nodes with this handle, of whatever ordinal."""
        rows = self.engine.rows(named("handle"), mission=self.key, handle=escaped(handle), upto=EVER)
        return [node_of(row[1]) for row in sorted(rows, key=lambda row: number(row[0]))]

    def edges(self, side: Side, node: str, kinds: Collection[EdgeKind], upto: int) -> list[Edge]:
        """Return the edges of these kinds on one side of a node, in order."""
        held = self.node(node, upto)
        found = self._joined(side, kind_of(held)).intersection(kinds) if held is not None else ()
        return self._adjacency.edges(side, node, found, upto) if found else []

    def observations(self, file: str, upto: int) -> list[tuple[int, LedgerState]]:
        """Return the states of a file's ledger."""
        return [(seen.ordinal, seen.state) for seen in self._observed("ledgers", file, upto)]

    def newest_observation(self, file: str, upto: int) -> Observation | None:
        """Return the newest state of a file's ledger."""
        newest = self._newest.get(file)
        if newest is None:
            found = self._observed("newest ledger", file, EVER)
            if not found:
                return None
            newest = self._newest[file] = found[0]
        if newest.ordinal <= upto:
            return newest
        return next(iter(self._observed("newest ledger", file, upto)), None)

    def small(self) -> Graph:
        """Return what may be in force, with every edge that moved or ended something; grows with the projection."""
        if self._small is None:
            graph = Graph()
            for node in self._small_nodes():
                graph.add_node(node)
            graph.add_edges(self._ending_edges())
            self._small = graph
        return self._small

    def extend(self, written: Additions, standing: Standing) -> None:
        """Take in what was just projected."""
        self._standing = standing
        self._adjacency.extend(written)
        for seen in written.observations:
            self._newest[seen.file] = seen
        for node in written.nodes:
            self.remember(node)
            if (recent := self._recent.get(kind_of(node))) is not None:
                recent.append(node)
                del recent[: -2 * WINDOW]
        if self._small is not None:
            for node in written.nodes:
                if _is_small(node):
                    self._small.add_node(node)
            self._small.add_edges(edge for edge in written.edges if edge.kind in ENDING)

    def _joined(self, side: Side, kind: str) -> frozenset[EdgeKind]:
        """Return the kinds of edges that nodes of a kind have on one side, in this mission."""
        joins = self._standing.joins
        if len(joins) != self._joins[0]:
            self._joins = (len(joins), ends_of(joins))
        return self._joins[1].get((side, kind), frozenset())

    def _edges(self, side: Side, node: str, kinds: frozenset[EdgeKind]) -> list[Edge]:
        rows = self.engine.rows(over(side, kinds), id=escaped(node))
        return [edge for _, edge in sorted(map(edge_of, rows), key=lambda found: found[0])]

    def _small_nodes(self) -> list[AnyNode]:
        kinds = [*(kind_of(kind) for kind in _SMALL), BINDING]
        return [node for kind in kinds for node in self.of_kind(kind, EVER)]

    def _ending_edges(self) -> list[Edge]:
        """Return the edges that lead to things and end or move them, in order."""
        found: dict[int, Edge] = {}
        for page in range(self._pages(ENDED)):
            bucket = page_name(self.mission, ENDED, page)
            found.update(map(edge_of, self.engine.rows(over("page edges in", ENDING), bucket=bucket)))
        return [found[seq] for seq in sorted(found)]

    def _pages(self, kind: str) -> int:
        return -(-self._standing.sizes.get(kind, 0) // PAGE)

    def _last_pages(self, kind: str, most: int, upto: int) -> list[AnyNode]:
        found: list[AnyNode] = []
        for page in reversed(range(self._pages(kind))):
            if len(found) >= most:
                break
            found += reversed(self._page(kind, page, upto))
        return found

    def _page(self, kind: str, page: int, upto: int) -> list[AnyNode]:
        return self._bucket(page_name(self.mission, kind, page), upto)

    def _bucket(self, bucket: str, upto: int) -> list[AnyNode]:
        rows = self.engine.rows(named("page"), bucket=bucket, upto=upto)
        return [node_of(row[1]) for row in sorted(rows, key=lambda row: number(row[0]))]

    def _observed(self, name: str, file: str, upto: int) -> list[Observation]:
        rows = self.engine.rows(named(name), id=escaped(file), mission=self.key, upto=upto)
        rows.sort(key=lambda row: number(row[0]))
        return [Observation(file, number(row[1]), ledger_of(row[2])) for row in rows]


def _is_small(node: AnyNode) -> bool:
    return isinstance(node, _SMALL) or (isinstance(node, Message) and node.binding)
