"""The journal's SQLite file: made, opened, closed; SQLite's errors in Muniment's words.

* WAL, `synchronous=FULL` (one fdatasync before a commit is acknowledged), `secure_delete`.
* A journal is made beside its place and then linked to it, so that a file under its name is always a whole one. Where
  the file is missing but files of a store are there, nothing is opened: a left-over WAL must never get into a new
  journal.
* Autocommit is left to SQLite (`isolation_level=None`); transactions are begun and ended in words.
* All SQL is fixed, so an error about the SQL itself means that the file's schema is damaged.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib import resources
from pathlib import Path

from muniment.digest import GENESIS, KEY_BYTES, digest_of
from muniment.errors import BusyError, DamageError, EvidenceError, JournalMissingError, StoreError

FILE_NAME = "journal.sqlite"
APPLICATION_ID = 0x4D554E49
SCHEMA_VERSION = 1

_SIDE_FILES = ("journal.sqlite-*", "fold.sqlite*", "projection*")
_NEW_FILE = "journal.sqlite.new"
_CHECKPOINT_PAGES = 4096
_CACHE_KIB = 16_384

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_OUTSIDE = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})


def remedy(folder: Path) -> str:
    """Return the sentence that says how to save what is sound."""
    return f"save what is sound with: muniment recover {folder} --to NEW"


def key_check(key: bytes) -> bytes:
    """Return what is kept beside the store's key, so that a changed key is noticed."""
    return bytes.fromhex(digest_of(b"muniment store key v1\n" + key))


def create(folder: Path, *, key: bytes | None = None) -> None:
    """Make an empty journal in `folder`, which is made too; nothing happens if another process was faster.

    Raises:
        JournalMissingError: there is no journal, but there are other files of a store.
        StoreError: the folder cannot be written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # sessions are nobody else's to read
        _refuse_side_files(folder)
        _make(folder, key or secrets.token_bytes(KEY_BYTES))
        _remove_second_links(folder)
    except OSError as error:
        raise StoreError(f"no journal can be made in {folder}: {error.strerror or error}") from error


def connect(folder: Path, *, busy_seconds: float) -> sqlite3.Connection:
    """Open the journal of `folder`. Column values come back as bytes, integers or None.

    Raises:
        StoreError: there is none, it is no journal of this version, or it cannot be opened.
        JournalMissingError: it is gone, but other files of the store are there.
        DamageError: it is no database any more.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        _refuse_side_files(folder)
        raise StoreError(
            f"there is no store in {folder}: name another, or make one (`muniment import PATH`; in Python create=True)"
        )
    with translated(folder):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=rw",
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _set_up(connection, folder)
        except (sqlite3.Error, EvidenceError):
            connection.close()
            raise
    return connection


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """Turn SQLite's errors into Muniment's. Damage found here names no position: the caller knows better."""
    try:
        yield
    except sqlite3.Error as error:
        raise _in_our_words(error, folder) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock; commit at the end, or roll back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """See one state of the journal, whatever others append meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def _refuse_side_files(folder: Path) -> None:
    left = sorted({found.name for pattern in _SIDE_FILES for found in folder.glob(pattern)})
    left = [name for name in left if not name.startswith(_NEW_FILE)]
    # Looked for last: another process may be making the journal at this moment.
    if left and not (folder / FILE_NAME).exists():
        raise JournalMissingError(
            f"the journal {folder / FILE_NAME} is gone, but {', '.join(left)} of the same store is there: put the "
            "journal back from a copy, or move these files away to begin a new store"
        )


def _make(folder: Path, key: bytes) -> None:
    if (folder / FILE_NAME).exists():
        return
    new = folder / f"{_NEW_FILE}-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with translated(folder), closing(sqlite3.connect(new, isolation_level=None)) as connection:
            schema = resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")
            connection.executescript(
                f"PRAGMA synchronous = FULL; BEGIN; PRAGMA application_id = {APPLICATION_ID};"
                f"PRAGMA user_version = {SCHEMA_VERSION}; {schema}"
            )
            connection.execute("INSERT INTO store VALUES (1, ?, ?, 0, ?, 0, 0)", (key, key_check(key), GENESIS))
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        try:
            os.link(new, folder / FILE_NAME)
        except FileExistsError:
            return
        _sync_folder(folder)
    finally:
        new.unlink(missing_ok=True)


def _remove_second_links(folder: Path) -> None:
    """Remove what a process left that was killed right after it had put the journal in its place."""
    for left in folder.glob(f"{_NEW_FILE}-*"):
        with suppress(FileNotFoundError):
            if left.samefile(folder / FILE_NAME):
                left.unlink()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_up(connection: sqlite3.Connection, folder: Path) -> None:
    connection.text_factory = bytes
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise DamageError(
            f"{folder / FILE_NAME} is no journal of Muniment, or its first page is damaged", 0, remedy(folder)
        )
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{folder / FILE_NAME} has version {version}, this Muniment reads version"
            f" {SCHEMA_VERSION}: use a matching one"
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")


def _in_our_words(error: sqlite3.Error, folder: Path) -> EvidenceError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreError(f"the journal in {folder} cannot be used any more: {error}")
    primary = code & 0xFF
    if primary in _BUSY:
        return BusyError(f"another process holds the journal in {folder}; nothing was written, try again")
    if primary == sqlite3.SQLITE_FULL:
        return StoreError(f"the disk of {folder} is full; nothing was written")
    if primary == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        return StoreError(f"a text is too big for the journal ({error}); nothing was written")
    if primary in _OUTSIDE and code != sqlite3.SQLITE_IOERR_SHORT_READ:
        return StoreError(f"the journal in {folder} cannot be read or written: {error}")
    return DamageError(f"the journal in {folder} is damaged ({error})", 0, remedy(folder))
