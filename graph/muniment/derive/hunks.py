"""Hunks of an edit: what they put in, where they belong, and how they become splices.

* A hunk's `old_start` is the first line of its old side; with an empty old side, the line before which it inserts.
  0: its place is not known.
* Its lines begin with " ", "-" or "+"; an empty one is a kept empty line; one that begins with a backslash (git's
  "no newline at end of file") is no line of the file.
* A place is taken only where it is the only one: if the hunks fit in more than one way, in their order, none is chosen.
"""

from __future__ import annotations

import msgspec

from muniment.model.records import Hunk


class Splice(msgspec.Struct, frozen=True, array_like=True):
    """`removed` old lines from `start` on give way to `added` lines: those from `offset` on of `excerpt`'s text.

    Lines count from 1, offsets from 0. With `removed` 0, `start` is the line before which is inserted. A `start` of 0
    means that the place is not known.
    """

    start: int
    removed: int
    added: int
    excerpt: str
    offset: int

    @property
    def stop(self) -> int:
        """The first old line after the splice."""
        return self.start + self.removed


def added_lines(hunks: tuple[Hunk, ...]) -> list[str]:
    """Return the lines that the hunks put in, in order."""
    return [line[1:] for hunk in hunks for line in hunk.lines if line.startswith("+")]


def added_text(hunks: tuple[Hunk, ...]) -> str:
    """Return the `added_lines` as the text that `splices_of` points into: each line with its end."""
    return "".join(f"{line}\n" for line in added_lines(hunks))


def old_side(hunk: Hunk) -> list[str]:
    """Return the lines that the hunk found in the file: kept and removed ones."""
    return [line[1:] for line in hunk.lines if not line.startswith(("+", "\\"))]


def splices_of(hunks: tuple[Hunk, ...], excerpt: str) -> tuple[Splice, ...]:
    """Return the changes that the hunks make; the text of `excerpt` is their `added_text`.

    A hunk whose place is not known gives splices with `start` 0.
    """
    splices: list[Splice] = []
    offset = 0
    for hunk in hunks:
        for start, removed, added in _runs(hunk):
            splices.append(Splice(start if hunk.old_start > 0 else 0, removed, added, excerpt, offset))
            offset += added
    return tuple(splices)


def located(hunks: tuple[Hunk, ...], known: list[str | None]) -> tuple[Hunk, ...] | None:
    """Return the hunks with their places; those that had none are looked for in `known` (index 0 is line 1).

    A hunk may stand where all lines of its old side are known and equal, after the hunk before it. Returns None where
    there is no such way to place the hunks, or more than one. A hunk that has a place already keeps it.
    """
    places = [_places(hunk, known) for hunk in hunks]
    lengths = [len(old_side(hunk)) for hunk in hunks]
    first = _earliest(places, lengths)
    if first is None or first != _latest(places, lengths):
        return None
    found: list[Hunk] = []
    shift = 0
    for hunk, place in zip(hunks, first, strict=True):
        found.append(hunk if hunk.old_start > 0 else Hunk(place, place + shift, hunk.lines))
        shift += len(added_lines((hunk,))) - sum(line.startswith("-") for line in hunk.lines)
    return tuple(found)


def contradicted(hunks: tuple[Hunk, ...], known: list[str | None]) -> bool:
    """Tell whether a hunk with a place found other lines there than those that are known (carriage returns aside)."""
    for hunk in hunks:
        old_lines = old_side(hunk)
        first = hunk.old_start - 1
        here = known[first : first + len(old_lines)] if first >= 0 else []
        for old, line in zip(old_lines, here, strict=False):
            if line is not None and line.rstrip("\r") != old.rstrip("\r"):
                return True
    return False


def _runs(hunk: Hunk) -> list[tuple[int, int, int]]:
    """Return (start, removed, added) of each run of changed lines."""
    runs: list[tuple[int, int, int]] = []
    line, start, removed, added = hunk.old_start, hunk.old_start, 0, 0
    for text in (*hunk.lines, " "):
        if text.startswith("+"):
            added += 1
        elif text.startswith("-"):
            removed += 1
        elif not text.startswith("\\"):
            if removed or added:
                runs.append((start, removed, added))
            line += removed + 1
            start, removed, added = line, 0, 0
    return runs


def _places(hunk: Hunk, known: list[str | None]) -> list[int]:
    """Return the lines where the hunk may begin, ascending."""
    if hunk.old_start > 0:
        return [hunk.old_start]
    old = old_side(hunk)
    if not old:
        return []
    found: list[int] = []
    place = -1
    while True:
        try:
            place = known.index(old[0], place + 1)
        except ValueError:
            return found
        if known[place : place + len(old)] == old:
            found.append(place + 1)


def _earliest(places: list[list[int]], lengths: list[int]) -> list[int] | None:
    """Return the first way in which the hunks fit one after another."""
    chosen: list[int] = []
    reached = 1
    for candidates, length in zip(places, lengths, strict=True):
        place = next((p for p in candidates if p >= reached), None)
        if place is None:
            return None
        chosen.append(place)
        reached = place + length
    return chosen


def _latest(places: list[list[int]], lengths: list[int]) -> list[int]:
    """Return the last way in which the hunks fit; there is one, for there is a first."""
    chosen: list[int] = []
    limit: int | None = None
    for candidates, length in zip(reversed(places), reversed(lengths), strict=True):
        place = next(p for p in reversed(candidates) if limit is None or p + length <= limit)
        chosen.append(place)
        limit = place
    return chosen[::-1]
