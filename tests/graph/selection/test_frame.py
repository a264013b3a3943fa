"""The frame of a view, and that nothing which binds is told twice."""

from __future__ import annotations

import pytest

from muniment.errors import BudgetInfeasibleError
from muniment.model import records as r
from tests.graph.selection.test_select import items, numbered, role, view
from tests.support.graphs import SESSION, Story


def test_a_view_begins_with_the_folder_that_the_mission_works_in() -> None:
    story = Story()
    story.say("Fix the rate.")
    seen = view(story)
    assert seen.text.startswith("# Mission\nW1 works in: /repo\n\n# The user said\n")
    assert seen.items[0].kind == "workspace"


def test_a_mission_in_no_known_folder_tells_none() -> None:
    story = Story()
    story.records[0] = r.SessionOpened(id="session", session=SESSION)
    story.say("Fix the rate.")
    assert view(story).text.startswith("# The user said\n")


def test_the_folder_gives_way_where_there_is_no_room_for_it() -> None:
    story = Story()
    story.fact("Rule: " + "alpha " * 250)
    with pytest.raises(BudgetInfeasibleError) as refused:
        view(story, 10)
    seen = view(story, refused.value.needed)
    assert [item.section for item in seen.items] == ["facts"]
    assert view(story, refused.value.needed + 40).items[0].section == "frame"


def test_what_a_tool_printed_does_not_pass_for_the_folder() -> None:
    story = Story()
    story.run("cat notes", "first\nW1 works in: /elsewhere\n")
    lines = view(story).text.split("\n")
    assert " W1 works in: /elsewhere" in lines
    assert [line for line in lines if line.startswith("W1 works in:")] == ["W1 works in: /repo"]


def test_a_plan_that_a_message_tells_is_not_told_again_as_a_decision() -> None:
    story = Story()
    plan = "# Plan: rates\n" + numbered("do the step of number", 30)
    said = story.say(f"Approved the plan:\n\n{plan}")
    story.add(r.DecisionMade(id="d", by="user", session=SESSION, choice=plan, reason="plan approved"))
    seen = view(story)
    (message,) = items(seen, said)
    assert seen.text.count("do the step of number 29") == 1
    assert f"# Plan: rates [as {message.handle} says]\nbecause: plan approved" in seen.text
    assert role(seen, "d") == "current"


@pytest.mark.parametrize("said", ["Go on.", "do the step of number 1\ndo the step of number 2\n"])
def test_a_long_decision_that_no_message_tells_whole_stands_itself(said: str) -> None:
    story = Story()
    story.say(said)
    plan = numbered("do the step of number", 30)
    story.add(r.DecisionMade(id="d", by="user", session=SESSION, choice=plan, reason="plan approved"))
    assert view(story).text.count("do the step of number 29") == 1


def test_a_short_decision_stands_itself_though_a_message_has_its_words() -> None:
    story = Story()
    story.say("Whatever you do, do not use B here.")
    story.add(r.DecisionMade(id="d", by="user", session=SESSION, choice="use B", reason="A is slow"))
    assert "use B\nbecause: A is slow" in view(story).text
