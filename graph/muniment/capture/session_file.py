"""One session file, line by line, as drafts.

* The format is sniffed from the first objects, unless it is named.
* The mission is the root session that the file declares; lines before the one that declares it wait (up to
  `HEAD_LINES`).
* A line without an id of its own gets one: its number, and a keyed hash of session, stream, number and line. So the
  same file gives the same ids, another line under the same number another, and nobody can guess a line from its id.
* A broken line becomes an entry of its own, which tells number, reason and digest, never the bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from muniment import canonical
from muniment.capture.lines import Broken, Line, Source, objects_in, raw_lines
from muniment.derive.paths import Rules, project_key
from muniment.digest import digest_of, keyed_tag
from muniment.errors import FieldError, FormatError
from muniment.importers import FORMATS, LINE_FORMATS, format_named, sniff
from muniment.importers.protocol import SessionFormat, SourceLine, SourceReader
from muniment.model import ids
from muniment.model.entries import JSON_OBJECT, QUARANTINE_FORMAT, Draft

LINE_TAG_HEX = 32
HEAD_BYTES = 1 << 20
HEAD_LINES = 64
"""Lines, and bytes, that may come before the one that declares the session; they are held in memory."""
_WINDOWS_ROOT = ":\\"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a file's entries go; what is None or "" is taken from the file."""

    format: str | None = None
    mission: str | None = None
    project: str | None = None


def mission_of(place: Place, form: SessionFormat | None, session: str) -> str:
    """Return a mission's id: the one that was given, else that of the root session; "" while that is not known."""
    if place.mission is not None or form is None or not session:
        return place.mission or ""
    return ids.mission_id(form.runtime, session)


def project_of(place: Place, root: str | None, mission: str) -> str:
    """Return a project's key: the one that was given, else the session's folder, else the mission alone."""
    if place.project is not None:
        return place.project
    if root is None:
        return f"mission {mission}"
    style = "windows" if root[1:3] == _WINDOWS_ROOT else "posix"
    return project_key(root, Rules(style=style, case_sensitive=style == "posix"))


class Tally(msgspec.Struct):
    """What was found in a file. `lines = parsed + quarantined + ignored`, always."""

    lines: int = 0
    parsed: int = 0
    quarantined: int = 0
    ignored: Counter[str] = msgspec.field(default_factory=Counter)
    objects: int = 0
    bytes: int = 0
    unfinished: int = 0


class SessionFile:
    """Turns the lines of one file into drafts; can go on where it stopped, when the file has grown."""

    def __init__(self, name: str, place: Place, key: bytes) -> None:
        self._name = name
        self._place = place
        self._key = key
        self._format: SessionFormat | None = None
        self._reader: SourceReader | None = None
        self._waiting: list[tuple[Line, list[JSON_OBJECT] | Broken]] = []
        self._session = ""
        self._root: str | None = None
        self.tally = Tally()
        self.offset = 0
        self.number = 1

    @property
    def mission(self) -> str:
        """The mission's id; "" while the file has not told its session."""
        return mission_of(self._place, self._format, self._session)

    @property
    def session(self) -> str:
        """The root session, as the file declares it."""
        return self._session

    @property
    def format(self) -> str:
        """The format's short name."""
        return "" if self._format is None else self._format.short

    def drafts(self, stream: Source, *, final: bool) -> Iterator[Draft]:
        """Yield drafts for the lines behind `offset`, at which `stream` stands. `final`: no more is to come.

        Raises:
            FormatError: the file is in no known format, or tells no session.
        """
        for raw in raw_lines(stream, offset=self.offset, number=self.number):
            found = objects_in(raw.data, first=raw.number == 1)
            if not raw.ended and isinstance(found, Broken):
                self.tally.unfinished = len(raw.data)
                break
            line = Line(raw.number, digest_of(raw.data), len(raw.data))
            self.tally.unfinished = 0
            self.offset, self.number = raw.next_offset, raw.number + 1
            self.tally.bytes += line.size + raw.ended
            del raw
            yield from self._take(line, found)
        if final:
            yield from self._release(force=True)

    def _take(self, line: Line, found: list[JSON_OBJECT] | Broken) -> Iterator[Draft]:
        if self._session:
            yield from self._drafts_of(line, found)
            return
        self._waiting.append((line, found))
        held = sum(each.size for each, _ in self._waiting)
        yield from self._release(force=len(self._waiting) >= HEAD_LINES or held >= HEAD_BYTES)

    def _release(self, *, force: bool) -> Iterator[Draft]:
        """Let the waiting lines go, once the session and its folder are known or nothing more can be waited for."""
        if force and self._waiting and all(found == [] for _, found in self._waiting):
            self._drop_blank()
        if not self._waiting or not self._know_head(force=force):
            return
        waiting, self._waiting = self._waiting, []
        for line, found in waiting:
            yield from self._drafts_of(line, found)

    def _drop_blank(self) -> None:
        """Count the waiting lines, all blank: a file of nothing else is in no format, and no fault."""
        self.tally.lines += len(self._waiting)
        self.tally.ignored["blank"] += len(self._waiting)
        self._waiting = []

    def _know_head(self, *, force: bool) -> bool:
        objects = [body for _, found in self._waiting if not isinstance(found, Broken) for body in found]
        if not objects and not force:
            return False
        self._format = self._format or self._sniffed(objects, force=force)
        if self._format is None:
            return False
        session, root = "", None
        reader = self._format.reader(self._name)
        for body in objects:
            described = described_by(reader, body)
            if isinstance(described, SourceLine):
                session, root = session or described.session, root or described.root
        if not (session and root) and not force:
            return False
        self._session, self._root = session or self._name, root
        self._reader = self._format.reader(self._name)
        return True

    def _sniffed(self, objects: list[JSON_OBJECT], *, force: bool) -> SessionFormat | None:
        if self._place.format is not None:
            wanted = format_named(self._place.format)
            if wanted not in LINE_FORMATS:
                raise FormatError(f"{self._name}: these are lines of JSON, which no {wanted.title} is")
            return wanted
        found = sniff(objects)
        if found is None and force:
            raise FormatError(unknown_format(self._name))
        return found

    def _drafts_of(self, line: Line, found: list[JSON_OBJECT] | Broken) -> Iterator[Draft]:
        self.tally.lines += 1
        if isinstance(found, Broken):
            yield self._quarantine(line, found.reason)
            return
        if not found:
            self.tally.ignored["blank"] += 1
            return
        described = [described_by(self._reader, body) for body in found]
        wrong = next((each for each in described if isinstance(each, Broken)), None)
        if wrong is not None:
            yield self._quarantine(line, wrong.reason)
            return
        sources = [each for each in described if isinstance(each, SourceLine)]
        if all(source.ignored for source in sources):
            self.tally.ignored[sources[0].kind] += 1
        else:
            self.tally.parsed += 1
        self.tally.objects += len(found)
        for place, (body, source) in enumerate(zip(found, sources, strict=True)):
            yield self._draft(source, source.source_id or self._id_for(source.stream, line, place), body)

    def _draft(self, source: SourceLine, source_id: str, body: JSON_OBJECT) -> Draft:
        assert self._format is not None
        return Draft(
            mission=self.mission,
            project=self.project,
            session=self._session,
            stream=source.stream,
            source_id=source_id,
            actor=source.actor,
            format=self._format.name,
            body=body,
        )

    @property
    def project(self) -> str:
        """The project's key: the one that was given, else the session's folder, else the mission alone."""
        return project_of(self._place, self._root, self.mission)

    def _quarantine(self, line: Line, reason: str) -> Draft:
        self.tally.quarantined += 1
        body: JSON_OBJECT = {
            "line": line.number,
            "reason": reason,
            "digest": line.digest,
            "bytes": line.size,
            "source": self._name,
        }
        return Draft(
            mission=self.mission,
            project=self.project,
            session=self._session,
            stream="",
            source_id=self._id_for("", line, 0),
            actor="harness",
            format=QUARANTINE_FORMAT,
            body=body,
        )

    def _id_for(self, stream: str, line: Line, place: int) -> str:
        told = canonical.fields(self._session, stream, line.number, place, line.digest)
        return ids.line_id(line.number, place, keyed_tag(self._key, told, LINE_TAG_HEX))


def unknown_format(name: str) -> str:
    """Return what is said of a file that is in no known format."""
    names = ", ".join(known.short for known in FORMATS)
    return f"{name}: no known session format; name one with --format, in Python format= ({names})"


def described_by(reader: SourceReader | None, body: JSON_OBJECT) -> SourceLine | Broken:
    """Return what a reader says of a body, or why it refuses it; half characters, which no journal keeps, replaced."""
    assert reader is not None
    try:
        line = reader.describe(body)
    except FieldError as error:
        return Broken(str(error))
    told = (line.session, line.stream, line.source_id or "", line.kind, line.root or "")
    if all(map(str.isascii, told)):
        return line
    session, stream, source_id, kind, root = (text.encode("utf-8", "replace").decode("utf-8") for text in told)
    return msgspec.structs.replace(
        line, session=session, stream=stream, source_id=source_id or None, kind=kind, root=root or None
    )
