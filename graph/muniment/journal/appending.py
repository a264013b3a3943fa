"""Appending: from drafts to rows, in one transaction.

* What costs time (encoding, packing) is done before the write lock is taken; what depends on the order (positions,
  numbers, the chain, whether a source id is there already) is done under it.
* A payload is stored only if an entry stored now names it, so that a second arrival of a purged entry brings nothing
  back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import zstandard

from muniment.digest import Digest, digest_of
from muniment.errors import ConflictError, FieldError
from muniment.journal import payloads as stored_payloads
from muniment.journal.chain import Unsound
from muniment.journal.database import transaction
from muniment.journal.payloads import Packed
from muniment.journal.port import Appended, Head, Placed
from muniment.journal.writing import Prepared, Writing, prepare
from muniment.model.entries import Draft
from muniment.payload_markers import text_bytes


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
        _check_last(connection, head)
        if head.epoch != before.epoch:
            packed = source.missing(connection, prepared)
        writing = Writing(connection, head, recorded_at)
        moved = head.position != before.position
        placed = [
            writing.put(item, known(connection, item.draft) if moved else None) if item is not None else there
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


def _check_last(connection: sqlite3.Connection, head: Head) -> None:
    """Never chain to a head that is not the last entry's."""
    row = connection.execute("SELECT hash FROM entry WHERE position = ?", (head.position,)).fetchone()
    if (row[0] if row is not None else None) != (head.hash if head.position else None):
        raise Unsound("the head is not that of the last entry")


def _summed(placed: Sequence[Placed], head: Head) -> Appended:
    stored = sum(one.new for one in placed)
    return Appended(placed=tuple(placed), stored=stored, duplicates=len(placed) - stored, head=head)
