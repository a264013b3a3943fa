"""The engine's snapshot: the same answers as `MemorySnapshot`, out of the engine.

* What has not been projected yet, and what running children have done so far, which is provisional and never projected,
  is laid over the engine's answers.
* The reads that tell what is in force are `MemorySnapshot`'s own, over the small graph that the reader keeps.
* A snapshot is for one question, or a few: it remembers what it has read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from muniment.graph import Additions, Graph, Observation
from muniment.model.edges import Edge, EdgeKind
from muniment.model.ids import entry_number
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    AnyNode,
    Decision,
    Delegation,
    Excerpt,
    Fact,
    File,
    Gap,
    Message,
    Question,
    Session,
    Task,
    Text,
    Timer,
    kind_of,
)
from muniment.projection.reading import Reader
from muniment.projection.rows import ENDING
from muniment.snapshot import ALL_EDGES, WINDOW, MemorySnapshot, N, Step, TextOf, Way, distilled, walk, worked_on


class Over(NamedTuple):
    """What lies over the engine: `graph`, all of it behind the ordinal `base`, up to which the engine is asked."""

    base: int
    graph: Graph


class EngineSnapshot:
    """A snapshot over a mission in the engine. `reader` gives it, and refuses once the projection was built anew."""

    def __init__(self, reader: Callable[[], Reader], ordinal: int, over: Over, text_of: TextOf) -> None:
        self.made: dict[Hashable, object] = {}
        self._reader_of = reader
        self._ordinal = ordinal
        self._laid = over
        self._base = min(ordinal, over.base)
        self._over = over.graph
        self._text_of = text_of
        self._kinds: dict[str, list[AnyNode]] = {}
        self._force: MemorySnapshot | None = None

    @property
    def mission(self) -> str:
        """The mission's id."""
        return self._reader.mission

    @property
    def ordinal(self) -> int:
        """The newest ordinal that is seen."""
        return self._ordinal

    @property
    def _reader(self) -> Reader:
        return self._reader_of()

    def upto(self, ordinal: int) -> EngineSnapshot:
        """Return the snapshot of the same graph as of an earlier ordinal."""
        return EngineSnapshot(self._reader_of, min(ordinal, self._ordinal), self._laid, self._text_of)

    def text(self, text: Text) -> str:
        """Return the characters that `text` stands for; `[purged]` where they are gone."""
        return self._text_of(text)

    def node(self, node: str) -> AnyNode | None:
        """Return the node with this id, or None."""
        found = self._reader.node(node, self._base)
        return found if found is not None else self._seen(self._over.nodes.get(node))

    def of_kind(self, kind: type[N]) -> Sequence[N]:
        """Return all nodes of a kind, by ordinal."""
        name = kind_of(kind)
        if name not in self._kinds:
            base = self._reader.of_kind(name, self._base)
            self._kinds[name] = [*base, *self._laid_over(name, base)]
        return self._kinds[name]  # type: ignore[return-value]

    def named(self, reference: str) -> list[AnyNode]:
        """Return the nodes that the record with this id made; else the node with this id; else the one with this
        handle.
        """
        if not reference:
            return []
        reader, over = self._reader, self._over
        found = _joined(reader.of_record(reference), [over.nodes[node] for node in over.by_record.get(reference, ())])
        if not found:
            node = reader.node(reference, self._laid.base) or over.nodes.get(reference)
            found = [node] if node is not None else []
        if not found and entry_number(reference) is not None:
            same = [node for node in over.nodes.values() if node.handle == reference]
            found = _joined(reader.of_handle(reference), same)
        return [node for node in found if node.ordinal <= self._ordinal]

    def edges_from(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that start at a node, by ordinal."""
        over = [e for e in self._over.edges_from(node) if e.ordinal <= self._ordinal and e.kind in kinds]
        return self._reader.edges("edges out", node, kinds, self._base) + over

    def edges_to(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that lead to a node, by ordinal."""
        if ENDING.issuperset(kinds):
            return self._in_force.edges_to(node, kinds)
        over = [e for e in self._over.edges_to(node) if e.ordinal <= self._ordinal and e.kind in kinds]
        return self._reader.edges("edges in", node, kinds, self._base) + over

    def state(self, node: str) -> str:
        """Return the state that the newest MOVED edge gives a node; "" where nothing has moved it."""
        return self._in_force.state(node)

    def ended(self, node: str) -> str:
        """Return how a fact, decision or other thing ceased to hold: `withdrawn`, `superseded` or "" (it holds)."""
        return self._in_force.ended(node)

    def binding(self) -> list[Fact | Message]:
        """Return the facts in force and the users' messages that were not withdrawn."""
        return self._in_force.binding()

    def decisions(self) -> list[Decision]:
        """Return the decisions in force."""
        return self._in_force.decisions()

    def conflicts(self) -> list[str]:
        """Return the ids of things in force that contradict one another."""
        return self._in_force.conflicts()

    def open_tasks(self) -> list[Task]:
        """Return the tasks that are neither settled nor cancelled nor withdrawn."""
        return self._in_force.open_tasks()

    def open_questions(self) -> list[Question]:
        """Return the questions, risks and gaps that are not settled."""
        return self._in_force.open_questions()

    def running(self) -> list[Delegation]:
        """Return the delegations that have not ended."""
        return self._in_force.running()

    def armed(self) -> list[Timer]:
        """Return the timers that have not fired."""
        return self._in_force.armed()

    def gaps(self) -> list[Gap]:
        """Return the losses that are known."""
        return self._in_force.gaps()

    def distilled(self, receipt: str) -> list[Excerpt]:
        """Return the excerpts of a receipt's output that were chosen as those that matter, oldest first."""
        return distilled(self, receipt)

    def worked_on(self, tasks: Collection[str]) -> frozenset[str]:
        """Return the ids of the files that the newest receipts about any of these tasks were about."""
        return worked_on(self, tasks)

    def sessions(self) -> list[Session]:
        """Return the sessions, by ordinal."""
        return self._in_force.sessions()

    def files(self) -> list[File]:
        """Return the files whose current lines are known at least in part."""
        return [f for f in self.of_kind(File) if (state := self.ledger(f.id)) is not None and state.segments]

    def ledger(self, file: str) -> LedgerState | None:
        """Return the current lines of a file; None where it was never seen."""
        seen = self._newest_observation(file)
        return seen.state if seen is not None else None

    def touched(self, file: str) -> int:
        """Return the ordinal of the newest event that told of a file's content, 0 where there is none."""
        seen = self._newest_observation(file)
        return seen.ordinal if seen is not None else 0

    def observations(self, file: str) -> list[tuple[int, LedgerState]]:
        """Return the states that a file's ledger has had, each with the ordinal from which on it held."""
        over = [(seen.ordinal, seen.state) for seen in self._observed_over(file)]
        return self._reader.observations(file, self._base) + over

    def newest(self, kinds: Collection[type[N]], limit: int = WINDOW) -> list[N]:
        """Return the newest nodes of these kinds, newest first, at most `limit` (and WINDOW) of each kind."""
        most = min(limit, WINDOW)
        found: list[N] = []
        for kind in kinds:
            base = self._reader.newest(kind_of(kind), most, self._base)
            over = self._laid_over(kind_of(kind), base)
            found += [*reversed(over), *base][:most]  # type: ignore[arg-type]
        return sorted(found, key=lambda node: (-node.ordinal, node.id))

    def walk(self, seeds: Iterable[str], kinds: Collection[EdgeKind], hops: int, *, way: Way = "both") -> list[Step]:
        """Return what can be reached; see the protocol."""
        return walk(self, seeds, kinds, hops, way)

    @property
    def _in_force(self) -> MemorySnapshot:
        if self._force is None:
            graph = self._reader.small()
            over = _behind(self._over.additions(), self._reader.newest_ordinal)
            if over.nodes or over.edges:
                graph = graph.copied()
                graph.add(over)
            self._force = MemorySnapshot(graph, self._reader.mission, self._ordinal, self._text_of)
        return self._force

    def _seen(self, node: AnyNode | None) -> AnyNode | None:
        return node if node is not None and node.ordinal <= self._ordinal else None

    def _laid_over(self, kind: str, base: list[AnyNode]) -> list[AnyNode]:
        known = {node.id for node in base} if self._over.nodes else set()
        return [n for n in self._over.by_kind.get(kind, []) if n.ordinal <= self._ordinal and n.id not in known]

    def _observed_over(self, file: str) -> list[Observation]:
        return [seen for seen in self._over.ledgers.get(file, []) if seen.ordinal <= self._ordinal]

    def _newest_observation(self, file: str) -> Observation | None:
        over = self._observed_over(file)
        return over[-1] if over else self._reader.newest_observation(file, self._base)


class OwnedLive(MemorySnapshot):
    """What is live, out of the fold; for the walk it asks the engine, which `owned` gives when it is needed."""

    def __init__(self, live: MemorySnapshot, owned: Callable[[], EngineSnapshot]) -> None:
        self.__dict__.update(live.__dict__)
        self._owned = owned

    def worked_on(self, tasks: Collection[str]) -> frozenset[str]:
        """Return the ids of the files that the newest receipts about any of these tasks were about."""
        return self._owned().worked_on(tasks) if tasks else frozenset()


def _behind(added: Additions, ordinal: int) -> Additions:
    """Return what of additions has not been projected since."""
    return Additions(
        [node for node in added.nodes if node.ordinal > ordinal],
        [edge for edge in added.edges if edge.ordinal > ordinal],
        [seen for seen in added.observations if seen.ordinal > ordinal],
    )


def _joined(base: list[AnyNode], over: list[AnyNode]) -> list[AnyNode]:
    known = {node.id for node in base}
    return [*base, *(node for node in over if node.id not in known)]
