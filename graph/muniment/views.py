"""Views: the verbs that give a context, and those that say why it is as it is; one short method each.

The answers are pure functions below this layer; a verb takes the reads, the profiles and the policy, and hands them
over. Only an emitted view is recorded, by the ids and lines of what was in it.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Final, TypedDict, Unpack

from muniment.profiles import policy_of, profiles_of
from muniment.questions import Questions
from muniment.selection.explaining import Explanation, explain
from muniment.selection.held import Reread, rereads
from muniment.selection.pieces import any_step
from muniment.selection.profile import Profiles
from muniment.selection.select import select
from muniment.selection.shielded import shielded
from muniment.selection.slices import sliced, with_left_out
from muniment.selection.view import OMITTED_KEPT, View, ViewRequest
from muniment.selection.whether import WhyAnswer, why, with_way
from muniment.snapshot import LiveReads, Snapshot
from muniment.tokens import o200k

ALL: Final = 1_000_000
"""More than a view can omit."""


class Asked(TypedDict, total=False):
    """What may be said of the view that is wanted; see `ViewRequest`.

    `budget` None: the usual one of the model and kind of task. `before`: the id of a recorded tool call: as it was when
    the model issued it. `as_of`: as the journal stood at this position.
    """

    task: str | None
    budget: int | None
    before: str | None
    as_of: int | None
    session: str | None
    agent: str | None
    model: str | None
    kind: str | None
    delegate: str | None
    slice: bool
    provider: str | None
    beside: tuple[tuple[str, str], ...]


class Views(Questions):
    """What gives views and says why they are as they are. Each verb raises what `view` raises."""

    @abstractmethod
    def _live(self, mission: str, as_of: int | None, before: str | None) -> LiveReads:
        """Return the reads that a view makes."""

    @abstractmethod
    def _seen(self, mission: str, as_of: int | None, before: str | None) -> Snapshot:
        """Return the graph that these reads are of."""

    @abstractmethod
    def _record_emitted(self, view: View, request: ViewRequest) -> None:
        """Record that a view was given to its agent."""

    @abstractmethod
    def _need_to_emit(self) -> None:
        """Refuse where this handle may not record."""

    @property
    @abstractmethod
    def _folder(self) -> Path:
        """The store's folder."""

    def view(self, mission: str, *, emit: bool = False, **asked: Unpack[Asked]) -> View:
        """Return the minimal live context for the current task, within a budget. With `emit`, record that it was given.

        Raises:
            BudgetInfeasibleError: what binds needs more; it says how much.
            ScopeError: `emit` on a handle that may not record.
            UnknownIdError: no such mission, task, session, agent, delegation or call.
            UsageError: `before` and `as_of` are both given, or no such kind of task is known.
        """
        if emit:
            self._need_to_emit()
        request = self._request(asked)
        view = self._made(self._live(mission, asked.get("as_of"), asked.get("before")), request)
        if emit:
            self._record_emitted(view, request)
        return view

    def explain(self, mission: str, **asked: Unpack[Asked]) -> Explanation:
        """Return why each part of a view is in it: by which way it was reached, and for which names it was chosen."""
        request = self._request(asked)
        seen = self._seen(mission, asked.get("as_of"), asked.get("before"))
        view = self._made(self._live(mission, asked.get("as_of"), asked.get("before")), request)
        return explain(self._shielded(seen, request), view, request, self.profiles().counter(request.model, o200k()))

    def why(self, id: str, *, mission: str, **asked: Unpack[Asked]) -> WhyAnswer:
        """Return why what an id, a handle or a path names is or is not in a view.

        Raises:
            UnknownIdError: nothing is named so.
            AmbiguousIdError: several files are.
        """
        request = self._request(asked)
        seen = self._seen(mission, asked.get("as_of"), asked.get("before"))
        view = self._made(self._live(mission, asked.get("as_of"), asked.get("before")), request, ALL)
        shield = self._shielded(seen, request)
        found = why(shield, view, request, id)
        return with_way(found, explain(shield, view, request, self.profiles().counter(request.model, o200k())))

    def rereads(self, mission: str, *, as_of: int | None = None) -> list[Reread]:
        """Return the reads that fetched again what their agents had seen, and which of them an emitted view held."""
        return rereads(self.snapshot(mission, as_of=as_of))

    def profiles(self) -> Profiles:
        """Return what is known of models and of kinds of tasks.

        Raises:
            StoreError: the store's own file cannot be read.
            UsageError: the store's own file holds something else.
        """
        return profiles_of(self._folder)

    def _request(self, asked: Asked) -> ViewRequest:
        budget, model, kind = asked.get("budget"), asked.get("model"), asked.get("kind")
        usual = self.profiles().budget(model, kind) if budget is None or kind is not None else 0
        return ViewRequest(
            budget=usual if budget is None else budget,
            task=asked.get("task"),
            session=asked.get("session"),
            agent=asked.get("agent"),
            model=model,
            kind=kind,
            delegate=asked.get("delegate"),
            slice=asked.get("slice", False),
            provider=asked.get("provider"),
            beside=asked.get("beside", ()),
        )

    def _shielded(self, seen: Snapshot, request: ViewRequest) -> Snapshot:
        return shielded(seen, request, policy_of(self._folder)) if _is_narrow(request) else seen

    def _made(self, live: LiveReads, request: ViewRequest, listed: int = OMITTED_KEPT) -> View:
        counter = o200k() if request.model is None else self.profiles().counter(request.model, o200k())
        reads = sliced(live, request, policy_of(self._folder)) if _is_narrow(request) else None
        if reads is None:
            return select(live, request, counter, listed=listed)
        narrow = request.slice or request.delegate is not None
        made = select(reads, request, counter, listed=listed, needed=reads.needs if narrow else any_step)
        return with_left_out(made, reads, listed)


def _is_narrow(request: ViewRequest) -> bool:
    return request.slice or request.delegate is not None or request.provider is not None
