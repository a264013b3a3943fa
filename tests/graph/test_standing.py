"""Whether a receipt still tells of what is there now, with the record that ended it: each end has a control."""

from __future__ import annotations

import pytest

from muniment.closeout.holding import Holding
from muniment.errors import UnknownIdError, UsageError
from muniment.model import records as r
from muniment.standing import holds
from tests.support.doings import Doings, numbered
from tests.support.graphs import SESSION

PATH = "/repo/src/a.py"
OTHER = "/repo/src/b.py"


def end(story: Doings, receipt: str, *paths: str) -> tuple[str, str, str | None]:
    """Return status, reason and the record that ended it."""
    found = holding(story, receipt, *paths)
    return found.status, found.reason, found.because


def holding(story: Doings, receipt: str, *paths: str) -> Holding:
    return holds(story.snapshot(), receipt, paths or None)


HOLDS = ("holds", "", None)

# ---------------------------------------------------------------- lines of files


def test_lines_that_were_shown_hold_while_they_stand_and_tell_where_they_moved_to() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    assert end(story, receipt) == HOLDS
    story.edited(PATH, 9, ["line 9"], ["nine"])
    story.edited(PATH, 1, [], ["first", "second"])
    found = holding(story, receipt)
    assert (found.status, found.lines) == ("holds", ((7, 9),))


def test_lines_that_were_changed_are_stale_since_the_edit() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    edit = story.edited(PATH, 6, ["line 6"], ["six"])
    found = holding(story, receipt)
    assert (found.status, found.reason, found.because, found.path) == ("stale", "lines_changed", edit, PATH)
    assert found.since == story.snapshot().ordinal


def test_a_content_that_is_put_back_holds_again() -> None:
    story = Doings()
    receipt = story.tool("read", path=PATH, content=numbered(1, 10))
    story.wrote(PATH, "other\n")
    assert end(story, receipt)[0] == "stale"
    story.wrote(PATH, numbered(1, 10))
    assert end(story, receipt) == HOLDS


def test_a_change_that_nobody_tells_makes_a_read_stale() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    change = story.outside(PATH)
    assert end(story, receipt) == ("stale", "file_changed", change)


def test_a_read_that_shows_other_lines_as_changed_leaves_the_rest_unknown() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    again = story.shown(PATH, 1, 2, 11)
    assert end(story, receipt) == ("unknown", "file_changed", again)


def test_a_read_that_shows_the_lines_as_others_makes_them_stale() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    again = story.shown(PATH, 6, 6, text="changed\n")
    assert end(story, receipt) == ("stale", "lines_changed", again)


def test_after_something_of_unknown_effect_a_read_is_unknown_until_it_is_seen_again() -> None:
    story = Doings()
    receipt = story.shown(PATH, 5, 7)
    story.ran("ls src")
    assert end(story, receipt) == HOLDS
    script = story.ran("./tidy.sh")
    assert end(story, receipt) == ("unknown", "effect_unknown", script)
    story.shown(PATH, 5, 7)
    assert end(story, receipt) == HOLDS


def test_a_read_is_asked_only_about_the_file_that_it_showed() -> None:
    story = Doings()
    receipt = story.shown(PATH)
    story.shown(OTHER)
    assert end(story, receipt, "src/a.py") == HOLDS
    assert end(story, receipt, "src/b.py") == ("unknown", "not_about", receipt)


def test_an_environment_that_changed_says_nothing_of_what_files_hold() -> None:
    story = Doings()
    receipt = story.shown(PATH)
    story.surroundings("python", "3.12", "3.11")
    assert end(story, receipt) == HOLDS


def test_a_branch_that_changed_may_have_changed_any_file() -> None:
    story = Doings()
    receipt = story.shown(PATH)
    branch = story.add(r.BranchChanged(id="b", session=SESSION, to="other", source="main"))
    assert end(story, receipt) == ("unknown", "effect_unknown", branch)


# ---------------------------------------------------------------- runs


def test_a_run_is_stale_after_an_edit_and_not_for_another_file() -> None:
    story = Doings()
    story.wrote(PATH, "a\n")
    story.wrote(OTHER, "b\n")
    run = story.ran("pytest", "3 passed in 1.00s")
    assert end(story, run) == HOLDS
    edit = story.wrote(PATH, "c\n")
    assert end(story, run) == ("stale", "subject_changed", edit)
    assert end(story, run, "src/b.py") == HOLDS
    assert end(story, run, "src/b.py", "src/a.py")[0] == "stale"


def test_a_run_is_unknown_after_something_of_unknown_effect() -> None:
    story = Doings()
    story.wrote(PATH, "a\n")
    run = story.ran("pytest", "3 passed in 1.00s")
    script = story.ran("./tidy.sh")
    assert end(story, run) == ("unknown", "effect_unknown", script)
    assert end(story, run, PATH) == ("unknown", "effect_unknown", script)


def test_an_environment_that_changed_ends_a_run_and_put_back_it_holds_again() -> None:
    story = Doings()
    run = story.ran("pytest", "3 passed in 1.00s")
    change = story.surroundings("python", "3.12", "3.11")
    assert end(story, run) == ("stale", "environment_changed", change)
    story.surroundings("python", "3.11", "3.12")
    assert end(story, run) == HOLDS


def test_a_deployment_ends_what_came_from_afar_and_pictures_and_no_test_run() -> None:
    story = Doings()
    page = story.tool("other", name="WebFetch", output="the page")
    picture = story.tool("other", name="mcp__browser__screenshot", output="[image]")
    run = story.ran("pytest", "3 passed in 1.00s")
    assert [end(story, each) for each in (page, picture, run)] == [HOLDS] * 3
    change = story.surroundings("service", "v2", "v1", deployed=True)
    gone = ("stale", "deployment_changed", change)
    assert [end(story, each) for each in (page, picture, run)] == [gone, gone, HOLDS]


def test_a_page_from_the_web_does_not_age_by_edits_and_a_picture_does() -> None:
    story = Doings()
    page = story.tool("other", name="WebSearch", output="hits")
    picture = story.tool("other", name="screenshot", output="[image]")
    edit = story.wrote(PATH, "a\n")
    assert end(story, page) == HOLDS
    assert end(story, picture) == ("stale", "subject_changed", edit)


def test_what_was_withdrawn_does_not_hold() -> None:
    story = Doings()
    run = story.ran("pytest", "3 passed in 1.00s")
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=run))
    assert end(story, run)[:2] == ("stale", "withdrawn")


def test_what_is_no_receipt_and_what_is_not_there_are_errors() -> None:
    story = Doings()
    said = story.say("hello")
    run = story.ran("pytest")
    with pytest.raises(UsageError):
        holding(story, said)
    with pytest.raises(UnknownIdError):
        holding(story, "R999")
    with pytest.raises(UnknownIdError):
        holding(story, run, "nowhere.py")


def test_packages_that_were_installed_leave_a_run_unknown_and_a_read_standing() -> None:
    story = Doings()
    receipt = story.shown(PATH)
    run = story.ran("pytest", "3 passed in 1.00s")
    install = story.ran("pip install requests")
    assert end(story, run) == ("unknown", "environment_changed", install)
    assert end(story, receipt) == HOLDS
