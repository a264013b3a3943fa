"""Importing: drafts are redacted, long strings are lifted out, and batches go to the journal.

The order matters: redaction comes first, so that nothing secret is ever hashed, lifted or written. Counts are kept on
the way: `lines = parsed + quarantined + ignored` and `records = stored + duplicates`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from muniment.capture.document_file import DocumentFile, Known
from muniment.capture.documents import DOCUMENT_SUFFIXES, Document, document_in, document_in_folder
from muniment.capture.lines import Rejoined
from muniment.capture.session_file import Place, SessionFile, unknown_format
from muniment.capture.units import size_of, unit_files
from muniment.digest import Digest
from muniment.errors import FormatError
from muniment.journal.port import Appended, Journal
from muniment.model.entries import QUARANTINE_FORMAT, Draft
from muniment.payload_markers import lift
from muniment.redaction import Redactor

BATCH_ENTRIES = 512
BATCH_BYTES = 8 << 20

Clock = Callable[[], str]
Watcher = Callable[[int, int], None]
"""Told of progress: bytes read so far, bytes in all (0: not known)."""
Admission = Callable[[str, str], None]
"""Given a mission and a project; raises where entries may not go there."""


Check = Callable[[Draft], Draft]


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did.

    `records` are the objects that the lines held; each was `stored` or a duplicate of one stored before. `ignored`
    counts lines, by kind, that are kept in the journal and that no rule reads today (and blank lines, which are not
    kept). `unfinished` are bytes of a last line that is not complete yet. `refused` names the files of a folder that
    are in no known format, each with the reason.
    """

    mission: str
    missions: tuple[str, ...]
    sessions: tuple[str, ...]
    files: int
    lines: int
    parsed: int
    quarantined: int
    ignored: dict[str, int]
    records: int
    stored: int
    duplicates: int
    redacted: dict[str, int]
    bytes: int
    unfinished: int
    refused: tuple[str, ...] = ()


class Sink:
    """Where drafts go: asks whether they may, redacts, lifts, and appends in batches."""

    def __init__(self, journal: Journal, redactor: Redactor, clock: Clock, admit: Admission) -> None:
        self._journal = journal
        self._redactor = redactor
        self._clock = clock
        self._admit = admit
        self._admitted: set[tuple[str, str]] = set()
        self._drafts: list[Draft] = []
        self._payloads: dict[Digest, bytes] = {}
        self._size = 0
        self.stored = 0
        self.duplicates = 0
        self.redacted: Counter[str] = Counter()

    def put(self, drafts: Iterable[Draft], check: Check = lambda draft: draft) -> None:
        """Take drafts in; full batches go to the journal. `check` sees each as it is to be stored."""
        for draft in drafts:
            self._drafts.append(check(self._prepared(draft)))
            if len(self._drafts) >= BATCH_ENTRIES or self._size >= BATCH_BYTES:
                self.flush()

    def flush(self, *, expected: int | None = None) -> Appended | None:
        """Append what is waiting; None where nothing is."""
        if not self._drafts:
            return None
        done = self._journal.append(self._drafts, self._payloads, recorded_at=self._clock(), expected=expected)
        kept = [
            placed.new
            for placed, draft in zip(done.placed, self._drafts, strict=True)
            if draft.format != QUARANTINE_FORMAT
        ]
        self.stored += sum(kept)
        self.duplicates += len(kept) - sum(kept)
        self._drafts, self._payloads, self._size = [], {}, 0
        return done

    def _prepared(self, draft: Draft) -> Draft:
        if (draft.mission, draft.project) not in self._admitted:
            self._admit(draft.mission, draft.project)
            self._admitted.add((draft.mission, draft.project))
        body, kinds = self._redactor.redact(draft.body)
        self.redacted.update(kinds)
        body, payloads = lift(body)
        self._payloads.update(payloads)
        self._size += sum(map(len, payloads.values()))
        return msgspec.structs.replace(draft, body=body) if body is not draft.body else draft


class Import:
    """One import of a file, a folder or a stream; or, file by file, of what a growing session gained."""

    def __init__(self, journal: Journal, redactor: Redactor, clock: Clock, place: Place, admit: Admission) -> None:
        self._journal = journal
        self._sink = Sink(journal, redactor, clock, admit)
        self._place = place
        self._files: dict[Path | str, SessionFile | DocumentFile] = {}
        self._sizes: dict[Path, tuple[int, int]] = {}
        self._refused: dict[str, None] = {}

    def path(self, path: Path, watch: Watcher | None = None, *, final: bool = True) -> None:
        """Read a file or folder from where the last call stopped; a file that has become shorter was replaced, and is
        read from its start. `final` false: more is to come, so incomplete beginnings wait.

        Raises:
            UsageError: there is nothing to import.
            FormatError: the file, or each file of the folder, is in no known format.
        """
        files = unit_files(path)
        whole = sum(map(size_of, files))
        done, taken = 0, 0
        for file in files:
            try:
                for read in self._read(file, final=final, alone=file == path):
                    if watch is not None:
                        watch(done + read, whole)
            except FormatError as error:
                self._files.pop(file, None)
                if file == path or file.suffix not in DOCUMENT_SUFFIXES:
                    self._refused[str(error)] = None
                if not taken and file == files[-1]:
                    raise
                continue
            taken += 1
            done += size_of(file)
        self._sink.flush()

    def _read(self, file: Path, *, final: bool, alone: bool) -> Iterator[int]:
        """Read a file on, and yield how many bytes of it have been read, again and again."""
        held = self._files.get(file)
        if isinstance(held, SessionFile):
            yield from self._read_lines(file, held, final=final)
            return
        if held is not None and not final and self._sizes.get(file) == _signature(file):
            return
        self._sizes[file] = _signature(file)
        document = self._document(file, final=final)
        if document is not None:
            yield self._take(file, file.stem, document, final=final)
        elif held is None:
            if file.is_dir() or (file.suffix in DOCUMENT_SUFFIXES and not alone):
                raise FormatError(unknown_format(file.stem))
            yield from self._read_lines(file, None, final=final)

    def _document(self, file: Path, *, final: bool) -> Document | None:
        if file.is_dir():
            return document_in_folder(file, self._place.format)
        with file.open("rb") as stream:
            return document_in(stream, self._place.format, final=final)[1]

    def _take(self, name: Path | str, stem: str, document: Document, *, final: bool) -> int:
        """Take a document in; return how many bytes it has."""
        session = self._files.get(name)
        if not isinstance(session, DocumentFile):
            session = self._files[name] = DocumentFile(stem, self._place, self._journal.key)
        session.open(document)
        self._sink.flush()
        held = self._journal.read(session.mission)
        known = Known(entry for entry in held if entry.session == session.session)
        self._sink.put(session.drafts(document, known, final=final), session.checked)
        return document.size

    def _read_lines(self, file: Path, session: SessionFile | None, *, final: bool) -> Iterator[int]:
        if session is None or file.stat().st_size < session.offset:
            if session is not None:
                self._files[f"{file} before it was replaced at {session.offset}"] = session
            session = self._files[file] = SessionFile(file.stem, self._place, self._journal.key)
        with file.open("rb") as stream:
            stream.seek(session.offset)
            for draft in session.drafts(stream, final=final):
                self._sink.put([draft])
                yield session.tally.bytes

    def stream(self, stream: BinaryIO, name: str = "stdin") -> None:
        """Read a stream to its end."""
        read, document = document_in(stream, self._place.format)
        if document is not None:
            self._take(name, name, document, final=True)
        else:
            session = self._files.get(name)
            if not isinstance(session, SessionFile):
                session = self._files[name] = SessionFile(name, self._place, self._journal.key)
            self._sink.put(session.drafts(Rejoined(read, stream), final=True))
        self._sink.flush()

    def report(self) -> ImportReport:
        """Return what has been done so far."""
        tallies = [file.tally for file in self._files.values()]
        ignored: Counter[str] = Counter()
        for tally in tallies:
            ignored.update(tally.ignored)
        missions = tuple(dict.fromkeys(self._told("mission")))
        return ImportReport(
            mission=missions[0] if missions else "",
            missions=missions,
            sessions=tuple(dict.fromkeys(self._told("session"))),
            files=len(tallies),
            lines=sum(tally.lines for tally in tallies),
            parsed=sum(tally.parsed for tally in tallies),
            quarantined=sum(tally.quarantined for tally in tallies),
            ignored=dict(sorted(ignored.items())),
            records=sum(tally.objects for tally in tallies),
            stored=self._sink.stored,
            duplicates=self._sink.duplicates,
            redacted=dict(sorted(self._sink.redacted.items())),
            bytes=sum(tally.bytes for tally in tallies),
            unfinished=sum(tally.unfinished for tally in tallies),
            refused=tuple(self._refused),
        )

    def _told(self, what: str) -> Iterator[str]:
        return (told for file in self._files.values() if (told := str(getattr(file, what))))


def _signature(file: Path) -> tuple[int, int]:
    """Return size and time of a session file: while they stay, it has not grown."""
    newest = file if file.is_file() else max(file.rglob("*"), key=lambda each: each.stat().st_mtime_ns, default=file)
    return size_of(file), newest.stat().st_mtime_ns
