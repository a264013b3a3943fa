"""Entries: the lines of the journal.

A :class:`Draft` is what capture hands to the journal; an :class:`Entry` is what the journal keeps and gives back.
The body is the source's own record (or a neutral record of an API caller), already redacted, with long strings lifted
into payloads.
"""

from __future__ import annotations

import msgspec

from muniment import canonical

JSON_OBJECT = dict[str, object]

RECORD_FORMAT = "record/1"
"""Body is a neutral record of `model.records`, as the codec writes it."""
QUARANTINE_FORMAT = "quarantine/1"
"""Body tells of a line that could not be read: `line`, `reason`, `digest`, `bytes`."""

STORE_ACTOR = "store"
"""Actor of entries that the store itself answers for: what it has checked. No caller and no import can write as it."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An entry before it has a place.

    `session` is the source session as its file declares it. `stream` is the agent whose own transcript the line is
    from:
    "" for the root agent, else the child's id. `source_id` is unique within the session.
    """

    mission: str
    project: str
    session: str
    stream: str
    source_id: str
    actor: str
    format: str
    body: JSON_OBJECT


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the journal. `body` is None where it has been purged; `number` counts within the mission, from 1.

    `marked` is false where the body is known to hold no marker of a payload: it need not be searched for any.
    """

    position: int
    number: int
    mission: str
    project: str
    session: str
    stream: str
    source_id: str
    actor: str
    recorded_at: str
    format: str
    body: JSON_OBJECT | None
    hash: bytes
    marked: bool = True


def envelope(entry: Entry) -> bytes:
    """Return the bytes of everything but the body that the chain binds: a canonical field list, in this order."""
    return canonical.fields(
        entry.position,
        entry.number,
        entry.mission,
        entry.project,
        entry.session,
        entry.stream,
        entry.source_id,
        entry.actor,
        entry.recorded_at,
        entry.format,
    )
