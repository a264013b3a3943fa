"""Tokens are really counted, and cuts keep within what was allowed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.tokens import o200k

TEXTS = st.text(st.sampled_from("ab é🔑\n\n\t {}/=_\ud83d日"), max_size=400)


def test_known_counts_of_the_vocabulary() -> None:
    assert [o200k().count(text) for text in ("", "hello world", "tiktoken is great!")] == [0, 2, 6]


def test_text_that_looks_like_a_special_token_is_ordinary_text() -> None:
    assert o200k().count("<|endoftext|>") > 1


def test_a_lone_surrogate_counts_as_a_question_mark() -> None:
    assert o200k().count("status \ud83d") == o200k().count("status ?")


def test_a_remembered_count_is_the_same_count() -> None:
    text = "def total(x):\n    return x + 1\n" * 20
    assert o200k().count(text) == o200k().count(text) == o200k().count(text + " ") - 1


@pytest.mark.parametrize("end", [False, True])
def test_a_cut_takes_whole_lines(end: bool) -> None:
    text = "".join(f"line number {i}\n" for i in range(100)).rstrip("\n")
    taken = o200k().cut(text, 50, end=end)
    lines = [line for line in taken.split("\n") if line]
    assert set(lines) <= set(text.split("\n"))
    assert 8 <= len(lines) <= 12


def test_a_first_line_that_is_too_long_is_cut_within() -> None:
    taken = o200k().cut("word " * 1000 + "\nnext", 10)
    assert taken.startswith("word word")
    assert o200k().count(taken) == 10


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, tokens=st.integers(-1, 60), end=st.booleans())
def test_a_cut_is_a_part_of_the_text_within_its_tokens(text: str, tokens: int, end: bool) -> None:
    taken = o200k().cut(text, tokens, end=end)
    assert o200k().count(taken) <= max(tokens, 0)
    assert text.endswith(taken) if end else text.startswith(taken)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, tokens=st.integers(-1, 60))
def test_fitting_agrees_with_counting(text: str, tokens: int) -> None:
    assert o200k().fits(text, tokens) == (o200k().count(text) <= tokens)


def test_the_vocabulary_is_not_loaded_before_the_first_count() -> None:
    run_python("import sys, muniment.tokens as t; t.o200k(); assert 'bpe_openai._bindings' not in sys.modules")


def test_the_package_can_still_be_imported_by_others_before_and_after() -> None:
    count = "from muniment.tokens import o200k; o200k().count('x')"
    other = "from bpe_openai import _bindings; _bindings.tokenizer_for_encoding('o200k_base').count('x')"
    run_python(f"{count}; {other}")
    run_python(f"{other}; {count}")


def run_python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
