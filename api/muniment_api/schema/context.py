"""What a resolver is given: a scoped handle on the store, and what has been asked of it in this operation.

* The handle is scoped before an operation begins; resolvers have no way to a wider one.
* A snapshot is asked for once per mission and operation, so what an operation asks of the store does not follow the
  number of rows that it shows.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import strawberry

from muniment.capture.units import files_read
from muniment.errors import AmbiguousIdError, EvidenceError, ScopeError, UnknownIdError, UsageError
from muniment.journal.port import MissionInfo
from muniment.model.nodes import AnyNode
from muniment.rehydration import resolve
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment_api.worker import Worker

T = TypeVar("T")


class Operation:
    """One operation under one scope."""

    def __init__(self, store: EvidenceStore, roots: tuple[Path, ...] | None) -> None:
        self.store = store
        self._roots = roots
        self._snapshots: dict[tuple[str, int | None], Snapshot] = {}
        self._missions: dict[str, MissionInfo] | None = None

    def missions(self) -> dict[str, MissionInfo]:
        """Return the missions in sight, oldest first, by id."""
        if self._missions is None:
            self._missions = {info.mission: info for info in self.store.missions()}
        return self._missions

    def mission(self, wanted: str) -> MissionInfo:
        """Return a mission by its id, or by its root session's.

        Raises:
            UnknownIdError: none in sight has it.
        """
        known = self.missions()
        found = known.get(wanted) or next((info for info in known.values() if info.session == wanted), None)
        if found is None:
            raise UnknownIdError(wanted)
        return found

    def at(self, wanted: str, ask: Callable[[str], T]) -> T:
        """Ask something of a mission that is named by its id or by its root session's; the id costs no look-up.

        Raises:
            UnknownIdError: none in sight has it.
        """
        try:
            return ask(wanted)
        except UnknownIdError as error:
            known = None if error.wanted != wanted else self.home(wanted)
            if known is None:
                raise
            return ask(known)

    def home(self, session: str) -> str | None:
        """Return the mission of which a session is the root; None where it is the root of none."""
        return next((info.mission for info in self.missions().values() if info.session == session), None)

    def snapshot(self, mission: str, as_of: int | None = None) -> Snapshot:
        """Return the graph of a mission.

        Raises:
            UnknownIdError: there is none in sight.
        """
        key = (mission, as_of)
        if key not in self._snapshots:
            self._snapshots[key] = self.store.snapshot(mission, as_of=as_of)
        return self._snapshots[key]

    def named(self, wanted: str, mission: str | None) -> tuple[Snapshot, AnyNode]:
        """Return what an id names, with the graph that it is in.

        Raises:
            UnknownIdError: nothing in sight has the id.
            AmbiguousIdError: several things have.
        """
        infos = [self.mission(mission)] if mission is not None else list(self.missions().values())
        found = [
            (snapshot, node)
            for snapshot in (self.snapshot(info.mission) for info in infos)
            if (node := resolve(snapshot, wanted)) is not None
        ]
        if not found:
            raise UnknownIdError(wanted)
        if len(found) > 1:
            raise AmbiguousIdError(wanted, tuple(snapshot.mission for snapshot, _ in found))
        return found[0]

    def importable(self, wanted: str) -> Path:
        """Return a path, if sessions may be imported from there.

        Raises:
            ScopeError: it is not under an allowed folder; whether it exists is not told.
            UsageError: no file can be called so.
        """
        try:
            named = os.fsencode(wanted)
        except UnicodeEncodeError:
            named = b"\0"
        if b"\0" in named:
            raise UsageError("no file can be called so")
        path = Path(wanted)
        if self._roots is None:
            return path
        real = path.resolve()
        allowed = any(real.is_relative_to(root) for root in self._roots)
        if not allowed or not all(self._inside(file) for file in _files(real)):
            raise ScopeError(f"{wanted} is not under a folder that this server may import from (serve --allow-import)")
        return real

    def _inside(self, file: Path) -> bool:
        real = file.resolve()
        return any(real.is_relative_to(root) for root in self._roots or ())

    def changed(self) -> None:
        """Forget what was asked: something has been recorded."""
        self._snapshots.clear()
        self._missions = None


def _files(path: Path) -> list[Path]:
    """Return the files that an import of a path would read; none where it will say what is wrong itself."""
    try:
        return files_read(path)
    except EvidenceError:
        return []


class Context:
    """One request or connection: the scope it has, and how its operations get to the store."""

    def __init__(
        self,
        worker: Worker,
        store: EvidenceStore | None,
        roots: tuple[Path, ...] | None = (),
        stopping: asyncio.Event | None = None,
    ) -> None:
        """Put a context together; `roots` are folders to import from (None: any), `stopping` ends subscriptions."""
        self.worker = worker
        self.store = store
        self.roots = roots
        self.stopping = stopping or asyncio.Event()
        self.connection_params: dict[str, object] | None = None
        self.scope: Mapping[str, object] = {}
        self.headers: Mapping[str, str] = {}

    def operation(self) -> Operation:
        """Begin an operation.

        Raises:
            ScopeError: the connection has not said what it wants to see.
        """
        if self.store is None:
            raise ScopeError("a scope is required: name a project or a mission")
        return Operation(self.store, self.roots)


Info = strawberry.Info[Operation, None]
