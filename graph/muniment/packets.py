"""Packets: the verbs that carry a mission over a context boundary; one short method each.

The answers are pure functions below this layer; a verb takes the reads and hands them over.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from muniment.handoff.build import build
from muniment.handoff.packet import BUDGET, Packet
from muniment.handoff.request import PacketRequest
from muniment.profiles import policy_of, profiles_of
from muniment.questions import Questions
from muniment.selection.slices import sliced
from muniment.selection.view import ViewRequest
from muniment.snapshot import LiveReads, Snapshot
from muniment.tokens import o200k


class Packets(Questions):
    """What builds packets, checks them and puts them in force."""

    @abstractmethod
    def _live(self, mission: str, as_of: int | None, before: str | None) -> LiveReads:
        """Return the reads that a view makes."""

    @abstractmethod
    def _seen(self, mission: str, as_of: int | None, before: str | None) -> Snapshot:
        """Return the graph that these reads are of."""

    @property
    @abstractmethod
    def _folder(self) -> Path:
        """The store's folder."""

    def packet(
        self,
        mission: str,
        *,
        budget: int | None = None,
        model: str | None = None,
        focus: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        covers_to: str | None = None,
        as_of: int | None = None,
        before: str | None = None,
        provider: str | None = None,
    ) -> Packet:
        """Return the packet with which another context can go on; nothing is stored.

        `focus`: words; what matches them yields last. `covers_to`: the last record that it speaks for, where that is
        not the newest; what came later is its tail. `provider`: what the policy withholds from it is not shown.

        Raises:
            BudgetInfeasibleError: what binds needs more; it says how much.
            UnknownIdError: no such mission, session, agent, record or call.
            UsageError: `before` and `as_of` are both given.
        """
        request = PacketRequest(
            budget=BUDGET if budget is None else budget,
            session=session,
            agent=agent,
            model=model,
            provider=provider,
            focus=focus or "",
            covers_to=covers_to,
            head=self.head(),
        )
        live = self._live(mission, as_of, before)
        shown = sliced(live, ViewRequest(provider=provider), policy_of(self._folder)) if provider else None
        counter = o200k() if model is None else profiles_of(self._folder).counter(model, o200k())
        return build(self._seen(mission, as_of, before), request, counter, live if shown is None else shown)
