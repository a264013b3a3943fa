"""Transfers: the verbs that tell what became of a context at its boundaries, and how well that went."""

from __future__ import annotations

from abc import abstractmethod

from muniment.closeout.judge import judge
from muniment.handoff.after import aftermaths
from muniment.handoff.boundaries import BoundaryReport, boundary_reports
from muniment.handoff.scoring import CompactionReport, Crossed, reported, scored
from muniment.journal.port import MissionInfo
from muniment.questions import Questions
from muniment.selection.held import rereads
from muniment.tokens import o200k


class Transfers(Questions):
    """What looks back at boundaries."""

    @abstractmethod
    def missions(self) -> list[MissionInfo]:
        """Return the missions in sight."""

    def boundaries(self, mission: str, *, as_of: int | None = None) -> list[BoundaryReport]:
        """Return what was in the context before and after each boundary of a mission, and what opened the next one."""
        return boundary_reports(self.snapshot(mission, as_of=as_of), o200k())

    def compaction_report(self, mission: str | None = None) -> CompactionReport:
        """Return what came after the boundaries of a mission, or of all, and a score for each compactor and model."""
        wanted = [mission] if mission is not None else [info.mission for info in self.missions()]
        return reported(wanted, [each for one in wanted for each in self._crossed(one)])

    def _crossed(self, mission: str) -> list[Crossed]:
        snapshot = self.snapshot(mission)
        told = boundary_reports(snapshot, o200k())
        if not told:
            return []
        after = aftermaths(snapshot, told, rereads(snapshot), judge(snapshot).claims)
        return [scored(snapshot, report, behind) for report, behind in zip(told, after, strict=True)]
