"""One session document as drafts: an entry for its head, and one for each of its parts.

* A part is kept under its own id, where the source gives it one, else under its list, its number and a keyed hash of
  its content. So a document that has grown gives only what is new.
* A part that is not what was imported before under the same id or number is reported: it goes into quarantine with
  the reason `log_replaced`, and the journal keeps what it has. Two things may change: the head, and the newest part of
  a format that says so; both are kept beside what was there before.
* A part that could not be read becomes an entry that tells list, number, reason and digest, never the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from muniment import canonical
from muniment.capture.documents import HEAD, Document, Part
from muniment.capture.json_document import CUT, BrokenItem, broken_item
from muniment.capture.lines import Broken
from muniment.capture.session_file import LINE_TAG_HEX, Place, Tally, described_by, mission_of, project_of
from muniment.digest import digest_of, keyed_tag
from muniment.importers.protocol import SessionFormat, SourceLine
from muniment.model import ids
from muniment.model.entries import JSON_OBJECT, QUARANTINE_FORMAT, Draft, Entry

REPLACED = "log_replaced"


class _Spot(NamedTuple):
    """Where a draft is in its document, and the id that its content gives it there; `ignored` is its kind, if so."""

    part: Part
    by_content: str
    ignored: str | None


class Known:
    """What the journal has of a session: the parts that were imported before."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._bodies: dict[str, str] = {}
        self._places: dict[tuple[str, int], set[str]] = {}
        self._newest: dict[str, int] = {}
        self._last = ""
        for entry in entries:
            if entry.format == QUARANTINE_FORMAT:
                continue
            place = ids.part_place(entry.source_id)
            if place is not None:
                self._places.setdefault(place, set()).add(entry.source_id)
                self._newest[place[0]] = max(place[1], self._newest.get(place[0], 0))
            if place is None or place[0] != HEAD:
                self._last = entry.source_id
            if place is None:
                self._bodies[entry.source_id] = "" if entry.body is None else _digest(entry.body)

    def changed(self, draft: Draft, spot: _Spot) -> bool:
        """Tell whether another content was imported for the same part."""
        if draft.source_id in self._bodies:
            return self._bodies[draft.source_id] not in ("", _digest(draft.body))
        if draft.source_id != spot.by_content:
            return False
        earlier = self._places.get((spot.part.holder, spot.part.number))
        return earlier is not None and draft.source_id not in earlier

    def is_newest(self, draft: Draft, spot: _Spot) -> bool:
        """Tell whether nothing behind the part had been imported."""
        if draft.source_id in self._bodies:
            return draft.source_id == self._last
        return self._newest.get(spot.part.holder) == spot.part.number


class DocumentFile:
    """Turns a document into drafts, again and again as it grows; only what is new is told again."""

    def __init__(self, name: str, place: Place, key: bytes) -> None:
        self._name = name
        self._place = place
        self._key = key
        self._format: SessionFormat | None = None
        self._session = ""
        self._root: str | None = None
        self._told: dict[tuple[str, int], str] = {}
        self._spots: dict[str, _Spot] = {}
        self._known = Known(())
        self._revisable = False
        self._free: frozenset[str] = frozenset({HEAD})
        self.tally = Tally()

    @property
    def mission(self) -> str:
        """The mission's id; "" while no document was read."""
        return mission_of(self._place, self._format, self._session)

    @property
    def session(self) -> str:
        """The root session, as the document declares it."""
        return self._session

    def open(self, document: Document) -> None:
        """Take a document, read for the first time or again: know its session and its folder."""
        self._format, self._revisable = document.format, document.revisable
        self._free = frozenset({HEAD, *document.last})
        self.tally.bytes = document.size
        reader = document.format.reader(self._name)
        session, root = "", None
        for part in document.parts:
            found = None if isinstance(part.body, BrokenItem) else described_by(reader, part.body)
            if isinstance(found, SourceLine):
                session, root = session or found.session, root or found.root
        self._session, self._root = self._session or session or self._name, self._root or root

    def drafts(self, document: Document, known: Known, *, final: bool) -> Iterator[Draft]:
        """Yield drafts for the parts that were not told before; `checked` takes each once it is prepared.

        `final` false: more is to come, so that a piece that was cut off waits.
        """
        self._known = known
        self.tally.unfinished = 0
        reader = document.format.reader(self._name)
        for part in document.parts:
            if not final and isinstance(part.body, BrokenItem) and part.body.reason == CUT:
                self.tally.unfinished += part.body.size
                continue
            found = None if isinstance(part.body, BrokenItem) else described_by(reader, part.body)
            content = part.body.digest if isinstance(part.body, BrokenItem) else _digest(part.body)
            if self._told.get((part.holder, part.number)) == content:
                continue
            self._told[part.holder, part.number] = content
            self.tally.lines += 1
            if isinstance(part.body, BrokenItem):
                yield self._quarantine(part, part.body)
            elif isinstance(found, SourceLine):
                yield self._draft(part, part.body, found, content)
            elif isinstance(found, Broken):
                yield self._quarantine(part, broken_item(canonical.encode(part.body), found.reason))

    def checked(self, draft: Draft) -> Draft:
        """Return a draft, prepared as it is to be stored, or what is stored in its place: a revision, or a report."""
        spot = self._spots.get(draft.source_id)
        if draft.format == QUARANTINE_FORMAT or spot is None or not self._known.changed(draft, spot):
            return draft
        part = spot.part
        if part.holder in self._free or (self._revisable and self._known.is_newest(draft, spot)):
            return msgspec.structs.replace(draft, source_id=spot.by_content)
        self._count(spot.ignored, -1)
        reason = f"{REPLACED}: not what was imported before in its place, which is kept"
        return self._quarantine(part, broken_item(canonical.encode(part.body), reason))

    def _draft(self, part: Part, body: JSON_OBJECT, source: SourceLine, content: str) -> Draft:
        assert self._format is not None
        ignored = source.kind if source.ignored else None
        self._count(ignored, 1)
        by_content = self._id_for(source.stream, part, content)
        source_id = source.source_id or by_content
        other = self._spots.get(source_id)
        if other is not None and (other.part.holder, other.part.number) != (part.holder, part.number):
            source_id = by_content  # two parts with one id: both are kept
        self._spots[source_id] = _Spot(part, by_content, ignored)
        return Draft(
            mission=self.mission,
            project=project_of(self._place, self._root, self.mission),
            session=self._session,
            stream=source.stream,
            source_id=source_id,
            actor=source.actor,
            format=self._format.name,
            body=body,
        )

    def _count(self, ignored: str | None, step: int) -> None:
        if ignored is None:
            self.tally.parsed += step
        else:
            self.tally.ignored[ignored] += step
        self.tally.objects += step

    def _quarantine(self, part: Part, broken: BrokenItem) -> Draft:
        self.tally.quarantined += 1
        body: JSON_OBJECT = {
            "line": part.number,
            "reason": broken.reason,
            "digest": broken.digest,
            "bytes": broken.size,
            "source": f"{self._name}, {part.holder or 'list'}",
        }
        return Draft(
            mission=self.mission,
            project=project_of(self._place, self._root, self.mission),
            session=self._session,
            stream="",
            source_id=self._id_for("", part, f"{broken.reason}\n{broken.digest}"),
            actor="harness",
            format=QUARANTINE_FORMAT,
            body=body,
        )

    def _id_for(self, stream: str, part: Part, content: str) -> str:
        told = canonical.fields(self._session, stream, part.holder, part.number, content)
        return ids.part_id(part.holder, part.number, keyed_tag(self._key, told, LINE_TAG_HEX))


def _digest(body: JSON_OBJECT) -> str:
    return digest_of(canonical.encode(body))
