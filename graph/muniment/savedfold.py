"""The saved fold: what a fold has made, kept beside the journal so that opening a mission costs its tail. Disposable.

* One SQLite file, `fold.sqlite`. A mission has a head (its progress, its live graph, the list of its chunks) and chunks
  (what the graph
  gained, some thousand entries each). Each is a compressed blob that is checked against its digest on every read; a
  head names its
  chunks' digests, so that a missing or foreign chunk is found too.
* Whatever is wrong with the file or with a blob, the answer is "there is no saved fold" and the file is set aside: it
  never makes an
  answer wrong and never stops one. What it held is folded again from the journal.
* A head belongs to one journal, one derivation version and one purge epoch; under any other it does not count.
* Two processes may save: the second to come finds that the head is not the one that it started from, and leaves it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import msgspec
import zstandard

from muniment.derive.fold import version
from muniment.derive.mission import Progress
from muniment.digest import digest_of
from muniment.errors import StoreError
from muniment.graph import Additions
from muniment.model.packing import pack, unpack
from muniment.settings import settings_of

FILE_NAME = "fold.sqlite"
_SUFFIXES = ("", "-journal", "-wal", "-shm")

_SCHEMA = """
PRAGMA journal_mode = DELETE;
CREATE TABLE IF NOT EXISTS head (mission TEXT PRIMARY KEY, digest TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS chunk (
  mission TEXT NOT NULL, place INTEGER NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (mission, place)
) STRICT;
"""


T = TypeVar("T")


class Basis(msgspec.Struct, frozen=True):
    """What a saved fold was made from: it counts only for this."""

    version: str
    journal: str
    epoch: int


class Saved(msgspec.Struct):
    """A mission's head."""

    basis: Basis
    progress: Progress
    live: Additions
    chunks: list[str]
    generation: int = 1
    counts: list[tuple[int, int, int]] = []
    """Chunk by chunk, how many nodes, edges and ledgers there are up to its end."""


class SavedFold:
    """The file of saved folds of one store."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.large_output = settings_of(folder).large_output
        self.version = version(self.large_output)
        self._connection: sqlite3.Connection | None = None

    def load(self, mission: str, basis: Basis) -> tuple[Saved, str] | None:
        """Return a mission's head and its digest, or None where there is none that counts."""
        try:
            row = self._open().execute("SELECT digest, data FROM head WHERE mission = ?", (mission,)).fetchone()
            saved = None if row is None else _decode(row[1], row[0], Saved)
        except _FAULTS:
            self.set_aside()
            return None
        return (saved, row[0]) if saved is not None and saved.basis == basis else None

    def chunks(self, mission: str, digests: list[str], first: int = 0) -> Iterator[Additions]:
        """Yield what a mission's chunks hold, in order, from the chunk `first` on.

        Raises:
            LookupError: one of them is missing or not what was saved; what was yielded before must be dropped.
        """
        try:
            for place, digest in enumerate(digests[first:], first):
                row = self._chunk(mission, place)
                if row is None or row[0] != digest:
                    raise LookupError(mission)
                yield _decode(row[1], digest, Additions)
        except _FAULTS as error:
            self.set_aside()
            raise LookupError(mission) from error

    def save(self, mission: str, saved: Saved, new: list[bytes], base: str) -> str | None:
        """Save a head with the chunks that it has gained, if the head is still the one with digest `base` ("": none).

        Returns:
            the head's digest, or None where somebody else has saved since or the file cannot be written.
        """
        data = _encode(saved)
        digest = str(digest_of(data))
        first = len(saved.chunks) - len(new)
        try:
            connection = self._open()
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                row = connection.execute("SELECT digest FROM head WHERE mission = ?", (mission,)).fetchone()
                if (row[0] if row else "") != base and base:
                    return None
                if first == 0:
                    connection.execute("DELETE FROM chunk WHERE mission = ?", (mission,))
                rows = [(mission, first + i, saved.chunks[first + i], chunk) for i, chunk in enumerate(new)]
                connection.executemany("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?)", rows)
                connection.execute("INSERT OR REPLACE INTO head VALUES (?, ?, ?)", (mission, digest, data))
        except _FAULTS:
            self.set_aside()
            return None
        return digest

    def drop(self, mission: str) -> None:
        """Forget a mission."""
        try:
            connection = self._open()
            with connection:
                connection.execute("DELETE FROM head WHERE mission = ?", (mission,))
                connection.execute("DELETE FROM chunk WHERE mission = ?", (mission,))
        except _FAULTS:
            self.set_aside()

    def set_aside(self) -> None:
        """Delete the file: a purge asks for it, and damage does."""
        self.close()
        for suffix in _SUFFIXES:
            place = Path(f"{self._path}{suffix}")
            if place.is_dir():
                raise StoreError(f"{place} is a folder, and belongs to the store as a file: move it away")
            place.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _chunk(self, mission: str, place: int) -> tuple[str, bytes] | None:
        with closing(
            self._open().execute("SELECT digest, data FROM chunk WHERE mission = ? AND place = ?", (mission, place))
        ) as rows:
            row: tuple[str, bytes] | None = rows.fetchone()
            return row

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._path, timeout=5, isolation_level=None, check_same_thread=False)
            try:
                connection.executescript("PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;" + _SCHEMA)
            except (sqlite3.Error, UnicodeDecodeError):
                connection.close()
                raise
            self._connection = connection
        return self._connection


def encode_chunk(additions: Additions) -> tuple[str, bytes]:
    """Return the digest and the bytes of a chunk."""
    data = _encode(additions)
    return str(digest_of(data)), data


_FAULTS = (sqlite3.Error, UnicodeDecodeError, msgspec.MsgspecError, zstandard.ZstdError, LookupError)
"""What a damaged file can lead to; SQLite's own words may then quote bytes that are no text."""


def _encode(value: Saved | Additions) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(pack(value))


def _decode(data: object, digest: str, kind: type[T]) -> T:
    if not isinstance(data, bytes) or str(digest_of(data)) != digest:
        raise LookupError(digest)
    return unpack(zstandard.ZstdDecompressor().decompress(data), kind)
