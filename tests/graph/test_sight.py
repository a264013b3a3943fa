"""What each agent has seen of a file, and whether it may change it: each refusal has a control."""

from __future__ import annotations

import pytest

from muniment.errors import UnknownIdError, UsageError
from muniment.model import records as r
from muniment.sight import Coverage, WriteCheck, check_write, coverage
from tests.support.doings import Doings, numbered
from tests.support.graphs import SESSION

PATH = "/repo/src/a.py"


def of(story: Doings, agent: str = "") -> tuple[list[tuple[int, int]], list[tuple[int, int | None]]]:
    """Return what an agent has seen of the file, and what not."""
    found = seen_by(story, agent)
    return [(lines.first, lines.last) for lines in found.seen], list(found.unseen)


def seen_by(story: Doings, agent: str = "") -> Coverage:
    return coverage(story.snapshot(), PATH, agent)


def check(story: Doings, lines: tuple[int, int] | None = None, agent: str = "") -> WriteCheck:
    return check_write(story.snapshot(), agent, PATH, lines)


def test_what_was_shown_is_seen_with_the_receipt_that_showed_it() -> None:
    story = Doings()
    first, second = story.shown(PATH, 1, 4), story.shown(PATH, 8, 9)
    found = seen_by(story)
    assert [(x.first, x.last, x.record) for x in found.seen] == [(1, 4, first), (8, 9, second)]
    assert found.unseen == ((5, 7), (10, 10))
    assert found.total_lines == 10


def test_a_length_that_nobody_told_leaves_the_end_open() -> None:
    story = Doings()
    story.shown(PATH, 1, 4, None)
    assert of(story) == ([(1, 4)], [(5, None)])


def test_what_only_a_withdrawn_read_showed_is_unseen_and_its_control_is_not() -> None:
    story = Doings()
    wrong = story.shown(PATH, 1, 4)
    story.shown(PATH, 8, 10)
    assert of(story) == ([(1, 4), (8, 10)], [(5, 7)])
    assert check(story, (1, 4)).ok
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=wrong))
    assert of(story) == ([(8, 10)], [(1, 7)])
    assert not check(story, (1, 4)).ok
    assert check(story, (8, 10)).ok


def test_lines_that_were_read_twice_are_of_the_newest_receipt() -> None:
    story = Doings()
    first, second = story.shown(PATH, 1, 6), story.shown(PATH, 4, 10)
    assert [(x.first, x.last, x.record) for x in seen_by(story).seen] == [(1, 3, first), (4, 10, second)]


def test_each_agent_has_seen_only_what_it_was_shown_itself() -> None:
    story = Doings()
    story.shown(PATH, 1, 5)
    story.shown(PATH, 4, 8, agent="child")
    assert of(story) == ([(1, 5)], [(6, 10)])
    assert of(story, "child") == ([(4, 8)], [(1, 3), (9, 10)])


def test_an_edit_moves_what_others_have_seen_and_its_lines_are_seen_by_its_author_alone() -> None:
    story = Doings()
    story.shown(PATH)
    story.shown(PATH, agent="child")
    story.edited(PATH, 4, ["line 4"], ["new", "newer"], agent="child")
    assert of(story) == ([(1, 3), (6, 11)], [(4, 5)])
    assert of(story, "child")[1] == []


def test_a_whole_write_keeps_the_lines_that_it_leaves_as_seen() -> None:
    story = Doings()
    story.shown(PATH)
    story.wrote(PATH, numbered(1, 3) + "new\n" + numbered(4, 10), agent="child")
    assert of(story) == ([(1, 3), (5, 11)], [(4, 4)])
    assert of(story, "child") == ([(1, 11)], [])


def test_what_the_harness_tells_of_a_file_before_an_edit_nobody_has_seen() -> None:
    story = Doings()
    story.shown(PATH, 1, 2)
    change = r.FileChange(path=PATH, before=numbered(1, 10), hunks=(r.Hunk(2, 2, ("-line 2", "+two")),))
    story.tool("write", path=PATH, changes=(change,), effect="writes")
    assert of(story) == ([(1, 1), (2, 2)], [(3, 10)])


def test_a_whole_file_that_the_harness_tells_after_an_edit_is_not_seen_either() -> None:
    story = Doings()
    story.shown(PATH, 1, 2)
    content = numbered(1, 10).replace("line 9", "nine")
    change = r.FileChange(path=PATH, before=numbered(1, 10), content=content)
    story.tool("write", path=PATH, changes=(change,), effect="writes")
    assert of(story) == ([(1, 2)], [(3, 10)])


def test_lines_that_the_harness_cut_are_not_seen() -> None:
    story = Doings()
    story.tool("read", path=PATH, content=numbered(1, 10), cut_lines=(4, 7))
    assert of(story) == ([(1, 3), (5, 6), (8, 10)], [(4, 4), (7, 7)])


def test_a_change_that_nobody_tells_leaves_nothing_seen_until_it_is_read_again() -> None:
    story = Doings()
    story.shown(PATH)
    story.outside(PATH)
    assert of(story) == ([], [(1, None)])
    story.shown(PATH, 3, 5)
    assert of(story) == ([(3, 5)], [(1, 2), (6, 10)])


def test_a_change_from_outside_whose_content_is_told_leaves_the_other_lines_seen() -> None:
    story = Doings()
    story.shown(PATH)
    story.outside(PATH, numbered(1, 9))
    assert of(story) == ([(1, 9)], [])


def test_a_content_that_comes_back_is_seen_again() -> None:
    story = Doings()
    story.wrote(PATH, numbered(1, 10))
    story.outside(PATH, numbered(1, 2, "other"))
    assert of(story)[0] == []
    story.outside(PATH, numbered(1, 10))
    assert of(story) == ([(1, 10)], [])


def test_a_read_that_shows_another_line_leaves_only_what_it_showed() -> None:
    story = Doings()
    story.shown(PATH)
    story.shown(PATH, 4, 6, text="line 4\nchanged\nline 6\n", agent="child")
    assert of(story) == ([(4, 4), (6, 6)], [(1, 3), (5, 5), (7, 10)])


def test_a_renamed_file_is_seen_as_far_as_it_was_before() -> None:
    story = Doings()
    story.shown("/repo/src/old.py", 1, 5)
    story.outside("/repo/src/old.py", change="renamed", to=PATH)
    assert of(story) == ([(1, 5)], [(6, 10)])


def test_a_fork_has_seen_what_its_parent_had_seen_when_it_was_forked() -> None:
    story = Doings()
    story.shown(PATH, 1, 3)
    story.add(r.SessionForked(id="fork", session="F", parent="session", root="/repo"))
    story.shown(PATH, 4, 6)
    snapshot = story.snapshot()
    fork = next(node.handle for node in snapshot.named("fork") if node.handle.startswith("A"))
    assert [(x.first, x.last) for x in coverage(snapshot, PATH, fork).seen] == [(1, 3)]
    assert of(story) == ([(1, 3), (4, 6)], [(7, 10)])


def test_a_file_and_an_agent_that_nobody_knows_are_errors() -> None:
    story = Doings()
    story.shown(PATH)
    with pytest.raises(UnknownIdError):
        coverage(story.snapshot(), "nowhere.py")
    with pytest.raises(UnknownIdError):
        coverage(story.snapshot(), PATH, "nobody")
    with pytest.raises(UsageError):
        check(story, (5, 2))


# ---------------------------------------------------------------- before a change


def test_what_was_seen_may_be_changed() -> None:
    story = Doings()
    receipt = story.shown(PATH)
    found = check(story)
    assert (found.ok, found.reasons) == (True, ())
    assert [story.snapshot().node(each).record for each in found.receipts] == [receipt]  # type: ignore[union-attr]


def test_unseen_lines_are_named_and_lines_beside_them_may_be_changed() -> None:
    story = Doings()
    story.shown(PATH, 1, 6)
    found = check(story)
    assert (found.ok, found.unseen, found.reasons) == (False, ((7, 10),), ("unseen_lines",))
    assert check(story, (2, 6)).ok
    assert check(story, (5, 8)).unseen == ((7, 8),)


def test_a_file_that_its_agent_never_saw_is_not_to_be_changed() -> None:
    story = Doings()
    story.shown(PATH)
    story.run("ls", agent="child")
    found = check(story, agent="child")
    assert (found.ok, found.reasons, found.unseen) == (False, ("never_seen",), ((1, 10),))


def test_a_base_that_changed_since_names_what_changed_it() -> None:
    story = Doings()
    story.shown(PATH)
    edit = story.edited(PATH, 5, ["line 5"], [], agent="child")
    found = check(story)
    assert (found.ok, found.unseen, found.reasons) == (False, (), ("stale_base",))
    assert [(x.record, x.agent, x.by) for x in found.stale_base] == [(edit, "child", "tool")]
    story.shown(PATH, 4, 5, 9, text="line 4\nline 6\n")
    assert check(story).ok


def test_a_change_below_the_lines_leaves_them_as_they_were_and_one_above_moves_them() -> None:
    story = Doings()
    story.shown(PATH)
    story.edited(PATH, 8, ["line 8"], ["8", "8a"], agent="child")
    assert check(story, (2, 4)).ok
    assert not check(story, (9, 10)).ok
    story.edited(PATH, 1, [], ["first"], agent="child")
    assert check(story, (2, 4)).reasons == ("stale_base",)


def test_a_change_from_outside_is_a_stale_base() -> None:
    story = Doings()
    story.shown(PATH)
    change = story.outside(PATH)
    found = check(story)
    assert [each.record for each in found.stale_base] == [change]
    assert found.unseen == ((1, None),)


def test_the_agents_own_edits_make_no_base_stale() -> None:
    story = Doings()
    story.shown(PATH)
    story.edited(PATH, 5, ["line 5"], ["five"])
    assert check(story).ok


def test_something_of_unknown_effect_is_told_and_refuses_nothing() -> None:
    story = Doings()
    story.shown(PATH)
    script = story.ran("./tidy.sh")
    found = check(story)
    assert (found.ok, found.reasons) == (True, ("effect_unknown",))
    assert found.doubt is not None
    assert found.doubt.record == script


@pytest.mark.parametrize("gone", [False, True])
def test_nothing_is_said_against_a_file_that_is_not_there(gone: bool) -> None:
    story = Doings()
    if gone:
        change = r.FileChange(path=PATH, change="deleted")
        story.shown(PATH)
        story.tool("write", path=PATH, changes=(change,), effect="writes")
    found = check(story)
    assert (found.ok, found.reasons) == (True, ("gone",) if gone else ("not_on_record",))


def test_a_file_that_somebody_else_deleted_is_a_stale_base() -> None:
    story = Doings()
    story.shown(PATH)
    story.outside(PATH, change="deleted")
    assert check(story).reasons == ("gone", "stale_base")


def test_sessions_of_one_agent_name_are_told_apart() -> None:
    story = Doings()
    story.shown(PATH, 1, 3)
    assert seen_by(story).session == SESSION


@pytest.mark.parametrize("command", ["mv src/old.py src/a.py", "git mv src/old.py src/a.py"])
def test_a_file_that_a_command_moved_is_seen_as_far_as_it_was_before(command: str) -> None:
    story = Doings()
    story.shown("/repo/src/old.py", 1, 5)
    story.ran(command)
    assert of(story) == ([(1, 5)], [(6, 10)])
    assert check(story, (1, 5)).ok
