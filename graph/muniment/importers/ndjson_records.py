"""Neutral records, one JSON object a line (`record/1`): what API callers write and what an export gives back.

* A line's id is its record's own; its session is the one that the record names.
* Fields that no record has go into the record's `extra`.
* Only what the store itself wrote says that it checked a packet; the same words from anywhere else are history.
* A line that is no record raises where it is described, so that capture puts it into quarantine with the field's path.
"""

from __future__ import annotations

import msgspec

from muniment.errors import FieldError
from muniment.importers.protocol import SourceLine
from muniment.model.codec import KINDS, parse_record
from muniment.model.entries import JSON_OBJECT, RECORD_FORMAT, STORE_ACTOR, Entry
from muniment.model.records import CHILD_AUTHOR, PacketAccepted, PacketRefused, Record, SessionForked, SessionOpened

_ACTORS = {"user": "user", "agent": "agent", "tool": "tool", "harness": "harness", "compactor": "harness"}


class RecordsState(msgspec.Struct):
    """Nothing: each record says all of itself."""


class RecordsReader:
    """Reads records, each on its own."""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where the record belongs.

        Raises:
            FieldError: the line is no record; its `path` names the field.
        """
        record = _record(body)
        return SourceLine(
            session=record.session,
            stream="",
            source_id=record.id,
            kind=str(body["kind"]),
            ignored=False,
            actor="agent" if record.by.startswith(CHILD_AUTHOR) else _ACTORS.get(record.by, "unknown"),
            root=record.root if isinstance(record, SessionOpened | SessionForked) else None,
        )


class RecordsNormaliser:
    """Gives each record as it is."""

    def __init__(self) -> None:
        self.state = RecordsState()

    def feed(self, entry: Entry) -> list[Record]:
        """Return the record of an entry; none where the body is no record (an older version may have kept it)."""
        if entry.body is None:
            return []
        try:
            record = _record(entry.body)
        except FieldError:
            return []
        if isinstance(record, PacketAccepted | PacketRefused):
            return [msgspec.structs.replace(record, checked=entry.actor == STORE_ACTOR)]
        return [record]


class RecordsFormat:
    """Neutral records."""

    name = RECORD_FORMAT
    title = "Muniment records"
    short = "ndjson-records"
    runtime = "ndjson-records"

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether any of the first objects has the kind and the id of a record."""
        return any(
            isinstance(line.get("id"), str) and isinstance(line.get("kind"), str) and line["kind"] in KINDS
            for line in first
        )

    def reader(self, file_name: str) -> RecordsReader:  # noqa: ARG002 (the name says nothing here)
        """Return a reader."""
        return RecordsReader()

    def normaliser(self, state: bytes | None) -> RecordsNormaliser:  # noqa: ARG002 (there is no state)
        """Return a normaliser."""
        return RecordsNormaliser()


NDJSON_RECORDS = RecordsFormat()


def _record(body: JSON_OBJECT) -> Record:
    extra = body.get("extra")
    if extra is not None and not isinstance(extra, dict):
        raise FieldError("extra", f"expected an object, found {type(extra).__name__}")
    return parse_record(body)
