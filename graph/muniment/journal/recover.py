"""Recovery: the sound prefix of a damaged journal becomes a new store.

* The damaged files are copied first and never opened where they are, so that nothing about them changes.
* Entries keep positions, salts and hashes: the new journal's chain is the old one's, up to where it is sound. Heads
  that were printed before the damage can still be checked against it.
* The epoch is raised, so that no saved fold of the old store passes for one of the new.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from muniment.errors import DamageError, StoreError
from muniment.journal import database
from muniment.journal.chain import Row
from muniment.journal.port import Problem
from muniment.journal.sound import Step, Walk, last_position
from muniment.payload_markers import marked_in

_COPY = "damaged-copy"
_SIDE = "-wal"


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What was saved. `lost` counts positions behind `kept` that the damaged file tells of: it may tell of too few.

    `problem` is the first thing that is not sound (None: all is). `key_kept` is false where the store's key was lost:
    the redaction markers of the new store then differ from those of the old one.
    """

    kept: int
    lost: int
    payloads: int
    key_kept: bool
    head: str
    problem: Problem | None


def recover(source: Path, target: Path) -> Recovery:
    """Save what is sound of the journal in folder `source` into a new store in folder `target`.

    Raises:
        StoreError: `source` has no journal, `target` is not empty, or the disk fails.
        DamageError: the first pages of the journal cannot be read, so that nothing can be found in it.
    """
    if not (source / database.FILE_NAME).is_file():
        raise StoreError(f"there is no journal in {source}")
    if target.exists() and any(target.iterdir()):
        raise StoreError(f"{target} is not empty: name a new folder")
    try:
        copy = target / _COPY
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy.mkdir()
        try:
            for name in (database.FILE_NAME, database.FILE_NAME + _SIDE):
                if (source / name).exists():
                    shutil.copyfile(source / name, copy / name)
            return _recover(copy, target, source)
        finally:
            shutil.rmtree(copy)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror or error}") from error


def _recover(copy: Path, target: Path, source: Path) -> Recovery:
    with closing(sqlite3.connect(copy / database.FILE_NAME, isolation_level=None)) as old:
        old.text_factory = bytes
        _require_schema(old, source)
        key = _key(old)
        database.create(target, key=key)
        with closing(database.connect(target, busy_seconds=0)) as new, database.translated(target):
            with database.transaction(new):
                saving = _Saving(old, new)
                saving.run()
            return saving.result(key is not None)


def _require_schema(old: sqlite3.Connection, source: Path) -> None:
    try:
        for table in ("entry", "payload", "name", "mission", "session", "stream", "purge"):
            old.execute(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608
    except sqlite3.Error as error:
        raise DamageError(
            f"the first pages of the journal in {source} cannot be read ({error}), so nothing can be found in it",
            0,
            "put the journal back from a copy of it",
        ) from error


def _key(old: sqlite3.Connection) -> bytes | None:
    try:
        row = old.execute("SELECT key, key_check FROM store").fetchone()
    except sqlite3.Error:
        return None
    if row is None or not isinstance(row[0], bytes) or database.key_check(row[0]) != row[1]:
        return None
    return row[0]


class _Saving:
    """Copies sound entries, with the names and payloads that they need, under their old numbers."""

    def __init__(self, old: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._old = old
        self._new = new
        self._walk = Walk(old)
        self._copied: set[tuple[str, int | bytes]] = set()
        self._kept = 0
        self._last = last_position(old)
        self._problem: Problem | None = None

    def run(self) -> None:
        """Copy up to the first entry that is not sound."""
        for step in self._walk.steps(self._last):
            if step.problems or step.row is None:
                self._problem = step.problems[0]
                break
            self._copy(step, step.row)
            self._kept = step.position
        self._count()

    def result(self, key_kept: bool) -> Recovery:
        """Return what was saved."""
        (position, digest) = self._new.execute("SELECT position, hash FROM store").fetchone()
        (payloads,) = self._new.execute("SELECT count(*) FROM payload").fetchone()
        return Recovery(
            kept=self._kept,
            lost=max(0, self._last - self._kept),
            payloads=payloads,
            key_kept=key_kept,
            head=f"{position}:{digest.hex()}",
            problem=self._problem,
        )

    def _copy(self, step: Step, row: Row) -> None:
        for table, number in (("mission", row.mission), ("session", row.session), ("stream", row.stream)):
            self._copy_row(table, "id", number)
        for number in (row.project, row.actor, row.format):
            self._copy_row("name", "id", number)
        for digest in marked_in(row.body) if row.body is not None else ():
            self._copy_row("payload", "digest", bytes.fromhex(digest))
        if row.purged:
            self._copy_row("purge", "position", step.position)
        self._copy_row("entry", "position", step.position)

    def _copy_row(self, table: str, column: str, value: int | bytes) -> None:
        if (table, value) in self._copied:
            return
        row = self._old.execute(f"SELECT * FROM {table} WHERE {column} = ?", (value,)).fetchone()  # noqa: S608
        marks = ", ".join("?" * len(row))
        self._new.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
        if table != "entry":
            self._copied.add((table, value))

    def _count(self) -> None:
        self._new.execute("UPDATE mission SET entries = (SELECT count(*) FROM entry WHERE entry.mission = mission.id)")
        self._new.execute("UPDATE stream SET entries = (SELECT count(*) FROM entry WHERE entry.stream = stream.id)")
        self._new.execute(
            "UPDATE store SET position = ?, epoch = ?,"
            " hash = coalesce((SELECT hash FROM entry WHERE position = ?), hash)",
            (self._kept, self._epoch() + 1, self._kept),
        )

    def _epoch(self) -> int:
        try:
            row = self._old.execute("SELECT epoch FROM store").fetchone()
        except sqlite3.Error:
            return 0
        return row[0] if row is not None and isinstance(row[0], int) else 0
