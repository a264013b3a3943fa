"""Appending: from drafts to rows, in one transaction.

* What costs time (encoding, packing) is done before the write lock is taken; what depends on the order (positions,
  numbers, the chain, whether a source id is there already) is done under it.
* A payload is stored only if an entry stored now names it, so that a second arrival of a purged entry brings nothing
  back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import zstandard

from muniment import canonical
from muniment.digest import SALT_BYTES, Digest, commitment, digest_of
from muniment.errors import ConflictError, FieldError
from muniment.journal import payloads as stored_payloads
from muniment.journal.chain import Unsound, chained
from muniment.journal.database import transaction
from muniment.journal.payloads import Packed
from muniment.journal.port import Appended, Head, Placed, StreamKey
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


class PayloadSource:
    """The payloads that came with an append."""

    def __init__(self, given: Mapping[Digest, bytes], compressor: zstandard.ZstdCompressor) -> None:
        self._given = given
        self._compressor = compressor

    def missing(self, connection: sqlite3.Connection, items: Sequence[Prepared | None]) -> dict[Digest, Packed]:
        """Pack those payloads that the items name and the file does not hold yet.

        Raises:
            FieldError: a payload does not have the digest that it is given under, or a body names one that is nowhere.
        """
        named = dict.fromkeys(digest for item in items if item is not None for digest in item.named)
        return {
            digest: stored_payloads.pack(digest, self._bytes(digest), self._compressor)
            for digest in named
            if not stored_payloads.is_stored(connection, digest)
        }

    def _bytes(self, digest: Digest) -> bytes:
        data = self._given.get(digest)
        if data is None:
            raise FieldError("payloads", f"a body names the payload {digest}, which is neither given nor stored")
        if digest_of(data) != digest:
            raise FieldError("payloads", f"the bytes given as {digest} have another digest")
        return data


def known(connection: sqlite3.Connection, draft: Draft) -> Placed | None:
    """Return where a draft's source id is already, or None."""
    row = connection.execute(
        "SELECT entry.position, entry.number FROM mission JOIN session ON session.mission = mission.id"
        " JOIN entry ON entry.session = session.id"
        " WHERE mission.text = ? AND session.text = ? AND entry.source_id = ?",
        (text_bytes(draft.mission), text_bytes(draft.session), text_bytes(draft.source_id)),
    ).fetchone()
    return None if row is None else Placed(position=row[0], number=row[1], new=False)


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
        self._words: dict[str, int] = {}
        self._missions: dict[str, Counter] = {}
        self._sessions: dict[tuple[str, str], int] = {}
        self._streams: dict[tuple[str, StreamKey], Counter] = {}

    def add(self, item: Prepared) -> Placed:
        """Store one entry behind the head."""
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


def append(
    connection: sqlite3.Connection,
    drafts: Sequence[Draft],
    recorded_at: str,
    expected: int | None,
    source: PayloadSource,
) -> Appended:
    """Store drafts and the payloads that they name; see the port."""
    before = read_head(connection)
    _check_expected(expected, before)
    found = [known(connection, draft) for draft in drafts]
    if all(found):
        return _summed([placed for placed in found if placed], before)
    prepared = [None if there else prepare(draft) for draft, there in zip(drafts, found, strict=True)]
    packed = source.missing(connection, prepared)
    with transaction(connection):
        head = read_head(connection)
        _check_expected(expected, head)
        if head.epoch != before.epoch:
            packed = source.missing(connection, prepared)
        writing = Writing(connection, head, recorded_at)
        placed = [
            (known(connection, item.draft) or writing.add(item)) if item is not None else there
            for item, there in zip(prepared, found, strict=True)
        ]
        done = [one for one in placed if one is not None]
        _store_payloads(connection, prepared, done, packed)
        writing.finish()
    return _summed(done, writing.head)


def read_head(connection: sqlite3.Connection) -> Head:
    """Return where the journal stands.

    Raises:
        Unsound: the row that says so is gone.
    """
    row = connection.execute("SELECT position, hash, epoch FROM store").fetchone()
    if row is None or not isinstance(row[0], int) or not isinstance(row[1], bytes) or not isinstance(row[2], int):
        raise Unsound("the journal does not say where it stands")
    return Head(position=row[0], hash=row[1], epoch=row[2])


def _store_payloads(
    connection: sqlite3.Connection,
    prepared: Sequence[Prepared | None],
    placed: Sequence[Placed],
    packed: Mapping[Digest, Packed],
) -> None:
    for item, there in zip(prepared, placed, strict=True):
        for digest in item.named if item is not None and there.new else ():
            if digest in packed and not stored_payloads.is_stored(connection, digest):
                stored_payloads.insert(connection, packed[digest])


def _check_expected(expected: int | None, head: Head) -> None:
    if expected is not None and expected != head.position:
        raise ConflictError(expected, head.position)


def _summed(placed: Sequence[Placed], head: Head) -> Appended:
    stored = sum(one.new for one in placed)
    return Appended(placed=tuple(placed), stored=stored, duplicates=len(placed) - stored, head=head)
