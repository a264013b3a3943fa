"""Purging: bodies are erased, the chain stays, and no byte of them is left in a file of the journal.

* First, readers and writers must be out of the way (the WAL can be emptied); else nothing is changed. Then one
  transaction erases bodies, salts and payloads that nothing else names, notes it, and raises the epoch.
* Then the file is swept: rewritten without free space (SQLite leaves old copies of rows in pages that it split), and
  the WAL is emptied. A mark in the journal says that this is still to be done; who opens the journal next does it if
  this process could not.
* Commitments are salted and the salt is erased too, so what was purged cannot even be guessed and compared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muniment.digest import Digest
from muniment.errors import BusyError, UnknownIdError
from muniment.journal.database import transaction
from muniment.journal.port import PurgeReport
from muniment.payload_markers import MARKER_START, marked_in, text_bytes


class Reason(NamedTuple):
    """Why and when something is purged; kept in the purge log."""

    why: str
    recorded_at: str


def purge(connection: sqlite3.Connection, positions: Sequence[int], reason: Reason, *, everywhere: bool) -> PurgeReport:
    """Erase bodies; see the port. How long to wait for others is the connection's own busy time."""
    if not _empty_wal(connection):
        raise BusyError("another process is reading or writing the journal; nothing was erased, try again")
    with transaction(connection):
        report = _erase(connection, sorted(set(positions)), reason, everywhere)
    if not sweep(connection):
        raise BusyError(
            "the text is erased from every answer, but another process reads an older state of the journal, so its"
            " bytes are still in the files: end that process, then open the store or purge again to finish"
        )
    return report


def sweep(connection: sqlite3.Connection) -> bool:
    """Finish a purge, if one is to be finished; tell whether none is left to be finished."""
    (pending,) = connection.execute("SELECT sweep FROM store").fetchone()
    if not pending:
        return True
    try:
        # The first one is cheap and shows whether somebody is in the way; a rewritten file would be of no use then.
        if not _empty_wal(connection):
            return False
        connection.execute("VACUUM")
        if not _empty_wal(connection):
            return False
        connection.execute("UPDATE store SET sweep = 0")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        return False
    return True


def _empty_wal(connection: sqlite3.Connection) -> bool:
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _erase(connection: sqlite3.Connection, positions: list[int], reason: Reason, everywhere: bool) -> PurgeReport:
    bodies = {position: _body(connection, position) for position in positions}
    gone, sharing = _shared(connection, bodies)
    if everywhere:
        bodies |= sharing
        gone, sharing = _shared(connection, bodies)
    purged = sorted(position for position, body in bodies.items() if body is not None)
    dropped = gone - _named(sharing)
    if purged:
        connection.execute("UPDATE store SET epoch = epoch + 1, sweep = 1")
    (epoch,) = connection.execute("SELECT epoch FROM store").fetchone()
    connection.executemany("UPDATE entry SET body = NULL, salt = NULL WHERE position = ?", [(one,) for one in purged])
    connection.executemany(
        "INSERT INTO purge (position, epoch, recorded_at, why) VALUES (?, ?, ?, ?)",
        [(position, epoch, text_bytes(reason.recorded_at), text_bytes(reason.why)) for position in purged],
    )
    connection.executemany("DELETE FROM payload WHERE digest = ?", [(bytes.fromhex(one),) for one in sorted(dropped)])
    return PurgeReport(
        purged=tuple(purged),
        before=tuple(sorted(bodies.keys() - set(purged))),
        shared=() if everywhere else tuple(sorted(sharing)),
        payloads=len(dropped),
        epoch=epoch,
    )


def _body(connection: sqlite3.Connection, position: int) -> bytes | None:
    row = connection.execute("SELECT body FROM entry WHERE position = ?", (position,)).fetchone()
    if row is None:
        raise UnknownIdError(str(position), "it is no position of this journal; nothing was erased")
    body: bytes | None = row[0]
    return body


def _shared(
    connection: sqlite3.Connection, bodies: Mapping[int, bytes | None]
) -> tuple[set[Digest], dict[int, bytes | None]]:
    """Return the payloads that these bodies name, and the other bodies that name one of them."""
    gone = _named(bodies)
    if not gone:
        return gone, {}
    others = connection.execute("SELECT position, body FROM entry NOT INDEXED WHERE instr(body, ?)", (MARKER_START,))
    return gone, {
        position: body for position, body in others if position not in bodies and not gone.isdisjoint(marked_in(body))
    }


def _named(bodies: Mapping[int, bytes | None]) -> set[Digest]:
    return {digest for body in bodies.values() if body is not None for digest in marked_in(body)}
