"""Pointers: what a view does not show it names by lines, each run one rehydration away."""

from __future__ import annotations

import re

from muniment.rehydration import rehydrate
from muniment.tokens import o200k
from tests.graph.selection.test_select import numbered, view
from tests.support.graphs import Story


def test_each_run_that_a_pointer_names_is_given_by_one_rehydration_of_at_most_1000_tokens() -> None:
    story = Story()
    for i in range(6):
        story.read(f"f{i}.py", numbered(f"content of file {i} in a long line of many words", 400))
        story.run(f"print {i}", numbered(f"output of command {i} with some words in it", 400))
    seen = view(story, 2500)
    pointed = [(each, run) for each in seen.omitted for run in each.lines]
    assert {each.kind for each, _ in pointed} == {"file", "receipt"}
    for each, (first, last) in pointed:
        text = rehydrate(story.snapshot(), each.id, (first, last)).text
        assert 0 < o200k().count(text) <= 1000
    for each in seen.omitted:
        if not each.lines and each.kind == "receipt":
            assert o200k().count(rehydrate(story.snapshot(), each.id, None).text) <= 1000


def test_what_is_shown_and_what_is_pointed_to_are_all_known_lines_of_a_file() -> None:
    story = Story()
    story.read("a.py", numbered("content of the file in a long line of many words", 500))
    seen = view(story, 1500)
    shown = {n for i in seen.items if i.lines for n in range(i.lines[0], i.lines[1] + 1)}
    (left,) = [each for each in seen.omitted if each.path == "a.py"]
    pointed = {n for first, last in left.lines for n in range(first, last + 1)}
    assert shown | pointed == set(range(1, 501))
    assert not shown & pointed


def test_the_index_names_files_that_are_not_shown_with_lines_and_receipt() -> None:
    story = Story()
    for i in range(30):
        story.read(f"f{i:02}.py", numbered(f"content of file {i} in line", 30), total=90)
    seen = view(story, 1500)
    lines = [item for item in seen.items if item.section == "files"]
    assert lines
    assert sum(item.tokens for item in lines) <= 150
    assert re.search(rf"^{lines[0].path}:1-\d+(, \d+-30)? of 90 lines \(R\d+\)$", seen.text, re.MULTILINE)
