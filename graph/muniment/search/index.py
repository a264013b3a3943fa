"""The index file of text search, `search.sqlite`: beside the journal, fed from the fold, disposable like a saved fold.

* It belongs to one journal, one derivation version and one purge epoch; under any other basis it is deleted and begun
  anew. Damage does the same. A purge deletes it before and after it erases: no byte of what was purged stays.
* A mission is brought up to date in one transaction. What running children did is not settled: it is taken anew each
  time. A mission that was folded anew (see `missions.Settled`) is begun anew here too.
* Before a transaction ends, the journal's epoch is looked at once more: texts of before a purge are never written
  into a file that was made behind it.
* Several processes may read and write; one that waits too long for another gets `BusyError`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path

import msgspec

from muniment.missions import Settled
from muniment.model.packing import escaped, restored
from muniment.search.documents import Document
from muniment.search.hits import Hit, Question
from muniment.search.storage import Packing, connected, use_wal
from muniment.search.wording import CLOSE, ELLIPSIS, OPEN, line_of, snippet_of

SCHEMA = files("muniment.search").joinpath("schema.sql").read_text(encoding="utf-8")

GATHERED_BYTES = 16 << 20
"""Bytes of words that are gathered in memory before they are written; a bigger number is faster up to about here."""
SNIPPET_WORDS = 24
TITLE_WEIGHT = 4.0
TITLE_CHARACTERS = 200
SCORE_DIGITS = 6


class StaleError(Exception):
    """The file is of another basis, or became so meanwhile: it must be begun anew."""


class Basis(msgspec.Struct, frozen=True):
    """What an index is made from: it counts only for this."""

    tag: str
    epoch: int


class Found(msgspec.Struct, frozen=True):
    """A document that matches; `number` is its mission's place in the file."""

    number: int
    document: int
    hit: Hit


class SearchIndex:
    """An open index file.

    All methods raise one of `DAMAGE` or `StaleError` where the file cannot be used; see also `busy_told`.
    """

    def __init__(self, folder: Path, basis: Basis) -> None:
        self._packing = Packing()
        self._connection = connected(folder, self._packing)
        try:
            self._begin(basis)
        except (sqlite3.Error, StaleError):
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def position(self, mission: str) -> int:
        """Return the position up to which entries of a mission were looked at; 0 where none were."""
        row = self._connection.execute("SELECT position FROM mission WHERE id = ?", (mission,)).fetchone()
        return 0 if row is None else int(row[0])

    def forget(self, mission: str) -> None:
        """Drop what is known of a mission."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            row = self._connection.execute("SELECT number FROM mission WHERE id = ?", (mission,)).fetchone()
            if row is not None:
                self._drop(row[0], -1)
                self._connection.execute("DELETE FROM mission WHERE number = ?", row)
                self._connection.execute("DELETE FROM ended WHERE mission = ?", row)

    def take(
        self,
        mission: str,
        settled: Settled,
        words: Callable[[int], tuple[Iterable[Document], dict[str, str]]],
        epoch: Callable[[], int],
    ) -> None:
        """Bring a mission up to `settled`. `words(after)` gives the documents that are newer, and what has ended."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            number, position, after = self._place(mission, settled)
            if position >= settled.position:
                return
            self._drop(number, after)
            found, ended = words(after)
            for document in found:
                self._put(number, document)
            self._connection.execute("DELETE FROM ended WHERE mission = ?", (number,))
            rows = [(number, node, state) for node, state in ended.items()]
            self._connection.executemany("INSERT INTO ended VALUES (?, ?, ?)", rows)
            marks = msgspec.msgpack.encode(sorted(map(escaped, settled.marks)))
            row = (settled.position, settled.ordinal, marks, number)
            self._connection.execute("UPDATE mission SET position = ?, ordinal = ?, marks = ? WHERE number = ?", row)
            basis = self._basis()
            if basis is None or basis.epoch != epoch():
                raise StaleError

    def search(self, mission: str, match: str, question: Question) -> list[Found]:
        """Return the best hits of a mission for an FTS5 expression, best first, without their snippets."""
        row = self._connection.execute("SELECT number FROM mission WHERE id = ?", (mission,)).fetchone()
        if row is None:
            return []
        kinds = sorted(question.kinds)
        among = f"AND d.kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        standing = "" if question.history else "AND e.state IS NULL"
        table = f"words_{int(row[0])}"
        rows = self._connection.execute(
            f"""SELECT d.id, d.node, d.handle, d.kind, d.record, d.ordinal, e.state,
              round(-bm25({table}, {TITLE_WEIGHT}, 1.0), {SCORE_DIGITS}) AS score
            FROM {table} JOIN document d ON d.id = {table}.rowid
              LEFT JOIN ended e ON e.mission = d.mission AND e.node = d.node
            WHERE {table} MATCH ? {among} {standing} ORDER BY score DESC, d.ordinal DESC, d.node LIMIT ?""",  # noqa: S608
            (match, *kinds, question.limit),
        ).fetchall()
        return [Found(row[0], found[0], _hit(mission, found)) for found in rows]

    def shown(self, found: Found, match: str) -> Hit:
        """Return a hit with its title, snippet and line."""
        title, body, inside = self._marked(found, match, 1)
        where = inside if OPEN in inside else self._marked(found, match, 0)[2]
        return msgspec.structs.replace(
            found.hit,
            title=" ".join(title[:TITLE_CHARACTERS].split()),
            snippet=snippet_of(where),
            line=line_of(inside, body) if OPEN in inside else None,
        )

    def _marked(self, found: Found, match: str, column: int) -> tuple[str, str, str]:
        """Return the title and body of a hit, and the best place of its title (0) or body (1), matches marked."""
        table = f"words_{found.number}"
        row = self._connection.execute(
            f"SELECT title, body, snippet({table}, {column}, ?, ?, ?, ?) FROM {table}"  # noqa: S608
            f" WHERE {table} MATCH ? AND rowid = ?",
            (OPEN, CLOSE, ELLIPSIS, SNIPPET_WORDS, match, found.document),
        ).fetchone()
        return ("", "", "") if row is None else row

    def _begin(self, basis: Basis) -> None:
        use_wal(self._connection)
        # A table that is missing beside others is damage, and is not to be made here.
        if self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            self._connection.executescript(SCHEMA)
        if self._basis() is None:
            made = "INSERT INTO basis SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM basis)"
            self._connection.execute(made, (basis.tag, basis.epoch))
        if self._basis() != basis:
            raise StaleError

    def _basis(self) -> Basis | None:
        row = self._connection.execute("SELECT tag, epoch FROM basis").fetchone()
        return None if row is None else Basis(*row)

    def _place(self, mission: str, settled: Settled) -> tuple[int, int, int]:
        """Return a mission's number, the position up to which it is known and the ordinal up to which that stands."""
        select = "SELECT number, position, ordinal, marks FROM mission WHERE id = ?"
        row = self._connection.execute(select, (mission,)).fetchone()
        if row is None:
            self._connection.execute(
                "INSERT INTO mission (id, position, ordinal, marks) VALUES (?, 0, -1, X'')", (mission,)
            )
            row = self._connection.execute(select, (mission,)).fetchone()
            return int(row[0]), 0, -1
        number, position, ordinal, marks = row
        known = msgspec.msgpack.decode(marks, type=list[str])
        same = settled.marks.issuperset(map(restored, known)) and ordinal <= settled.ordinal
        return (number, position, ordinal) if same else (number, 0, -1)

    def _drop(self, number: int, after: int) -> None:
        """Drop the documents of a mission that are newer than ordinal `after`; all of them where it is below 0."""
        table = f"words_{number}"
        if after < 0:
            self._connection.execute(f"DROP TABLE IF EXISTS {table}")
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5 (title, body, content = 'words', content_rowid = 'id',"
                " tokenize = 'unicode61 remove_diacritics 2')"
            )
            self._connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', ?)", (GATHERED_BYTES,))  # noqa: S608
            of_mission = "FROM document WHERE mission = ?"
            self._connection.execute(f"DELETE FROM text WHERE id IN (SELECT id {of_mission})", (number,))  # noqa: S608
            self._connection.execute(f"DELETE {of_mission}", (number,))
        else:
            rows = self._connection.execute(
                "SELECT id FROM document WHERE mission = ? AND ordinal > ?", (number, after)
            ).fetchall()
            for (document,) in rows:
                self._take_out(table, document)

    def _put(self, number: int, document: Document) -> None:
        table = f"words_{number}"
        known = self._connection.execute(
            "SELECT id FROM document WHERE mission = ? AND node = ?", (number, document.id)
        ).fetchone()
        if known is not None:
            self._take_out(table, known[0])
        record = escaped(document.record)  # a source's own id may hold what SQLite does not take
        row = (number, document.id, document.handle, document.kind, record, document.ordinal)
        added = self._connection.execute(
            "INSERT INTO document (mission, node, handle, kind, record, ordinal) VALUES (?, ?, ?, ?, ?, ?)", row
        )
        packed = (added.lastrowid, self._packing.pack(document.title), self._packing.pack(document.body))
        self._connection.execute("INSERT INTO text VALUES (?, ?, ?)", packed)
        self._connection.execute(
            f"INSERT INTO {table} (rowid, title, body) VALUES (?, ?, ?)",  # noqa: S608
            (added.lastrowid, document.title, document.body),
        )

    def _take_out(self, table: str, document: int) -> None:
        self._connection.execute(
            f"INSERT INTO {table} ({table}, rowid, title, body)"  # noqa: S608
            " SELECT 'delete', id, title, body FROM words WHERE id = ?",
            (document,),
        )
        self._connection.execute("DELETE FROM text WHERE id = ?", (document,))
        self._connection.execute("DELETE FROM document WHERE id = ?", (document,))


def _hit(mission: str, row: tuple[object, ...]) -> Hit:
    _, node, handle, kind, record, ordinal, state, score = row
    return msgspec.convert(
        {
            "id": node,
            "handle": handle,
            "kind": kind,
            "record": restored(str(record)),
            "mission": mission,
            "ordinal": ordinal,
            "score": score,
            "title": "",
            "snippet": "",
            "state": state or "",
        },
        Hit,
    )
