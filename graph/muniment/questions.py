"""Questions: what a store answers about one mission from a snapshot alone, one short method each.

The answers are pure functions below this layer; a question takes the snapshot and hands it over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from muniment.current import Definitions, definitions_of
from muniment.derive.links import Collapse, Report, collapse_plan, reports
from muniment.snapshot import Snapshot


class Questions(ABC):
    """What can be asked of a mission. Each question raises UnknownIdError where there is no such mission."""

    @abstractmethod
    def snapshot(self, mission: str) -> Snapshot:
        """Return the graph of a mission, now."""

    def reports(self, mission: str) -> list[Report]:
        """Return what is dangling, in a ring, quarantined, purged or not allowed in a mission."""
        return reports(self.snapshot(mission))

    def collapse_plan(self, mission: str) -> list[Collapse]:
        """Return which reads may be replaced by a marker, since another shows the same lines unchanged."""
        return collapse_plan(self.snapshot(mission))

    def symbols(self, path: str, *, mission: str) -> Definitions:
        """Return what the known lines of a file define, as the file is now.

        Raises:
            UnknownIdError: the mission knows no such file.
            AmbiguousIdError: several of its files end in `path`.
        """
        return definitions_of(self.snapshot(mission), path)
