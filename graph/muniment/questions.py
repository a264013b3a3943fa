"""Questions: what a store answers about one mission from a snapshot alone, one short method each.

The answers are pure functions below this layer; a question takes the snapshot and hands it over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from muniment import sight, standing
from muniment.closeout import outputs
from muniment.closeout.absences import Absence
from muniment.closeout.explaining import Explanation, explain
from muniment.closeout.holding import Holding
from muniment.closeout.impact import Impact, impact
from muniment.closeout.outputs import DistilledOutput
from muniment.current import Definitions, definitions_of
from muniment.derive.collapsing import Collapse, collapse_plan
from muniment.derive.links import Report, reports
from muniment.selection.held import held_collapses
from muniment.sight import Coverage, WriteCheck
from muniment.snapshot import Snapshot


class Questions(ABC):
    """What can be asked of a mission. Each question raises UnknownIdError where there is no such mission."""

    @abstractmethod
    def snapshot(self, mission: str, *, as_of: int | None = None) -> Snapshot:
        """Return the graph of a mission, now or as of a position."""

    @abstractmethod
    def head(self) -> str:
        """Return `<position>:<hash>` of the newest entry."""

    def impact(self, wanted: str, *, mission: str, as_of: int | None = None) -> Impact:
        """Return which claims, tasks and artifacts lose their proof if a file changes, or if a receipt, claim, fact or
        decision no longer holds; and which have lost it by that already.

        Raises:
            UnknownIdError: the mission knows no such thing.
            AmbiguousIdError: several of its files have this name.
            UsageError: nothing can hang on such a thing.
        """
        return impact(self.snapshot(mission, as_of=as_of), wanted)

    def explain_claim(self, claim: str, *, mission: str, as_of: int | None = None) -> Explanation:
        """Return the verdict on a claim, and the whole chain behind it.

        Raises:
            UnknownIdError: the mission makes no such claim.
            AmbiguousIdError: one record makes several.
        """
        return explain(self.snapshot(mission, as_of=as_of), claim)

    def reports(self, mission: str) -> list[Report]:
        """Return what is dangling, in a ring, quarantined, purged or not allowed in a mission."""
        return reports(self.snapshot(mission))

    def collapse_plan(self, mission: str) -> list[Collapse]:
        """Return which reads may be replaced by a marker, since another read, or a view that their agent was given,
        shows the same lines unchanged.
        """
        snapshot = self.snapshot(mission)
        plan = collapse_plan(snapshot)
        return [*plan, *held_collapses(snapshot, {end for each in plan for end in (each.receipt, each.into)})]

    def symbols(self, path: str, *, mission: str) -> Definitions:
        """Return what the known lines of a file define, as the file is now.

        Raises:
            UnknownIdError: the mission knows no such file.
            AmbiguousIdError: several of its files end in `path`.
        """
        return definitions_of(self.snapshot(mission), path)

    def coverage(self, path: str, *, mission: str, agent: str = "", as_of: int | None = None) -> Coverage:
        """Return which lines of a file, as it is now, an agent has seen, by which receipts, and which never.

        `agent`: "" is the root agent, else a child's name, or an Agent's id or handle.

        Raises:
            UnknownIdError: the mission knows no such file or agent.
            AmbiguousIdError: several of its files have this name.
        """
        return sight.coverage(self.snapshot(mission, as_of=as_of), path, agent)

    def check_write(
        self, agent: str, path: str, lines: tuple[int, int] | None = None, *, mission: str, as_of: int | None = None
    ) -> WriteCheck:
        """Return whether an agent knows what it is about to change: unseen lines, and a base that changed meanwhile.

        Raises:
            UnknownIdError: the mission knows no such agent.
            AmbiguousIdError: several of its files have this name.
            UsageError: `lines` is no interval.
        """
        return sight.check_write(self.snapshot(mission, as_of=as_of), agent, path, lines)

    def holds(
        self, receipt: str, paths: Sequence[str] | None = None, *, mission: str, as_of: int | None = None
    ) -> Holding:
        """Return whether a receipt still tells of what is there now: of some files, or of all that it is about.

        Raises:
            UnknownIdError: the mission knows no such receipt or file.
            AmbiguousIdError: an id or a path names several things.
            PurgedError: the receipt was purged.
            UsageError: the id names no receipt.
        """
        return standing.holds(self.snapshot(mission, as_of=as_of), receipt, paths)

    def absences(self, *, mission: str, path: str | None = None, as_of: int | None = None) -> list[Absence]:
        """Return what searches did not find, and whether it still holds; with `path`, what may have seen that file."""
        return standing.absences(self.snapshot(mission, as_of=as_of), path)

    def distillations(self, mission: str, *, as_of: int | None = None) -> list[DistilledOutput]:
        """Return what was distilled of each large output of a mission, by the store itself and by agents."""
        return outputs.distillations(self.snapshot(mission, as_of=as_of))

    def pending_distillations(
        self, mission: str, *, task: str | None = None, as_of: int | None = None
    ) -> list[DistilledOutput]:
        """Return the large outputs of a mission, or of one task, of which no agent has said which lines matter."""
        return outputs.pending(self.snapshot(mission, as_of=as_of), task)
