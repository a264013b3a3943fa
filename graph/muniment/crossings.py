"""Crossings: the verbs that say when to cross a boundary, and that cross it on purpose: fold, fork.

* A fold by hand is made at the end of a turn, with a focus if one is given; it says why where there is nothing to fold.
* A compactor is asked only where the policy approves of it, and is given only what its provider may see. What it gives
  goes through the same check; where it fails or is refused that is on record, and the packet without words is taken.
* A fork is another session of the same mission whose whole history is a packet. The first is left as it was.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypedDict, Unpack

import msgspec

from muniment import recording
from muniment.acceptances import Acceptances
from muniment.errors import BudgetInfeasibleError, PacketRefusedError, PurgedError, UnknownIdError, UsageError
from muniment.handoff import folding, rehydrating, thresholds
from muniment.handoff.acceptance import Acceptance, newest_session
from muniment.handoff.compactor import NO_ROOM, ROOM, Compactor, CompactorError, answered
from muniment.handoff.crossing import Attempt, Folded, Forked, attempted, beside_session, opening, owned_by
from muniment.handoff.packet import BUDGET, Packet, Problem
from muniment.handoff.rehydrating import FirstView
from muniment.handoff.render import render
from muniment.handoff.scoring import Target
from muniment.handoff.thresholds import Advice
from muniment.journal.port import MissionInfo
from muniment.model.records import PacketProposed, PacketRefused, Record
from muniment.profiles import policy_of, profiles_of
from muniment.rehydration import Rehydrated
from muniment.scope import ACCEPT, READ, RECORD, Scope
from muniment.selection.view import View
from muniment.tokens import o200k
from muniment.transfers import Transfers
from muniment.views import Asked


class Wanted(TypedDict, total=False):
    """What may be said of the packet that is wanted; see `Packets.packet`."""

    budget: int | None
    model: str | None
    focus: str | None
    session: str | None
    agent: str | None
    covers_to: str | None


class Crossings(Acceptances, Transfers):
    """What crosses a boundary on purpose, and says when to."""

    def should_compact(
        self, model: str | None, tokens_in_use: int, task_kind: str | None = None, *, mission: str | None = None
    ) -> Advice:
        """Return whether a context should be compacted now, and why; figures are in the model's own tokens.

        With a mission, how badly this model carried its state over boundaries there may lower the limit.

        Raises:
            UsageError: a number below 0, or an unknown kind of task.
            UnknownIdError: no such mission.
        """
        self._scope.need(READ)
        drift = 0.0 if mission is None else self._drift(mission, model)
        return thresholds.should_compact(profiles_of(self._folder), model, tokens_in_use, task_kind, drift=drift)

    def fold(self, mission: str, *, compactor: Compactor | None = None, **wanted: Unpack[Wanted]) -> Folded:
        """Build a packet at the end of a turn, check it, and put it in force; with a compactor, with its words.

        Raises:
            UsageError: the policy does not approve of the compactor.
            BudgetInfeasibleError: what binds needs more; it says how much.
            PacketRefusedError: it was refused, like several before it: stop trying.
            UnknownIdError: no such mission, session or agent.
            ScopeError: this handle may not accept packets.
        """
        self._scope.need(ACCEPT)
        if compactor is not None:
            self._need_approved(compactor)
        plain = self.packet(mission, **wanted)
        why, about = folding.unready(self.snapshot(mission), plain.owner.session, plain.owner.agent)
        if why:
            return Folded(folded=False, reason=why, about=about)
        attempt = None
        if compactor is not None:
            attempt, acceptance = self._with_words(mission, compactor, wanted)
            if acceptance is not None:
                return self._folded(acceptance, attempt)
        return self._folded(self.accept_packet(self.packet(mission, **wanted), mission=mission), attempt)

    def fork_packet(self, id: str, *, session: str, mission: str | None = None) -> Forked:
        """Open another session of the same mission whose whole history is a packet; the first is left as it was.

        Nothing is recorded where the packet would not be accepted as things are now.

        Raises:
            UsageError: there is such a session already, or it has no name.
            UnknownIdError: no packet in sight has this id.
            ScopeError: this handle may not record, or not accept packets.
        """
        self._scope.need(RECORD)
        self._scope.need(ACCEPT)
        packet = self.show_packet(id, mission=mission)
        records = opening(packet, session, id)
        info = self._info(packet.mission)
        if any(stream.key.session == session for stream in self._journal.streams(info.mission)):
            raise UsageError(f"there is a session {session!r} in this mission already: name another")
        told = Forked(
            forked=False, mission=info.mission, session=session, parent=packet.owner.session, of=packet.id or id
        )
        own = owned_by(packet, session)
        problems = beside_session(self.check_packet(own, mission=info.mission).problems, session)
        if problems:
            return msgspec.structs.replace(told, problems=problems)
        self._open_session(info, records)
        done = self.accept_packet(own, mission=info.mission)
        text = render(self.show_packet(done.packet, mission=info.mission))
        return msgspec.structs.replace(
            told, forked=done.accepted, packet=done.packet, text=text, problems=done.problems
        )

    def first_view(
        self,
        mission: str,
        *,
        room: int | None = None,
        model: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        emit: bool = False,
    ) -> FirstView:
        """Return what the next context begins with: the packet in force, if it covers all that was said and done, and a
        view of what its next tasks touch; within `room` tokens, else both of their usual size.

        The view is richer where another model goes on, and where what this agent carried over before went astray the
        lines that it had to fetch again go along. With `emit`, the view is recorded as given.

        Raises:
            BudgetInfeasibleError: what binds needs more; it says how much.
            UnknownIdError: no such mission, session or agent.
        """
        info, snapshot = self._info(mission), self.snapshot(mission)
        whose = newest_session(snapshot, info.session) if session is None else session
        held = folding.covering(snapshot, whose, agent or "")
        packet = None if held is None else self.show_packet(held.id, mission=mission)
        known = profiles_of(self._folder)
        counter = known.counter(model, o200k())
        plan = rehydrating.planned(packet, model, known.budget(model, None), room, counter)
        asked = Asked(budget=plan.view, task=plan.task, model=model, session=session, agent=agent, beside=plan.beside)
        try:
            view = self.view(mission, emit=emit, **asked)
        except BudgetInfeasibleError:
            if packet is None:
                raise
            view = None  # what binds is in the packet
        targets = self._targets(mission, packet) if packet is not None else ()
        return rehydrating.opening(plan, view, [(t, self._lines_of(t, mission)) for t in targets], counter)

    # ---------------------------------------------------------------- inside

    @abstractmethod
    def view(self, mission: str, *, emit: bool = False, **asked: Unpack[Asked]) -> View:
        """Return a view."""

    @abstractmethod
    def rehydrate(self, id: str, *, lines: tuple[int, int] | None = None, mission: str | None = None) -> Rehydrated:
        """Return the text behind an id."""

    def _targets(self, mission: str, packet: Packet) -> tuple[Target, ...]:
        """Return what should be brought back, since this agent's last boundary carried it over badly."""
        own = (packet.owner.session, packet.owner.agent)
        crossed = [
            each for each in self.compaction_report(mission).crossed if (each.report.session, each.report.agent) == own
        ]
        return crossed[-1].targets[: rehydrating.MOST_SPANS] if crossed and crossed[-1].weak else ()

    def _lines_of(self, target: Target, mission: str) -> str:
        try:
            return self.rehydrate(target.id, lines=target.lines, mission=mission).text
        except (PurgedError, UnknownIdError, UsageError):
            return ""

    def _open_session(self, info: MissionInfo, records: Sequence[Record]) -> None:
        drafts = recording.Recorder(self._journal, Scope()).drafts(records, mission=info.mission, project=info.project)
        bodies = [self._redactor.redact(draft.body)[0] for draft in drafts]
        recording.append(self._journal, drafts, bodies, recorded_at=recording.now(), expected=None)

    def _drift(self, mission: str, model: str | None) -> float:
        """Return how badly a model's state was carried over boundaries in a mission lately, from 0 to 1."""
        self._info(mission)
        return 0.0 if model is None else self.compaction_report(mission).drift(model)

    def _need_approved(self, compactor: Compactor) -> None:
        approved = policy_of(self._folder).approved(compactor.name)
        if approved.provider != compactor.provider:
            raise UsageError(
                f"the policy approves of {compactor.name!r} as one of {approved.provider!r}, not {compactor.provider!r}"
            )

    def _with_words(self, mission: str, compactor: Compactor, wanted: Wanted) -> tuple[Attempt, Acceptance | None]:
        """Ask a compactor; return what came of it, and the acceptance where its packet was accepted."""
        room = Wanted(**{**wanted, "budget": max((wanted.get("budget") or BUDGET) - ROOM, 1)})
        try:
            plain = self.packet(mission, **room)
            shown = self.packet(mission, provider=compactor.provider, **room)
        except BudgetInfeasibleError:
            return Attempt(compactor=compactor.name, taken=False, failure=NO_ROOM), None
        try:
            offered = self._answer(compactor, plain, shown)
        except CompactorError as error:
            said, problem = attempted(plain, compactor.name, error)
            record = self._refuse(self._info(mission), said, problem)
            return Attempt(compactor=compactor.name, taken=False, failure=error.reason, record=record), None
        try:
            done = self.accept_packet(offered, mission=mission)
        except PacketRefusedError as error:  # the packet without its words is another one, and may be right
            refused = tuple(Problem(code=code) for code in error.codes)
            return Attempt(compactor=compactor.name, taken=False, problems=refused), None
        attempt = Attempt(compactor=compactor.name, taken=done.accepted, problems=done.problems, record=done.record)
        return attempt, done if done.accepted else None

    def _answer(self, compactor: Compactor, plain: Packet, shown: Packet) -> Packet | dict[str, object]:
        """Return what a compactor makes of a packet, given what it may see of it.

        Raises:
            CompactorError: nothing that can be used.
        """
        try:
            answer = compactor(render(shown), shown)
        except CompactorError:
            raise
        except Exception as error:  # noqa: BLE001  somebody else's function may raise anything
            raise CompactorError("raised", type(error).__name__) from None
        offered = answered(plain, answer, o200k(), compactor.name)
        if isinstance(offered, Packet):
            return msgspec.structs.replace(offered, budget=plain.budget + ROOM)
        return offered

    def _refuse(self, info: MissionInfo, said: PacketProposed, problem: Problem) -> str:
        """Record that a compactor failed; return the id of that record."""
        name = self._refusals(info, said.id)[0]
        refusal = PacketRefused(
            id=name,
            by="harness",
            session=said.session,
            agent=said.agent,
            packet=said.id,
            codes=(problem.code,),
            ids=(problem.ids,),
            reason=problem.message,
        )
        self._put(info, [said, refusal], None)
        return name

    def _folded(self, acceptance: Acceptance, attempt: Attempt | None) -> Folded:
        if not acceptance.accepted:
            return Folded(folded=False, reason="refused", acceptance=acceptance, attempt=attempt)
        packet = self.show_packet(acceptance.packet)
        return Folded(folded=True, packet=packet, acceptance=acceptance, attempt=attempt)
