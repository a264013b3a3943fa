"""Stored rows and the chain: from columns to a checked entry. Pure.

* A row is believed only if its hash follows from the hash before it, its envelope and its commitment, and if its body
  and salt give the commitment, or both are gone and the purge log says so.
* Columns may hold anything (a flipped bit changes even their types), so nothing about them is taken for granted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from muniment import canonical
from muniment.digest import chain_hash, commitment
from muniment.model.entries import Entry, envelope
from muniment.payload_markers import MARKED, bytes_text


class Unsound(Exception):  # noqa: N818  (it is caught inside the package and never shown)
    """A stored row, or a list of rows, is not what was written."""

    def __init__(self, what: str, position: int | None = None, payload: str | None = None) -> None:
        self.what = what
        self.position = position
        self.payload = payload
        super().__init__(what)


class Row(NamedTuple):
    """The columns of a stored entry, in the order of `COLUMNS`, and the hash of the entry before it."""

    position: int
    mission: int
    number: int
    session: int
    stream: int
    place: int
    project: int
    actor: int
    format: int
    source_id: bytes
    recorded_at: bytes
    commitment: bytes
    hash: bytes
    salt: bytes | None
    body: bytes | None
    purged: int | None
    previous: bytes | None


COLUMNS = (
    "e.position, e.mission, e.number, e.session, e.stream, e.place, e.project, e.actor, e.format,"
    " e.source_id, e.recorded_at,"
    " e.commitment, e.hash, e.salt, e.body, (SELECT 1 FROM purge WHERE purge.position = e.position), p.hash"
)
FROM = "entry AS e LEFT JOIN entry AS p ON p.position = e.position - 1"


class StreamNames(NamedTuple):
    """What a stream's number stands for, and the numbers of its mission and session."""

    mission_number: int
    session_number: int
    mission: str
    session: str
    stream: str


class Names(NamedTuple):
    """Looks up what the numbers in a row stand for; each raises Unsound where there is nothing."""

    stream: Callable[[int], StreamNames]
    word: Callable[[int], str]


def checked(row: Row, names: Names, genesis: bytes) -> Entry:
    """Return the entry of a stored row.

    Raises:
        Unsound: the row is not what was written.
    """
    try:
        entry = _entry(row, names)
        _check(row, entry, names, genesis if row.position == 1 else row.previous)
    except (TypeError, AttributeError, ValueError) as error:
        raise Unsound(f"entry {row.position} cannot be read ({error})", row.position) from error
    return entry


def chained(entry: Entry, previous: bytes, body_commitment: bytes) -> bytes:
    """Return the hash of an entry."""
    return chain_hash(previous, envelope(entry), body_commitment)


def _entry(row: Row, names: Names) -> Entry:
    where = names.stream(row.stream)
    return Entry(
        position=row.position,
        number=row.number,
        mission=where.mission,
        project=names.word(row.project),
        session=where.session,
        stream=where.stream,
        source_id=bytes_text(row.source_id),
        actor=names.word(row.actor),
        recorded_at=bytes_text(row.recorded_at),
        format=names.word(row.format),
        body=_body(row),
        hash=row.hash,
        marked=row.body is not None and MARKED in row.body,
    )


def _body(row: Row) -> dict[str, object] | None:
    if row.body is None and row.salt is None and row.purged:
        return None
    if not isinstance(row.body, bytes) or not isinstance(row.salt, bytes):
        raise Unsound(f"the body of entry {row.position} is gone, and it was not purged", row.position)
    if commitment(row.salt, row.body) != row.commitment:
        raise Unsound(f"the body of entry {row.position} is not what was written", row.position)
    value = canonical.decode(row.body)
    if not isinstance(value, dict):
        raise Unsound(f"the body of entry {row.position} is no object", row.position)
    return {**value}


def _check(row: Row, entry: Entry, names: Names, previous: bytes | None) -> None:
    if not isinstance(previous, bytes):
        raise Unsound(f"the entry before entry {row.position} is gone", row.position)
    where = names.stream(row.stream)
    if (row.mission, row.session) != (where.mission_number, where.session_number):
        raise Unsound(f"entry {row.position} stands under another mission or session than its stream", row.position)
    if chained(entry, previous, row.commitment) != row.hash:
        raise Unsound(f"entry {row.position} does not fit into the chain", row.position)
