"""Parts: a text cut into runs of lines that a view can choose among, each with the names that it mentions.

* A part has at most `MOST_LINES` lines and `MOST_CHARACTERS` characters; a longer line is a part of its own, cut off.
* What a text is cut into depends on the text alone, so it is remembered by the text: a purged one is never read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from muniment.derive.names import names_in
from muniment.derive.texts import readable

MOST_LINES: Final = 8
MOST_CHARACTERS: Final = 500
LONGEST_LINE: Final = 1_600
CHUNK_FEWEST: Final = 8
CHUNK_LINES: Final = 20
CHUNK_CHARACTERS: Final = 1_600
REMEMBERED: Final = 4_096
"""Texts whose parts are remembered: those of the newest steps of several missions."""

_CODE: Final = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)

Names = tuple[str, ...]
"""Names in an order that depends on the text alone: sums over them are the same in each process."""


class Part(msgspec.Struct, frozen=True):
    """A run of lines: `first` counts from 0; `lines` is how many there are."""

    first: int
    lines: int
    text: str
    names: Names


@lru_cache(maxsize=REMEMBERED)
def names_of(text: str) -> Names:
    """Return the names that a text mentions, in order of first occurrence."""
    return tuple(names_in(text))


@lru_cache(maxsize=REMEMBERED)
def literal_names(text: str) -> Names:
    """Return the names in those parts of a text that are marked as code: between single or triple backticks."""
    return names_of("\n".join(_CODE.findall(text)))


@lru_cache(maxsize=REMEMBERED)
def parts_of(text: str) -> tuple[Part, ...]:
    """Return the parts of a text, in order."""
    found: list[Part] = []
    run: list[str] = []
    size = first = 0
    for place, line in enumerate(text.split("\n")):
        kept = line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}[…]"
        if run and (len(run) >= MOST_LINES or size + len(kept) > MOST_CHARACTERS):
            found.append(_part(first, run))
            run, size, first = [], 0, place
        run.append(kept)
        size += len(kept) + 1
    return (*found, _part(first, run))


@lru_cache(maxsize=REMEMBERED)
def chunks_of(text: str) -> tuple[Part, ...]:
    """Return the chunks of lines of a file that follow one another, fit to be shown: cut at an empty line once a chunk
    has 8 lines, at the latest after 20 lines or 1,600 characters.
    """
    found: list[Part] = []
    lines = text.split("\n")
    begin = size = 0
    for i, line in enumerate(lines):
        if i > begin and (i - begin >= CHUNK_LINES or size + len(line) > CHUNK_CHARACTERS):
            found.append(_chunk(begin, lines[begin:i]))
            begin, size = i, 0
        size += len(line) + 1
        if i + 1 - begin >= CHUNK_FEWEST and not line.strip():
            found.append(_chunk(begin, lines[begin : i + 1]))
            begin, size = i + 1, 0
    return (*found, _chunk(begin, lines[begin:])) if begin < len(lines) else tuple(found)


def chunk_text(lines: Iterable[str]) -> str:
    """Return lines of a file as they may be shown."""
    return readable("\n".join(map(_bounded, lines)))


def _chunk(first: int, lines: list[str]) -> Part:
    return _part(first, chunk_text(lines).split("\n"))


def _bounded(line: str) -> str:
    line = line.rstrip("\r")
    rest = len(line) - CHUNK_CHARACTERS
    return line if rest <= 0 else f"{line[:CHUNK_CHARACTERS]}[… {rest:,} characters more]"


def _part(first: int, run: list[str]) -> Part:
    text = "\n".join(run)
    return Part(first, len(run), text, tuple(names_in(text)))
