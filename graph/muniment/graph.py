"""The graph as a value in memory: nodes, edges and ledgers, in the order in which the fold made them. It only grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

import msgspec

from muniment.model.edges import Edge, EdgeKind
from muniment.model.ids import entry_number
from muniment.model.ledger import LedgerState
from muniment.model.nodes import AnyNode, kind_of

_NO_EDGES: list[Edge] = []
_ENDING = frozenset({EdgeKind.WITHDRAWS, EdgeKind.SUPERSEDES})


class Observation(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The ledger of `file` as it stood from `ordinal` on."""

    file: str
    ordinal: int
    state: LedgerState


class Additions(msgspec.Struct, frozen=True, array_like=True):
    """What some records added to the graph; the unit in which a fold is saved."""

    nodes: list[AnyNode]
    edges: list[Edge]
    observations: list[Observation]


class Graph:
    """Nodes by id and by kind, edges by both ends, ledgers by file. Nothing is ever taken out or changed."""

    def __init__(self) -> None:
        self.nodes: dict[str, AnyNode] = {}
        self.by_kind: dict[str, list[AnyNode]] = defaultdict(list)
        self.by_record: dict[str, list[str]] = defaultdict(list)
        self.out: dict[str, list[Edge]] = {}
        self.into: dict[str, list[Edge]] = {}
        self.ledgers: dict[str, list[Observation]] = {}
        self.ending: set[str] = set()
        """The nodes that something withdraws or supersedes, at whatever ordinal: most have not to be looked at."""
        self.made: dict[Hashable, object] = {}
        """What readers made of it and keep: see `LiveReads.made`. It goes when the graph goes."""

    def add(self, additions: Additions) -> None:
        """Take in what a fold has made, in its order."""
        for node in additions.nodes:
            self.add_node(node)
        self.add_edges(additions.edges)
        for observation in additions.observations:
            self.ledgers.setdefault(observation.file, []).append(observation)

    def add_node(self, node: AnyNode) -> None:
        """Take in a node; one that is there already stays as it was."""
        if node.id not in self.nodes:
            self.nodes[node.id] = node
            self.by_kind[kind_of(node)].append(node)
            self.by_record[node.record].append(node.id)

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Take in edges."""
        for edge in edges:
            self.out.setdefault(edge.source, []).append(edge)
            self.into.setdefault(edge.target, []).append(edge)
            if edge.kind in _ENDING:
                self.ending.add(edge.target)

    def named(self, reference: str) -> list[AnyNode]:
        """Return the nodes of a record, else the node with that id, else the one with that handle; oldest first."""
        found = self.referred(reference)
        if found or entry_number(reference) is None:
            return found
        return [node for node in self.nodes.values() if node.handle == reference]

    def referred(self, reference: str) -> list[AnyNode]:
        """Return the nodes of a record, else the node with that id: what a reference inside a record may mean. An empty
        one means nothing, though what no record made has an empty record id.
        """
        if not reference:
            return []
        if reference in self.by_record:
            return [self.nodes[node] for node in self.by_record[reference]]
        return [self.nodes[reference]] if reference in self.nodes else []

    def additions(self) -> Additions:
        """Return all that the graph holds, in an order from which `add` builds it again."""
        edges = sorted((edge for into in self.into.values() for edge in into), key=lambda edge: edge.ordinal)
        observations = [seen for states in self.ledgers.values() for seen in states]
        return Additions(list(self.nodes.values()), edges, observations)

    def copied(self) -> Graph:
        """Return a graph that can grow apart from this one; nodes, edges and ledgers are shared."""
        other = Graph()
        other.nodes = dict(self.nodes)
        other.by_kind = defaultdict(list, {kind: list(nodes) for kind, nodes in self.by_kind.items()})
        other.by_record = defaultdict(list, {record: list(nodes) for record, nodes in self.by_record.items()})
        other.out = {node: list(edges) for node, edges in self.out.items()}
        other.into = {node: list(edges) for node, edges in self.into.items()}
        other.ledgers = {file: list(states) for file, states in self.ledgers.items()}
        other.ending = set(self.ending)
        return other

    def edges_from(self, node: str) -> list[Edge]:
        """Return the edges that start at a node, by ordinal."""
        return self.out.get(node, _NO_EDGES)

    def edges_to(self, node: str) -> list[Edge]:
        """Return the edges that lead to a node, by ordinal."""
        return self.into.get(node, _NO_EDGES)

    @property
    def edge_count(self) -> int:
        """How many edges there are."""
        return sum(map(len, self.out.values()))
