"""The head of a view stays as it is from mark to mark, and shows nothing that no longer holds."""

from __future__ import annotations

from muniment.derive.live import MARK, mark_before
from muniment.model import records as r
from muniment.selection import View, ViewRequest, select
from muniment.selection.view import ViewItem
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

HEAD = ("settled", "earlier")


def numbered(text: str, count: int) -> str:
    return "".join(f"{text} {number}\n" for number in range(1, count + 1))


def view(story: Story, budget: int = 2000, *, live: bool = False) -> View:
    return select(story.snapshot(live=live), ViewRequest(budget=budget), o200k())


def long_story() -> Story:
    """A story with a good deal to show, that ends right behind a mark."""
    story = Story()
    story.say("make the parser faster")
    for number in range(8):
        story.read(f"src/part{number}.py", numbered(f"def function_{number}_of_line", 20))
    while mark_before(story.snapshot().ordinal) < MARK:
        story.run(f"grep -n name_{len(story.records)} notes.txt", numbered(f"found thing_{len(story.records)}", 3))
    return story


def head(seen: View) -> list[tuple[str, str]]:
    return [(item.id, seen.text[slice(*item.at)]) for item in seen.items if item.section in HEAD]


def test_the_head_stays_the_same_bytes_while_the_run_goes_on() -> None:
    story = long_story()
    first = view(story)
    assert len(head(first)) > 3
    for number in range(MARK // 3):
        story.run(f"echo step_{number}", f"printed_{number}\n")
        later = view(story)
        assert head(later) == head(first)
        end = max(item.at[1] for item in first.items if item.section in HEAD)
        assert later.text[:end] == first.text[:end]


def test_a_new_mark_makes_a_new_head() -> None:
    story = long_story()
    before = view(story)
    ordinal = story.snapshot().ordinal
    while mark_before(story.snapshot().ordinal) == mark_before(ordinal):
        story.run(f"cat {len(story.records)}", numbered(f"other output_{len(story.records)}", 4))
    assert head(view(story)) != head(before)


def test_lines_that_were_edited_leave_the_head_and_stand_below() -> None:
    story = long_story()
    path = next(item.path for item in view(story).items if item.section == "settled" and item.path)
    story.write(path, numbered("def rewritten_line", 20))
    seen = view(story)
    assert [item.section for item in seen.items if item.path == path and item.kind == "excerpt"] == ["text"]
    assert seen.text.count("def rewritten_line 7\n") == 1
    number = path.removeprefix("src/part").removesuffix(".py")
    assert f"def function_{number}_of_line 7\n" not in seen.text
    control = [item for item in seen.items if item.section == "settled" and item.path != path]
    assert control


def test_a_withdrawn_step_leaves_the_head() -> None:
    story = long_story()
    record = next(item.record for item in view(story).items if item.section == "earlier")
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=record, text="wrong"))
    assert all(item.record != record for item in view(story).items)


def test_nothing_of_the_head_is_shown_again() -> None:
    seen = view(long_story())
    lines = [line for line in seen.text.split("\n") if line.startswith(("def function_", "found thing_"))]
    assert len(lines) == len(set(lines)) > 20


def test_the_live_graph_gives_the_same_head_as_the_whole_one() -> None:
    story = long_story()
    for number in range(5):
        story.write(f"src/part{number}.py", numbered(f"def changed_{number}", 12))
        story.say(f"and now part {number}")
        assert view(story, live=True) == view(story)


def test_a_short_run_has_no_head() -> None:
    story = Story()
    story.read("a.py", numbered("line", 20))
    assert head(view(story)) == []


def test_the_head_is_of_the_session_in_focus_and_of_those_that_it_grew_out_of() -> None:
    story = long_story()
    story.add(r.SessionOpened(id="s2", session="S2", root="/repo"))
    assert [item.section for item in view(story).items if item.section == "earlier"] == []
    story = long_story()
    first = view(story)
    story.add(r.SessionForked(id="s2", by="user", session="S2", root="/repo", parent=SESSION))
    assert head(view(story)) == head(first)


def test_lines_in_the_head_are_not_proven_by_a_withdrawn_receipt() -> None:
    story = long_story()
    shown = next(item for item in view(story).items if item.section == "settled" and item.path)
    path = shown.path or ""
    wrong = next(record for record in story.records if getattr(record, "path", None) == path)
    right = story.read(path, getattr(wrong, "content", ""))
    assert [item.section for item in view(story).items if item.path == path and item.kind == "excerpt"] == ["settled"]
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=wrong.id, text="wrong"))
    seen, snapshot = view(story), story.snapshot()
    proofs = {receipt for item in seen.items if item.path == path for receipt in item.receipts}
    assert proofs == {node.id for node in snapshot.named(right) if node.id in proofs}


def test_a_message_that_is_shown_whole_again_is_not_in_the_head_as_well() -> None:
    story = Story()
    story.say("PLAN:\n" + "".join(f"alpha_{number} src/mod_{number}.py\n" for number in range(36)))
    story.say("go on")
    tasks = [story.task("long " + " ".join(f"thing_{number}" for number in range(40))) for _ in range(9)]
    while mark_before(story.snapshot().ordinal) < MARK:
        story.run(f"grep -n alpha_{len(story.records)} src", numbered(f"found thing_{len(story.records)}", 3))
    control = view(story)
    assert "U2" in {item.handle for item in control.items if item.section == "earlier"}
    for task in tasks:
        story.move(task, "settled")
    seen = view(story)
    assert [item.section for item in seen.items if item.handle == "U2"] == ["user"]
    assert [seen.text.count(f"alpha_{number} src/mod_{number}.py") for number in range(36)] == [1] * 36


def test_a_draft_that_was_kept_gives_the_same_view_as_one_made_anew_whatever_was_asked_before() -> None:
    story = long_story()
    end = story.snapshot().ordinal
    for number in range(MARK // 2):
        story.run(f"echo step_{number}", f"printed_{number}\n")
    requests = [ViewRequest(budget=2000), ViewRequest(budget=1000), ViewRequest(budget=2000, session=SESSION)]
    asked = [(ordinal, request) for ordinal in range(end, story.snapshot().ordinal, 5) for request in requests]
    anew = [select(story.snapshot().upto(ordinal), request, o200k()) for ordinal, request in asked]
    for order in (1, -1):
        reads = story.snapshot()
        kept = [select(reads.upto(ordinal), request, o200k()) for ordinal, request in asked[::order]]
        assert kept[::order] == anew
        assert reads.made


def test_a_step_of_the_head_stands_whole_where_there_is_room() -> None:
    story = Story()
    story.say("Mend the till")
    output = "".join(f"row {number} of the till\n" for number in range(60)) + "rounding_mode = half_even\n"
    run = story.run("inspect till", output)
    for number in range(MARK):
        story.run(f"echo {number}")
    story.say("what is rounding_mode?")

    def shown(budget: int) -> ViewItem:
        seen = select(story.snapshot(), ViewRequest(budget=budget), o200k())
        return next(item for item in seen.items if item.record == run)

    assert (shown(8000).section, shown(8000).level) == ("earlier", "full")
    assert shown(700).level == "distilled"
