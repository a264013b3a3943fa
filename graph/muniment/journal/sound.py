"""How far a journal is sound: walks from the first entry on, trusting no index, and never stops at an error of SQLite.

* Each position is looked up by itself, so that one torn page costs no more than the entries on it.
* An entry is sound if it fits into the chain, continues the count of its mission and stream, and every payload that
  its body names is there and is what was written.
* How far to walk is bounded by the size of the file, since a damaged number may say anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from muniment.digest import GENESIS, Digest
from muniment.journal.chain import Row, Unsound, checked
from muniment.journal.names import StoredNames
from muniment.journal.payloads import load
from muniment.journal.port import Problem
from muniment.journal.reading import row_at
from muniment.model.entries import Entry
from muniment.payload_markers import marked_in

_LEAST_ENTRY_BYTES = 64


class Step(NamedTuple):
    """What stands at one position. `entry` is None where it cannot be read, and sound where there are no problems."""

    position: int
    row: Row | None
    entry: Entry | None
    problems: tuple[Problem, ...]


class Walk:
    """A walk over all positions of one journal file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names = StoredNames(connection).lookups()
        self.missions: dict[int, int] = {}
        self.streams: dict[int, int] = {}
        self.payloads: set[Digest] = set()
        """The payloads that were met and are sound."""
        self.broken: set[Digest] = set()
        """The payloads that were met and are not."""

    def steps(self, last: int) -> Iterator[Step]:
        """Yield what stands at each position from 1 to `last`."""
        for position in range(1, last + 1):
            yield self._step(position)

    def _step(self, position: int) -> Step:
        try:
            row = row_at(self._connection, position)
            if row is None:
                return _broken(position, f"entry {position} is gone")
            problems = self._uncounted(row)
            entry = checked(row, self._names, GENESIS)
        except Unsound as fault:
            return _broken(position, fault.what)
        except sqlite3.Error as error:
            return _broken(position, f"entry {position} cannot be read ({error})")
        return Step(position, row, entry, tuple(problems + self._payload_problems(row)))

    def _uncounted(self, row: Row) -> list[Problem]:
        """Count an entry before it is checked, so that an unsound one does not make its successors look unsound."""
        if {type(row.number), type(row.place)} != {int}:
            raise Unsound(f"entry {row.position} is not counted", row.position)
        number, place = self.missions.get(row.mission, 0) + 1, self.streams.get(row.stream, 0) + 1
        self.missions[row.mission], self.streams[row.stream] = row.number, row.place
        if (row.number, row.place) == (number, place):
            return []
        found = f"{row.number} and {row.place}, expected {number} and {place}"
        what = f"entry {row.position} does not continue the count of its mission and stream (found {found})"
        return [Problem(what=what, position=row.position)]

    def _payload_problems(self, row: Row) -> list[Problem]:
        problems = []
        for digest in marked_in(row.body) if row.body is not None else ():
            what = self._payload_problem(digest)
            if what is not None:
                self.broken.add(digest)
                problems.append(Problem(what=what, position=row.position, payload=digest))
        return problems

    def _payload_problem(self, digest: Digest) -> str | None:
        if digest in self.payloads:
            return None
        try:
            if load(self._connection, digest) is None:
                return f"payload {digest} is gone"
        except Unsound as fault:
            return fault.what
        except sqlite3.Error as error:
            return f"payload {digest} cannot be read ({error})"
        self.payloads.add(digest)
        return None


def last_position(connection: sqlite3.Connection) -> int:
    """Return how far to walk: the greatest position that head or entries tell of, within what the file could hold."""
    told = [_number(connection, "SELECT position FROM store"), _number(connection, "SELECT max(position) FROM entry")]
    pages = _number(connection, "PRAGMA page_count") * _number(connection, "PRAGMA page_size")
    return min(max(told), pages // _LEAST_ENTRY_BYTES)


def sound_prefix(connection: sqlite3.Connection) -> int:
    """Return the newest position up to which entries and payloads are sound."""
    good = 0
    for step in Walk(connection).steps(last_position(connection)):
        if step.problems:
            break
        good = step.position
    return good


def _broken(position: int, what: str) -> Step:
    return Step(position, None, None, (Problem(what=what, position=position),))


def _number(connection: sqlite3.Connection, query: str) -> int:
    try:
        row = connection.execute(query).fetchone()
    except sqlite3.Error:
        return 0
    return row[0] if row is not None and isinstance(row[0], int) else 0
