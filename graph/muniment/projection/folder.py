"""The projection's folder: who holds it, whether it is sound, and where an unsound one goes.

    projection-kuzu/            the database; `dirty` in it says that a checkpoint or an opening has not ended, `seal`
                                what its files held (sealing.py)
    projection-kuzu.building/   one that is being built; swapped in when it is whole
    projection-kuzu.aside-1/    one that was set aside; deleted at the next success, and by a purge
    projection-kuzu.lock        held, with the number of the process that holds it

* The lock is advisory and the kernel's: it ends with its process, and holds inside one process too.
* A purge deletes all folders, whoever holds them: the owner finds a new epoch and builds anew.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from muniment.errors import StoreError
from muniment.projection.sealing import NAME as SEAL_NAME
from muniment.projection.sealing import Seal

PREFIX = "projection-"
FILE_NAME = "graph.db"
_DIRTY = "dirty"


class ProjectionLockedError(StoreError):
    """Another store object holds the projection; `holder` is the number of its process."""

    code = "projection_locked"

    def __init__(self, engine: str, holder: int) -> None:
        self.holder = holder
        where = "this process, by another store object" if holder == os.getpid() else f"process {holder}"
        super().__init__(
            f"the {engine} projection is held by {where}: close it there or ask it (`muniment serve` answers queries), "
            "or open the store without an engine: the fold gives the same answers"
        )


class Folder:
    """The place of one engine's projection in a store, held until `release`."""

    def __init__(self, store: Path, engine: str) -> None:
        """Take the lock.

        Raises:
            ProjectionLockedError: somebody else holds it.
        """
        self.released = False
        self.path = store / f"{PREFIX}{engine}"
        self.building = store / f"{PREFIX}{engine}.building"
        self.seal = Seal(self.database)
        self._lock = os.open(store / f"{PREFIX}{engine}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._lock, 20)
            os.close(self._lock)
            raise ProjectionLockedError(engine, int(holder) if holder.isdigit() else 0) from None
        os.truncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)

    @property
    def database(self) -> Path:
        """The database's file."""
        return self.path / FILE_NAME

    def is_sound(self) -> bool:
        """Tell whether there is a database that may be opened: a whole one, as it was left."""
        self.seal = Seal(self.database)
        return _looks_sound(self.path) and self.seal.holds()

    def begin(self) -> Path:
        """Make the folder in which a new one is built; return its database's file."""
        shutil.rmtree(self.building, ignore_errors=True)
        self.building.mkdir()
        return self.building / FILE_NAME

    def swap_in(self) -> None:
        """Put the one that was built in its place."""
        self.set_aside()
        self.building.rename(self.path)

    def set_aside(self) -> None:
        """Move what is there out of the way."""
        if self.path.exists():
            taken = {path.name for path in self.path.parent.iterdir()}
            place = next(i for i in range(1, len(taken) + 2) if f"{self.path.name}.aside-{i}" not in taken)
            self.path.rename(self.path.with_name(f"{self.path.name}.aside-{place}"))

    def tidy(self) -> None:
        """Delete what was set aside or left half built: this one is sound."""
        for path in self.path.parent.glob(f"{self.path.name}.*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def marked(self) -> Iterator[None]:
        """Mark the database as unsound while the block runs, for ever if it does not end."""
        mark = self.path / _DIRTY
        mark.touch()
        _settle(self.path)
        yield
        mark.unlink(missing_ok=True)

    def release(self) -> None:
        """Let go of the lock."""
        os.close(self._lock)
        self.released = True


def remove_all(store: Path) -> None:
    """Delete every projection of a store, also those set aside."""
    for path in store.glob(f"{PREFIX}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


class State(NamedTuple):
    """A projection as it lies there. `holder`: the process that holds it, 0 for none; `size` in bytes."""

    engine: str
    holder: int
    sound: bool
    aside: int
    size: int


def states(store: Path) -> list[State]:
    """Return what projections a store has, without opening one."""
    found: list[State] = []
    for lock in sorted(store.glob(f"{PREFIX}*.lock")):
        path = lock.with_suffix("")
        if path.is_dir():
            size = sum(file.stat().st_size for file in path.iterdir())
            aside = len(list(store.glob(f"{path.name}.aside-*")))
            found.append(State(path.name.removeprefix(PREFIX), _holder(lock), _looks_sound(path), aside, size))
    return found


def _holder(lock: Path) -> int:
    handle = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        told = os.read(handle, 20)
        return int(told) if told.isdigit() else -1
    else:
        return 0
    finally:
        os.close(handle)


def _looks_sound(folder: Path) -> bool:
    return (folder / FILE_NAME).is_file() and (folder / SEAL_NAME).is_file() and not (folder / _DIRTY).exists()


def _settle(folder: Path) -> None:
    """Wait until the folder's list of files is on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
