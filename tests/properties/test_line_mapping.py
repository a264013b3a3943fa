"""Where lines of a file are after edits: by the edits' own hunks, and by a diff of the two whole texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.carrying import Run, by_source, by_text
from muniment.derive.hunks import Splice
from muniment.derive.ledger import edited, known_lines, replaced
from muniment.model.ledger import LedgerState

EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.integers(0, 4)), max_size=8)
"""Each edit: where (modulo the file's length), how many lines it takes out, how many it puts in."""


def pairs(runs: tuple[Run, ...]) -> set[tuple[int, int]]:
    """Return the lines that runs map: (old number, new number)."""
    return {(run.old + place, run.new + place) for run in runs for place in range(run.size)}


def edited_file(size: int, edits: list[tuple[int, int, int]]) -> tuple[list[str], LedgerState, dict[str, list[str]]]:
    """Return a file of lines that are all different after edits, with its ledger and the texts behind it."""
    lines = [f"line {number}" for number in range(size)]
    texts = {"whole": list(lines)}
    state = replaced(size, excerpt="whole", version="v")
    for number, (place, removed, added) in enumerate(edits):
        start = place % (len(lines) + 1)
        removed = min(removed, len(lines) - start)
        texts[f"edit {number}"] = new = [f"new {number}.{place}" for place in range(added)]
        lines[start : start + removed] = new
        state = edited(state, (Splice(start + 1, removed, added, f"edit {number}", 0),), version="v")
    return lines, state, texts


@given(st.integers(0, 30), EDITS)
def test_mapping_through_random_edits_agrees_with_a_full_diff(size: int, edits: list[tuple[int, int, int]]) -> None:
    before = replaced(size, excerpt="whole", version="v")
    lines, state, texts = edited_file(size, edits)
    assert known_lines(state, lambda excerpt: texts[excerpt]) == lines
    old = [f"line {number}" for number in range(size)]
    same = {(old.index(line) + 1, place) for place, line in enumerate(lines, start=1) if line in old}
    assert pairs(by_source(before.segments, state.segments)) == same
    assert pairs(by_text(list(old), lines)) == same
