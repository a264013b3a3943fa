"""Parts: a text cut into runs of lines that a view can choose among, each with the names that it mentions.

* A part has at most `MOST_LINES` lines and `MOST_CHARACTERS` characters; a longer line is a part of its own. One above
  `LONGEST_LINE` is cut into several, of which the first `MOST_OF_A_LINE` are offered.
* What a text is cut into depends on the text alone, so it is remembered by the text: a purged one is never read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from sys import intern
from typing import Final

import msgspec

from muniment.derive.names import names_in
from muniment.derive.texts import readable
from muniment.selection.stock import ByText

MOST_LINES: Final = 8
MOST_CHARACTERS: Final = 500
LONGEST_LINE: Final = 1_600
MOST_OF_A_LINE: Final = 16
CHUNK_FEWEST: Final = 8
CHUNK_LINES: Final = 20
CHUNK_CHARACTERS: Final = 1_600

_CODE: Final = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)

Names = tuple[str, ...]
"""Names in an order that depends on the text alone: sums over them are the same in each process."""


class Part(msgspec.Struct, frozen=True):
    """A run of lines: `first` counts from 0; `lines` is how many begin in it: none where it goes on with a long line.

    `cut` is how many characters of its lines are not in its text.
    """

    first: int
    lines: int
    text: str
    names: Names
    cut: int = 0


@ByText
def names_of(text: str) -> Names:
    """Return the names that a text mentions, in order of first occurrence."""
    return tuple(map(intern, names_in(text)))


@ByText
def literal_names(text: str) -> Names:
    """Return the names in those parts of a text that are marked as code: between single or triple backticks."""
    return names_of("\n".join(_CODE.findall(text)))


@ByText
def parts_of(text: str) -> tuple[Part, ...]:
    """Return the parts of a text, in order."""
    found: list[Part] = []
    run: list[str] = []
    size = first = 0
    for place, line in enumerate(text.split("\n")):
        long = len(line) > LONGEST_LINE
        if run and (long or len(run) >= MOST_LINES or size + len(line) > MOST_CHARACTERS):
            found.append(_part(first, run))
            run, size, first = [], 0, place
        if long:
            found += _pieces(place, line)
            first = place + 1
            continue
        run.append(line)
        size += len(line) + 1
    return (*found, _part(first, run)) if run else tuple(found)


def _pieces(place: int, line: str) -> Iterable[Part]:
    """Yield the parts of one long line."""
    last = MOST_OF_A_LINE * MOST_CHARACTERS
    for start in range(0, min(len(line), last), MOST_CHARACTERS):
        text = line[start : start + MOST_CHARACTERS]
        cut = max(len(line) - last, 0) if start + MOST_CHARACTERS >= last else 0
        yield Part(place, int(start == 0), text, tuple(map(intern, names_in(text))), cut)


@ByText
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
    cut = sum(max(len(line.rstrip("\r")) - CHUNK_CHARACTERS, 0) for line in lines)
    return msgspec.structs.replace(_part(first, chunk_text(lines).split("\n")), cut=cut)


def _bounded(line: str) -> str:
    line = line.rstrip("\r")
    rest = len(line) - CHUNK_CHARACTERS
    return line if rest <= 0 else f"{line[:CHUNK_CHARACTERS]}[… {rest:,} characters more]"


def _part(first: int, run: list[str]) -> Part:
    text = "\n".join(run)
    return Part(first, len(run), text, tuple(map(intern, names_in(text))))
