"""Seals: what a database's files held when the engine had settled them, looked at before they are opened again.

* A checkpoint is sealed by the digest of the database's file: between checkpoints the engines write to their log alone.
  Each transaction is noted by the log's size and the digest of all of it up to there.
* Neither engine notices a changed byte in its file, nor Kuzu one in its log: it answers wrongly, or crashes when it
  comes to the place. So a file that is not the sealed one is not opened, and a log is cut behind the last transaction
  that is as it was noted. What is missing then is caught up.
* A note is written behind its transaction and is not waited for: without it the transaction is cut off, and caught up.
* Where a purge has deleted the folder there is nothing to note.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from blake3 import blake3

NAME = "seal"
PIECE = 1 << 20


class Seal:
    """The seal of one database, in a file beside it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = database.with_name(database.name + ".wal")
        self._seal = database.with_name(NAME)
        self._size = 0
        self._hasher = blake3()

    @property
    def log_bytes(self) -> int:
        """The size of the log, as it was noted last."""
        return self._size

    def set(self) -> None:
        """Seal the database's file, now that it is closed after a checkpoint."""
        self._size, self._hasher = 0, blake3()
        self._seal.write_text(f"{_digest(self._database)}\n", encoding="ascii")
        handle = os.open(self._seal, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def note(self) -> None:
        """Note what a transaction has added to the log."""
        with suppress(FileNotFoundError):
            size = self._log.stat().st_size
            if size < self._size:  # begun anew: what was noted of it does not count any more
                self.set()
            self._read(size)
            with self._seal.open("a", encoding="ascii") as file:
                file.write(f"{self._size} {self._hasher.hexdigest()}\n")

    def holds(self) -> bool:
        """Tell whether the database's file is the sealed one; cut off what of the log is not as it was noted."""
        try:
            text = self._seal.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return False
        sealed, *notes = text.removesuffix("\n").split("\n")
        if sealed != _digest(self._database):
            return False
        if self._log.exists():
            good = self._noted(notes)
            os.truncate(self._log, self._size)
            if len(good) < len(notes):
                self._seal.write_text("".join(f"{line}\n" for line in (sealed, *good)), encoding="ascii")
        return True

    def _noted(self, notes: list[str]) -> list[str]:
        """Read the log up to where it is as it was noted; return the notes that say so."""
        there = self._log.stat().st_size
        for place, note in enumerate(notes):
            size, _, digest = note.partition(" ")
            before = (self._size, self._hasher.copy())
            if size.isdecimal() and self._size <= int(size) <= there:
                self._read(int(size))
            if (str(self._size), self._hasher.hexdigest()) != (size, digest):
                self._size, self._hasher = before
                return notes[:place]
        return notes

    def _read(self, upto: int) -> None:
        """Take in the log up to a place."""
        if upto == self._size:
            return
        with self._log.open("rb") as file:
            file.seek(self._size)
            for start, end in pairwise([*range(self._size, upto, PIECE), upto]):
                self._hasher.update(file.read(end - start))
        self._size = upto


def _digest(file: Path) -> str:
    return blake3(max_threads=blake3.AUTO).update_mmap(file).hexdigest()
