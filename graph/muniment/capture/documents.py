"""Which files are documents, and the parts of each: a JSON document, a folder of JSON files, a text for people.

* What a file is is told by its content: JSON lines are JSON in their first line, and something follows it. Whatever
  else begins like JSON may be a document; it is one if a document's format knows it.
* A document is read whole, so there is a limit to its size (`MOST_BYTES`).
* The parts of a document are numbered within their list, from 1. Its head, which is all that is in none of the lists,
  comes first.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import msgspec

from muniment import canonical
from muniment.capture.json_document import BrokenItem, JsonDocument, broken_item, read_json
from muniment.errors import FormatError
from muniment.importers import DOCUMENT_FORMATS, TEXT_FORMATS
from muniment.importers.protocol import DocumentFormat, SessionFormat, TextFormat
from muniment.model.entries import JSON_OBJECT

MOST_BYTES = 256 << 20
HEAD = "document"
"""What the list is called whose only part is the head, and the only field of the head's body."""
TEXT = "text"
DOCUMENT_SUFFIXES = (".json", ".traj", ".md")
STATE_FILE, EVENTS = "base_state.json", "events"
"""The file and the folder in which OpenHands keeps a conversation."""
PEEK_BYTES = 1 << 16
_BOM = b"\xef\xbb\xbf"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a document: its list, its number in it from 1, and its body, or why it could not be read."""

    holder: str
    number: int
    body: JSON_OBJECT | BrokenItem


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was read whole, of `size` bytes."""

    format: SessionFormat
    revisable: bool
    last: tuple[str, ...] = ()
    parts: list[Part]
    size: int


def is_conversation(folder: Path) -> bool:
    """Tell whether a folder is one conversation of OpenHands."""
    return (folder / STATE_FILE).is_file() and (folder / EVENTS).is_dir()


def document_in_folder(folder: Path, wanted: str | None) -> Document | None:
    """Return the document that a folder of JSON files is; None where no format knows it."""
    state = (folder / STATE_FILE).read_bytes()
    files = sorted(file for file in (folder / EVENTS).iterdir() if file.suffix == ".json")
    bodies = [file.read_bytes() for file in files]
    head = read_json(state) or JsonDocument(fields={}, lists={}, broken=[broken_item(state, "not JSON")])
    items = [_whole(body) for body in bodies]
    document = JsonDocument(
        fields={**head.fields, **head.lists}, lists={EVENTS: items}, broken=[*head.broken, *_broken_in(head)]
    )
    return _document(document, wanted, len(state) + sum(map(len, bodies)))


def document_in(stream: BinaryIO, wanted: str | None, *, final: bool = True) -> tuple[bytes, Document | None]:
    """Return the document that a stream holds, or None where it holds lines; and the bytes that were read to know it.

    Raises:
        FormatError: it is a document of more than `MOST_BYTES`.
    """
    start = _first_line(stream)
    if wanted is not None and wanted not in _NAMES:
        return start, None
    text = _known_text(start, wanted)
    if text is None and not _may_be_document(start):
        return start, None
    data = start + stream.read(max(MOST_BYTES - len(start) + 1, 0))
    if len(data) > MOST_BYTES:
        raise FormatError(f"the document is larger than {MOST_BYTES >> 20} MiB, more than is read at once")
    if text is not None:
        return data, _pieces(text, data, final=final)
    found = read_json(data)
    return data, None if found is None else _document(found, wanted, len(data))


_NAMES = frozenset(name for known in (*DOCUMENT_FORMATS, *TEXT_FORMATS) for name in (known.short, known.name))


def _first_line(stream: BinaryIO) -> bytes:
    """Read the first line that is not blank, and a little more."""
    pieces: list[bytes] = []
    size = 0
    while size <= MOST_BYTES and (chunk := stream.read(PEEK_BYTES)):
        pieces.append(chunk)
        size += len(chunk)
        if b"\n" in chunk and b"".join(pieces).strip():
            break
    return b"".join(pieces)


def _may_be_document(start: bytes) -> bool:
    text = start.removeprefix(_BOM).lstrip()
    if text[:1] == b"[":
        return True
    line, _, rest = text.partition(b"\n")
    if text[:1] != b"{" or not rest.strip():
        return text[:1] == b"{"
    try:
        canonical.decode(line)
    except (ValueError, RecursionError):
        return True
    return False


def _known_text(start: bytes, wanted: str | None) -> TextFormat | None:
    if wanted is not None:
        return next((known for known in TEXT_FORMATS if wanted in (known.short, known.name)), None)
    text = start[:4096].removeprefix(_BOM).decode("utf-8", "replace").lstrip()
    return next((known for known in TEXT_FORMATS if known.sniff_text(text)), None)


def _pieces(known: TextFormat, data: bytes, *, final: bool) -> Document:
    """Return the pieces of a text; a last line that has no end yet is left for later, unless it is the last."""
    text = data.removeprefix(_BOM)
    text = text if final else text[: text.rfind(b"\n") + 1]
    bodies = known.pieces(text.decode("utf-8", "replace"))
    parts = [Part(holder=TEXT, number=number, body=body) for number, body in enumerate(bodies, start=1)]
    return Document(format=known, revisable=True, parts=parts, size=len(data))


def _document(found: JsonDocument, wanted: str | None, size: int) -> Document | None:
    sound = found.sound
    known: DocumentFormat | None
    if wanted is None:
        known = next((known for known in DOCUMENT_FORMATS if known.sniff_document(sound)), None)
    else:
        known = next((known for known in DOCUMENT_FORMATS if wanted in (known.short, known.name)), None)
    if known is None:
        return None
    return Document(format=known, revisable=known.revisable, last=known.last, parts=_parts(found, known), size=size)


def _parts(found: JsonDocument, known: DocumentFormat) -> list[Part]:
    kept = {name: items for name, items in found.lists.items() if name not in known.lists}
    rest = {name: [item for item in items if not isinstance(item, BrokenItem)] for name, items in kept.items()}
    head = {name: value for name, value in {**found.fields, **rest}.items() if name not in known.last}
    parts = [Part(holder=HEAD, number=1, body={HEAD: head})] if head else []
    for name in known.lists:
        items = found.lists.get(name, [])
        parts += [Part(holder=name, number=number, body=_body(item)) for number, item in enumerate(items, start=1)]
    parts += [
        Part(holder=name, number=1, body={name: found.fields[name]}) for name in known.last if name in found.fields
    ]
    lost = [*_broken_among(kept), *(item for item in found.broken if isinstance(item, BrokenItem))]
    return parts + [Part(holder=HEAD, number=number, body=item) for number, item in enumerate(lost, start=2)]


def _body(item: object) -> JSON_OBJECT | BrokenItem:
    if isinstance(item, BrokenItem | dict):
        return item
    return broken_item(canonical.encode(item), f"a JSON {type(item).__name__}, not an object")


def _whole(data: bytes) -> object:
    """Return the object that a file holds, or that it is broken."""
    found = read_json(data)
    if found is None:
        return broken_item(data, "not JSON")
    if "" in found.lists:
        return broken_item(data, "a JSON list, not an object")
    broken = [*found.broken, *_broken_in(found)]
    if broken:
        return broken_item(data, next(item.reason for item in broken if isinstance(item, BrokenItem)))
    return {**found.fields, **found.lists}


def _broken_in(found: JsonDocument) -> list[BrokenItem]:
    return _broken_among(found.lists)


def _broken_among(lists: dict[str, list[object]]) -> list[BrokenItem]:
    return [item for items in lists.values() for item in items if isinstance(item, BrokenItem)]
