"""Scope: what a handle on the store may see and do. Enforced here, so that no surface has to remember it.

* The owner's handle (from `EvidenceStore.open`) may do everything.
* A scoped handle sees one project or one mission; anything else is unknown to it, with the very answer that something
  has that does not exist.
* Verbs are granted one by one; `waive` is a verb of its own, and so is `accept`: putting a packet in force.
* The actors in whose name a handle may record are listed; a scoped handle does not speak for the user unless it is told
  that it may.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.errors import ScopeError, UnknownIdError
from muniment.journal.port import MissionInfo
from muniment.model.nodes import WAIVER
from muniment.model.records import CHILD_AUTHOR, FactStated, Record, Waiver, Withdrawal

READ = "read"
RECORD = "record"
IMPORT = "import"
WITHDRAW = "withdraw"
PURGE = "purge"
WAIVE = "waive"
MAINTAIN = "maintain"
ACCEPT = "accept"
VERBS = frozenset({READ, RECORD, IMPORT, WITHDRAW, PURGE, WAIVE, MAINTAIN, ACCEPT})
SCOPED_VERBS = frozenset({READ, RECORD, IMPORT})
SCOPED_ACTORS = frozenset({"agent", "tool", "harness"})


class Scope(msgspec.Struct, frozen=True):
    """What a handle may see and do. `actors` None: any."""

    project: str | None = None
    mission: str | None = None
    actors: frozenset[str] | None = None
    verbs: frozenset[str] = VERBS

    def narrowed(
        self, project: str | None, mission: str | None, actors: Iterable[str] | None, verbs: Iterable[str] | None
    ) -> Scope:
        """Return a scope inside this one.

        Raises:
            ScopeError: neither project nor mission is given, or more is asked for than this scope has.
        """
        if project is None and mission is None and self.project is None and self.mission is None:
            raise ScopeError("a scope is required: name a project or a mission")
        if "" in (project, mission):
            raise ScopeError("an empty name is no project and no mission")
        self._refuse_other(self.project, project)
        self._refuse_other(self.mission, mission)
        granted = frozenset(verbs) if verbs is not None else SCOPED_VERBS & self.verbs
        speaking = frozenset(actors) if actors is not None else SCOPED_ACTORS & (self.actors or SCOPED_ACTORS)
        if not granted <= self.verbs or (self.actors is not None and not speaking <= self.actors):
            raise ScopeError("a scope cannot grant more than the handle that it is made from")
        unknown = granted - VERBS
        if unknown:
            raise ScopeError(f"unknown verbs {', '.join(sorted(unknown))}; there are {', '.join(sorted(VERBS))}")
        return Scope(project or self.project, mission or self.mission, speaking, granted)

    def need(self, verb: str) -> None:
        """Refuse a verb that was not granted.

        Raises:
            ScopeError: it was not.
        """
        if verb not in self.verbs:
            raise ScopeError(f"this handle may not {verb}; it may {', '.join(sorted(self.verbs)) or 'do nothing'}")

    def holds(self, info: MissionInfo) -> bool:
        """Tell whether a mission is in sight."""
        return self.project in (None, info.project) and self.mission in (None, info.mission)

    def need_all(self) -> None:
        """Refuse a handle that does not see the whole store.

        Raises:
            ScopeError: it is narrowed to a project or a mission.
        """
        self.need(READ)
        if self.project is not None or self.mission is not None:
            raise ScopeError("this needs a handle on the whole store: a query in Cypher sees every mission")

    def need_inside(self, mission: str, project: str) -> None:
        """Refuse a mission that is out of sight, as if it did not exist.

        Raises:
            UnknownIdError: it is.
        """
        if self.mission not in (None, mission) or self.project not in (None, project):
            raise UnknownIdError(mission)

    def need_author(self, record: Record) -> None:
        """Refuse a record that the handle may not write.

        Raises:
            ScopeError: its author is not among the actors, or its kind needs a verb that was not granted.
        """
        if isinstance(record, Waiver) or (isinstance(record, FactStated) and record.class_ == WAIVER):
            self.need(WAIVE)
        if isinstance(record, Withdrawal):
            self.need(WITHDRAW)
        author = "agent" if record.by.startswith(CHILD_AUTHOR) else record.by
        if self.actors is not None and author not in self.actors:
            raise ScopeError(f"this handle may not write as {record.by!r}; it may as {', '.join(sorted(self.actors))}")

    @staticmethod
    def _refuse_other(own: str | None, wanted: str | None) -> None:
        if own is not None and wanted is not None and own != wanted:
            raise ScopeError("a scope cannot be moved to another project or mission")
