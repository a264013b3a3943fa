"""Diffs by lines: right always, small where the texts are alike, quick whatever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.diff import SMALL, hunks_between
from muniment.model.records import Hunk
from tests.support.plain_patch import applied

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "}", "x\r"]) | st.integers(0, 30).map(str), max_size=24)


@given(LINES, LINES)
def test_hunks_between_two_texts_make_one_out_of_the_other(old: list[str], new: list[str]) -> None:
    hunks = hunks_between(old, new)
    assert applied(old, hunks) == new
    assert (hunks == ()) == (old == new)


@given(LINES, LINES, LINES)
def test_what_both_texts_begin_and_end_with_is_in_no_hunk(head: list[str], old: list[str], new: list[str]) -> None:
    changed = sum(len(hunk.lines) for hunk in hunks_between([*head, *old, *head], [*head, *new, *head]))
    assert changed <= len(old) + len(new)


def test_a_small_change_in_a_long_file_is_a_small_hunk() -> None:
    old = [f"line {n}" for n in range(50_000)]
    new = [*old[:25_000], "new", *old[25_001:]]
    assert hunks_between(old, new) == (Hunk(25_001, 25_001, ("-line 25000", "+new")),)


def test_changes_far_apart_are_hunks_of_their_own_between_lines_that_repeat() -> None:
    old = [line for n in range(500) for line in (f"def f{n}():", "    return 1", "")]
    new = list(old)
    new[301], new[900:900] = "    return 2", ["# note", "# more"]
    expected = (Hunk(302, 302, ("-    return 1", "+    return 2")), Hunk(901, 901, ("+# note", "+# more")))
    assert hunks_between(old, new) == expected


def test_a_moved_line_is_taken_out_and_put_in() -> None:
    assert hunks_between(["a", "b", "c"], ["b", "c", "a"]) == (Hunk(1, 1, ("-a",)), Hunk(4, 3, ("+a",)))


def test_small_texts_of_repeated_lines_are_compared_line_by_line_and_large_ones_are_one_hunk() -> None:
    def texts(size: int) -> tuple[list[str], list[str]]:
        return ["{", *["same"] * size, "{", "}"], ["(", *["same"] * size, "(", ")"]

    assert len(hunks_between(*texts(3))) == 2
    assert len(hunks_between(*texts(SMALL))) == 1


def test_texts_that_share_only_what_repeats_take_no_long_time() -> None:
    old = [line for n in range(50_000) for line in ("}", f"a{n}")]
    new = [line for n in range(50_000) for line in ("}", f"b{n}")]
    assert len(hunks_between(old, new)) == 1
    assert applied(old, hunks_between(old, old[::-1])) == old[::-1]
