"""Snapshots: the graph as of an ordinal, read-only.

Two protocols. :class:`LiveReads` is what a view needs: what binds, what is open, what is newest, what the files'
current lines are; it can be answered from the live set alone, so its cost does not follow the history.
:class:`Snapshot` adds reads of the whole graph and the walk. :class:`MemorySnapshot` is the executable meaning of both:
an engine's snapshot must answer the same. What holds for all reads:

* Only nodes and edges with `ordinal <= snapshot.ordinal` are seen.
* A thing that was withdrawn or superseded is not *in force*; it is still found by id.
* Superseding in a ring (A supersedes B, B supersedes A) ends nothing: both stand, and both are in `conflicts`. Who is
  superseded from outside the ring, or withdrawn, has ended all the same.
* A user's message binds unless withdrawn. Lists are in order of ordinal, `newest` lists the other way round.
* `newest` never looks back further than `WINDOW` nodes of the kinds asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import islice
from typing import Literal, Protocol, TypeVar

import msgspec

from muniment.graph import Graph, Observation
from muniment.model.edges import Edge, EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    DISTILLED,
    AnyNode,
    Decision,
    Delegation,
    Excerpt,
    Fact,
    File,
    Gap,
    Message,
    Node,
    Question,
    Receipt,
    Session,
    Task,
    Text,
    Timer,
    kind_of,
)

WINDOW = 512
"""Nodes of a kind that count as recent. At 30 tokens each they would fill a view of 15,000 tokens."""

ENDED_STATES = frozenset({"settled", "cancelled", "done", "failed", "lost", "reported", "fired"})

TextOf = Callable[[Text], str]
Way = Literal["out", "in", "both"]
N = TypeVar("N", bound=Node)


class Step(msgspec.Struct, frozen=True):
    """One node that a walk reached: how many hops away, and by which edge (None for a seed)."""

    node: AnyNode
    hops: int
    edge: Edge | None


class LiveReads(Protocol):
    """What a view reads."""

    made: dict[Hashable, object]
    """What was made of parts that never change, kept for the next view; it must follow from them alone."""

    @property
    def mission(self) -> str:
        """The mission's id."""

    @property
    def ordinal(self) -> int:
        """The newest ordinal that is seen."""

    def text(self, text: Text) -> str:
        """Return the characters that `text` stands for; `[purged]` where they are gone."""

    def node(self, node: str) -> AnyNode | None:
        """Return the node with this id, or None. Of things that have ended, only the whole graph knows."""

    def state(self, node: str) -> str:
        """Return the state that the newest MOVED edge gives a node; "" where nothing has moved it."""

    def ended(self, node: str) -> str:
        """Return how a fact, decision or other thing ceased to hold: `withdrawn`, `superseded` or "" (it holds)."""

    def binding(self) -> list[Fact | Message]:
        """Return the facts in force and the users' messages that were not withdrawn."""

    def decisions(self) -> list[Decision]:
        """Return the decisions in force."""

    def conflicts(self) -> list[str]:
        """Return the ids of things in force that contradict one another."""

    def open_tasks(self) -> list[Task]:
        """Return the tasks that are neither settled nor cancelled nor withdrawn."""

    def open_questions(self) -> list[Question]:
        """Return the questions, risks and gaps that are not settled."""

    def running(self) -> list[Delegation]:
        """Return the delegations that have not ended."""

    def armed(self) -> list[Timer]:
        """Return the timers that have not fired."""

    def gaps(self) -> list[Gap]:
        """Return the losses that are known."""

    def files(self) -> list[File]:
        """Return the files whose current lines are known at least in part."""

    def ledger(self, file: str) -> LedgerState | None:
        """Return the current lines of a file; None where it was never seen."""

    def touched(self, file: str) -> int:
        """Return the ordinal of the newest event that told of a file's content, 0 where there is none."""

    def distilled(self, receipt: str) -> list[Excerpt]:
        """Return the excerpts of a receipt's output that were chosen as those that matter, oldest first."""

    def worked_on(self, tasks: Collection[str]) -> frozenset[str]:
        """Return the ids of the files that the newest receipts about any of these tasks were about."""

    def sessions(self) -> list[Session]:
        """Return the sessions."""

    def newest(self, kinds: Collection[type[N]], limit: int = WINDOW) -> list[N]:
        """Return the newest nodes of these kinds, newest first, at most `limit` (and WINDOW) of each kind."""

    def upto(self, ordinal: int) -> LiveReads:
        """Return the reads as of an earlier ordinal, not before the last mark."""


class Snapshot(LiveReads, Protocol):
    """What packets, closeout and people read beside."""

    def upto(self, ordinal: int) -> Snapshot:
        """Return the snapshot of the same graph as of an earlier ordinal."""

    def of_kind(self, kind: type[N]) -> Sequence[N]:
        """Return all nodes of a kind, by ordinal."""

    def named(self, reference: str) -> list[AnyNode]:
        """Return the nodes that a record with this id made; else the node with it; else the one with this handle."""

    def edges_from(self, node: str, kinds: Collection[EdgeKind] = ...) -> list[Edge]:
        """Return the edges of these kinds (all, if none are named) that start at a node, by ordinal."""

    def edges_to(self, node: str, kinds: Collection[EdgeKind] = ...) -> list[Edge]:
        """Return the edges of these kinds (all, if none are named) that lead to a node, by ordinal."""

    def observations(self, file: str) -> list[tuple[int, LedgerState]]:
        """Return the states that a file's ledger has had, each with the ordinal from which on it held."""

    def walk(self, seeds: Iterable[str], kinds: Collection[EdgeKind], hops: int, *, way: Way = "both") -> list[Step]:
        """Return what can be reached from `seeds` over edges of `kinds` in at most `hops` steps, each node once.

        `way` says whether edges are followed in their direction (`out`), against it (`in`) or both ways. Each node
        comes by its shortest way; order: hops, then ordinal, then id. Seeds that are not seen are left out.
        """


ALL_EDGES = frozenset(EdgeKind)


class MemorySnapshot:
    """A snapshot over a graph in memory: the meaning of every read, written for clarity."""

    def __init__(self, graph: Graph, mission: str, ordinal: int, text_of: TextOf) -> None:
        self._graph = graph
        self.made = graph.made
        self._mission = mission
        self._ordinal = ordinal
        self._text_of = text_of

    @property
    def mission(self) -> str:
        """The mission's id."""
        return self._mission

    @property
    def ordinal(self) -> int:
        """The newest ordinal that is seen."""
        return self._ordinal

    def upto(self, ordinal: int) -> MemorySnapshot:
        """Return the snapshot of the same graph as of an earlier ordinal."""
        return MemorySnapshot(self._graph, self._mission, min(ordinal, self._ordinal), self._text_of)

    def text(self, text: Text) -> str:
        """Return the characters that `text` stands for; `[purged]` where they are gone."""
        return self._text_of(text)

    def node(self, node: str) -> AnyNode | None:
        """Return the node with this id, or None."""
        found = self._graph.nodes.get(node)
        return found if found is not None and found.ordinal <= self._ordinal else None

    def of_kind(self, kind: type[N]) -> Sequence[N]:
        """Return all nodes of a kind, by ordinal."""
        nodes: Sequence[N] = self._graph.by_kind.get(kind_of(kind), [])  # type: ignore[assignment]
        if not nodes or nodes[-1].ordinal <= self._ordinal:
            return nodes
        return nodes[: bisect_right(nodes, self._ordinal, key=lambda node: node.ordinal)]

    def named(self, reference: str) -> list[AnyNode]:
        """Return the nodes that a record with this id made; else the node with it; else the one with this handle."""
        return [node for node in self._graph.named(reference) if node.ordinal <= self._ordinal]

    def edges_from(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that start at a node, by ordinal."""
        return [e for e in self._graph.edges_from(node) if e.ordinal <= self._ordinal and e.kind in kinds]

    def edges_to(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that lead to a node, by ordinal."""
        return [e for e in self._graph.edges_to(node) if e.ordinal <= self._ordinal and e.kind in kinds]

    def state(self, node: str) -> str:
        """Return the state that the newest MOVED edge gives a node; "" where nothing has moved it."""
        for edge in reversed(self._graph.edges_to(node)):
            if edge.kind is EdgeKind.MOVED and edge.ordinal <= self._ordinal:
                return edge.state
        return ""

    def ended(self, node: str) -> str:
        """Return how a fact, decision or other thing ceased to hold: `withdrawn`, `superseded` or "" (it holds)."""
        if node not in self._graph.ending:
            return ""
        if self.edges_to(node, {EdgeKind.WITHDRAWS}):
            return "withdrawn"
        ring = self.ring_of(node)
        if any(edge.source not in ring for edge in self.edges_to(node, {EdgeKind.SUPERSEDES})):
            return "superseded"
        return ""

    def binding(self) -> list[Fact | Message]:
        """Return the facts in force and the users' messages that were not withdrawn."""
        found: list[Fact | Message] = [f for f in self.of_kind(Fact) if not self.ended(f.id)]
        found += [m for m in self.of_kind(Message) if m.binding and not self.ended(m.id)]
        return sorted(found, key=lambda node: node.ordinal)

    def decisions(self) -> list[Decision]:
        """Return the decisions in force."""
        return [d for d in self.of_kind(Decision) if not self.ended(d.id)]

    def conflicts(self) -> list[str]:
        """Return the ids of things in force that contradict one another: rings of SUPERSEDES, and several facts in one
        single-valued slot.
        """
        clashing: set[str] = set()
        slots: dict[str, list[str]] = {}
        for node in [*self.of_kind(Fact), *self.of_kind(Decision)]:
            standing = {other for other in self.ring_of(node.id) if not self.ended(other)}
            clashing |= standing if len(standing) > 1 else set()
            if isinstance(node, Fact) and node.slot and not node.multi and not self.ended(node.id):
                slots.setdefault(node.slot, []).append(node.id)
        for holders in slots.values():
            if len(holders) > 1:
                clashing.update(holders)
        return sorted(clashing, key=lambda node: self._graph.nodes[node].ordinal)

    def open_tasks(self) -> list[Task]:
        """Return the tasks that are neither settled nor cancelled nor withdrawn."""
        return self._unended(Task)

    def open_questions(self) -> list[Question]:
        """Return the questions, risks and gaps that are not settled."""
        return self._unended(Question)

    def running(self) -> list[Delegation]:
        """Return the delegations that have not ended."""
        return self._unended(Delegation)

    def armed(self) -> list[Timer]:
        """Return the timers that have not fired."""
        return self._unended(Timer)

    def gaps(self) -> list[Gap]:
        """Return the losses that are known."""
        return list(self.of_kind(Gap))

    def files(self) -> list[File]:
        """Return the files whose current lines are known at least in part."""
        return [f for f in self.of_kind(File) if (state := self.ledger(f.id)) is not None and state.segments]

    def ledger(self, file: str) -> LedgerState | None:
        """Return the current lines of a file; None where it was never seen."""
        seen = self._newest_observation(file)
        return seen.state if seen is not None else None

    def observations(self, file: str) -> list[tuple[int, LedgerState]]:
        """Return the states that a file's ledger has had, each with the ordinal from which on it held."""
        states = self._graph.ledgers.get(file, [])
        return [(o.ordinal, o.state) for o in states if o.ordinal <= self._ordinal]

    def touched(self, file: str) -> int:
        """Return the ordinal of the newest event that told of a file's content, 0 where there is none."""
        seen = self._newest_observation(file)
        return seen.ordinal if seen is not None else 0

    def distilled(self, receipt: str) -> list[Excerpt]:
        """Return the excerpts of a receipt's output that were chosen as those that matter, oldest first."""
        return distilled(self, receipt)

    def worked_on(self, tasks: Collection[str]) -> frozenset[str]:
        """Return the ids of the files that the newest receipts about any of these tasks were about."""
        return worked_on(self, tasks)

    def sessions(self) -> list[Session]:
        """Return the sessions, by ordinal."""
        return list(self.of_kind(Session))

    def newest(self, kinds: Collection[type[N]], limit: int = WINDOW) -> list[N]:
        """Return the newest nodes of these kinds, newest first, at most `limit` (and WINDOW) of each kind."""
        most = min(limit, WINDOW)
        found = [node for kind in kinds for node in islice(reversed(self.of_kind(kind)), most)]
        return sorted(found, key=lambda node: (-node.ordinal, node.id))

    def walk(self, seeds: Iterable[str], kinds: Collection[EdgeKind], hops: int, *, way: Way = "both") -> list[Step]:
        """Return what can be reached; see the protocol."""
        return walk(self, seeds, kinds, hops, way)

    def _newest_observation(self, file: str) -> Observation | None:
        states = self._graph.ledgers.get(file, [])
        return next((seen for seen in reversed(states) if seen.ordinal <= self._ordinal), None)

    def _unended(self, kind: type[N]) -> list[N]:
        return [n for n in self.of_kind(kind) if self.state(n.id) not in ENDED_STATES and not self.ended(n.id)]

    def ring_of(self, node: str) -> set[str]:
        """Return the nodes of the SUPERSEDES ring that `node` is in; empty where it is in none."""
        before = self._superseders(node, forward=False)
        return before & self._superseders(node, forward=True) if node in before else set()

    def _superseders(self, node: str, *, forward: bool) -> set[str]:
        reached: set[str] = set()
        todo = [node]
        edges_of = self.edges_from if forward else self.edges_to
        while todo:
            edges = edges_of(todo.pop(), {EdgeKind.SUPERSEDES})
            new = {edge.target if forward else edge.source for edge in edges} - reached
            reached |= new
            todo += new
        return reached


def distilled(snapshot: Snapshot, receipt: str) -> list[Excerpt]:
    """Return what `LiveReads.distilled` means."""
    nodes = [snapshot.node(edge.source) for edge in snapshot.edges_to(receipt, {EdgeKind.EXCERPT_OF})]
    found = [node for node in nodes if isinstance(node, Excerpt) and node.how == DISTILLED]
    return sorted(found, key=lambda node: (node.ordinal, node.first, node.id))


def worked_on(snapshot: Snapshot, tasks: Collection[str]) -> frozenset[str]:
    """Return what `LiveReads.worked_on` means: a walk from the tasks over what was done for them to files."""
    if not tasks:
        return frozenset()
    recent = {receipt.id for receipt in snapshot.newest([Receipt])}
    edges = [edge for task in tasks for edge in snapshot.edges_to(task, {EdgeKind.ABOUT})]
    acts = sorted({edge.source for edge in edges} & recent)
    reached = snapshot.walk(acts, {EdgeKind.ABOUT}, 1, way="out")
    return frozenset(step.node.id for step in reached if isinstance(step.node, File))


def walk(snapshot: Snapshot, seeds: Iterable[str], kinds: Collection[EdgeKind], hops: int, way: Way) -> list[Step]:
    """Walk a snapshot edge by edge: what `Snapshot.walk` means."""
    steps: list[Step] = []
    known: set[str] = set()
    frontier = [Step(node, 0, None) for seed in dict.fromkeys(seeds) if (node := snapshot.node(seed)) is not None]
    while frontier:
        frontier.sort(key=lambda step: (step.node.ordinal, step.node.id))
        known.update(step.node.id for step in frontier)
        steps += frontier
        frontier = _next(snapshot, frontier, kinds, known, way) if frontier[0].hops < hops else []
    return steps


def _next(
    snapshot: Snapshot, frontier: list[Step], kinds: Collection[EdgeKind], known: set[str], way: Way
) -> list[Step]:
    found: dict[str, Step] = {}
    for step in frontier:
        ends: list[tuple[str, Edge]] = []
        if way != "in":
            ends += [(edge.target, edge) for edge in snapshot.edges_from(step.node.id, kinds)]
        if way != "out":
            ends += [(edge.source, edge) for edge in snapshot.edges_to(step.node.id, kinds)]
        for end, edge in ends:
            if end not in known and end not in found and (node := snapshot.node(end)) is not None:
                found[end] = Step(node, step.hops + 1, edge)
    return list(found.values())
