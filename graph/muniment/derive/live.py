"""The live graph: what a view may still ask for, with everything that has ended left out.

A `MemorySnapshot` over the live graph gives the same answers to `LiveReads` as one over the whole graph, as of the head
and as of each ordinal back to the last mark (`mark_before`); a test says so. What is kept, of now and of the mark:

* mission, sessions, agents, workspaces, known losses;
* what binds or is in force, and rings and clashes of it; what ended things are needed to know that is kept too (the
  edge that ended
  them is enough: an ended thing itself goes);
* open tasks, questions, delegations and timers, with the newest edge that moved them;
* files: the newest state of the ledger, the excerpts that it points to, and their receipts and versions;
* which tasks and files the newest receipts were about;
* the newest `WINDOW` nodes of each other kind, and the excerpts that were distilled of receipts among them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from muniment.derive.state import FoldState
from muniment.graph import Graph, Observation
from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import (
    DISTILLED,
    Agent,
    AnyNode,
    Decision,
    Delegation,
    Excerpt,
    Fact,
    File,
    Gap,
    Message,
    Mission,
    Question,
    Receipt,
    Session,
    Task,
    Text,
    Timer,
    Workspace,
    kind_of,
)
from muniment.snapshot import ENDED_STATES, WINDOW, MemorySnapshot

MARK = 48
"""Ordinals from one mark to the next: about a dozen acts."""

_ALWAYS = (Mission, Session, Agent, Workspace, Gap, File)
_IN_FORCE = (Fact, Decision)
_UNTIL_ENDED = (Task, Question, Delegation, Timer)
_ENDING_EDGES = frozenset({EdgeKind.SUPERSEDES, EdgeKind.WITHDRAWS})


def mark_before(ordinal: int) -> int:
    """Return the last mark up to an ordinal; 0 where there is none."""
    return ordinal - ordinal % MARK


def pruned(graph: Graph, state: FoldState) -> Graph:
    """Return the live part of a graph whose head is `state.ordinal`."""
    snapshot = MemorySnapshot(graph, state.mission, state.ordinal, _no_text)
    mark = mark_before(state.ordinal)
    live = Graph()
    live.made = graph.made
    ledgers = {file: _since(seen, mark) for file, seen in graph.ledgers.items()}
    needed = _behind_ledgers(graph, ledgers.values())
    needed |= _distilled(graph, needed, mark)
    for node in sorted(_live_nodes(graph, snapshot, needed, mark), key=lambda node: node.ordinal):
        live.add_node(node)
    live.add_edges(_live_edges(graph, live, mark))
    live.ledgers.update(ledgers)
    return live


def _since(observations: list[Observation], mark: int) -> list[Observation]:
    """Return what was observed of a file since a mark, and what held then."""
    return observations[max(bisect_right(observations, mark, key=_ordinal) - 1, 0) :]


def _behind_ledgers(graph: Graph, ledgers: Iterable[list[Observation]]) -> set[str]:
    """Return the excerpts and versions that ledgers point to, with the receipts that they are of."""
    states = [observation.state for observations in ledgers for observation in observations]
    needed = {segment.excerpt for state in states for segment in state.segments}
    needed |= {state.version for state in states}
    for node in [graph.nodes[excerpt] for excerpt in needed if excerpt in graph.nodes]:
        if isinstance(node, Excerpt):
            needed |= {node.receipt, node.of}
    return needed


def _distilled(graph: Graph, needed: set[str], mark: int) -> set[str]:
    """Return the distilled excerpts of the receipts that stay."""
    receipts = graph.by_kind.get(kind_of(Receipt), [])
    recent = _recent(receipts, mark)
    staying = [*receipts[recent:], *(receipt for receipt in receipts[:recent] if receipt.id in needed)]
    return {edge.source for receipt in staying for edge in graph.edges_to(receipt.id) if _distils(graph, edge)}


def _distils(graph: Graph, edge: Edge) -> bool:
    source = graph.nodes.get(edge.source)
    return edge.kind is EdgeKind.EXCERPT_OF and isinstance(source, Excerpt) and source.how == DISTILLED


def _live_nodes(graph: Graph, snapshot: MemorySnapshot, needed: set[str], mark: int) -> Iterable[AnyNode]:
    then = snapshot.upto(mark)
    for nodes in graph.by_kind.values():
        recent = _recent(nodes, mark)
        for place, node in enumerate(nodes):
            if place >= recent or node.id in needed or _stays(snapshot, node) or _stays(then, node):
                yield node


def _recent(nodes: list[AnyNode], mark: int) -> int:
    """Return the place of the first of the nodes that were recent at the mark."""
    return max(bisect_right(nodes, mark, key=_ordinal) - WINDOW, 0)


def _ordinal(made: AnyNode | Observation) -> int:
    return made.ordinal


def _stays(snapshot: MemorySnapshot, node: AnyNode) -> bool:
    if isinstance(node, _ALWAYS):
        return True
    if isinstance(node, _IN_FORCE) or (isinstance(node, Message) and node.binding):
        return not snapshot.ended(node.id) or bool(snapshot.ring_of(node.id))
    if isinstance(node, _UNTIL_ENDED):
        return snapshot.state(node.id) not in ENDED_STATES
    return False


def _live_edges(graph: Graph, live: Graph, mark: int) -> Iterable[Edge]:
    """Yield, for each live node, the edges that tell what became of it (of MOVED those since the mark and the newest
    before it, of the others all), and what was distilled of it.

    The other end of such an edge may be gone; reads of the live graph look at kind and state alone. What receipts were
    about is kept where both ends are.
    """
    for node in live.nodes:
        into = graph.edges_to(node)
        moved = [edge for edge in into if edge.kind is EdgeKind.MOVED]
        before = sum(edge.ordinal <= mark for edge in moved)
        yield from moved[max(before - 1, 0) :]
        yield from (edge for edge in into if edge.kind in _ENDING_EDGES or _distils(graph, edge))
        if isinstance(live.nodes[node], Receipt):
            about = (edge for edge in graph.edges_from(node) if edge.kind is EdgeKind.ABOUT)
            yield from (edge for edge in about if edge.target in live.nodes)


def _no_text(_: Text) -> str:
    return ""
