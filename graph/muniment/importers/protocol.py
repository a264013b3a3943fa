"""What an importer is: two small machines per session format, both pure.

* A :class:`SourceReader` looks at each parsed line of one file and says where it belongs and under which id it is kept.
  Capture uses it; it judges nothing and drops nothing.
* A :class:`Normaliser` turns the entries of one stream, in stream order, into neutral records. The fold uses it. Its
  `state`
  is a plain msgspec Struct, so that a fold can be saved and go on later.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import Record


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """What capture needs to know of one object of a source file.

    `session` is the root session as the file declares it ("" while no line has said so). `source_id` is the source's
    own id, or None
    where it has none; then capture makes one from (session, stream, line number, line). `kind` is the source's own word
    for the line;
    `ignored` is true where this version of the importer makes no record of that kind. `actor` is who wrote the line:
    user, agent, tool, harness or unknown. `root` is the working directory, where the line tells it.
    """

    session: str
    stream: str
    source_id: str | None
    kind: str
    ignored: bool
    actor: str
    root: str | None = None


class SourceReader(Protocol):
    """Reads the lines of one file of a format, in order."""

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where the line belongs."""
        ...


class Normaliser(Protocol):
    """Turns the entries of one stream into records, in stream order."""

    @property
    def state(self) -> msgspec.Struct:
        """All that the normaliser remembers between entries."""
        ...

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one entry, whose body is not None. Never raises on odd input: what it cannot read it
        leaves out.
        """
        ...


class SessionFormat(Protocol):
    """One session format. Registered in `importers.FORMATS`."""

    name: str
    """Name and version, as entries carry it: `claude-code/1`."""
    title: str
    """For people: `Claude Code transcript`."""
    short: str
    """What `--format` takes: `claude-code`."""
    runtime: str
    """What missions of this format are named by; formats that tell of the same sessions share it."""

    def reader(self, file_name: str) -> SourceReader:
        """Return a reader for a file of that name."""
        ...

    def normaliser(self, state: bytes | None) -> Normaliser:
        """Return a normaliser for one stream, new or from the msgpack bytes of an earlier `state`."""
        ...


class LineFormat(SessionFormat, Protocol):
    """A session format whose files are one JSON object a line."""

    def sniff(self, first: list[JSON_OBJECT]) -> bool:
        """Tell whether the first objects of a file (up to 20) are of this format."""
        ...


class DocumentFormat(SessionFormat, Protocol):
    """A session format whose files are one JSON document each (or a folder of them, read as if it were one).

    Each item of the named lists becomes an entry, whose body is the item. What else the document holds becomes the
    first entry: `{"document": {…}}`.
    """

    lists: tuple[str, ...]
    """The document's lists whose items are parts, in the order in which they are told; "" where it is itself a list."""
    last: tuple[str, ...]
    """Fields that are told behind the lists, each as a part `{field: value}`."""
    revisable: bool
    """Whether the newest part may be written anew with more in it; any other change is a replaced log."""

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document is of this format; one that is a list is given as `{"": [...]}`. It may be cut."""
        ...


class TextFormat(SessionFormat, Protocol):
    """A session format whose files are text for people. The newest piece may grow."""

    def sniff_text(self, start: str) -> bool:
        """Tell whether a text that starts so is of this format."""
        ...

    def pieces(self, text: str) -> list[JSON_OBJECT]:
        """Return the pieces of a text, in order; together they hold all of it but blank lines."""
        ...
