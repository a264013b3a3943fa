"""The file of the text search's index: its connection, how texts are kept in it, and how it is deleted."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import zstandard

from muniment.errors import BusyError

FILE_NAME = "search.sqlite"
_SUFFIXES = ("", "-journal", "-wal", "-shm")

BUSY_SECONDS = 30.0
RETRY_SECONDS = 0.01
CACHE_KIB = 32 * 1024
PLAIN_BYTES = 200
"""Bytes up to which a text is not worth compressing."""
_PLAIN, _COMPRESSED = b"p", b"z"
_HELD = "another process is writing the index of the text search; try again"

DAMAGE = (sqlite3.DatabaseError, msgspec.MsgspecError, zstandard.ZstdError, UnicodeDecodeError)
"""What a damaged file shows itself by."""


class Packing:
    """Texts as they are kept: a long one compressed, with a checksum. Belongs to one connection."""

    def __init__(self) -> None:
        self._compress = zstandard.ZstdCompressor(level=1, write_checksum=True).compress
        self._decompress = zstandard.ZstdDecompressor().decompress

    def pack(self, text: str) -> bytes:
        """Return the bytes of a text."""
        data = text.encode()
        return _COMPRESSED + self._compress(data) if len(data) > PLAIN_BYTES else _PLAIN + data

    def unpack(self, data: bytes) -> str:
        """Return the text of packed bytes."""
        if data[:1] not in (_PLAIN, _COMPRESSED):
            raise LookupError("no text is kept so")  # SQLite makes an error of its own of it
        return (data[1:] if data[:1] == _PLAIN else self._decompress(data[1:])).decode()


def set_aside(folder: Path) -> None:
    """Delete the index file of a store: a purge asks for it, and damage does."""
    for suffix in _SUFFIXES:
        (folder / f"{FILE_NAME}{suffix}").unlink(missing_ok=True)


@contextmanager
def busy_told() -> Iterator[None]:
    """Tell by `BusyError` that another process held the index too long."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise BusyError(_HELD) from None
        raise


def connected(folder: Path, packing: Packing) -> sqlite3.Connection:
    """Open the index file of a store, which may be empty."""
    connection = sqlite3.connect(
        folder / FILE_NAME, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.create_function("unpacked", 1, packing.unpack, deterministic=True)
    connection.execute("PRAGMA trusted_schema = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


def use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer go on at once. SQLite does not wait here for others who do the same: this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _is_busy(error: sqlite3.OperationalError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)  # errors that are not of SQLite itself have none
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
