"""The editor that SWE-agent, OpenHands and others share: what a view showed, where an edit is."""

from __future__ import annotations

import pytest

from muniment.importers.editor_tool import editor_call, editor_outcome
from muniment.importers.replacing import around, changed_region, within_snippet
from muniment.model.records import Hunk

HEAD = "Here's the result of running `cat -n` on /a.py:\n"


def view(text: str, **more: object) -> tuple[str | None, tuple[int, int] | None, int | None, bool]:
    """Return content, lines, total and whether it was cut, of a view's answer."""
    outcome = editor_outcome(editor_call("c", "str_replace_editor", {"command": "view", "path": "/a.py", **more}), text)
    return outcome.content, outcome.lines, outcome.total, outcome.truncated


def test_a_whole_view_has_no_line_behind_its_last_line_end() -> None:
    assert view(f"{HEAD}     1\tx\n     2\t\n     3\ty\n     4\t\n") == ("x\n\ny\n", (1, 3), 3, False)


def test_a_view_of_a_range_shows_what_its_answer_numbers() -> None:
    assert view(f"{HEAD}    7\tx\n    8\t", view_range=[7, 99]) == ("x\n\n", (7, 8), None, False)


def test_of_a_clipped_view_only_whole_lines_count() -> None:
    text = f"{HEAD}     1\tx\n     2\tha<response clipped><NOTE>Due to…</NOTE>lf\n     8\ty\n     9\tz\n    10\t\n"
    assert view(text) == ("y\nz\n", (8, 9), 9, True)


def test_a_folder_has_no_lines() -> None:
    assert view("Here's the files and directories up to 2 levels deep in /a:\n/a/b\n")[0] is None


@pytest.mark.parametrize("text", ["ERROR:\nInvalid `path` parameter: /a.py.", "No replacement was performed, old_str"])
def test_an_edit_that_failed_changed_nothing(text: str) -> None:
    call = editor_call(
        "c", "str_replace_editor", {"command": "str_replace", "path": "/a.py", "old_str": "x", "new_str": "y"}
    )
    outcome = editor_outcome(call, text)
    assert (outcome.status, outcome.effect, outcome.changes) == ("failed", "none", ())


def test_a_replacement_is_found_in_the_lines_that_are_shown_around_it() -> None:
    shown = [(3, "def f():"), (4, "    return g(2)"), (5, "")]
    assert within_snippet(shown, "g(1)", "g(2)") == Hunk(4, 4, ("-    return g(1)", "+    return g(2)"))
    assert within_snippet(shown, "g(1)", "nowhere") is None


def test_an_insertion_stands_behind_its_line() -> None:
    given = {"command": "insert", "path": "/a.py", "insert_line": 2, "new_str": "x\ny"}
    outcome = editor_outcome(editor_call("c", "str_replace_editor", given), "The file /a.py has been edited.")
    assert outcome.changes[0].hunks == (Hunk(3, 3, ("+x", "+y")),)


def test_a_file_before_and_after_gives_one_region() -> None:
    assert changed_region("a\nb\nc\n", "a\nx\nc\n") == Hunk(2, 2, ("-b", "+x"))
    assert changed_region("a\n", "a\n") is None


def test_part_of_a_line_is_no_hunk_of_unknown_place() -> None:
    assert around("a = 1", "a = 2") is None
    assert around("a = 1\n", "a = 2\n") == Hunk(0, 0, ("-a = 1", "+a = 2"))
