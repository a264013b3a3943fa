"""Digests of file versions: golden values, and what keeps them apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.versions import bytes_digest, partial_digest, whole_digest

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "versions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", GOLDEN["whole"])
def test_the_digest_of_a_whole_file_is_as_written_down(example: dict[str, str]) -> None:
    assert whole_digest(example["text"]) == example["digest"]


@pytest.mark.parametrize("example", GOLDEN["partial"])
def test_the_digest_of_some_lines_is_as_written_down(example: dict[str, object]) -> None:
    first, lines, total = example["first"], example["lines"], example["total"]
    assert isinstance(first, int)
    assert isinstance(lines, list)
    assert total is None or isinstance(total, int)
    assert partial_digest(first, lines, total) == example["digest"]


@pytest.mark.parametrize("example", GOLDEN["bytes"])
def test_the_digest_of_bytes_is_as_written_down(example: dict[str, str]) -> None:
    assert bytes_digest(bytes.fromhex(example["hex"])) == example["digest"]


def test_line_ends_count() -> None:
    assert len({whole_digest(text) for text in ("a\nb\n", "a\r\nb\r\n", "a\n\nb\n")}) == 3


def test_whether_the_last_line_is_ended_does_not_count() -> None:
    assert whole_digest("a\nb\n") == whole_digest("a\nb")
    assert whole_digest("a\nb\n\n") != whole_digest("a\nb\n")


def test_grades_never_share_a_digest() -> None:
    assert len({whole_digest("a"), partial_digest(1, ["a"], 1), bytes_digest(b"a")}) == 3


def test_the_same_lines_elsewhere_or_in_a_longer_file_are_other_knowledge() -> None:
    digests = [partial_digest(1, ["a"], None), partial_digest(2, ["a"], None), partial_digest(1, ["a"], 1)]
    assert len({*digests, partial_digest(1, [], None), partial_digest(1, [""], None), partial_digest(1, ["a"], 2)}) == 6


def test_lines_with_gaps_between_them_are_other_knowledge_than_the_same_in_a_row() -> None:
    runs = [(), ((1, 1), (3, 3)), ((1, 1), (4, 4))]
    assert len({partial_digest(1, ["a", "b"], None, each) for each in runs}) == len(runs)
    assert partial_digest(1, ["a", "b"], None, ((1, 2),)) == partial_digest(1, ["a", "b"], None)


LINES = st.lists(st.sampled_from(["", "a", "1:a,", "aa"]), max_size=4)


@given(st.integers(1, 3), st.integers(1, 3), LINES, LINES)
def test_partial_digests_are_equal_only_for_equal_knowledge(a: int, b: int, left: list[str], right: list[str]) -> None:
    assert (partial_digest(a, left, None) == partial_digest(b, right, None)) == ((a, left) == (b, right))
