"""Verification: everything is read again from the disk and checked, and every problem is named.

* Its own connection, so that nothing is answered from memory; one read transaction, so that it sees one state.
* Walked: the chain, the counts, every body, every payload that a body names. Then what the walk cannot see: payloads
  that no body names, lengths, the head, the purge log, unfinished purges, and SQLite's own check of tables and
  indexes.
* A head that was printed earlier is either contained or was cut off.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from muniment.digest import GENESIS, Digest
from muniment.errors import FieldError
from muniment.journal import database
from muniment.journal.chain import Unsound
from muniment.journal.names import StoredNames
from muniment.journal.payloads import unpack
from muniment.journal.port import Head, Problem, Verification
from muniment.journal.sound import Step, Walk, last_position

_HEAD = re.compile(r"(?:(?P<position>[0-9]{1,18}):)?(?P<hash>[0-9a-f]{64})\Z")
_MISSING_ROW = re.compile(r"row ([0-9]+) missing from index entry_")
_MOST_PROBLEMS = 1000


class ExpectedHead(NamedTuple):
    """A head that was printed earlier: `<position>:<hash>`, or the hash alone."""

    position: int | None
    hash: bytes

    def is_at(self, step: Step) -> bool:
        """Tell whether it stands at this position."""
        return step.row is not None and step.row.hash == self.hash and self.position in (None, step.position)


def parse_head(text: str) -> ExpectedHead:
    """Parse a head.

    Raises:
        FieldError: it has another form.
    """
    match = _HEAD.match(text.strip().lower())
    if match is None:
        raise FieldError("expected_head", f"expected <position>:<64 hexadecimal characters>, found {text!r}")
    position = match["position"]
    return ExpectedHead(int(position) if position else None, bytes.fromhex(match["hash"]))


def verify(folder: Path, expected_head: str | None, *, busy_seconds: float) -> Verification:
    """Check the whole journal of a folder; see the port."""
    expected = parse_head(expected_head) if expected_head else None
    with closing(database.connect(folder, busy_seconds=busy_seconds)) as connection:
        with database.translated(folder):
            connection.execute("BEGIN")
        return _Verifying(connection, expected).result()


class _Verifying:
    def __init__(self, connection: sqlite3.Connection, expected: ExpectedHead | None) -> None:
        self._connection = connection
        self._expected = expected
        self._found_expected = expected is None or (expected.hash == GENESIS and not expected.position)
        self._problems: list[Problem] = []
        self._left_out = 0
        self._entries = self._purged = self._last_good = 0
        self._last_hash = GENESIS
        self._walk = Walk(connection)

    def result(self) -> Verification:
        last = last_position(self._connection)
        for step in self._walk.steps(last):
            self._take(step)
        head = self._head(last)
        self._check_expected(last)
        for check in (self._unnamed_payloads, self._lengths, self._purge_log, self._sqlite_check):
            self._run(check())
        if self._left_out:
            self._problems.append(Problem(what=f"and {self._left_out} more problems"))
        return Verification(
            entries=self._entries,
            payloads=len(self._walk.payloads),
            purged=self._purged,
            head=head,
            last_good=self._last_good,
            problems=tuple(self._problems),
        )

    def _take(self, step: Step) -> None:
        for problem in step.problems:
            self._add(problem)
        if not step.problems:
            self._entries += 1
            self._last_good = step.position if self._last_good == step.position - 1 else self._last_good
            self._purged += step.entry is not None and step.entry.body is None
        if step.row is not None and isinstance(step.row.hash, bytes):
            self._last_hash = step.row.hash
        self._found_expected = self._found_expected or (self._expected is not None and self._expected.is_at(step))

    def _add(self, problem: Problem) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(problem)
        else:
            self._left_out += 1

    def _run(self, found: Iterator[Problem]) -> None:
        try:
            for problem in found:
                self._add(problem)
        except sqlite3.Error as error:
            self._add(Problem(what=f"a table cannot be read ({error})"))
        except Unsound as fault:
            self._add(Problem(what=fault.what))

    def _head(self, last: int) -> Head:
        try:
            row = self._connection.execute("SELECT position, hash, epoch, sweep, key, key_check FROM store").fetchone()
        except sqlite3.Error:
            row = None
        if row is None or [type(part) for part in row[:3]] != [int, bytes, int]:
            self._add(Problem(what="the journal does not say where it stands"))
            return Head(position=last, hash=self._last_hash, epoch=0)
        if row[0] != last or row[1] != self._last_hash:
            self._add(Problem(what=f"the head says position {row[0]}, the last entry is {last}, or another hash"))
        if row[3] != 0:
            self._add(
                Problem(what="a purge is not finished: erased bytes may still be in the files; open the store again")
            )
        if not isinstance(row[4], bytes) or database.key_check(row[4]) != row[5]:
            self._add(Problem(what="the store's key is not what was written"))
        return Head(position=row[0], hash=row[1], epoch=row[2])

    def _check_expected(self, last: int) -> None:
        if self._found_expected or self._expected is None:
            return
        wanted = f"{self._expected.position or '?'}:{self._expected.hash.hex()}"
        if self._expected.position is not None and self._expected.position > last:
            what = f"cut off: the head {wanted} was given out, the journal ends at position {last}"
        else:
            what = f"the head {wanted} is not in this journal: it was cut off, or it is another journal's"
        self._add(Problem(what=what, position=self._expected.position))

    def _unnamed_payloads(self) -> Iterator[Problem]:
        (most,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM payload").fetchone()
        (count,) = self._connection.execute("SELECT count(*) FROM payload NOT INDEXED").fetchone()
        if count == len(self._walk.payloads):
            return
        for number, raw in self._connection.execute(
            "SELECT id, digest FROM payload NOT INDEXED WHERE id <= ?", (most,)
        ):
            digest = Digest(raw.hex() if isinstance(raw, bytes) else str(raw))
            if digest not in self._walk.payloads and digest not in self._walk.broken:
                yield Problem(what=self._unnamed(number, digest), payload=digest)

    def _unnamed(self, number: int, digest: Digest) -> str:
        try:
            row = self._connection.execute("SELECT form, size, data FROM payload WHERE id = ?", (number,)).fetchone()
            unpack(digest, *row)
        except Unsound as fault:
            return fault.what
        return f"payload {digest} is named by no sound entry"

    def _lengths(self) -> Iterator[Problem]:
        names = StoredNames(self._connection)
        for number, entries, mission in names.missions():
            if entries != self._walk.missions.get(number, 0):
                yield Problem(what=f"mission {mission} is said to have {entries} entries, and has others")
            for stream, length, key in names.streams(number):
                if length != self._walk.streams.get(stream, 0):
                    yield Problem(what=f"stream {key.stream!r} of mission {mission} is said to have {length} entries")

    def _purge_log(self) -> Iterator[Problem]:
        query = (
            "SELECT purge.position FROM purge LEFT JOIN entry ON entry.position = purge.position"
            " WHERE entry.position IS NULL OR entry.body IS NOT NULL OR entry.salt IS NOT NULL"
        )
        for (position,) in self._connection.execute(query):
            yield Problem(what=f"the purge log names entry {position}, which is not purged", position=position)

    def _sqlite_check(self) -> Iterator[Problem]:
        for (line,) in self._connection.execute("PRAGMA integrity_check(100)"):
            text = line.decode("utf-8", "replace") if isinstance(line, bytes) else str(line)
            if text != "ok":
                match = _MISSING_ROW.search(text)
                yield Problem(what=f"SQLite: {text}", position=int(match[1]) if match else None)
