"""Why things are in a view, by which way they were reached; and why something is or is not there."""

from __future__ import annotations

import pytest

from muniment.derive.live import MARK
from muniment.errors import UnknownIdError
from muniment.model import records as r
from muniment.model.nodes import Receipt
from muniment.selection import ViewRequest, select
from muniment.selection.explaining import Explanation, ItemReason, explain
from muniment.selection.whether import SAID, WhyAnswer, why, with_way
from muniment.snapshot import WINDOW
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story


def explained(story: Story, budget: int = 8000) -> Explanation:
    request = ViewRequest(budget=budget)
    snapshot = story.snapshot()
    return explain(snapshot, select(snapshot, request, o200k()), request, o200k())


def reason(story: Story, record: str) -> ItemReason:
    node = story.snapshot().named(record)[0]
    return next(item for item in explained(story).items if item.id == node.id)


def asked(story: Story, wanted: str, budget: int = 8000, **focus: str) -> WhyAnswer:
    request = ViewRequest(budget=budget, **focus)  # type: ignore[arg-type]
    snapshot = story.snapshot()
    return why(snapshot, select(snapshot, request, o200k(), listed=10_000), request, wanted)


def test_each_part_is_explained_in_the_order_of_the_text() -> None:
    story = Story()
    story.fact("Keep the API"), story.task("Fix the rate", to="active"), story.run("make", "done\n")
    told = explained(story)
    assert [item.place for item in told.items] == list(range(len(told.items)))
    assert sum(told.sections.values()) == sum(item.tokens for item in told.items)
    assert all(item.why for item in told.items)


def test_a_receipt_about_the_task_is_reached_by_that_edge() -> None:
    story = Story()
    task = story.task("Fix the rate", to="active")
    run = story.add(
        r.ToolReturned(
            id="run", by="tool", session=SESSION, tool="command", name="Bash", command="make", output="ok\n",
            status="ok", exit_code=0, effect="none", task=task,
        )
    )  # fmt: skip
    found = reason(story, run)
    assert [(step.edge, step.way) for step in found.path] == [("ABOUT", "in")]
    assert found.seed == story.snapshot().named(task)[0].handle


def test_text_that_shares_a_name_with_the_task_is_reached_by_the_name() -> None:
    story = Story()
    story.read("src/rates.py", "def compute_rate(x):\n    return x\n")
    story.task("Fix compute_rate in the price list", to="active")
    for number in range(8):
        story.run(f"echo {number}", "done\n")
    found = next(item for item in explained(story).items if item.section == "text")
    assert [(step.edge, step.label) for step in found.path] == [
        ("MENTIONS", "compute_rate"),
        ("MENTIONS", "src/rates.py"),
    ]
    assert found.names[0] == "compute_rate"


def test_the_task_itself_is_where_the_walk_begins() -> None:
    story = Story()
    task = story.task("Fix the rate", to="active")
    found = reason(story, task)
    assert (found.path, found.seed) == ((), found.handle)


def test_an_explanation_is_the_same_each_time() -> None:
    story = Story()
    story.say("Fix src/rates.py"), story.read("src/rates.py", "a = 1\n"), story.run("make", "ok\n")
    assert explained(story) == explained(story)


def test_what_is_shown_says_where_and_for_how_much() -> None:
    story = Story()
    fact = story.fact("Keep the API")
    found = asked(story, fact)
    assert (found.answer, found.reasons) == ("shown", ("fact in force",))
    assert found.places == (1,)
    assert found.tokens > 0


@pytest.mark.parametrize("by", ["record", "handle", "id"])
def test_it_is_asked_by_record_handle_or_id(by: str) -> None:
    story = Story()
    fact = story.fact("Keep the API")
    (node,) = story.snapshot().named(fact)
    assert asked(story, str(getattr(node, by))).answer == "shown"


def test_a_file_is_asked_by_its_path() -> None:
    story = Story()
    story.read("src/a.py", "x = 1\n")
    assert asked(story, "src/a.py").answer == "shown"
    assert asked(story, "a.py").kind == "file"


def test_a_read_whose_lines_are_current_text_is_shown_by_them() -> None:
    story = Story()
    read = story.read("src/a.py", "x = 1\n")
    for number in range(30):
        story.run(f"echo {number}", "done\n")
    assert asked(story, read).answer == "shown"


def test_an_unknown_id_is_a_clear_error() -> None:
    with pytest.raises(UnknownIdError, match="handle"):
        asked(Story(), "R999")


def test_what_was_superseded_names_its_successor() -> None:
    story = Story()
    old = story.fact("Use tabs", slot="style")
    new = story.add(
        r.FactStated(
            id="new",
            by="user",
            session=SESSION,
            class_="constraint",
            text="Use spaces",
            slot="style",
            supersedes=(old,),
        )
    )
    found = asked(story, old)
    assert (found.answer, found.by) == ("superseded", (story.snapshot().named(new)[0].handle,))
    assert found.since > 0
    assert asked(story, new).answer == "shown"


def test_what_was_withdrawn_or_settled_says_so() -> None:
    story = Story()
    fact, task = story.fact("Use tabs"), story.task("First")
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=fact, text="no"))
    story.move(task, "settled")
    assert [asked(story, each).answer for each in (fact, task)] == ["withdrawn", "settled"]


def test_what_showed_lines_that_were_changed_is_outdated_by_what_changed_them() -> None:
    story = Story()
    read = story.read("src/a.py", "x = 1\n")
    written = story.write("src/a.py", "x = 2\n")
    for number in range(20):
        story.run(f"echo {number}", "done\n")
    found = asked(story, read)
    assert (found.answer, found.by) == ("outdated", (story.snapshot().named(written)[0].handle,))


def test_what_did_not_fit_says_about_what_it_would_cost() -> None:
    story = Story()
    runs = [story.run(f"echo {number}", f"{number} and some words of output\n" * 40) for number in range(60)]
    answers = [asked(story, run, 1200) for run in runs]
    left = [found for found in answers if found.answer == "budget"]
    assert left
    assert all(found.tokens > 100 for found in left)
    assert answers[-1].answer in ("shown", "shortened")


def test_what_another_agent_did_is_not_in_the_view_of_this_one() -> None:
    story = Story()
    run = story.run("make", "ok\n", agent="kid")
    assert asked(story, run).answer == "other_agent"
    assert asked(story, run, agent="kid").answer == "shown"


def test_what_is_behind_the_window_is_too_old() -> None:
    story = Story()
    first = story.run("echo first", "first\n")
    for number in range(WINDOW + MARK):
        story.run(f"echo {number}")
    assert asked(story, first, 2000).answer == "too_old"


def test_a_repeated_read_is_shown_by_the_one_that_stays() -> None:
    story = Story()
    first = story.read("src/a.py", "x = 1\ny = 2\n")
    second = story.read("src/a.py", "x = 1\ny = 2\n")
    for number in range(20):
        story.run(f"echo {number}", "done\n")
    assert asked(story, second).answer == "shown"
    found = asked(story, first)
    assert found.answer in ("repeated", "outdated")
    assert found.by == (story.snapshot().named(second)[0].handle,)


def test_every_answer_has_words_for_people() -> None:
    assert all(SAID.values())


def test_what_was_chosen_for_names_is_reached_from_what_used_them_last_and_says_so() -> None:
    story = Story()
    story.say("Mend the till")
    old = story.run("inspect", "registry of `half_even`: rounding_mode in till_rules.py\n" * 3)
    for number in range(MARK + 20):
        story.run(f"echo {number}", f"{number}\n")
    used = story.run("grep -rn rounding_mode src", "")
    found = next(item for item in explained(story).items if item.id == receipt_of(story, old))
    assert "names that are likely to be used next" in found.why
    assert "rounding_mode" in found.names
    handle = next(item.handle for item in explained(story).items if item.id == receipt_of(story, used))
    assert (found.seed, [step.label for step in found.path][:1]) == (handle, ["rounding_mode"])


def test_what_is_there_for_its_place_says_which_place() -> None:
    story = Story()
    story.say("Mend the till")
    story.run("true")
    failed = story.run("./check", "boom\n", exit_code=1)
    for number in range(12):
        story.run(f"echo {number}", f"{number}\n")
    told = {item.handle: item.why for item in explained(story).items}
    assert told[f"R{len(story.records)}"] == "one of the newest steps"
    handle = next(item.handle for item in explained(story).items if item.id == receipt_of(story, failed))
    assert told[handle] == "a failure that stands"


def test_why_gives_the_way_and_the_names() -> None:
    story = Story()
    story.say("Mend compute_rate()")
    run = story.run("grep -n compute_rate src", "src/rates.py:3: compute_rate\n")
    story.run("true")
    request, snapshot = ViewRequest(), story.snapshot()
    seen = select(snapshot, request, o200k(), listed=10_000)
    found = with_way(why(snapshot, seen, request, run), explain(snapshot, seen, request, o200k()))
    assert "compute_rate" in found.names
    assert [step.label for step in found.way][:1] == ["compute_rate"]


def receipt_of(story: Story, record: str) -> str:
    return next(node.id for node in story.snapshot().named(record) if isinstance(node, Receipt))
