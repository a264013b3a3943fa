"""Definitions: the functions, classes, types, constants, tests, keys and headings that a text defines, and where.

* A definition has its name as people write it: `Owner.method`, `describe a › it does`, `scripts.test`.
* Text may begin and end in the middle of a file: the grammars go on after what they do not understand. Lines that are
  not known are taken as empty; a definition that holds such lines is told as not `exact`.
* What is longer than `LONGEST` characters is data, and defines nothing; of one text at most `MOST` are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from tree_sitter import Node, QueryCursor

from muniment.derive.languages import Grammar, grammar, language_of

LONGEST: Final = 400_000
MOST: Final = 1_000
_LONGEST_NAME: Final = 120
_QUOTES: Final = "\"'`"
_PRIORITY: Final = ("test", "class", "type", "function", "constant", "key", "heading", "scope")
"""What a node captured twice is."""


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A definition: lines `first`..`last` (1-based, inclusive) of the text. `exact`: all of them are known."""

    name: str
    what: str
    first: int
    last: int
    exact: bool = True


class _Found(msgspec.Struct):
    what: str
    name: str
    lines: tuple[int, int]
    place: tuple[int, int]
    owned: bool


def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """Return what a text of the file `path` defines, in order of lines; the outer before the inner."""
    language = language_of(path)
    if language is None or not text or len(text) > LONGEST:
        return ()
    found = _found(grammar(language), text.encode("utf-8", "replace"))
    return tuple(_qualified(found, grammar(language).deepest))[:MOST]


def current_definitions(path: str, lines: Sequence[str | None]) -> tuple[Definition, ...]:
    """Return what the known lines of a file define; None is a line that is not known."""
    told = definitions(path, "".join(f"{line or ''}\n" for line in lines))
    known = (each for each in told if lines[each.first - 1] is not None)
    return tuple(_with_doubt(each, lines) for each in known)


def _with_doubt(each: Definition, lines: Sequence[str | None]) -> Definition:
    if None not in lines[each.first - 1 : each.last]:
        return each
    return msgspec.structs.replace(each, exact=False)


def _found(language: Grammar, data: bytes) -> list[_Found]:
    """Return the captured nodes in order, the outer first; a node captured twice once."""
    root = language.parser.parse(data).root_node
    found: dict[int, _Found] = {}
    for _, captures in QueryCursor(language.query).matches(root):
        what = next((each for each in _PRIORITY if each in captures), None)
        if what is None or "name" not in captures:
            continue
        node = captures[what][0]
        known = found.get(node.id)
        if known is None or _PRIORITY.index(what) < _PRIORITY.index(known.what):
            name = _name(captures["name"][0])
            owner = "".join(_name(each) + "." for each in captures.get("owner", ()))
            place = node.start_byte, node.end_byte
            found[node.id] = _Found(what, owner + name, _extent(language, node), place, bool(owner))
    return sorted(found.values(), key=lambda each: (each.place[0], -each.place[1]))


def _name(node: Node) -> str:
    text = (node.text or b"").decode("utf-8", "replace").strip(_QUOTES).replace("::", ".")
    return " ".join(text.strip("()").split())[:_LONGEST_NAME]


def _extent(language: Grammar, node: Node) -> tuple[int, int]:
    while node.parent is not None and node.parent.type in language.wrappers:
        node = node.parent
    (first, _), (last, column) = node.start_point, node.end_point
    return first + 1, max(first, last - (column == 0)) + 1


def _qualified(found: list[_Found], deepest: int) -> list[Definition]:
    """Name each definition by what it lies in; drop scopes and what lies deeper than `deepest` levels."""
    around: list[tuple[int, str, str]] = []
    told: list[Definition] = []
    for each in found:
        while around and around[-1][0] <= each.place[0]:
            around.pop()
        name = each.name if each.owned or not around else _joined(around[-1], each)
        around.append((each.place[1], name, each.what))
        if each.what != "scope" and not (deepest and len(around) > deepest):
            told.append(Definition(name=name, what=each.what, first=each.lines[0], last=each.lines[1]))
    return told


def _joined(outer: tuple[int, str, str], each: _Found) -> str:
    titles = each.what == "heading" or (each.what, outer[2]) == ("test", "test")
    return f"{outer[1]} › {each.name}" if titles else f"{outer[1]}.{each.name}"
