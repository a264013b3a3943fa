"""A store that counts what is asked of it: the real one, with its handles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from muniment.store import EvidenceStore

VERBS = frozenset(
    {"missions", "snapshot", "live", "view", "closeout", "rehydrate", "search", "entries"}
    | {"record", "withdraw", "import_session", "reports", "collapse_plan"}
    | {"coverage", "check_write", "holds", "absences"}
)


class CountingStore(EvidenceStore):
    """Counts the verbs that are used, over all handles."""

    calls: ClassVar[int] = 0

    def __getattribute__(self, name: str) -> object:
        if name in VERBS:
            CountingStore.calls += 1
        return super().__getattribute__(name)

    def scoped(
        self,
        project: str | None = None,
        mission: str | None = None,
        actors: Iterable[str] | None = None,
        verbs: Iterable[str] | None = None,
    ) -> EvidenceStore:
        """Return a narrower handle that counts too."""
        return counting(super().scoped(project, mission, actors, verbs))


def counting(store: EvidenceStore) -> EvidenceStore:
    """Make a handle count."""
    store.__class__ = CountingStore
    return store
