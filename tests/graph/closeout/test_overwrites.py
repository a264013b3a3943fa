"""What was written over unseen is found, with what would be lost; what was seen, or is still there, is not."""

from __future__ import annotations

from muniment.closeout.judge import judge
from muniment.model import records as r
from tests.support.doings import Doings, numbered
from tests.support.graphs import SESSION

PATH = "/repo/src/a.py"


def findings(story: Doings) -> list[tuple[str, str, list[str]]]:
    snapshot = story.snapshot()
    found = [f for f in judge(snapshot).findings if f.code in ("unseen_overwrite", "stale_base")]
    records = [[node.record for each in f.ids if (node := snapshot.node(each)) is not None] for f in found]
    return [(f.code, f.message, ids) for f, ids in zip(found, records, strict=True)]


def test_a_write_over_lines_that_were_never_seen_names_them() -> None:
    story = Doings()
    story.shown(PATH, 1, 6)
    write = story.wrote(PATH, numbered(1, 6))
    ((code, message, ids),) = findings(story)
    assert (code, ids) == ("unseen_overwrite", [write])
    assert "lines 7-10 of /repo/src/a.py" in message


def test_a_write_over_what_was_seen_and_a_new_file_are_no_findings() -> None:
    story = Doings()
    story.shown(PATH)
    story.wrote(PATH, "all new\n")
    story.wrote("/repo/src/new.py", "new\n")
    assert findings(story) == []


def test_unseen_lines_that_are_still_there_are_not_written_over() -> None:
    story = Doings()
    story.wrote(PATH, numbered(1, 10), agent="child")
    story.shown(PATH, 1, 2)
    story.wrote(PATH, "first\n" + numbered(2, 10))
    assert findings(story) == []


def test_a_write_over_what_another_agent_changed_meanwhile_names_the_change() -> None:
    story = Doings()
    story.shown(PATH)
    edit = story.edited(PATH, 4, ["line 4"], ["four"], agent="child")
    write = story.wrote(PATH, numbered(1, 9))
    ((code, message, ids),) = findings(story)
    assert (code, ids) == ("stale_base", [write, edit])
    assert "lines 4 of" in message


def test_a_write_over_a_change_from_outside_that_nobody_told_is_a_stale_base() -> None:
    story = Doings()
    story.shown(PATH)
    change = story.outside(PATH)
    write = story.wrote(PATH, numbered(1, 9))
    assert [(code, ids) for code, _, ids in findings(story)] == [("stale_base", [write, change])]


def test_a_change_that_was_seen_before_the_write_is_no_finding() -> None:
    story = Doings()
    story.shown(PATH)
    story.edited(PATH, 4, ["line 4"], ["four"], agent="child")
    story.shown(PATH, 3, 5, text="line 3\nfour\nline 5\n")
    story.wrote(PATH, numbered(1, 9))
    assert findings(story) == []


def test_what_came_back_after_the_model_had_written_its_call_was_not_seen_in_time() -> None:
    def told(turn: str) -> Doings:
        story = Doings()
        story.wrote(PATH, numbered(1, 10), agent="child")
        story.add(r.ToolCalled(id="read", session=SESSION, by="agent", tool="read", path=PATH, turn="one"))
        story.add(r.ToolCalled(id="write", session=SESSION, by="agent", tool="write", path=PATH, turn="one"))
        story.tool("read", call="read", path=PATH, content=numbered(1, 10))
        if turn == "two":
            story.add(r.ToolCalled(id="later", session=SESSION, by="agent", tool="write", path=PATH, turn="two"))
        call = "later" if turn == "two" else "write"
        story.tool("write", call=call, path=PATH, content="new\n", effect="writes")
        return story

    assert [code for code, _, _ in findings(told("one"))] == ["unseen_overwrite"]
    assert findings(told("two")) == []
