"""What checks look at: the store after all steps, the answers, and which record a node of the product is of."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field

from muniment.closeout.verdict import Closeout
from muniment.errors import UnknownIdError
from muniment.handoff.acceptance import Acceptance
from muniment.handoff.packet import Packet
from muniment.journal.sqlite import SqliteJournal
from muniment.model.entries import Entry
from muniment.model.nodes import SIDE_KINDS, AnyNode
from muniment.rehydration import Rehydrated, rehydrate
from muniment.selection.view import View
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from tests.cases.form import Ask, Case
from tests.cases.outcome import CannotAskError
from tests.cases.world import Refusal, World


@dataclass
class Surface:
    """What one surface gave: the records that it named, its text, and whether it refused."""

    ids: set[str] = field(default_factory=set)
    text: str = ""
    refusal: Refusal | None = None


@dataclass
class Answered:
    """What came of GraphQL queries: errors, store calls, items of the first list, and whether it has a next page."""

    errors: int = 0
    store_calls: int = 0
    items: int | None = None
    has_next_page: bool | None = None


@dataclass
class Answers:
    """The answers to a case's questions. `missing` tells which could not be asked, by form."""

    view: View | None = None
    closeouts: list[Closeout] = field(default_factory=list)
    packet: Packet | None = None
    accepted: Acceptance | None = None
    got: Rehydrated | None = None
    walked: list[str] | None = None
    surfaces: dict[str, Surface] = field(default_factory=dict)
    refusals: dict[str, Refusal] = field(default_factory=dict)
    graphql: Answered | None = None
    missing: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class Scene:
    """A store that is open, with the world that led to it and the answers that it gave."""

    def __init__(self, store: EvidenceStore | None, world: World, case: Case) -> None:
        self._store = store
        self.world = world
        self.case = case
        self.answers = Answers()
        self._snapshots: dict[tuple[str, int | None], Snapshot] = {}

    @property
    def store(self) -> EvidenceStore:
        """The store.

        Raises:
            CannotAskError: it does not open.
        """
        if self._store is None:
            raise CannotAskError("an open store")
        return self._store

    def ask(self, form: str) -> Ask | None:
        """Return the question of a form, None where it was not asked."""
        return next((ask for ask in self.case.ask if ask.form == form), None)

    def as_of(self, ask: Ask | None) -> int | None:
        """Return the position as of which a question is asked, None: now."""
        return None if ask is None or ask.at is None else self.world.position(ask.at)

    def missions(self) -> list[str]:
        """Return all missions of the store."""
        return [info.mission for info in self.store.missions()]

    def snapshot(self, mission: str, as_of: int | None = None) -> Snapshot:
        """Return the whole graph of a mission."""
        key = (mission, as_of)
        if key not in self._snapshots:
            self._snapshots[key] = self.store.snapshot(mission, as_of=as_of)
        return self._snapshots[key]

    def state(self, mission: str) -> Snapshot:
        """Return the graph as of the `at` of the question `state`: what checks of the store read."""
        return self.snapshot(mission, self.as_of(self.ask("state")))

    def mission_of(self, record: str) -> str:
        """Return the mission that a record is of.

        Raises:
            UnknownIdError: it is of none.
        """
        mission = self.world.mission_of(record) or self.world.current_mission()
        if not mission:
            raise UnknownIdError(record)
        return mission

    def nodes(self, record: str) -> list[AnyNode]:
        """Return all nodes that a record made, as of the question `state`. Ids of cases are never handles."""
        return [node for node in self.state(self.mission_of(record)).named(record) if node.record == record]

    def main(self, record: str) -> AnyNode | None:
        """Return the node that a record is about, None where it made none."""
        found = [node for node in self.nodes(record) if not isinstance(node, SIDE_KINDS)]
        return found[0] if found else None

    def rehydrated(self, record: str, lines: tuple[int, int] | None = None) -> Rehydrated:
        """Return what a record's id names, as of the question `state`.

        Raises:
            EvidenceError: nothing does, several things do, or it was purged.
        """
        as_of = self.as_of(self.ask("state"))
        mission = self.mission_of(record)
        if as_of is None:
            return by_id(self.store, record, mission=mission, lines=lines)
        return _of_record(rehydrate(self.snapshot(mission, as_of), record, lines), record)

    def entries(self, records: Iterable[str]) -> dict[str, list[Entry]]:
        """Return the journal's entries of each record, as of the question `state`: there also where it made no node."""
        as_of = self.as_of(self.ask("state"))
        with closing(SqliteJournal.open(self.world.store)) as journal:
            found = {record: journal.find(self.mission_of(record), record) for record in records}
        return {
            record: [entry for entry in entries if as_of is None or entry.position <= as_of]
            for record, entries in found.items()
        }

    def record_of(self, node: str, mission: str) -> str:
        """Return the record that made a node; the id itself where there is no such node."""
        found = self.snapshot(mission).node(node)
        return node if found is None else found.record

    def records_of(self, nodes: tuple[str, ...] | list[str], mission: str) -> set[str]:
        """Return the records that made some nodes."""
        return {self.record_of(node, mission) for node in nodes}


def by_id(
    store: EvidenceStore, record: str, *, mission: str | None = None, lines: tuple[int, int] | None = None
) -> Rehydrated:
    """Return what a record's id names.

    Raises:
        EvidenceError: nothing does (a handle that looks like the id is none), several things do, or it was purged.
    """
    return _of_record(store.rehydrate(record, lines=lines, mission=mission), record)


def _of_record(got: Rehydrated, record: str) -> Rehydrated:
    if record not in (got.record, got.id):
        raise UnknownIdError(record)
    return got
