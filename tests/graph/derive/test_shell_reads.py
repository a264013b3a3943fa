"""What shell commands tell of files, through the whole store: reads, writes, revisions, and what puts them in doubt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.derive.carrying import intervals
from muniment.derive.coverage import ANYBODY, moments
from muniment.derive.ledger import covered
from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Excerpt, File, FileVersion
from muniment.snapshot import Snapshot
from tests.support.codex_rollout import Line, call, exited, meta, output, said

LINES = [f"line {number}" for number in range(1, 31)]
WHOLE = "".join(f"{line}\n" for line in LINES)


def ran(folder: Path, *commands: tuple[str, str] | tuple[str, str, int]) -> Snapshot:
    """Return what is known after these commands, each with its output and exit code."""
    lines: list[Line] = [meta(), said("user", "Look")]
    for place, (command, text, *code) in enumerate(commands):
        lines += [
            call(f"c{place}", "exec_command", cmd=command),
            output(f"c{place}", exited(code[0] if code else 0, text)),
        ]
    source = folder / "rollout.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with EvidenceStore.open(folder / "store", create=True) as store:
        return store.snapshot(store.import_session(source).mission)


def known(snapshot: Snapshot, path: str) -> dict[int, str]:
    """Return the current lines of a file that are known, by number."""
    file = next((file for file in snapshot.of_kind(File) if file.key == f"/repo/{path}"), None)
    state = snapshot.ledger(file.id) if file is not None else None
    found: dict[int, str] = {}
    for segment in state.segments if state is not None else ():
        node = snapshot.node(segment.excerpt)
        assert isinstance(node, Excerpt)
        lines = split_lines(snapshot.text(node.text))[segment.offset : segment.offset + segment.count]
        found.update(enumerate(lines, start=segment.start))
    return found


def part(first: int, last: int) -> str:
    return "".join(f"{line}\n" for line in LINES[first - 1 : last])


def numbered(first: int, last: int) -> str:
    return "".join(f"{number:6}\t{LINES[number - 1]}\n" for number in range(first, last + 1))


READS = [
    ("sed -n '3,7p' a.txt", part(3, 7), [(3, 7)]),
    ("sed -n '20,60p' a.txt", part(20, 30), [(20, 30)]),
    ("cat a.txt", WHOLE, [(1, 30)]),
    ("nl -ba a.txt | sed -n '3,7p'", numbered(3, 7), [(3, 7)]),
    ("cat -n a.txt | tail -n 3", numbered(28, 30), [(28, 30)]),
    ("head -n 5 a.txt; echo ----; sed -n '9,12p' a.txt", part(1, 5) + "----\n" + part(9, 12), [(1, 5), (9, 12)]),
    ("rg -n 'line 1$|line 5' a.txt", "1:line 1\n5:line 5\n", [(1, 1), (5, 5)]),
    ("rg -n -A1 'line 5' .", "a.txt:5:line 5\na.txt-6-line 6\n", [(5, 6)]),
    ("git blame -L 3,4 a.txt", "".join(
        f"1234abcd (A (B) C 2026-01-02 03:04:05 +0000 {n}) line {n}\n" for n in (3, 4)), [(3, 4)]),
]  # fmt: skip


@pytest.mark.parametrize(("command", "shown", "intervals"), READS, ids=[row[0] for row in READS])
def test_lines_that_a_command_shows_are_known(
    tmp_path: Path, command: str, shown: str, intervals: list[tuple[int, int]]
) -> None:
    snapshot = ran(tmp_path, (command, shown))
    file = next(file for file in snapshot.of_kind(File) if file.key == "/repo/a.txt")
    state = snapshot.ledger(file.id)
    assert state is not None
    assert list(covered(state)) == intervals
    assert known(snapshot, "a.txt") == {n: LINES[n - 1] for first, last in intervals for n in range(first, last + 1)}


def test_a_part_that_ends_early_tells_the_length(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("sed -n '20,60p' a.txt", part(20, 30)))
    state = snapshot.ledger(snapshot.of_kind(File)[0].id)
    assert state is not None
    assert state.total == len(LINES)


NOTHING = [
    ("cat a.txt", "cat: a.txt: No such file or directory\n", 1),
    ("cat a.txt | head", "cat: a.txt: No such file or directory\n", 0),
    ("cat a.txt b.txt", WHOLE, 0),
    ("sed -n '1,20p' a.txt; sed -n '1,20p' b.txt", part(1, 25), 0),
    ("cat a.txt | sort", WHOLE, 0),
    ("sed 's/x/y/' a.txt", WHOLE, 0),
    ("tail -n 5 a.txt", part(26, 30), 0),
    ("grep line a.txt", WHOLE, 0),
    ("cat a.txt > b.txt", "", 0),
    ("cat a.txt; sed -i s/line/row/ a.txt", WHOLE, 0),
    ("./show a.txt && cat a.txt", WHOLE, 0),
]


@pytest.mark.parametrize(("command", "shown", "code"), NOTHING, ids=[row[0] for row in NOTHING])
def test_where_nobody_can_tell_which_lines_were_shown_none_is_known(
    tmp_path: Path, command: str, shown: str, code: int
) -> None:
    assert known(ran(tmp_path, (command, shown, code)), "a.txt") == {}


def test_the_last_lines_are_placed_by_what_was_known_of_the_file(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("cat a.txt", WHOLE), ("tail -n 5 a.txt", part(26, 30)))
    assert len([node for node in snapshot.of_kind(Excerpt) if node.first == 26]) == 1


def test_a_search_that_found_nothing_after_a_read_does_not_take_it_back(tmp_path: Path) -> None:
    command = "nl -ba a.txt | sed -n '3,7p' && rg -n nothing a.txt"
    assert sorted(known(ran(tmp_path, (command, numbered(3, 7), 1)), "a.txt")) == [3, 4, 5, 6, 7]


HITS = "2:line 2\n5:line 5\n6:line 6\n29:line 29\n"


def test_what_a_search_shows_of_a_file_is_one_excerpt_and_one_step_of_its_ledger(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("rg -n '2|5|6|29' a.txt", HITS))
    (excerpt,) = snapshot.of_kind(Excerpt)
    assert (excerpt.first, excerpt.last, excerpt.runs) == (2, 29, ((2, 2), (5, 6), (29, 29)))
    assert list(excerpt.numbers()) == [2, 5, 6, 29]
    assert len(snapshot.observations(snapshot.of_kind(File)[0].id)) == 1


def test_ranges_that_were_asked_for_are_an_excerpt_each(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("sed -n '3,4p;9,10p' a.txt", part(3, 4) + part(9, 10)))
    assert [(node.first, node.last, node.runs) for node in snapshot.of_kind(Excerpt)] == [(3, 4, ()), (9, 10, ())]


@pytest.mark.parametrize(
    ("later", "shown", "state"),
    [
        ("rg -n '2|5|6|29' a.txt", HITS, ["covers"]),
        ("rg -n '5|6' a.txt", "5:line 5\n6:line 6\n", ["within"]),
        ("cat a.txt", WHOLE, ["covers"]),
        ("rg -n '5|7' a.txt", "5:line 5\n7:line 7\n", []),
        ("sed -n '2,6p' a.txt", part(2, 6), []),
        ("rg -n '5|6' a.txt", "5:line 5\n6:line six\n", []),
    ],
)
def test_a_read_repeats_the_hits_of_a_search_where_all_lines_of_one_are_in_the_other(
    tmp_path: Path, later: str, shown: str, state: list[str]
) -> None:
    snapshot = ran(tmp_path, ("rg -n '2|5|6|29' a.txt", HITS), (later, shown))
    newest = snapshot.of_kind(Excerpt)[-1]
    assert [edge.state for edge in snapshot.edges_from(newest.id, {EdgeKind.REPEATS})] == state


def test_hits_that_differ_from_what_was_known_leave_only_themselves_known(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("cat a.txt", WHOLE), ("rg -n x a.txt", "4:line 4\n8:line x\n12:line x\n"))
    assert known(snapshot, "a.txt") == {4: "line 4", 8: "line x", 12: "line x"}
    told = list(moments(snapshot, snapshot.of_kind(File)[0].id))
    assert told[-1].changed
    assert intervals(told[-1].seen[ANYBODY]) == ((4, 4), (8, 8), (12, 12))


def test_lines_of_a_revision_are_a_version_of_that_revision_and_not_current(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("git show HEAD~1:a.txt", WHOLE))
    (version,) = snapshot.of_kind(FileVersion)
    assert (version.revision, version.grade) == ("HEAD~1", "lines")
    assert known(snapshot, "a.txt") == {}


DIFF = """diff --git a/a.txt b/a.txt
index 111..222 100644
--- a/a.txt
+++ b/a.txt
@@ -3,3 +3,4 @@ line 2
 line 3
+inserted
 line 4
 line 5
"""


def test_the_new_side_of_a_plain_diff_is_the_worktree(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("git diff -- a.txt", DIFF))
    assert known(snapshot, "a.txt") == {3: "line 3", 4: "inserted", 5: "line 4", 6: "line 5"}


def test_the_new_side_of_a_diff_of_revisions_is_not(tmp_path: Path) -> None:
    assert known(ran(tmp_path, ("git diff main..HEAD -- a.txt", DIFF)), "a.txt") == {}


def test_a_here_document_that_goes_into_a_file_is_its_content(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("cat > a.txt <<'EOF'\nfirst\nsecond\nEOF", ""))
    assert known(snapshot, "a.txt") == {1: "first", 2: "second"}


def state_of(snapshot: Snapshot, path: str) -> str:
    """Return the grade of the newest version of a file."""
    file = next(file for file in snapshot.of_kind(File) if file.key == f"/repo/{path}")
    edges = snapshot.edges_from(file.id, {EdgeKind.OBSERVED})
    version = snapshot.node(edges[-1].target)
    assert isinstance(version, FileVersion)
    return version.grade


@pytest.mark.parametrize("command", ["mv a.txt b.txt", "git mv a.txt b.txt", "mv ./a.txt /repo/b.txt", "mv a.txt src/"])
def test_a_renamed_file_takes_its_lines_with_it(tmp_path: Path, command: str) -> None:
    snapshot = ran(tmp_path, ("cat a.txt", WHOLE), (command, ""))
    assert known(snapshot, "src/a.txt" if command.endswith("/") else "b.txt") == dict(enumerate(LINES, start=1))
    assert known(snapshot, "a.txt") == {}
    assert state_of(snapshot, "a.txt") == "absent"


def test_a_rename_of_which_nobody_knows_where_it_went_leaves_nothing_known(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("cat a.txt", WHOLE), ("mv a.txt somewhere", ""))
    assert known(snapshot, "a.txt") == {}


def test_a_removed_file_is_gone_and_a_new_one_of_its_name_is_another(tmp_path: Path) -> None:
    gone = ran(tmp_path, ("cat a.txt", WHOLE), ("rm -f a.txt", ""))
    assert (state_of(gone, "a.txt"), known(gone, "a.txt")) == ("absent", {})
    (tmp_path / "again").mkdir()
    again = ran(
        tmp_path / "again", ("cat a.txt", WHOLE), ("rm a.txt", ""), ("echo new > a.txt", ""), ("cat a.txt", "new\n")
    )
    assert (state_of(again, "a.txt"), known(again, "a.txt")) == ("lines", {1: "new"})


def test_what_is_read_through_a_link_is_what_the_link_leads_to(tmp_path: Path) -> None:
    snapshot = ran(
        tmp_path, ("ln -s ../shared/lib lib", ""), ("sed -n '1,3p' lib/a.txt", part(1, 3)), ("cat lib/../b.txt", "b\n")
    )
    keys = {file.key for file in snapshot.of_kind(File)}
    assert {"/shared/lib/a.txt", "/shared/b.txt"} <= keys
    assert "/repo/lib/a.txt" not in keys


TREE = [
    ("git stash", "Saved working directory and index state WIP\n", False),
    ("git rebase main", "Successfully rebased and updated refs/heads/x.\n", False),
    ("git checkout main", "Switched to branch 'main'\n", False),
    ("git reset --hard HEAD", "HEAD is now at 123\n", False),
    ("git pull", "Updating 1..2\nFast-forward\n a.txt | 4 ++--\n 1 file changed\n", False),
    ("git pull", "Updating 1..2\nFast-forward\n b.txt | 4 ++--\n 1 file changed\n", True),
    ("git pull", "Already up to date.\n", True),
    ("git checkout -b other", "Switched to a new branch 'other'\n", True),
    ("git stash list", "", True),
    ("git reset", "Unstaged changes after reset:\nM\ta.txt\n", True),
    ("git status", "clean\n", True),
]


@pytest.mark.parametrize(("command", "shown", "stays"), TREE, ids=[f"{row[0]}: {row[1][:20]}" for row in TREE])
def test_what_version_control_may_have_replaced_is_not_current(
    tmp_path: Path, command: str, shown: str, stays: bool
) -> None:
    snapshot = ran(tmp_path, ("cat a.txt", WHOLE), (command, shown))
    assert bool(known(snapshot, "a.txt")) == stays


def test_an_output_that_was_cut_still_shows_its_beginning(tmp_path: Path) -> None:
    shown = part(1, 12) + "line 1…300 tokens truncated…\nline 30\n"
    assert sorted(known(ran(tmp_path, ("cat a.txt", shown)), "a.txt")) == list(range(1, 13))


@pytest.mark.parametrize(
    ("command", "around"),
    [
        ("time cat a.txt", "{}\nreal\t0m0.010s\nuser\t0m0.001s\nsys\t0m0.001s\n"),
        ("set -ex; cat a.txt", "+ cat a.txt\n{}"),
        ("set -o xtrace\ncat a.txt", "+ cat a.txt\n{}"),
        ("bash -xc 'cat a.txt'", "+ cat a.txt\n{}"),
        ("trap 'echo bye' EXIT; cat a.txt", "{}bye\n"),
        ("cat --help a.txt", "Usage: cat [OPTION]... [FILE]...\n"),
        ("more a.txt", "::::::::::::::\na.txt\n::::::::::::::\n{}"),
    ],
)
def test_what_is_printed_around_a_file_is_no_line_of_it(tmp_path: Path, command: str, around: str) -> None:
    assert known(ran(tmp_path, (command, around.format(WHOLE))), "a.txt") == {}


@pytest.mark.parametrize("command", ["set -e; cat a.txt", "bash -c 'cat a.txt'", "env cat a.txt", "less a.txt"])
def test_a_line_that_prints_nothing_else_tells_the_file(tmp_path: Path, command: str) -> None:
    assert known(ran(tmp_path, (command, WHOLE)), "a.txt") == dict(enumerate(LINES, start=1))


def test_what_is_read_through_a_stream_is_no_file(tmp_path: Path) -> None:
    snapshot = ran(tmp_path, ("cat <(cat a.txt)", WHOLE), ("cat b.txt", WHOLE))
    assert {file.key for file in snapshot.of_kind(File)} == {"/repo/b.txt"}
