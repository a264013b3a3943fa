"""What searches did not find: how wide that is, whether they said so themselves, and whether it still holds."""

from __future__ import annotations

import pytest

from muniment.closeout.absences import Absence
from muniment.derive.searched import searched_by
from muniment.standing import absences
from tests.support.doings import Doings


def only(story: Doings, path: str | None = None) -> Absence:
    found = absences(story.snapshot(), path)
    assert len(found) == 1
    return found[0]


def searching(command: str, **fields: object) -> Doings:
    """Return a mission with two files and a command that found nothing."""
    story = Doings()
    story.wrote("/repo/src/a.py", "a\n")
    story.wrote("/repo/docs/notes.md", "b\n")
    story.ran(command, **{"exit_code": 1, **fields})  # type: ignore[arg-type]
    return story


@pytest.mark.parametrize(
    ("command", "pattern", "within", "places", "excluded"),
    [
        ("grep -rn 'def rate' src tests", "def rate", "text", ("src", "tests"), ()),
        ("grep -rIn --include='*.py' rate .", "rate", "text", (".",), ("binary_files", "only:*.py")),
        ("grep -c rate report.md", "rate", "text", ("report.md",), ()),
        ("grep -rn --exclude-dir=node_modules rate", "rate", "text", (".",), ("not:node_modules",)),
        ("rg -n rate src", "rate", "text", ("src",), ("ignored_files", "hidden_files", "binary_files")),
        ("rg -n --no-ignore --hidden rate", "rate", "text", (".",), ("binary_files",)),
        ("rg -uuu rate", "rate", "text", (".",), ()),
        (
            "rg -t py -e rate src",
            "rate",
            "text",
            ("src",),
            ("ignored_files", "hidden_files", "binary_files", "types:py"),
        ),
        ("cd src && rg rate", "rate", "text", ("src/.",), ("ignored_files", "hidden_files", "binary_files")),
        ("git grep -n rate -- src", "rate", "text", ("src",), ("untracked_files",)),
        ("find . -maxdepth 2 -name '*.toml'", "*.toml", "names", (".",), ("depth:2",)),
        ("fd -H config src", "config", "names", ("src",), ("ignored_files",)),
    ],
)
def test_what_a_command_searched_is_told_with_what_it_passed_over(
    command: str, pattern: str, within: str, places: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    found = searched_by(command)
    assert found is not None
    assert (found.pattern, found.within, found.places, found.excluded) == (pattern, within, places, excluded)


@pytest.mark.parametrize(
    "command", ["ls src", "cat a | grep x", "grep -v x a", "grep x a && pytest", "rg $WHAT src", "rg a; rg b", "pytest"]
)
def test_what_searches_no_files_or_does_other_things_too_is_no_search(command: str) -> None:
    assert searched_by(command) is None


def test_a_search_that_says_by_its_status_that_it_found_nothing_is_confirmed() -> None:
    found = only(searching("grep -rn rate src"))
    assert (found.confirmed, found.doubt, found.status) == (True, "", "holds")


@pytest.mark.parametrize("command", ["rg rate src | head", "grep -rn rate src || true"])
def test_a_status_that_is_not_the_searchs_own_leaves_an_absence_inferred(command: str) -> None:
    found = only(searching(command, exit_code=0, own_status=False))
    assert (found.confirmed, found.doubt) == (False, "status_unknown")


def test_a_search_that_found_something_is_no_absence() -> None:
    assert absences(searching("grep -rn rate src", output="src/a.py:1:rate", exit_code=0).snapshot()) == []
    assert (
        absences(searching("grep -rn rate nowhere", output="grep: nowhere: No such file", exit_code=2).snapshot()) == []
    )


def test_an_absence_holds_until_something_where_it_looked_changes() -> None:
    story = searching("grep -rn rate src")
    story.wrote("/repo/docs/notes.md", "rate\n")
    assert only(story).status == "holds"
    change = story.wrote("/repo/src/new.py", "rate\n")
    found = only(story)
    assert (found.status, found.because) == ("stale", change)
    assert found.since == story.snapshot().ordinal


def test_after_something_of_unknown_effect_an_absence_is_unknown() -> None:
    story = searching("grep -rn rate src")
    story.ran("git status")
    story.surroundings("python", "3.12", "3.11")
    assert only(story).status == "holds"
    script = story.ran("./tidy.sh")
    assert (only(story).status, only(story).because) == ("unknown", script)


def test_a_file_that_the_search_could_not_see_is_not_asked_about() -> None:
    story = searching("rg -g '*.py' rate src")
    assert absences(story.snapshot(), "docs/notes.md") == []
    assert absences(story.snapshot(), "src/a.md") == []
    assert absences(story.snapshot(), "src/.hidden/a.py") == []
    found = only(story, "src/a.py")
    assert (found.could_see, found.why) == ("perhaps", "ignored_files")
    assert only(searching("grep -rn rate src"), "src/a.py").could_see == "yes"


def test_a_search_tool_that_ignored_nothing_excludes_nothing() -> None:
    story = Doings()
    story.searched("rate", "src")
    found = only(story)
    assert (found.pattern, found.places, found.excluded, found.confirmed) == ("rate", ("src",), (), True)


def test_a_search_that_was_cut_short_is_inferred() -> None:
    story = Doings()
    story.searched("rate", "src", truncated=True)
    assert (only(story).confirmed, only(story).doubt) == (False, "truncated")


def test_a_search_that_looked_into_no_file_confirms_nothing_and_its_control_does() -> None:
    story = Doings()
    story.searched("foo", "/repo", files_considered=0)
    assert (only(story).confirmed, only(story).doubt) == (False, "nothing_searched")
    story = Doings()
    story.searched("foo", "/repo", files_considered=1)
    assert only(story).confirmed
