"""SWE-agent: windows, edits, and what is whose."""

from __future__ import annotations

from muniment.importers.file_windows import Window, change_between, window_in
from muniment.model.records import Hunk, Message, SessionOpened, ToolReturned
from tests.support.session_documents import swe_agent
from tests.support.session_records import of, records_of


def test_the_issue_is_the_users_and_demonstrations_are_the_harnesss() -> None:
    records = records_of(swe_agent())
    assert [message.text for message in of(records, Message) if message.by == "user"] == ["add subtracts"]
    assert of(records, SessionOpened)[0].root == "/repo"
    assert not [message for message in of(records, Message) if message.by == "user" and "DEMO" in message.text]


def test_a_window_is_a_read_and_an_edit_shows_what_changed() -> None:
    opened, edited, refused, ran, submitted = of(records_of(swe_agent()), ToolReturned)
    assert (opened.tool, opened.path, opened.lines, opened.total_lines) == ("read", "/repo/calc.py", (1, 2), 2)
    assert edited.changes[0].content == "def add(a, b):\n    return a + b\n"
    assert (refused.status, refused.effect, refused.changes) == ("failed", "none", ())
    assert (ran.tool, ran.status, ran.command) == ("command", "unknown", "python calc.py")
    assert submitted.effect == "none"


def window(first: int, lines: list[str], total: int) -> Window:
    return Window(path="/a", total=total, first=first, lines=lines)


def test_two_windows_tell_a_change_only_where_both_show_what_stands_around_it() -> None:
    before = window(10, ["a", "b", "c", "d"], 40)
    inside = change_between(before, window(10, ["a", "x", "y", "c", "d"], 41), created=False)
    assert inside.hunks == (Hunk(11, 11, ("-b", "+x", "+y")),)
    at_the_edge = change_between(before, window(10, ["z", "b", "c", "d"], 40), created=False)
    assert at_the_edge.hunks == ()
    assert change_between(None, window(10, ["a"], 40), created=False).hunks == ()


def test_cursors_and_counts_around_the_lines_are_no_lines() -> None:
    text = (
        "[File: /a (9 lines total)]\n(2 more lines above)\n3:x\n<<<<< START CURSOR >>>>>\n4:\n<<<<< END CURSOR >>>>>\n"
    )
    found = window_in(f"{text}5:z\n(4 more lines below)\n6:no")
    assert found is not None
    assert (found.first, found.lines, found.total) == (3, ["x", "", "z"], 9)
    assert window_in("nothing") is None
