"""The journal in one SQLite file: the adapter behind the port.

* One connection and one lock per object; use it from any thread. Several processes may have the same journal open.
* Opening checks what is cheap (the kind of file, head against last entry, lengths against head); each read checks
  what it reads; `verify` checks everything.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from muniment.digest import GENESIS, Digest
from muniment.errors import DamageError, EvidenceError, UnknownIdError
from muniment.journal import appending, database, purge, reading, sound
from muniment.journal import payloads as stored_payloads
from muniment.journal.chain import Unsound, checked
from muniment.journal.names import StoredNames
from muniment.journal.payloads import is_digest
from muniment.journal.port import Appended, Head, MissionInfo, PurgeReport, StreamInfo, StreamKey, Verification
from muniment.journal.verify import verify
from muniment.model.entries import QUARANTINE_FORMAT, Draft, Entry

BUSY_SECONDS = 10.0
_POLL_SECONDS = 0.02


class SqliteJournal:
    """A :class:`~muniment.journal.port.Journal` in the folder of a store."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, busy_seconds: float) -> None:
        """Take over an open connection; use `open` instead."""
        self._folder = folder
        self._busy_seconds = busy_seconds
        self._connection = connection
        self._lock = threading.RLock()
        self._names = StoredNames(connection)
        self._compressor = stored_payloads.compressor()

    @classmethod
    def open(cls, folder: Path, *, create: bool = False, busy_seconds: float = BUSY_SECONDS) -> SqliteJournal:
        """Open the journal of the store in `folder`; with `create`, make it where there is no store yet.

        Raises:
            StoreError: there is none, or it cannot be opened.
            JournalMissingError: it is gone, but other files of the store are there.
            DamageError: it is not what was written; the message says how to save what is sound.
        """
        if create:
            database.create(folder)
        journal = cls(folder, database.connect(folder, busy_seconds=busy_seconds), busy_seconds)
        try:
            journal._check_cheaply()
            journal._finish_purge()
        except EvidenceError:
            journal.close()
            raise
        return journal

    def __enter__(self) -> SqliteJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def key(self) -> bytes:
        """The store's key."""
        with self._guarded() as connection:
            return _key(connection)

    def head(self) -> Head:
        """Return where the journal stands."""
        with self._guarded() as connection:
            return appending.read_head(connection)

    def append(
        self,
        drafts: Sequence[Draft],
        payloads: Mapping[Digest, bytes],
        *,
        recorded_at: str,
        expected: int | None = None,
    ) -> Appended:
        """Store drafts and their payloads; see the port."""
        with self._guarded() as connection:
            source = appending.PayloadSource(payloads, self._compressor)
            return appending.append(connection, drafts, recorded_at, expected, source)

    def read(
        self, mission: str | None, *, after: int = 0, upto: int | None = None, stream: StreamKey | None = None
    ) -> Iterator[Entry]:
        """Return an iterator over entries in order of position; see the port."""
        with self._guarded() as connection:
            run = self._run(mission, stream)
            first = reading.length_upto(connection, run, after) + 1
            last = reading.length_upto(connection, run, upto)
        return self._entries(run, first, last)

    def entry(self, mission: str, number: int) -> Entry:
        """Return entry `number` of a mission; see the port."""
        with self._guarded():
            run = self._run(mission, None)
            if not 1 <= number <= run.entries:
                raise UnknownIdError(str(number), f"the mission has entries 1 to {run.entries}" if run.entries else "")
            return self._batch(run, number, number)[0]

    def find(self, mission: str, source_id: str) -> list[Entry]:
        """Return the entries of a mission with this source id; see the port."""
        with self._guarded():
            known = self._names.mission(mission)
            if known is None:
                return []
            numbers = self._names.numbers_of_source(known[0], source_id)
            return [self.entry(mission, number) for number in numbers]

    def missions(self) -> list[MissionInfo]:
        """Return all missions, in order of their first entry."""
        with self._guarded() as connection, database.snapshot(connection):
            runs = [reading.mission_run(number, entries, text) for number, entries, text in self._names.missions()]
            found = [self._mission_info(run) for run in runs]
        return sorted(found, key=lambda info: info.first_position)

    def mission(self, mission: str) -> MissionInfo | None:
        """Return one mission, or None where there is none."""
        with self._guarded() as connection, database.snapshot(connection):
            run = self._run(mission, None)
            return self._mission_info(run) if run.entries else None

    def streams(self, mission: str) -> list[StreamInfo]:
        """Return the streams of a mission, in order of their first entry."""
        with self._guarded() as connection, database.snapshot(connection):
            known = self._names.mission(mission)
            listed = self._names.streams(known[0]) if known else []
            if known and sum(entries for _, entries, _ in listed) != known[1]:
                raise Unsound("the streams of a mission do not make up the mission")
            runs = [reading.stream_run(number, entries, mission, key) for number, entries, key in listed]
            found = [self._stream_info(run, key) for run, (_, _, key) in zip(runs, listed, strict=True)]
        return sorted(found, key=lambda info: info.first_position)

    def payload(self, digest: Digest) -> bytes | None:
        """Return a payload's bytes, checked; None where it was purged; see the port."""
        if not is_digest(digest):
            raise UnknownIdError(digest, "a payload's id has 64 hexadecimal characters")
        with self._guarded() as connection:
            data = stored_payloads.load(connection, digest)
            if data is None:
                self._explain_absence(connection, digest)
            return data

    def wait(self, after: int, timeout: float) -> Head:
        """Return as soon as the head is behind `after`, or the head as it is after `timeout` seconds."""
        end = time.monotonic() + timeout
        while True:
            head = self.head()
            left = end - time.monotonic()
            if head.position > after or left <= 0:
                return head
            time.sleep(min(_POLL_SECONDS, left))

    def verify(self, expected_head: str | None = None) -> Verification:
        """Walk the whole journal and every payload; see the port."""
        return verify(self._folder, expected_head, busy_seconds=self._busy_seconds)

    def purge(self, positions: Sequence[int], *, why: str, recorded_at: str, everywhere: bool = False) -> PurgeReport:
        """Erase bodies and what only they name; see the port."""
        with self._guarded() as connection:
            return purge.purge(connection, positions, purge.Reason(why, recorded_at), everywhere=everywhere)

    def close(self) -> None:
        """Let go of the journal."""
        with self._lock:
            self._connection.close()

    def _finish_purge(self) -> None:
        """Finish a purge that another process could not finish, unless somebody is in the way."""
        with self._guarded() as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            purge.sweep(connection)
            connection.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")

    def _check_cheaply(self) -> None:
        with self._guarded() as connection, database.snapshot(connection):
            _key(connection)
            head = appending.read_head(connection)
            (last,) = connection.execute("SELECT max(position) FROM entry").fetchone()
            if (last or 0) != head.position or self._hash_at(connection, head.position) != head.hash:
                raise Unsound("the head is not that of the last entry")
            for table in ("mission", "stream"):
                (total,) = connection.execute(f"SELECT coalesce(sum(entries), 0) FROM {table}").fetchone()  # noqa: S608
                if total != head.position:
                    raise Unsound(f"the lengths in table {table} do not make up the journal")

    def _hash_at(self, connection: sqlite3.Connection, position: int) -> bytes:
        row = reading.row_at(connection, position) if position else None
        return checked(row, self._names.lookups(), GENESIS).hash if row is not None else GENESIS

    def _run(self, mission: str | None, stream: StreamKey | None) -> reading.Run:
        if mission is None:
            return reading.whole_run(appending.read_head(self._connection).position)
        known = self._names.mission(mission)
        if known is None or stream is None:
            return reading.mission_run(*(known or (0, 0)), mission)
        return reading.stream_run(*(self._names.stream_number(known[0], stream) or (0, 0)), mission, stream)

    def _entries(self, run: reading.Run, first: int, last: int) -> Iterator[Entry]:
        for start, end in reading.batches(first, last):
            with self._guarded():
                batch = self._batch(run, start, end)
            yield from batch

    def _batch(self, run: reading.Run, first: int, last: int) -> list[Entry]:
        return reading.batch(self._connection, run, (first, last), self._names.lookups())

    def _mission_info(self, run: reading.Run) -> MissionInfo:
        first = self._batch(run, 1, 1)[0]
        last = self._batch(run, run.entries, run.entries)[0]
        source = first
        if first.format == QUARANTINE_FORMAT:
            early = self._batch(run, 1, min(run.entries, reading.BATCH))
            source = next((entry for entry in early if entry.format != QUARANTINE_FORMAT), first)
        return MissionInfo(
            mission=last.mission,
            project=source.project,
            format=source.format,
            session=source.session,
            entries=run.entries,
            first_position=first.position,
            last_position=last.position,
            first_recorded_at=first.recorded_at,
            last_recorded_at=last.recorded_at,
        )

    def _stream_info(self, run: reading.Run, key: StreamKey) -> StreamInfo:
        first, last = (reading.position_of(self._connection, run, count) for count in (1, run.entries))
        return StreamInfo(key=key, entries=run.entries, first_position=first, last_position=last)

    def _explain_absence(self, connection: sqlite3.Connection, digest: Digest) -> None:
        """Return where the payload was purged; raise where it never was there, or should be."""
        naming = connection.execute(
            "SELECT position FROM entry WHERE instr(body, ?) ORDER BY position LIMIT 1",
            (f'"$payload":"{digest}"'.encode(),),
        ).fetchone()
        if naming is not None:
            raise Unsound(f"payload {digest} of entry {naming[0]} is gone", naming[0], digest)
        if appending.read_head(connection).epoch == 0:
            raise UnknownIdError(digest, "no entry names such a payload")

    @contextmanager
    def _guarded(self) -> Iterator[sqlite3.Connection]:
        """Hold the lock; turn what SQLite and the checks say into Muniment's errors, with the last sound position."""
        with self._lock:
            try:
                with database.translated(self._folder):
                    yield self._connection
            except Unsound as fault:
                raise self._damage(fault.what) from fault
            except DamageError as error:
                raise self._damage(error.what) from error

    def _damage(self, what: str) -> DamageError:
        return DamageError(what, sound.sound_prefix(self._connection), database.remedy(self._folder))


def _key(connection: sqlite3.Connection) -> bytes:
    row = connection.execute("SELECT key, key_check FROM store").fetchone()
    if row is None or not isinstance(row[0], bytes) or database.key_check(row[0]) != row[1]:
        raise Unsound("the store's key is not what was written")
    return row[0]
