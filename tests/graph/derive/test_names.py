"""Names: which identifiers and paths a text mentions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.names import LONGEST, SHORTEST, is_path_like, names_in


def test_names_come_in_order_of_first_occurrence_each_once() -> None:
    assert names_in("first_name(second, first_name) third-name") == ["first_name", "second", "third-name"]


def test_short_words_are_no_names_and_numbers_begin_none() -> None:
    assert names_in("a bc def four fifth 12345 1abcdef") == ["fifth", "abcdef"]


def test_a_path_also_gives_its_last_part() -> None:
    assert names_in("see /src/app/server.go:12.") == ["src/app/server.go", "server.go"]
    assert names_in("src/app/a.go") == ["src/app/a.go"]


def test_ends_of_sentences_and_paths_are_cut() -> None:
    assert names_in("Done in module. See folder/sub/- and abcd.") == ["module", "folder/sub"]


@pytest.mark.parametrize(
    "name",
    [
        "r\u00e9sum\u00e9.md",
        "re\u0301sume\u0301.md",
        "\u6848\u4ef6\u8cc7\u6599\u593e",
        "\u0444\u0430\u0439\u043b\u044b",
    ],
)
def test_letters_of_any_script_make_names(name: str) -> None:
    assert names_in(f"({name})") == [name]


def test_punctuation_of_any_script_ends_a_name() -> None:
    assert names_in("before\u2192after\u3001\u201cquoted\u201d") == ["before", "after", "quoted"]


def test_runs_too_long_to_be_names_are_passed_over() -> None:
    data = "x" * (LONGEST + 1)
    assert names_in(f"{data} short {data[1:]}") == ["short", data[1:]]


def test_no_more_names_than_the_limit() -> None:
    text = "\n".join(f"name{number:06}" for number in range(50_000))
    assert names_in(text, 10) == [f"name{number:06}" for number in range(10)]
    assert len(names_in(text)) == 2000
    assert names_in(text, 20_000)[-1] == "name019999"


def test_a_long_text_gives_the_names_that_its_lines_give() -> None:
    lines = [f"call(value_{number % 700}, path/to/file_{number % 900}.py)" for number in range(6000)]
    expected = dict.fromkeys(name for line in lines for name in names_in(line))
    assert names_in("\n".join(lines), 100_000) == list(expected)


@given(st.text(alphabet="ab_.-/0 \n\u00e9"))
def test_every_name_stands_in_the_text_and_has_the_form_of_one(text: str) -> None:
    names = names_in(text)
    assert len(set(names)) == len(names)
    for name in names:
        assert name in text
        assert SHORTEST <= len(name) <= LONGEST
        assert name[-1] not in "./-"


@pytest.mark.parametrize("name", ["src/app", "server.go", "my.test.ts", "NOTES.MD", "go.sum"])
def test_paths_look_like_paths(name: str) -> None:
    assert is_path_like(name)


@pytest.mark.parametrize("name", ["server", "self.value", "items.length", "v1.2.3", "third-name", "python"])
def test_identifiers_do_not_look_like_paths(name: str) -> None:
    assert not is_path_like(name)
