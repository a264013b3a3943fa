"""A session that is one JSON document: its fields, and the lists in it item by item.

* A sound document is decoded at once. Of another each field and each item of a list is decoded by itself, so that a
  broken item costs itself, and a document that was cut costs what was cut.
* Behind a broken item the scan goes on at its closing bracket, but only if all that follows is JSON to the document's
  end. If not, nothing behind the break is believed: text inside a string must never become a message.
* Text inside a string is never un-escaped before it is scanned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

import msgspec

from muniment import canonical
from muniment.capture.lines import TOO_DEEP, is_too_deep, reason_of
from muniment.digest import digest_of

CUT = "the document ends in the middle of it"
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(r"[ \t\r\n]*")
_MARKS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_BAD_BYTE = re.compile("[\udc80-\udcff]")


class BrokenItem(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a document that could not be read: why, and digest and number of its bytes."""

    reason: str
    digest: str
    size: int


class JsonDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a document holds. A document that is a list has it under the name ""; `broken` are pieces of no list."""

    fields: dict[str, object]
    lists: dict[str, list[object]]
    broken: list[object] = []

    @property
    def sound(self) -> dict[str, object]:
        """The document without its broken pieces."""
        lists = {
            name: [item for item in items if not isinstance(item, BrokenItem)] for name, items in self.lists.items()
        }
        return {**self.fields, **lists}


class _StoppedError(Exception):
    """The scan cannot go on."""


def read_json(data: bytes) -> JsonDocument | None:
    """Return what a document holds; None where `data` does not begin as an object or a list."""
    data = data.removeprefix(_BOM)
    try:
        value = canonical.decode(data)
    except (ValueError, RecursionError):
        return _salvaged(data)
    if isinstance(value, dict):
        return _divided(value)
    return _divided({"": value}) if isinstance(value, list) else None


def broken_item(data: bytes, reason: str) -> BrokenItem:
    """Return what is kept of bytes that could not be read."""
    return BrokenItem(reason=reason, digest=digest_of(data), size=len(data))


def _divided(value: Mapping[str, object]) -> JsonDocument:
    fields = {name: part for name, part in value.items() if not isinstance(part, list)}
    lists = {name: [_storable(item) for item in part] for name, part in value.items() if isinstance(part, list)}
    return JsonDocument(fields=fields, lists=lists)


def _storable(item: object) -> object:
    return broken_item(canonical.encode(item), TOO_DEEP) if is_too_deep([item]) else item


def _salvaged(data: bytes) -> JsonDocument | None:
    text = data.decode("utf-8", "surrogateescape")
    start = _after_space(text, 0)
    if text[start : start + 1] not in ("{", "["):
        return None
    first = _Scan(text, resync=True)
    if first.whole() or not first.resynced:
        return first.found
    second = _Scan(text, resync=False)
    second.whole()
    return second.found


class _Scan:
    """One way through a document that is not sound."""

    def __init__(self, text: str, *, resync: bool) -> None:
        self._text = text
        self._resync = resync
        self._bad_bytes = _BAD_BYTE.search(text) is not None
        self.resynced = False
        self.found = JsonDocument(fields={}, lists={})

    def whole(self) -> bool:
        """Read all that can be read; tell whether the end of the document was reached."""
        start = _after_space(self._text, 0)
        try:
            end = self._items("", start + 1) if self._text[start] == "[" else self._fields(start + 1)
        except _StoppedError:
            return False
        rest = self._text[_after_space(self._text, end) :]
        if rest:
            self.found.broken.append(broken_item(_bytes(rest), "text behind the document"))
        return not rest

    def _fields(self, place: int) -> int:
        """Read the fields of an object from behind its bracket; return the place behind its end."""
        place = _after_space(self._text, place)
        if self._text[place : place + 1] == "}":
            return place + 1
        while True:
            name, place = self._value(place, self.found.broken)
            place = _after_space(self._text, place)
            if not isinstance(name, str) or self._text[place : place + 1] != ":":
                self._stop(place, self.found.broken)
            place = _after_space(self._text, place + 1)
            if self._text[place : place + 1] == "[":
                place = self._items(str(name), place + 1)
            else:
                value, place = self._value(place, self.found.broken)
                if isinstance(value, BrokenItem):
                    self.found.broken.append(value)
                else:
                    self.found.fields[str(name)] = value
            place, ended = self._separated(place, "}", self.found.broken)
            if ended:
                return place

    def _items(self, name: str, place: int) -> int:
        """Read the items of a list from behind its bracket; return the place behind its end."""
        items = self.found.lists[name] = []
        place = _after_space(self._text, place)
        if self._text[place : place + 1] == "]":
            return place + 1
        while True:
            value, place = self._value(place, items)
            items.append(value)
            place, ended = self._separated(place, "]", items)
            if ended:
                return place

    def _separated(self, place: int, end: str, into: list[object]) -> tuple[int, bool]:
        """Return the place of the next member and false, or the place behind the end and true."""
        place = _after_space(self._text, place)
        mark = self._text[place : place + 1]
        if mark not in (",", end) or not mark:
            self._stop(place, into)
        return (place + 1, True) if mark == end else (_after_space(self._text, place + 1), False)

    def _value(self, place: int, into: list[object]) -> tuple[object, int]:
        """Return the value that begins at a place, or that it is broken, and the place behind it."""
        try:
            value, end = canonical.DECODER.raw_decode(self._text, place)
        except (ValueError, RecursionError) as error:
            end = self._end_of(place)
            if end < 0 or not self._resync:
                self._stop(place, into, CUT if end < 0 else f"{reason_of(error)}, and what follows is not sure")
            self.resynced = True
            return broken_item(_bytes(self._text[place:end]), reason_of(error)), end
        if self._bad_bytes and _BAD_BYTE.search(self._text, place, end):
            return broken_item(_bytes(self._text[place:end]), "invalid UTF-8"), end
        if is_too_deep([value]):
            return broken_item(_bytes(self._text[place:end]), TOO_DEEP), end
        return value, end

    def _stop(self, place: int, into: list[object], reason: str = "") -> NoReturn:
        """Give up here: what is left is one broken piece.

        Raises:
            _StoppedError: always.
        """
        rest = self._text[place:]
        into.append(broken_item(_bytes(rest), reason or ("not JSON" if rest else CUT)))
        raise _StoppedError

    def _end_of(self, place: int) -> int:
        """Return the place behind the closing bracket of what opens at a place; -1 where there is none."""
        if self._text[place : place + 1] not in ("{", "["):
            return -1
        depth = 0
        for mark in _MARKS.finditer(self._text, place):
            if mark[0] in ("{", "["):
                depth += 1
            elif mark[0] in ("}", "]"):
                depth -= 1
                if depth == 0:
                    return mark.end()
        return -1


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return place if match is None else match.end()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
