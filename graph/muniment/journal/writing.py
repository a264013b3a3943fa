"""Writing: how one append becomes rows, inside its transaction.

* Positions, numbers and places continue the counts that are stored; counts and head are written once, at the end.
* Names are looked up, or made, once per append.
"""

from __future__ import annotations

import os
import sqlite3
from typing import NamedTuple

from muniment import canonical
from muniment.digest import SALT_BYTES, Digest, commitment
from muniment.errors import FieldError
from muniment.journal.chain import chained
from muniment.journal.port import Head, Placed, StreamKey
from muniment.model.entries import Draft, Entry
from muniment.payload_markers import marked_in, text_bytes

_INSERT = (
    "INSERT INTO entry (position, mission, number, session, stream, place, source_id, project, actor, format,"
    " recorded_at, commitment, hash, salt, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Table(NamedTuple):
    """How a row is found by its text, and made."""

    look_up: str
    insert: str


_NAME = Table("SELECT id FROM name WHERE text = ?", "INSERT INTO name (text) VALUES (?)")
_MISSION = Table("SELECT id FROM mission WHERE text = ?", "INSERT INTO mission (text, entries) VALUES (?, 0)")
_SESSION = Table(
    "SELECT id FROM session WHERE mission = ? AND text = ?", "INSERT INTO session (mission, text) VALUES (?, ?)"
)
_STREAM = Table(
    "SELECT id FROM stream WHERE session = ? AND text = ?",
    "INSERT INTO stream (session, text, entries) VALUES (?, ?, 0)",
)


class Prepared(NamedTuple):
    """A draft with the bytes of its body and the payloads that it names."""

    draft: Draft
    body: bytes
    salt: bytes
    commitment: bytes
    named: list[Digest]


def prepare(draft: Draft) -> Prepared:
    """Encode a draft's body.

    Raises:
        FieldError: the body is no JSON object.
    """
    try:
        body = canonical.encode(draft.body)
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldError("body", str(error)) from error
    salt = os.urandom(SALT_BYTES)
    return Prepared(draft, body, salt, commitment(salt, body), marked_in(body))


class Counter:
    """The number of a mission or stream, and how many entries it has by now."""

    def __init__(self, number: int, entries: int) -> None:
        self.number = number
        self.entries = entries


class Writing:
    """One append inside its transaction."""

    def __init__(self, connection: sqlite3.Connection, head: Head, recorded_at: str) -> None:
        self._connection = connection
        self.head = head
        self._recorded_at = recorded_at
        self._put: dict[tuple[str, str, str], Placed] = {}
        self._words: dict[str, int] = {}
        self._missions: dict[str, Counter] = {}
        self._sessions: dict[tuple[str, str], int] = {}
        self._streams: dict[tuple[str, StreamKey], Counter] = {}

    def put(self, item: Prepared, there: Placed | None) -> Placed:
        """Store one entry behind the head, unless its source id is there already, or came earlier in this append."""
        draft = item.draft
        key = (draft.mission, draft.session, draft.source_id)
        there = there or self._put.get(key)
        if there is None:
            there = self._add(item)
            self._put[key] = Placed(position=there.position, number=there.number, new=False)
        return there

    def _add(self, item: Prepared) -> Placed:
        draft = item.draft
        mission = self._mission(draft.mission)
        session = self._session(draft.mission, draft.session)
        stream = self._stream(draft.mission, StreamKey(draft.session, draft.stream))
        mission.entries += 1
        stream.entries += 1
        entry = self._entry(draft, mission.entries)
        linked = chained(entry, self.head.hash, item.commitment)
        self._connection.execute(
            _INSERT,
            (
                entry.position,
                mission.number,
                entry.number,
                session,
                stream.number,
                stream.entries,
                text_bytes(draft.source_id),
                self._word(draft.project),
                self._word(draft.actor),
                self._word(draft.format),
                text_bytes(self._recorded_at),
                item.commitment,
                linked,
                item.salt,
                item.body,
            ),
        )
        self.head = Head(position=entry.position, hash=linked, epoch=self.head.epoch)
        return Placed(position=entry.position, number=entry.number, new=True)

    def finish(self) -> None:
        """Write the counters and the head."""
        self._connection.executemany(
            "UPDATE mission SET entries = ? WHERE id = ?", [(c.entries, c.number) for c in self._missions.values()]
        )
        self._connection.executemany(
            "UPDATE stream SET entries = ? WHERE id = ?", [(c.entries, c.number) for c in self._streams.values()]
        )
        self._connection.execute("UPDATE store SET position = ?, hash = ?", (self.head.position, self.head.hash))

    def _entry(self, draft: Draft, number: int) -> Entry:
        return Entry(
            position=self.head.position + 1,
            number=number,
            mission=draft.mission,
            project=draft.project,
            session=draft.session,
            stream=draft.stream,
            source_id=draft.source_id,
            actor=draft.actor,
            recorded_at=self._recorded_at,
            format=draft.format,
            body=None,
            hash=b"",
        )

    def _word(self, text: str) -> int:
        number = self._words.get(text)
        if number is None:
            number = self._words[text] = self._number(_NAME, text_bytes(text))
        return number

    def _mission(self, text: str) -> Counter:
        counter = self._missions.get(text)
        if counter is None:
            number = self._number(_MISSION, text_bytes(text))
            counter = self._missions[text] = self._counter("SELECT entries FROM mission WHERE id = ?", number)
        return counter

    def _session(self, mission: str, text: str) -> int:
        number = self._sessions.get((mission, text))
        if number is None:
            number = self._number(_SESSION, self._mission(mission).number, text_bytes(text))
            self._sessions[mission, text] = number
        return number

    def _stream(self, mission: str, key: StreamKey) -> Counter:
        counter = self._streams.get((mission, key))
        if counter is None:
            number = self._number(_STREAM, self._session(mission, key.session), text_bytes(key.stream))
            counter = self._counter("SELECT entries FROM stream WHERE id = ?", number)
            self._streams[mission, key] = counter
        return counter

    def _number(self, table: Table, *values: object) -> int:
        row = self._connection.execute(table.look_up, values).fetchone()
        if row is not None:
            return int(row[0])
        return int(self._connection.execute(table.insert, values).lastrowid or 0)

    def _counter(self, query: str, number: int) -> Counter:
        return Counter(number, int(self._connection.execute(query, (number,)).fetchone()[0]))
