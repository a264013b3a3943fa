"""What an importer tells of a made-up session, record by record."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TypeVar

from muniment.capture.documents import Document, document_in, document_in_folder
from muniment.capture.json_document import BrokenItem
from muniment.importers import sniff
from muniment.importers.protocol import SessionFormat
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record

Kind = TypeVar("Kind", bound=Record)
Json = dict[str, object]


def records_of(source: object) -> list[Record]:
    """Return what an importer tells of a document (as values), of a text, or of a folder."""
    document = _document(source)
    return _told(document.format, bodies_of(source))


def bodies_of(source: object) -> list[JSON_OBJECT]:
    """Return the bodies of the parts of a document (as values), of a text, or of a folder."""
    return [part.body for part in _document(source).parts if not isinstance(part.body, BrokenItem)]


def records_of_lines(lines: list[Json]) -> list[Record]:
    """Return what an importer tells of JSON lines."""
    form = sniff([dict(line) for line in lines])
    assert form is not None
    return _told(form, [dict(line) for line in lines])


def of(records: list[Record], kind: type[Kind]) -> list[Kind]:
    """Return the records of one kind."""
    return [record for record in records if isinstance(record, kind)]


def _document(source: object) -> Document:
    if isinstance(source, Path):
        found = document_in_folder(source, None)
    else:
        data = source.encode() if isinstance(source, str) else json.dumps(source).encode()
        found = document_in(io.BytesIO(data), None)[1]
    assert found is not None
    return found


def _told(form: SessionFormat, bodies: list[JSON_OBJECT]) -> list[Record]:
    reader, normaliser = form.reader("made-up"), form.normaliser(None)
    found: list[Record] = []
    for number, body in enumerate(bodies, start=1):
        line = reader.describe(body)
        entry = Entry(
            position=number,
            number=number,
            mission="mission:1",
            project="",
            session=line.session or "made-up",
            stream=line.stream,
            source_id=line.source_id or f"part:text.{number}:0",
            actor=line.actor,
            recorded_at="",
            format=form.name,
            body=body,
            hash=b"",
        )
        found += normaliser.feed(entry)
    return found
