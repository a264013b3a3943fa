"""For any history and any budget: the view keeps within it, holds all that binds, and is the same bytes again."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.live import MARK
from muniment.errors import BudgetInfeasibleError
from muniment.selection import View, ViewRequest, select
from muniment.snapshot import MemorySnapshot
from muniment.tokens import o200k
from tests.support.graphs import Story

FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")

WORDS = st.sampled_from(["alpha", "béta", "x = 1", "}", "/", "", "  ", "\ud83d", "日本", "\x00", "🔑", "a" * 50])
TEXTS = st.builds(
    lambda words, joint, times: joint.join(words * times),
    st.lists(WORDS, min_size=1, max_size=6),
    st.sampled_from([" ", "\n", "\n\n"]),
    st.sampled_from([1, 1, 3, 60, 400]),
)
PATHS = st.sampled_from(["a.py", "src/b.py", "odd\x07 name.txt"])


def told(method: Callable[..., object], *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.tuples(st.just(method), st.tuples(*arguments))


EVENTS = st.one_of(
    told(Story.say, TEXTS),
    told(Story.fact, TEXTS),
    told(lambda story, text: story.fact(text, slot="one"), TEXTS),
    told(lambda story, text: story.task(text, to="active"), TEXTS),
    told(Story.task, TEXTS),
    told(Story.write, PATHS, TEXTS),
    told(Story.read, PATHS, TEXTS),
    told(Story.run, TEXTS, TEXTS),
    told(lambda story, text: story.run("make", text, exit_code=2), TEXTS),
    told(lambda story, text: story.say(text, by="agent", role="answer"), TEXTS),
)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story()
    for number in range(draw(st.sampled_from([0, 0, MARK // 2 - 2, MARK - 4]))):
        story.run(f"make part_{number}", f"made part_{number}")
    for method, arguments in draw(st.lists(EVENTS, max_size=14)):
        method(story, *arguments)
    return story


def needed_for(snapshot: MemorySnapshot) -> int:
    try:
        select(snapshot, ViewRequest(budget=-1), o200k())
    except BudgetInfeasibleError as refused:
        return refused.needed
    raise AssertionError("no view fits a negative budget")


def must_be_in(snapshot: MemorySnapshot) -> set[str]:
    return {node.id for node in [*snapshot.binding(), *snapshot.open_tasks(), *snapshot.decisions()]}


@settings(max_examples=60, deadline=None)
@given(story=stories(), more=st.sampled_from([0, 1, 7, 40, 300, 3000, 20_000]))
def test_any_view_of_enough_tokens_keeps_within_them_and_holds_what_binds(story: Story, more: int) -> None:
    snapshot = story.snapshot()
    budget = needed_for(snapshot) + more
    view = select(snapshot, ViewRequest(budget=budget), o200k())
    assert view.tokens == o200k().count(view.text) <= budget
    assert must_be_in(snapshot) <= {item.id for item in view.items}
    assert FORBIDDEN.search(view.text) is None
    assert all(
        item.handle in view.text for item in view.items if item.section not in ("text", "settled", "files", "doubted")
    )


@settings(max_examples=30, deadline=None)
@given(story=stories(), budget=st.sampled_from([200, 1000, 8000]))
def test_the_live_part_of_a_graph_gives_the_same_view_as_the_whole(story: Story, budget: int) -> None:
    assert shown(story.snapshot(), budget) == shown(story.snapshot(live=True), budget)


@settings(max_examples=30, deadline=None)
@given(story=stories())
def test_no_current_line_is_shown_twice(story: Story) -> None:
    view = select(story.snapshot(), ViewRequest(budget=20_000), o200k())
    lines = [(i.path, n) for i in view.items if i.lines for n in range(i.lines[0], i.lines[1] + 1)]
    assert len(lines) == len(set(lines))


def shown(snapshot: MemorySnapshot, budget: int) -> View | int:
    try:
        return select(snapshot, ViewRequest(budget=budget), o200k())
    except BudgetInfeasibleError as refused:
        return refused.needed
