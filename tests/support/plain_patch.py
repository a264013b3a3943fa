"""Applies hunks in the plainest way, for tests that compare."""

from __future__ import annotations

from muniment.derive.hunks import added_text, splices_of
from muniment.derive.texts import split_lines
from muniment.model.records import Hunk


def applied(lines: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """Return `lines` after the hunks, through their splices, from the last to the first."""
    text = split_lines(added_text(hunks))
    result = list(lines)
    for splice in reversed(splices_of(hunks, "e")):
        assert splice.start >= 1
        begin = splice.start - 1
        result[begin : begin + splice.removed] = text[splice.offset : splice.offset + splice.added]
    return result
