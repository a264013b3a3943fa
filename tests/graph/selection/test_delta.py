"""The delta between two views: it gives the later text exactly, and says what came, went and changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import UsageError
from muniment.selection import View, ViewRequest, select
from muniment.selection.delta import Side, ViewDelta, delta_between
from muniment.tokens import o200k, scaled
from tests.support.graphs import Story

TEXTS = st.lists(st.sampled_from(["", "a", "b", "same line", "é"]), max_size=8).map("\n".join)


def between(old: str, new: str) -> ViewDelta:
    return delta_between("m", Side(old, (), 1), Side(new, (), 2), o200k())


def view(story: Story, budget: int = 8000) -> View:
    return select(story.snapshot(), ViewRequest(budget=budget), o200k())


@given(old=TEXTS, new=TEXTS)
def test_the_hunks_make_the_later_text_out_of_the_earlier_one(old: str, new: str) -> None:
    assert between(old, new).applied(old) == new


@given(old=TEXTS, new=TEXTS)
def test_both_texts_begin_with_what_is_kept_and_with_no_more(old: str, new: str) -> None:
    kept = between(old, new).kept
    assert old[:kept] == new[:kept]
    assert kept in (len(old), len(new)) or old[kept] != new[kept]


def test_a_delta_is_refused_for_another_text_and_taken_for_its_own() -> None:
    made = between("one\ntwo", "one\nthree")
    with pytest.raises(UsageError):
        made.applied("one\nother")
    assert made.applied("one\ntwo") == "one\nthree"


def test_a_new_message_is_added_and_what_is_withdrawn_is_removed() -> None:
    story = Story()
    story.fact("Use tabs", slot="style")
    before = view(story)
    said = story.say("Fix the rate.")
    after = view(story)
    made = after.delta(before)
    assert [item.handle for item in made.added] == [i.handle for i in after.items if i.record == said]
    assert (made.removed, made.changed) == ((), ())
    assert before.delta(after).removed == made.added
    assert "Fix the rate." in made.appendix


def test_a_task_that_moves_into_focus_has_changed() -> None:
    story = Story()
    task = story.task("Fix the rate")
    before = view(story)
    story.move(task, "active")
    made = view(story).delta(before)
    assert [(item.section, item.kind) for item in made.changed] == [("focus", "task")]
    assert (made.added, made.removed) == ((), ())


def test_two_views_of_one_moment_differ_in_nothing() -> None:
    story = Story()
    story.say("Fix the rate.")
    made = view(story).delta(view(story))
    assert (made.hunks, made.added, made.removed, made.changed, made.tokens) == ((), (), (), (), 0)
    assert made.kept == len(view(story).text)


def test_each_item_says_which_characters_it_has() -> None:
    story = Story()
    story.fact("Keep the API"), story.say("Fix it"), story.task("Fix the rate", to="active")
    story.read("a.py", "x = 1\ny = 2\n")
    story.run("make", "done\n")
    seen = view(story)
    shown = [seen.text[slice(*item.at)] for item in seen.items]
    assert all(shown)
    assert [item.handle in part for item, part in zip(seen.items, shown, strict=True) if item.section != "text"]
    assert [item.at for item in seen.items] == sorted(item.at for item in seen.items)
    assert "x = 1\ny = 2" in shown[[item.section for item in seen.items].index("text")]


def test_each_item_says_how_much_of_its_thing_it_shows() -> None:
    story = Story()
    story.say("Fix it.")
    for number in range(30):
        story.read(f"f{number}.py", f"line of file {number}\n" * 40)
    run = story.run("make", "some words of output\n" * 400)
    levels = {item.record: item.level for item in view(story, 1500).items}
    assert levels["m1"] == "full"
    assert levels[run] == "distilled"
    assert "pointer" in levels.values()


def test_sizes_are_counted_in_the_tokens_of_the_view() -> None:
    story = Story()
    story.say("Fix the rate.")
    plain = view(story)
    dear = select(story.snapshot(), ViewRequest(), scaled(o200k(), 1.5))
    assert dear.estimator == "o200k_base*1.5"
    assert dear.delta(dear).estimator == dear.estimator
    empty = view(Story())
    assert dear.delta(empty).tail_tokens == -(-plain.delta(empty).tail_tokens * 3 // 2)
