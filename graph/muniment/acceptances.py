"""Acceptances: the verbs that propose packets, check them, and put them in force.

* A packet is checked against the graph and put in force by one append that compares: if anything was recorded of its
  mission in between, it is checked again. So it is in force whole and checked, or not at all, whenever the process
  dies.
* Only what is written here is marked as the store's own word; `record` refuses such records, and imported ones are
  history.
* A refused attempt leaves what was proposed and why it was refused, and changes nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from itertools import count
from typing import Final, TypedDict

import msgspec

from muniment import recording
from muniment.errors import BusyError, ConflictError, FieldError, PacketRefusedError, SecretRefusedError, UnknownIdError
from muniment.handoff.acceptance import (
    Acceptance,
    PacketInfo,
    in_force,
    moves,
    newest_session,
    refused_in_row,
    state_of,
    told,
    too_many,
)
from muniment.handoff.check import check, refused
from muniment.handoff.packet import Checked, Packet, Problem
from muniment.handoff.proposal import Proposal, offered, said_alike, stored, unreadable
from muniment.handoff.resolve import resolved
from muniment.journal.port import Head, MissionInfo
from muniment.journal.sqlite import SqliteJournal
from muniment.missions import Missions
from muniment.model import ids, nodes
from muniment.model.codec import parse_record, record_object
from muniment.model.entries import STORE_ACTOR
from muniment.model.records import PacketAccepted, PacketProposed, PacketRefused
from muniment.packets import Packets
from muniment.redaction import Redactor
from muniment.scope import ACCEPT, RECORD, Scope
from muniment.snapshot import Snapshot
from muniment.tokens import o200k

CHECKS: Final = 5
"""Times that a packet is checked anew since something was recorded meanwhile; then the answer is busy."""
RACES: Final = 50
"""Times that only other missions were written to while a packet was checked."""

Offered = Packet | PacketProposed | Mapping[str, object] | str


class _Place(TypedDict):
    """What both outcomes of an attempt say of where it was made."""

    session: str
    agent: str
    by: str
    packet: str
    reason: str


class _Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A packet that was checked: as of a position of the journal."""

    head: Head
    snapshot: Snapshot
    proposal: Proposal
    checked: Checked
    current: nodes.Packet | None

    @property
    def unrecorded(self) -> list[PacketProposed]:
        """What is to be recorded of the proposal itself: nothing where it is on record."""
        return [] if self.proposal.node else [self.proposal.said]


class Acceptances(Packets):
    """What lets a packet open the next context, and what is known of those that did. Mixed into the store."""

    _journal: SqliteJournal
    _missions: Missions
    _redactor: Redactor
    _scope: Scope

    @abstractmethod
    def missions(self) -> list[MissionInfo]:
        """Return the missions in sight."""

    @abstractmethod
    def _info(self, mission: str) -> MissionInfo:
        """Return a mission in sight."""

    def propose_packet(
        self, packet: Packet | PacketProposed | Mapping[str, object], *, mission: str | None = None
    ) -> str:
        """Record what is offered as a packet, unchecked, and return its id. Proposing the same twice is once.

        Raises:
            FieldError: it is not in the form of a packet.
            UnknownIdError: no such mission.
            ScopeError: this handle may not record.
        """
        self._scope.need(RECORD)
        info = self._info(self._mission_named(packet, mission))
        proposal = self._in_session(offered(packet), info)
        if isinstance(proposal, Problem):
            raise FieldError("packet", proposal.message)
        self._need_author(proposal)
        proposal = self._known(info, self._missions.snapshot(info), proposal)
        if isinstance(proposal, Problem):
            raise FieldError("packet", proposal.message)
        if not proposal.node:
            self._put(info, [proposal.said], None)
        return proposal.node or _node_of(info.mission, proposal.said)

    def check_packet(self, packet: Offered, *, mission: str | None = None, as_of: int | None = None) -> Checked:
        """Return what is wrong with a packet, or with a stored one by its id; nothing is recorded. A bad packet never
        raises.

        Raises:
            UnknownIdError: no such mission, or no stored packet with this id.
        """
        info, value = self._asked(packet, mission)
        snapshot = self.snapshot(info.mission, as_of=as_of)
        return self._check(info, snapshot, value)[2]

    def accept_packet(
        self, packet: Offered, *, mission: str | None = None, view: str | None = None, reason: str = ""
    ) -> Acceptance:
        """Check a packet, and put it in force if nothing is wrong; else record why not. What opens the next context is
        what `show_packet` gives: what is stored are ids, and texts come from the record. `view`: the emitted view that
        goes with it. Accepting what is in force already changes nothing.

        Raises:
            PacketRefusedError: it was refused, like several before it: stop trying.
            BusyError: others kept recording while it was checked; nothing was accepted.
            UnknownIdError: no such mission, stored packet or view.
            ScopeError: this handle may not accept packets.
        """
        self._scope.need(ACCEPT)
        info, value = self._asked(packet, mission)
        for _ in range(CHECKS):
            tried = self._tried(info, value)
            if view is not None and not any(isinstance(node, nodes.View) for node in tried.snapshot.named(view)):
                raise UnknownIdError(view, "`view` takes the id of a view that was given")
            self._need_author(tried.proposal)
            if tried.proposal.node and tried.current is not None and tried.proposal.node == tried.current.id:
                return Acceptance(accepted=True, packet=tried.current.id, in_force=tried.current.id)
            try:
                return self._settled(info, tried, view, reason)
            except ConflictError:
                continue
        raise BusyError(
            f"others recorded in this mission each of the {CHECKS} times that the packet was checked: nothing was"
            " accepted; try again when they pause"
        )

    def packet_in_force(
        self, mission: str, *, session: str | None = None, agent: str = "", as_of: int | None = None
    ) -> str:
        """Return the id of the packet in force for an agent of a session (else the newest, as `packet`); "" for none.

        Raises:
            UnknownIdError: no such mission.
        """
        info, snapshot = self._info(mission), self.snapshot(mission, as_of=as_of)
        found = in_force(snapshot, newest_session(snapshot, info.session) if session is None else session, agent)
        return found.id if found is not None else ""

    def packets(self, mission: str) -> list[PacketInfo]:
        """Return the packets that are on record, oldest first, and what became of each.

        Raises:
            UnknownIdError: no such mission.
        """
        info, snapshot = self._info(mission), self.snapshot(mission)
        return [self._told_of(info, snapshot, packet) for packet in snapshot.of_kind(nodes.Packet)]

    def show_packet(self, id: str, *, mission: str | None = None) -> Packet:
        """Return a stored packet with its texts as they are on record now: what was purged since shows nothing.

        Raises:
            UnknownIdError: no packet in sight has this id.
        """
        info, _ = self._asked(id, mission)
        snapshot = self.snapshot(info.mission)
        return resolved(snapshot, _packet_named(snapshot, id), o200k())

    # ---------------------------------------------------------------- inside

    def _tried(self, info: MissionInfo, value: object) -> _Checked:
        head = self._journal.head()
        snapshot = self._missions.snapshot(info)
        proposal, current, checked = self._check(info, snapshot, value)
        return _Checked(head=head, snapshot=snapshot, proposal=proposal, checked=checked, current=current)

    def _check(
        self, info: MissionInfo, snapshot: Snapshot, value: object
    ) -> tuple[Proposal, nodes.Packet | None, Checked]:
        """Return the proposal that a value is, the packet in force for its agent, and what is wrong with it."""
        if isinstance(value, str):
            proposal: Proposal | Problem = stored(snapshot, _packet_named(snapshot, value))
        else:
            proposal = self._in_session(offered(value), info)
        if isinstance(proposal, Proposal):
            proposal = self._known(info, snapshot, proposal)
        if isinstance(proposal, Problem):
            current = in_force(snapshot, info.session, "")
            empty = unreadable(proposal, info.session, self._journal.head().position)
            return empty, current, refused(proposal, current)
        current = in_force(snapshot, proposal.said.session, proposal.said.agent)
        return proposal, current, check(snapshot, proposal, current, entry_of=lambda record: self._entry(info, record))

    def _known(self, info: MissionInfo, snapshot: Snapshot, proposal: Proposal) -> Proposal | Problem:
        """Return a proposal with its node, where it is on record; a problem where its id means something else there."""
        if proposal.node or not self._journal.find(info.mission, proposal.said.id):
            return proposal
        found = [node for node in snapshot.named(proposal.said.id) if isinstance(node, nodes.Packet)]
        if len(found) == 1 and said_alike(stored(snapshot, found[0]).said, self._as_stored(proposal.said)):
            return msgspec.structs.replace(proposal, node=found[0].id)
        return Problem(code="schema", ids=(proposal.name,), message="its id is that of another record")

    def _settled(self, info: MissionInfo, tried: _Checked, view: str | None, reason: str) -> Acceptance:
        """Record what came of a check, if nothing came between.

        Raises:
            ConflictError: something did.
        """
        said, problems = tried.proposal.said, tried.checked.problems
        current = tried.current.id if tried.current is not None else ""
        packet = tried.proposal.node or _node_of(info.mission, said)
        place = _Place(session=said.session, agent=said.agent, by="harness", packet=said.id, reason=reason)
        if not problems:
            accepted = PacketAccepted(id=f"{said.id}:accepted:{tried.head.position}", view=view, **place)
            self._put(info, [*tried.unrecorded, accepted], tried.head)
            return Acceptance(accepted=True, packet=packet, in_force=packet, record=accepted.id)
        codes, named = told(tried.checked)
        before = refused_in_row(tried.snapshot, said.session, said.agent)
        refusal = PacketRefused(id=self._refusals(info, said.id)[0], codes=codes, ids=named, **place)
        self._put_refused(info, tried.unrecorded, refusal, tried.head)
        if too_many(before + 1):
            raise PacketRefusedError(before + 1, codes)
        return Acceptance(
            accepted=False,
            packet=packet,
            in_force=current,
            problems=problems,
            record=refusal.id,
            attempts=before + 1,
        )

    def _put_refused(
        self, info: MissionInfo, unrecorded: list[PacketProposed], refusal: PacketRefused, head: Head
    ) -> None:
        """Record a refusal with what was proposed; without the words, where the store refuses those."""
        try:
            self._put(info, [*unrecorded, refusal], head)
        except SecretRefusedError:
            bare = [
                PacketProposed(id=each.id, by=each.by, session=each.session, agent=each.agent) for each in unrecorded
            ]
            told = msgspec.structs.replace(refusal, ids=tuple(() for _ in refusal.codes))
            self._put(info, [*bare, told], head)

    def _put(
        self, info: MissionInfo, records: list[PacketProposed | PacketAccepted | PacketRefused], checked: Head | None
    ) -> None:
        """Append records, those about packets in the store's own name; with `checked`, only if nothing came since.

        Raises:
            ConflictError: the mission has grown since, or something was purged; nothing was written.
        """
        drafts = recording.Recorder(self._journal, Scope()).drafts(records, mission=info.mission, project=info.project)
        own = [
            draft if isinstance(record, PacketProposed) else msgspec.structs.replace(draft, actor=STORE_ACTOR)
            for record, draft in zip(records, drafts, strict=True)
        ]
        bodies = [self._redactor.redact(draft.body)[0] for draft in own]
        expected = checked.position if checked is not None else None
        for _ in range(RACES):
            try:
                if checked is not None:
                    expected = self._unchanged(info, checked)
                done = recording.append(self._journal, own, bodies, recorded_at=recording.now(), expected=expected)
            except ConflictError as error:
                if error.expected != expected:
                    raise
                continue
            if checked is not None and not done.placed[-1].new:
                raise BusyError("another record has taken the id of this acceptance: try again")
            return
        raise BusyError("other missions kept recording: nothing was accepted; try again")

    def _unchanged(self, info: MissionInfo, checked: Head) -> int:
        """Return where the journal stands, if only other missions have grown since a packet was checked.

        Raises:
            ConflictError: this mission has grown, or something was purged.
        """
        head = self._journal.head()
        known = self._journal.mission(info.mission)
        if known is None or known.last_position > checked.position or head.epoch != checked.epoch:
            raise ConflictError(-1, head.position)
        return head.position

    def _asked(self, packet: Offered, mission: str | None) -> tuple[MissionInfo, object]:
        """Return the mission that a packet is of, and the packet.

        Raises:
            UnknownIdError: there is no such mission, or no such stored packet.
        """
        if not isinstance(packet, str):
            return self._info(self._mission_named(packet, mission)), packet
        infos = self.missions() if mission is None else [self._info(mission)]
        for info in infos:
            snapshot = self.snapshot(info.mission)
            if any(isinstance(node, nodes.Packet) for node in snapshot.named(packet)):
                return info, packet
        raise UnknownIdError(packet, "no packet in sight has this id")

    def _mission_named(self, packet: object, mission: str | None) -> str:
        if mission is not None:
            return mission
        named = packet.get("mission") if isinstance(packet, Mapping) else getattr(packet, "mission", None)
        if not isinstance(named, str) or not named:
            raise UnknownIdError(str(named or ""), "name the mission that the packet is of")
        return named

    def _in_session(self, proposal: Proposal | Problem, info: MissionInfo) -> Proposal | Problem:
        """Return a proposal that names no session as one of the mission's own."""
        if isinstance(proposal, Problem) or proposal.said.session:
            return proposal
        return msgspec.structs.replace(proposal, said=msgspec.structs.replace(proposal.said, session=info.session))

    def _need_author(self, proposal: Proposal) -> None:
        """Refuse to record a proposal in a name that this handle may not write as; these three have no authority."""
        if proposal.said.by not in ("harness", "compactor", "unknown"):
            self._scope.need_author(proposal.said)

    def _as_stored(self, said: PacketProposed) -> PacketProposed:
        try:
            record = parse_record(self._redactor.redact(record_object(said))[0])
        except SecretRefusedError:
            return said
        return record if isinstance(record, PacketProposed) else said

    def _entry(self, info: MissionInfo, record: str) -> int | None:
        return min((entry.number for entry in self._journal.find(info.mission, record)), default=None)

    def _told_of(self, info: MissionInfo, snapshot: Snapshot, packet: nodes.Packet) -> PacketInfo:
        current = in_force(snapshot, packet.session, packet.agent)
        return PacketInfo(
            id=packet.id,
            handle=packet.handle,
            record=packet.record,
            state=state_of(snapshot, packet),
            by=packet.by,
            session=packet.session,
            agent=packet.agent,
            compactor=packet.compactor,
            model=packet.model,
            covers_to=str(packet.covers_to or ""),
            base=packet.base or "",
            budget=packet.budget,
            in_force=current is not None and current.id == packet.id,
            codes=self._refusals(info, packet.record)[1] if moves(snapshot, packet, "refused") else (),
        )

    def _refusals(self, info: MissionInfo, packet: str) -> tuple[str, tuple[str, ...]]:
        """Return the first id that is free for a refusal of a packet, and the codes of the last one on record."""
        codes: tuple[str, ...] = ()
        for number in count(1):
            found = self._journal.find(info.mission, f"{packet}:refused:{number}")
            if not found:
                break
            own = [each.body.get("codes") for each in found if each.body is not None and each.actor == STORE_ACTOR]
            codes = tuple(map(str, own[-1])) if own and isinstance(own[-1], list) else codes
        return f"{packet}:refused:{number}", codes


def _packet_named(snapshot: Snapshot, wanted: str) -> nodes.Packet:
    found = [node for node in snapshot.named(wanted) if isinstance(node, nodes.Packet)]
    if not found:
        raise UnknownIdError(wanted, "no packet in sight has this id")
    return found[0]


def _node_of(mission: str, said: PacketProposed) -> str:
    return ids.node_id(nodes.kind_of(nodes.Packet), mission, said.id)
