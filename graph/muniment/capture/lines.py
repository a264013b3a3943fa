"""Lines of a session file, and the JSON objects that they hold.

* A line ends at a line feed; a carriage return before it and a byte order mark at the start of the file are no part of
  it. Memory holds one
  line at a time, however long the file.
* A last line without a line feed counts if it is whole JSON; else it is unfinished: it is left for the next time and is
  no damage.
* A line that holds several objects, one right after the other and nothing else, gives all of them (two writers can glue
  lines together).
  Text inside a string is never looked at: the scan goes by JSON's own grammar from the start of the line.
* Whatever else cannot be read is broken, with a reason; a line in which only NUL bytes stand is what a crash leaves.
* What cannot be stored is broken too: numbers that are none, and objects nested deeper than `MOST_NESTED`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from muniment import canonical
from muniment.model.entries import JSON_OBJECT

READ_BYTES = 1 << 20
MOST_NESTED = 128
"""Levels of objects and lists in a line; what comes later walks them by recursion."""
_BOM = b"\xef\xbb\xbf"
TOO_DEEP = "nested too deeply"


class RawLine(msgspec.Struct, frozen=True):
    """One line: its number from 1, where its bytes start in the file, the bytes, and whether a line feed ended it."""

    number: int
    offset: int
    data: bytes
    ended: bool

    @property
    def next_offset(self) -> int:
        """Where the line behind it starts."""
        return self.offset + len(self.data) + self.ended


class Line(msgspec.Struct, frozen=True):
    """What is kept of a line once it has been read: its number, the digest of its bytes, and how many they are."""

    number: int
    digest: str
    size: int


class Broken(msgspec.Struct, frozen=True):
    """Why a line could not be read."""

    reason: str


class Source(Protocol):
    """What bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        ...


class Rejoined:
    """A stream whose beginning was read already, from its beginning on."""

    def __init__(self, start: bytes, rest: Source) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        if not self._start:
            return self._rest.read(size)
        taken, self._start = self._start[:size], self._start[size:]
        return taken


def raw_lines(stream: Source, *, offset: int = 0, number: int = 1) -> Iterator[RawLine]:
    """Yield the lines of a binary stream that stands at `offset`, where line `number` begins."""
    pieces: list[bytes] = []
    while chunk := stream.read(READ_BYTES):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            pieces.append(chunk[start:end])
            here, size = offset, sum(map(len, pieces))
            start, offset, number = end + 1, offset + size + 1, number + 1
            yield RawLine(number - 1, here, _taken(pieces), ended=True)
        if start < len(chunk):
            pieces.append(chunk[start:])
    if pieces:
        yield RawLine(number, offset, _taken(pieces), ended=False)


def _taken(pieces: list[bytes]) -> bytes:
    """Return the pieces as one, and forget them: a giant line is held once."""
    joined = b"".join(pieces)
    pieces.clear()
    return joined


def objects_in(data: bytes, *, first: bool) -> list[JSON_OBJECT] | Broken:
    """Return the JSON objects of a line; an empty list for a blank one. `first`: it is the first line of its file."""
    text = data.removeprefix(_BOM) if first else data
    if not text.strip(b" \t\r"):
        return []
    if not text.strip(b"\0"):
        return Broken("NUL bytes")
    try:
        value = canonical.decode(text)
    except UnicodeDecodeError:
        return Broken("invalid UTF-8")
    except (ValueError, RecursionError) as error:
        return _storable(text, _glued(text)) or Broken(reason_of(error))
    if not isinstance(value, dict):
        return Broken(f"a JSON {type(value).__name__}, not an object")
    return _storable(text, [dict(value)])


def _storable(data: bytes, found: list[JSON_OBJECT]) -> list[JSON_OBJECT] | Broken:
    """Return the objects of a line if they are not nested too deeply. Most lines have too few brackets to be."""
    if data.count(b"{") + data.count(b"[") <= MOST_NESTED:
        return found
    return Broken(TOO_DEEP) if is_too_deep(found) else found


def is_too_deep(found: Iterable[object]) -> bool:
    """Tell whether objects are nested deeper than can be stored."""
    level = [*found]
    for _ in range(MOST_NESTED):
        level = [part for holder in level for part in _parts(holder) if isinstance(part, dict | list)]
    return bool(level)


def _parts(holder: object) -> Iterable[object]:
    if isinstance(holder, dict):
        return holder.values()
    return holder if isinstance(holder, list) else ()


def _glued(data: bytes) -> list[JSON_OBJECT]:
    """Return the objects of a line that holds several and nothing else; an empty list where it is not so."""
    text = data.decode("utf-8").strip(" \t\r")
    found: list[JSON_OBJECT] = []
    place = 0
    while place < len(text):
        try:
            value, place = canonical.DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
        while place < len(text) and text[place] in " \t":
            place += 1
    return found


def reason_of(error: Exception) -> str:
    """Say what was wrong without repeating the line's text."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at character {error.pos}"
    return TOO_DEEP if isinstance(error, RecursionError) else "not JSON"
