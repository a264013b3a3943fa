"""How a ledger changes with reads, edits and writes."""

from __future__ import annotations

from muniment.derive.ledger import (
    Splice,
    covered,
    edited,
    forgotten,
    known_lines,
    replaced,
    shown,
)
from muniment.model.ledger import NOTHING_KNOWN, LedgerState, Segment


def read(state: LedgerState, first: int, count: int, excerpt: str, total: int | None = None) -> LedgerState:
    return shown(state, ((first, first + count - 1),), excerpt=excerpt, total=total, version="v")


def test_a_read_sets_its_lines_and_leaves_the_others() -> None:
    state = read(read(NOTHING_KNOWN, 1, 10, "a", total=20), 4, 2, "b")
    assert state.segments == (Segment(1, 3, "a", 0), Segment(4, 2, "b", 0), Segment(6, 5, "a", 5))
    assert (state.total, state.complete, state.version) == (20, False, "v")
    assert covered(state) == ((1, 10),)


def test_gaps_between_reads_are_not_covered() -> None:
    assert covered(read(read(NOTHING_KNOWN, 8, 2, "a"), 1, 3, "b")) == ((1, 3), (8, 9))


def test_runs_that_were_shown_together_leave_the_lines_between_them() -> None:
    state = shown(
        replaced(10, excerpt="a", version="v"), ((2, 3), (5, 5), (9, 10)), excerpt="b", total=None, version="v"
    )
    assert state.segments == (
        Segment(1, 1, "a", 0),
        Segment(2, 2, "b", 0),
        Segment(4, 1, "a", 3),
        Segment(5, 1, "b", 2),
        Segment(6, 3, "a", 5),
        Segment(9, 2, "b", 3),
    )
    assert state.complete


def test_a_file_is_complete_once_each_line_was_seen() -> None:
    half = read(NOTHING_KNOWN, 1, 3, "a", total=5)
    assert not half.complete
    assert read(half, 4, 2, "b").complete
    assert not read(read(NOTHING_KNOWN, 1, 3, "a"), 4, 2, "b").complete


def test_an_empty_file_is_complete() -> None:
    assert read(NOTHING_KNOWN, 1, 0, "a", total=0).complete
    assert replaced(0, excerpt="a", version="v") == LedgerState((), 0, "v", complete=True)


def test_a_shorter_file_has_no_lines_beyond_its_end() -> None:
    state = read(replaced(10, excerpt="a", version="v"), 1, 2, "b", total=4)
    assert state.segments == (Segment(1, 2, "b", 0), Segment(3, 2, "a", 2))
    assert state.total == 4


def test_a_line_seen_beyond_the_end_makes_the_length_unknown() -> None:
    state = read(replaced(3, excerpt="a", version="v"), 5, 1, "b")
    assert (state.total, state.complete) == (None, False)


def test_lines_shown_count_more_than_a_length_that_denies_them() -> None:
    assert read(NOTHING_KNOWN, 1, 3, "a", total=2).total == 3


def test_an_edit_replaces_its_lines_and_shifts_the_rest() -> None:
    state = edited(
        replaced(6, excerpt="a", version="v"), (Splice(2, 1, 3, "b", 0), Splice(5, 0, 1, "b", 3)), version="w"
    )
    expected = (
        Segment(1, 1, "a", 0),
        Segment(2, 3, "b", 0),
        Segment(5, 2, "a", 2),
        Segment(7, 1, "b", 3),
        Segment(8, 2, "a", 4),
    )
    assert state == LedgerState(expected, 9, "w", complete=True)


def test_an_edit_of_unseen_lines_makes_known_only_what_it_put_in() -> None:
    state = edited(read(NOTHING_KNOWN, 8, 3, "a"), (Splice(2, 1, 2, "b", 0),), version="w")
    assert state.segments == (Segment(2, 2, "b", 0), Segment(9, 3, "a", 0))


def test_an_edit_beyond_the_end_makes_the_length_unknown_and_one_at_the_end_does_not() -> None:
    state = replaced(3, excerpt="a", version="v")
    assert edited(state, (Splice(3, 2, 0, "b", 0),), version="w").total is None
    assert edited(state, (Splice(5, 0, 1, "b", 0),), version="w").total is None
    assert edited(state, (Splice(4, 0, 1, "b", 0),), version="w").total == 4


def test_splices_that_contradict_themselves_leave_nothing_known() -> None:
    state = replaced(6, excerpt="a", version="v")
    nothing = forgotten(state, "w")
    assert nothing == LedgerState((), None, "w", complete=False)
    assert edited(state, (Splice(0, 1, 0, "b", 0),), version="w") == nothing
    assert edited(state, (Splice(3, 2, 0, "b", 0), Splice(4, 1, 0, "b", 0)), version="w") == nothing
    assert edited(state, (Splice(3, 2, 0, "b", 0), Splice(5, 1, 0, "b", 0)), version="w") != nothing


def test_runs_of_one_source_that_continue_are_one_segment() -> None:
    state = edited(replaced(4, excerpt="a", version="v"), (Splice(3, 0, 1, "b", 0),), version="w")
    assert edited(state, (Splice(3, 1, 0, "c", 0),), version="x").segments == (Segment(1, 4, "a", 0),)


def test_known_lines_reach_to_the_end_and_say_what_is_not_known() -> None:
    texts = {"a": ["1", "2", "3"], "b": ["four"]}
    state = read(read(NOTHING_KNOWN, 1, 3, "a", total=6), 4, 1, "b")
    assert known_lines(state, texts.__getitem__) == ["1", "2", "3", "four", None, None]
    assert known_lines(read(NOTHING_KNOWN, 2, 1, "b"), texts.__getitem__) == [None, "four"]


def test_lines_of_a_text_that_is_gone_are_not_known() -> None:
    assert known_lines(replaced(2, excerpt="a", version="v"), lambda _: []) == [None, None]


def test_a_removal_and_an_insertion_at_one_place_leave_no_empty_run() -> None:
    state = replaced(2, excerpt="E", version="v")
    after = edited(state, (Splice(1, 1, 0, "X", 0), Splice(2, 0, 1, "X", 0)), version="w")
    assert after.segments == (Segment(1, 1, "X", 0), Segment(2, 1, "E", 1))
