"""Hunks: splices, places, diffs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.diff import hunks_between
from muniment.derive.hunks import (
    Splice,
    added_lines,
    added_text,
    located,
    splices_of,
)
from muniment.derive.texts import split_lines
from muniment.model.records import Hunk
from tests.support.plain_patch import applied

LINES = st.lists(st.sampled_from(["a", "b", "", "}", "x\r"]), max_size=12)


def test_kept_lines_make_no_splice_and_a_run_of_changes_makes_one() -> None:
    hunk = Hunk(3, 3, (" x", "-a", "+A", "-b", "+B", " d", "+e", "", "-f"))
    expected = (Splice(4, 2, 2, "e", 0), Splice(7, 0, 1, "e", 2), Splice(8, 1, 0, "e", 3))
    assert splices_of((hunk,), "e") == expected
    assert added_lines((hunk,)) == ["A", "B", "e"]


def test_a_note_on_a_missing_line_end_is_no_line() -> None:
    hunk = Hunk(1, 1, (" a", "-b", "\\ No newline at end of file", "+b", "+c"))
    assert splices_of((hunk,), "e") == (Splice(2, 1, 2, "e", 0),)
    assert located((Hunk(0, 0, hunk.lines),), ["a", "b"]) == (hunk,)


def test_an_empty_line_that_is_put_in_last_is_a_line_of_the_text() -> None:
    hunks = (Hunk(1, 1, ("+a", "+")),)
    assert split_lines(added_text(hunks)) == added_lines(hunks) == ["a", ""]


def test_a_hunk_without_a_place_gives_splices_without_one() -> None:
    assert splices_of((Hunk(0, 0, (" a", "-b")),), "e") == (Splice(0, 1, 0, "e", 0),)


def test_hunks_are_found_in_order_and_their_new_places_follow() -> None:
    hunks = (Hunk(0, 0, ("-b", "+c", "+d")), Hunk(0, 0, (" e", "-f")))
    placed = (Hunk(2, 2, hunks[0].lines), Hunk(4, 5, hunks[1].lines))
    assert located(hunks, ["a", "b", None, "e", "f"]) == placed


def test_a_hunk_that_fits_twice_is_not_placed_but_one_that_order_decides_is() -> None:
    twice = Hunk(0, 0, ("-x", "+y"))
    assert located((twice,), ["x", "a", "x"]) is None
    anchor = Hunk(0, 0, ("-a", "+b"))
    assert located((anchor, twice), ["x", "a", "x"]) == (Hunk(2, 2, anchor.lines), Hunk(3, 3, twice.lines))
    assert located((twice, anchor), ["x", "a", "x"]) == (Hunk(1, 1, twice.lines), Hunk(2, 2, anchor.lines))
    assert located((Hunk(2, 2, anchor.lines), twice), ["x", "a", "x"]) is not None


def test_what_is_not_there_or_not_known_or_out_of_order_is_not_placed() -> None:
    assert located((Hunk(0, 0, ("-q",)),), ["x"]) is None
    assert located((Hunk(0, 0, (" x", "-q")),), ["x", None]) is None
    assert located((Hunk(0, 0, ("-b",)), Hunk(0, 0, ("-a",))), ["a", "b"]) is None
    assert located((Hunk(0, 0, ("+only",)),), ["a"]) is None
    assert located((), ["a"]) == ()


def test_a_hunk_that_overlaps_itself_is_not_placed() -> None:
    assert located((Hunk(0, 0, ("-x", "-x")),), ["x", "x", "x"]) is None


@given(LINES, LINES)
def test_hunks_found_in_a_file_known_whole_are_the_true_ones(old: list[str], new: list[str]) -> None:
    hunks = hunks_between(old, new)
    placed = located(tuple(Hunk(0, 0, hunk.lines) for hunk in hunks), list(old))
    assert placed is None or applied(old, placed) == new
