"""What reaches the terminal, and how it is laid out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment_api.config import DEFAULT_STORE, settings
from muniment_api.console import Console, printable
from muniment_api.layout import columns, one_line, plural, size


def test_control_characters_of_a_session_are_shown_not_sent() -> None:
    assert printable("a\x1b]0;title\x07b\x1b[2Jc") == "a\\x1b]0;title\\x07b\\x1b[2Jc"


def test_line_feeds_tabs_and_plain_colours_stay() -> None:
    assert printable("a\n\tb \x1b[31mred\x1b[0m") == "a\n\tb \x1b[31mred\x1b[0m"


def test_json_is_strict_where_a_text_is_not(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Console(store=Path("x"), json=True).result({"text": "lone \ud83d surrogate"}, "")
    assert json.loads(capfdbinary.readouterr().out.decode("utf-8")) == {"text": "lone ? surrogate"}


def test_the_environment_names_the_store_and_colours() -> None:
    assert settings({}).store == DEFAULT_STORE
    assert settings({"MUNIMENT_STORE": "here"}).store == Path("here")
    assert [settings({"NO_COLOR": value}).color for value in ("", "1")] == [True, False]


def test_columns_are_aligned_and_end_without_spaces() -> None:
    assert columns([("a", "bb", ""), ("ccc", "d", "e")]) == "a    bb\nccc  d   e"
    assert columns([]) == ""


def test_a_long_text_is_cut_at_a_word() -> None:
    assert one_line("one  two\nthree", 9) == "one two…"
    assert one_line("x" * 20, 9) == "xxxxxxxx…"


def test_numbers_read_well() -> None:
    assert [size(999), size(43_697), size(2_000_000)] == ["999 B", "43.7 KB", "2.0 MB"]
    assert [plural(1, "entry", "entries"), plural(2, "entry", "entries")] == ["1 entry", "2 entries"]
