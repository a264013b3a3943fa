"""Recording: neutral records of API callers become drafts.

* A root session is a mission. A forked session belongs to the mission of its parent.
* A mission stays in the project in which it began; it begins in the one that is named, or that its opening record
  names, or in the one of
  the folder that it works in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from muniment import canonical
from muniment.closeout.explaining import claim_named
from muniment.derive.paths import Rules, project_key
from muniment.digest import Digest
from muniment.errors import FieldError, UsageError
from muniment.journal.port import Appended, Journal, MissionInfo
from muniment.model import ids
from muniment.model.codec import parse_record, record_object
from muniment.model.entries import JSON_OBJECT, RECORD_FORMAT, Draft
from muniment.model.nodes import AnyNode, Fact, Task
from muniment.model.records import (
    PacketAccepted,
    PacketRefused,
    Record,
    SessionForked,
    SessionOpened,
    ViewEmitted,
    Waiver,
    Withdrawal,
)
from muniment.payload_markers import lift
from muniment.scope import Scope
from muniment.selection.view import View, ViewRequest
from muniment.snapshot import Snapshot

FORMAT_NAME = "record"


def now() -> str:
    """Return the time as it is noted beside an entry."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def parsed(given: Iterable[Record | Mapping[str, object]]) -> list[Record]:
    """Return records; objects are parsed, and records checked as if they were objects.

    Raises:
        FieldError: an object is no record; the path begins with its place in the list.
        UsageError: one says what became of a packet: only the store says that.
    """
    found = [_parsed(record, place) for place, record in enumerate(given)]
    if any(isinstance(record, PacketAccepted | PacketRefused) for record in found):
        raise UsageError("a packet is put in force, or refused, by accept_packet alone, which checks it first")
    return found


def _parsed(given: Record | Mapping[str, object], place: int) -> Record:
    value: object = given  # of callers without a type checker it may be anything
    if isinstance(value, Record):
        value = record_object(value)
    try:
        return parse_record(dict(value) if isinstance(value, Mapping) else value)
    except FieldError as error:
        raise FieldError(f"[{place}].{error.path}".rstrip("."), error.found) from None


def withdrawals(journal: Journal, nodes: Iterable[AnyNode], info: MissionInfo, why: str) -> list[Withdrawal]:
    """Return a user's words that some things no longer apply: of those alone of which they have not said so before,
    as the first reason stands.
    """
    new = {f"withdrawal:{node.id}": node.id for node in nodes}
    said = {each for each in new if any(entry.session == info.session for entry in journal.find(info.mission, each))}
    return [
        Withdrawal(id=each, by="user", session=info.session, target=target, text=why)
        for each, target in new.items()
        if each not in said
    ]


def append(
    journal: Journal, drafts: Sequence[Draft], bodies: Sequence[JSON_OBJECT], *, recorded_at: str, expected: int | None
) -> Appended:
    """Append drafts with redacted `bodies`, their long strings lifted out, in one transaction.

    Raises:
        FieldError: one of them has an id that was given to another record of its session.
    """
    ready: list[Draft] = []
    payloads: dict[Digest, bytes] = {}
    for draft, body in zip(drafts, bodies, strict=True):
        lifted, found = lift(body)
        payloads.update(found)
        ready.append(msgspec.structs.replace(draft, body=lifted))
    _need_one_meaning(journal, ready)
    return journal.append(ready, payloads, recorded_at=recorded_at, expected=expected)


def _need_one_meaning(journal: Journal, drafts: Sequence[Draft]) -> None:
    """The same record may come again, and is stored once; another one under its id would be lost without a word."""
    told: dict[tuple[str, str, str], object] = {}
    for draft in drafts:
        key = (draft.mission, draft.session, draft.source_id)
        if key not in told:
            found = journal.find(draft.mission, draft.source_id)
            known = (entry.body for entry in found if entry.session == draft.session and entry.body is not None)
            told[key] = next(known, draft.body)
        # As they are stored: a record has tuples where a body that was read has lists.
        if told[key] != draft.body and canonical.encode(told[key]) != canonical.encode(draft.body):
            raise FieldError("id", f"{draft.source_id!r} is another record's of this session; nothing was stored")


def waiver(snapshot: Snapshot, wanted: str, session: str, why: str) -> Waiver:
    """Return the record by which a user accepts a claim, a criterion or a task without proof.

    Raises:
        UnknownIdError: the mission has no such thing.
        AmbiguousIdError: one record makes several claims.
    """
    whole = next((node for node in snapshot.named(wanted) if isinstance(node, Task | Fact)), None)
    target = whole.id if whole is not None else claim_named(snapshot, wanted).id
    return Waiver(id=f"waiver:{target}:{snapshot.ordinal}", by="user", session=session, target=target, text=why)


def emitted(view: View, head: str, session: str, request: ViewRequest) -> ViewEmitted:
    """Return the record of a view that was given to an agent when the journal stood at `head`: what was in it, and
    which lines of files, by the excerpt that shows them. Where the view was for a session, it is that one's.
    """
    return ViewEmitted(
        id=f"view:{head}:{view.ordinal}:{view.budget}",
        by="harness",
        session=session,
        agent=view.agent,
        task=request.task,
        ids=tuple(item.id for item in view.items),
        lines=tuple((item.id, *item.lines) for item in view.items if item.lines is not None),
        tokens=view.tokens,
        ordinal=view.ordinal,
    )


class Recorder:
    """Turns records into drafts for one store; remembers which mission a session is of."""

    def __init__(self, journal: Journal, scope: Scope) -> None:
        self._journal = journal
        self._scope = scope
        self._missions: dict[str, str] = {}
        self._projects: dict[str, str] = {}

    def drafts(self, records: Sequence[Record], *, mission: str | None, project: str | None) -> list[Draft]:
        """Return a draft for each record.

        Raises:
            ScopeError: the scope does not let one of them be written.
            UnknownIdError: one belongs to a mission out of sight.
        """
        return [self._draft(record, mission or self._scope.mission, project) for record in records]

    def _draft(self, record: Record, mission: str | None, project: str | None) -> Draft:
        self._scope.need_author(record)
        home = mission or self._mission_of(record)
        place = self._project_of(home, record, project)
        self._scope.need_inside(home, place)
        return Draft(
            mission=home,
            project=place,
            session=record.session,
            stream="",
            source_id=record.id,
            actor=record.by,
            format=RECORD_FORMAT,
            body=record_object(record),
        )

    def _mission_of(self, record: Record) -> str:
        session = record.session
        if session not in self._missions:
            root = record.parent if isinstance(record, SessionForked) else session
            self._missions[session] = self._known_mission(root) or ids.mission_id(FORMAT_NAME, root)
        return self._missions[session]

    def _known_mission(self, session: str) -> str | None:
        if session in self._missions:
            return self._missions[session]
        for info in self._journal.missions():
            # What is out of sight must not even show by where a record goes.
            streams = self._journal.streams(info.mission) if self._scope.holds(info) else []
            if any(stream.key.session == session for stream in streams):
                return info.mission
        return None

    def _project_of(self, mission: str, record: Record, project: str | None) -> str:
        if mission not in self._projects:
            known = next((info.project for info in self._journal.missions() if info.mission == mission), None)
            self._projects[mission] = known or project or self._scope.project or _own_project(mission, record)
        return self._projects[mission]


def _own_project(mission: str, record: Record) -> str:
    if isinstance(record, SessionOpened | SessionForked):
        if record.project is not None:
            return record.project
        if record.root is not None:
            rules = Rules(
                style=record.fs_style,
                case_sensitive=record.case_sensitive,
                normalization_sensitive=record.normalization_sensitive,
            )
            return project_key(record.root, rules)
    return f"mission {mission}"
