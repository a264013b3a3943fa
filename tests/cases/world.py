"""A case's world: its store, what was delivered to it, where each event went. Plain data, handed from stage to stage.

* An event goes to the session that it names, else to the newest that the case opened, else to one that we open.
* Events are recorded in order, in batches; `position` of an event is where it stands in the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from muniment.capture.importing import ImportReport
from muniment.errors import EvidenceError
from muniment.store import EvidenceStore
from tests.cases.events import SESSION_KINDS, neutral_line, record_object
from tests.cases.expand import plain_events, write_lines
from tests.cases.form import EVENT, Case, Raw

BATCH = 2000
OWN_SESSION = "cases-runner"
"""The session that the runner opens for events that come before any session of the case."""


@dataclass
class Delivery:
    """Counts of the last delivery. `report` is None where records were given, not a file."""

    new: int = 0
    duplicates: int = 0
    report: ImportReport | None = None
    file_bytes: int = 0


@dataclass
class Appending:
    """What concurrent writers did: what was acknowledged, and what was lost without a word."""

    tried: list[str] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    unreported: int = 0


@dataclass
class Refusal:
    """An error of the product: its code, its words, and how many tokens would have been enough."""

    code: str
    message: str
    needed: int | None = None


@dataclass
class World:
    """All that is known of a case while it runs."""

    folder: Path
    size: int | None
    keep: frozenset[str]
    session: str = ""
    sessions: dict[str, str] = field(default_factory=dict)
    """Event id → id of its session event."""
    roots: dict[str, str] = field(default_factory=dict)
    """Session → the session at the root of its mission."""
    missions: dict[str, str] = field(default_factory=dict)
    """Root session → mission."""
    imported: str = ""
    """The mission of the file that was imported."""
    seqs: list[tuple[int, int, str]] = field(default_factory=list)
    """(seq, position, event id), in order."""
    kept: dict[str, EVENT] = field(default_factory=dict)
    """Records that are to arrive once more."""
    own: Counter[str] = field(default_factory=Counter)
    """Mission → records that the runner added."""
    begun: dict[str, int] = field(default_factory=dict)
    """Mission → records there were before the steps."""
    delivery: Delivery = field(default_factory=Delivery)
    appending: Appending | None = None
    before: dict[str, object] = field(default_factory=dict)
    """What was compared later, as it was before a rebuild."""
    refusal: Refusal | None = None
    """Why the store cannot be opened any more."""
    rss_growth_mib: float | None = None

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.folder / "store"

    def source(self, raw: Raw) -> Path:
        """Return the file that a raw case is imported from."""
        return self.folder / f"session.{'ndjson' if raw.format == 'ndjson-records' else 'jsonl'}"

    def opened(self) -> EvidenceStore:
        """Open the store."""
        return EvidenceStore.open(self.store, create=not self.store.exists())

    def mission_of(self, event: str) -> str:
        """Return the mission of an event, "" where it has none."""
        session = self.sessions.get(event)
        return self.imported if session is None else self.missions.get(self.roots.get(session, session), "")

    def current_mission(self) -> str:
        """Return the mission that a question is about where it names nothing."""
        return self.missions.get(self.roots.get(self.session, self.session), "") or self.imported

    def position(self, seq: int) -> int:
        """Return the position up to which the events with this seq or a smaller one stand."""
        return max((position for at, position, _ in self.seqs if at <= seq), default=0)

    def covered(self, seq: int) -> str | None:
        """Return the id of the last event with this seq or a smaller one."""
        return next((event for at, _, event in reversed(self.seqs) if at <= seq), None)


def record_events(world: World, store: EvidenceStore, events: Iterable[EVENT]) -> None:
    """Record events; the counts of the delivery are theirs."""
    world.delivery = Delivery()
    batch: list[EVENT] = []
    for event in plain_events(events, world.size):
        session = _session_for(world, store, event)
        event_id = str(event["id"])
        if event["kind"] in ("packet_accepted", "packet_refused"):
            _flush(world, store, batch)
            _settle(world, store, event, session)
            continue
        record = record_object(event, session, _covered(world, batch))
        world.sessions[event_id] = session
        world.kept.update({event_id: record} if event_id in world.keep else {})
        batch.append({**record, "seq": event["seq"]})
        if len(batch) >= BATCH:
            _flush(world, store, batch)
    _flush(world, store, batch)
    note_missions(world, store)


def _settle(world: World, store: EvidenceStore, event: EVENT, session: str) -> None:
    """Let the store accept a packet, which must succeed, or refuse it: as the event says that it did."""
    note_missions(world, store)
    world.sessions[str(event["id"])] = session
    packet = str(event["packet"])
    answer = store.accept_packet(packet, mission=world.mission_of(packet))
    if answer.accepted != (event["kind"] == "packet_accepted"):
        raise ValueError(f"{packet}: accepted is {answer.accepted}: {answer.problems}")
    world.seqs.append((int(str(event["seq"])), int(store.head().partition(":")[0]), answer.record))
    world.delivery.new += 1


def record_again(world: World, store: EvidenceStore, ids: Iterable[str]) -> None:
    """Record the same records once more."""
    recorded = store.record([world.kept[event] for event in ids])
    world.delivery = Delivery(new=recorded.stored, duplicates=recorded.duplicates)


def import_file(world: World, store: EvidenceStore, raw: Raw) -> None:
    """Import the case's file."""
    path = world.source(raw)
    report = store.import_session(path, format=raw.format)
    world.delivery = Delivery(report.stored, report.duplicates, report, path.stat().st_size)
    world.imported = world.imported or report.mission


def begin(world: World, store: EvidenceStore, case: Case) -> None:
    """Deliver what the case begins with."""
    if case.raw is not None:
        import_file(world, store, case.raw)
    else:
        record_events(world, store, case.events)
    world.begun = stored_records(store, world)


def write_source(world: World, case: Case) -> None:
    """Write the file of a raw case."""
    if case.raw is not None:
        write_lines(world.source(case.raw), case.raw, _change(case.raw))


def add_lines(world: World, raw: Raw, lines: tuple[object, ...], *, final_newline: bool, replace: bool) -> None:
    """Add lines to the file of a raw case, or put them in its place."""
    part = msgspec.structs.replace(raw, raw_lines=lines, final_newline=final_newline, bom=raw.bom and replace)
    write_lines(world.source(raw), part, _change(raw), mode="wb" if replace else "ab")


def _change(raw: Raw) -> Callable[[str], str]:
    return neutral_line if raw.format == "ndjson-records" else str


def note_missions(world: World, store: EvidenceStore) -> None:
    """Look up which mission each session became."""
    world.missions = {info.session: info.mission for info in store.missions()}


def stored_records(store: EvidenceStore, world: World) -> dict[str, int]:
    """Return how many records each mission has, those that the runner added left out."""
    return {info.mission: info.entries - world.own[info.mission] for info in store.missions()}


def refusal_of(error: EvidenceError) -> Refusal:
    """Return what is kept of an error."""
    needed = getattr(error, "needed", None)
    return Refusal(error.code, str(error), needed if isinstance(needed, int) else None)


def _session_for(world: World, store: EvidenceStore, event: EVENT) -> str:
    if event["kind"] in SESSION_KINDS:
        session = str(event["id"])
        parent = event.get("parent")
        world.roots[session] = session if parent is None else world.roots.get(str(parent), str(parent))
        world.session = session
        return session
    if event.get("session") is not None:
        return str(event["session"])
    if not world.session:
        world.session = world.roots[OWN_SESSION] = OWN_SESSION
        store.record([{"kind": "session_opened", "id": OWN_SESSION, "session": OWN_SESSION, "workspace": "cases"}])
        note_missions(world, store)
        world.own[world.missions[OWN_SESSION]] += 1
    return world.session


def _covered(world: World, batch: list[EVENT]) -> Callable[[int], str | None]:
    """Return a function that also knows the events that wait to be recorded."""

    def covered(seq: int) -> str | None:
        waiting = [str(event["id"]) for event in batch if isinstance(at := event["seq"], int) and at <= seq]
        return waiting[-1] if waiting else world.covered(seq)

    return covered


def _flush(world: World, store: EvidenceStore, batch: list[EVENT]) -> None:
    if not batch:
        return
    first = int(store.head().partition(":")[0]) + 1
    recorded = store.record([{name: part for name, part in event.items() if name != "seq"} for event in batch])
    for place, event in enumerate(batch):
        world.seqs.append((int(str(event["seq"])), first + place, str(event["id"])))
    world.delivery.new += recorded.stored
    world.delivery.duplicates += recorded.duplicates
    batch.clear()
