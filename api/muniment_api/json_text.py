"""Changing a JSON text without touching the rest of it: every character outside the change stays as it is.

* Positions are found by JSON's own grammar; nothing is written anew but what is inserted.
* An insertion follows the indentation of the text. Removing what was inserted gives the text back as it was.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from muniment.errors import UsageError

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
DEFAULT_INDENT = "  "


class Item(NamedTuple):
    """A member of an object (or, with key "", an element of an array): where it, its value, and what follows start."""

    key: str
    start: int
    value: int
    end: int


class Holder(NamedTuple):
    """An object or array in the text: where its first bracket stands, its items, where its last bracket stands."""

    start: int
    items: list[Item]
    end: int

    def find(self, key: str) -> Item | None:
        """Return the member of that name; of several the last, as whoever reads JSON does."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def read_holder(text: str, start: int) -> Holder:
    """Return the object or array whose first bracket stands at `start`, or behind blanks there.

    Raises:
        UsageError: there is none, or it is no JSON.
    """
    start = _behind_blanks(text, start)
    if text[start : start + 1] not in ("{", "["):
        raise UsageError(f"expected an object or array at character {start}")
    items: list[Item] = []
    place = _behind_blanks(text, start + 1)
    while text[place : place + 1] not in ("}", "]"):
        item = _item(text, place, named=text[start] == "{")
        items.append(item)
        place = _behind_blanks(text, item.end)
        if text[place : place + 1] == ",":
            place = _behind_blanks(text, place + 1)
            if text[place : place + 1] in ("}", "]"):
                raise UsageError(f"no JSON: nothing follows the comma before character {place}")
        elif text[place : place + 1] not in ("}", "]"):
            raise UsageError(f"no JSON at character {place}")
    return Holder(start, items, place)


def inserted(text: str, holder: Holder, key: str, value: object, depth: int) -> str:
    """Return the text with an item more at the end of `holder`, which is nested `depth` deep."""
    indent = indent_of(text)
    inner = "\n" + indent * (depth + 1)
    name = f"{json.dumps(key)}: " if text[holder.start] == "{" else ""
    body = name + json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", inner)
    if holder.items:
        end = holder.items[-1].end
        return f"{text[:end]},{inner}{body}{text[end:]}"
    return f"{text[: holder.start + 1]}{inner}{body}\n{indent * depth}{text[holder.end :]}"


def removed(text: str, holder: Holder, item: Item) -> str:
    """Return the text without an item, its comma and the blanks before it."""
    place = holder.items.index(item)
    if len(holder.items) == 1:
        return text[: holder.start + 1] + text[holder.end :]
    if place == 0:
        return text[: item.start] + text[holder.items[1].start :]
    return text[: holder.items[place - 1].end] + text[item.end :]


def indent_of(text: str) -> str:
    """Return what the text indents with."""
    match = _INDENT.search(text)
    return match[1] if match else DEFAULT_INDENT


def _item(text: str, place: int, *, named: bool) -> Item:
    start, key = place, ""
    try:
        if named:
            if text[place : place + 1] != '"':
                raise UsageError(f"no JSON at character {place}")
            key, place = _DECODER.raw_decode(text, place)
            place = _behind_blanks(text, place)
            if text[place : place + 1] != ":":
                raise UsageError(f"no JSON at character {place}")
            place = _behind_blanks(text, place + 1)
        _, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no JSON: {error}") from None
    return Item(key, start, place, end)


def _behind_blanks(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place
