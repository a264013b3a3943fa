"""Parts: a text cut into runs of lines that a view can choose among, each with the names that it mentions.

* A part has at most `MOST_LINES` lines and `MOST_CHARACTERS` characters; a longer line is a part of its own, cut off.
* What a text is cut into depends on the text alone, so it is remembered by the text: a purged one is never read again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from muniment.derive.names import names_in

MOST_LINES: Final = 8
MOST_CHARACTERS: Final = 500
LONGEST_LINE: Final = 1_600
REMEMBERED: Final = 4_096
"""Texts whose parts are remembered: those of the newest steps of several missions."""

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


def _part(first: int, run: list[str]) -> Part:
    text = "\n".join(run)
    return Part(first, len(run), text, tuple(names_in(text)))
