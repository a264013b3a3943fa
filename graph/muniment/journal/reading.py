"""Reading: entries in order, in batches, each checked.

* Three runs of entries exist: the whole journal by position, a mission by number, a stream by place. Each counts from 1
  without a gap, and its length is stored apart, so that an index which hides rows is noticed.
* Nothing is held between two batches: a slow reader stops nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from muniment.digest import GENESIS
from muniment.journal.chain import COLUMNS, FROM, Names, Row, Unsound, checked
from muniment.journal.port import StreamKey
from muniment.model.entries import Entry

BATCH = 128

_JOURNAL = ("e.position", "? IS NOT NULL")
_MISSION = ("e.number", "e.mission = ?")
_STREAM = ("e.place", "e.stream = ?")


class Run(NamedTuple):
    """A gapless run of entries. `column` counts it, `entries` is its length; `mission` and `stream` say whose it is."""

    column: str
    owned: str
    owner: int
    entries: int
    mission: str | None
    stream: StreamKey | None


def whole_run(entries: int) -> Run:
    """Return the run of all entries."""
    return Run(*_JOURNAL, 0, entries, None, None)


def mission_run(number: int, entries: int, mission: str) -> Run:
    """Return the run of a mission's entries."""
    return Run(*_MISSION, number, entries, mission, None)


def stream_run(number: int, entries: int, mission: str, key: StreamKey) -> Run:
    """Return the run of a stream's entries."""
    return Run(*_STREAM, number, entries, mission, key)


def length_upto(connection: sqlite3.Connection, run: Run, position: int | None) -> int:
    """Return how many entries of a run have a position up to `position` (None: all).

    Raises:
        Unsound: an entry of the run is hidden.
    """
    if position is None:
        return run.entries
    low, high = 0, run.entries
    while low < high:
        middle = (low + high + 1) // 2
        if position_of(connection, run, middle) <= position:
            low = middle
        else:
            high = middle - 1
    return low


def position_of(connection: sqlite3.Connection, run: Run, count: int) -> int:
    """Return the position of an entry of a run, by its count.

    Raises:
        Unsound: it is hidden.
    """
    row = connection.execute(
        f"SELECT e.position FROM entry AS e WHERE {run.owned} AND {run.column} = ?",  # noqa: S608
        (run.owner, count),
    ).fetchone()
    if row is None:
        raise Unsound(f"an entry is hidden: there is no {run.column[2:]} {count} of {run.entries}")
    return int(row[0])


def batches(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the counts from `first` to `last` in pieces."""
    for start in range(first, last + 1, BATCH):
        yield start, min(start + BATCH - 1, last)


def batch(connection: sqlite3.Connection, run: Run, span: tuple[int, int], names: Names) -> list[Entry]:
    """Return the entries of a run whose counts lie in `span`, both ends included.

    Raises:
        Unsound: one is missing or not what was written.
    """
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM {FROM} WHERE {run.owned} AND {run.column} BETWEEN ? AND ? ORDER BY {run.column}",  # noqa: S608
        (run.owner, *span),
    ).fetchall()
    entries = [checked(Row(*row), names, GENESIS) for row in rows]
    counts = [_count(run, Row(*row)) for row in rows]
    if counts != list(range(span[0], span[1] + 1)):
        raise Unsound(f"entries are hidden among {run.column[2:]} {span[0]} to {span[1]}")
    for entry in entries:
        _check_owner(run, entry)
    return entries


def row_at(connection: sqlite3.Connection, position: int) -> Row | None:
    """Return the stored row at a position, unchecked and found without any index, or None."""
    row = connection.execute(f"SELECT {COLUMNS} FROM {FROM} WHERE e.position = ?", (position,)).fetchone()  # noqa: S608
    return None if row is None else Row(*row)


def _count(run: Run, row: Row) -> int:
    if run.mission is None:
        return row.position
    return row.number if run.stream is None else row.place


def _check_owner(run: Run, entry: Entry) -> None:
    if run.mission is not None and entry.mission != run.mission:
        raise Unsound(f"entry {entry.position} stands under another mission", entry.position)
    if run.stream is not None and StreamKey(entry.session, entry.stream) != run.stream:
        raise Unsound(f"entry {entry.position} stands under another stream", entry.position)
