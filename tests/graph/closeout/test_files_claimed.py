"""Claims about files: written, unchanged, what they hold and do not hold, and that they are not there."""

from __future__ import annotations

import pytest

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def shown(case: Case) -> tuple[str, str]:
    verdict = case.verdict()
    return verdict.status, verdict.reason


def test_a_write_proves_that_a_file_was_written() -> None:
    case = Case()
    write = case.write("src/rate.py", "a\n")
    case.claim("file_written", path="src/rate.py")
    assert shown(case) == ("proven", "")
    assert case.records_of(case.verdict().by) == [write]


def test_a_file_that_nobody_wrote_is_not_proven() -> None:
    case = Case()
    case.read("src/rate.py", "a\n")
    case.claim("file_written", path="src/rate.py")
    case.claim("file_written", path="src/other.py")
    assert [(claim.status, claim.reason) for claim in case.closeout().claims] == [("unproven", "no_receipt")] * 2


def test_a_file_that_was_removed_again_contradicts() -> None:
    case = Case()
    case.write("src/rate.py", "a\n")
    case.claim("file_written", path="src/rate.py")
    case.add(r.FileChangedOutside(id="x", by="unknown", session=SESSION, path="src/rate.py", change="deleted"))
    assert shown(case) == ("contradicted", "")
    assert case.records_of(case.verdict().by) == ["x"]


def test_after_a_command_of_unknown_effect_a_look_renews_the_proof() -> None:
    case = Case()
    case.write("src/rate.py", "a\n")
    case.claim("file_written", path="src/rate.py")
    case.ran("./tools/tidy.sh")
    assert shown(case) == ("unproven", "effect_unknown")
    case.read("src/rate.py", "a\n")
    assert shown(case) == ("proven", "")


def test_a_text_that_was_read_is_present_until_it_is_written_over() -> None:
    case = Case()
    read = case.read("deploy.env", "region=eu\nport=1\n")
    case.claim("present_in_file", read, path="deploy.env", what="region=eu")
    assert shown(case) == ("proven", "")
    case.write("deploy.env", "region=us\n")
    assert shown(case) == ("contradicted", "")


def test_a_text_that_was_not_seen_is_neither_present_nor_absent() -> None:
    case = Case()
    read = case.read("report.md", "a\nb\n", total=668)
    case.claim("present_in_file", read, path="report.md", what="costs")
    case.claim("absent_in_file", read, path="report.md", what="costs")
    for verdict in case.closeout().claims:
        assert (verdict.status, verdict.reason) == ("unproven", "coverage_incomplete")
        assert (verdict.covered, verdict.total) == (((1, 2),), 668)


def test_a_text_over_several_lines_is_found() -> None:
    case = Case()
    read = case.read("a.txt", "one\ntwo\nthree\n")
    case.claim("present_in_file", read, path="a.txt", what="two\nthree")
    assert shown(case) == ("proven", "")


def test_reading_all_of_a_file_shows_what_it_does_not_hold() -> None:
    case = Case()
    case.read("report.md", "a\nb\n", total=4)
    rest = case.read("report.md", "c\nd\n", first=3, total=4)
    case.claim("absent_in_file", rest, path="report.md", what="costs")
    assert shown(case) == ("proven", "")
    case.ran("./tools/tidy.sh")
    assert shown(case) == ("unproven", "effect_unknown")


def test_reads_of_two_versions_never_add_up() -> None:
    case = Case()
    case.read("report.md", "a\nb\n", total=4)
    case.add(r.FileChangedOutside(id="x", by="unknown", session=SESSION, path="report.md"))
    rest = case.read("report.md", "c\nd\n", first=3, total=4)
    case.claim("absent_in_file", rest, path="report.md", what="costs")
    assert shown(case) == ("unproven", "coverage_split")


def test_a_text_in_an_uncited_part_contradicts_its_absence() -> None:
    case = Case()
    first = case.read("report.md", "a\nb\n", total=4)
    rest = case.read("report.md", "costs\nd\n", first=3, total=4)
    case.claim("absent_in_file", first, path="report.md", what="costs")
    assert shown(case) == ("contradicted", "")
    assert case.records_of(case.verdict().by) == [rest]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"searched": ("docs",)}, ""),
        ({"searched": ("src",)}, "no_receipt"),
        ({"pattern": "other"}, "no_receipt"),
        ({"files_ignored": 2}, "coverage_incomplete"),
        ({"files_ignored": None}, "coverage_incomplete"),
        ({"files_ignored": None, "command": "grep -r costs docs"}, ""),
        ({"truncated": True}, "coverage_incomplete"),
        ({"files_considered": 0}, "coverage_incomplete"),
        ({"status": "failed"}, "status_unknown"),
        ({"status": "failed", "exit_code": 1}, ""),
        ({"own_status": False}, "status_unknown"),
    ],
)
def test_a_search_proves_absence_only_where_it_really_looked(fields: dict[str, object], reason: str) -> None:
    case = Case()
    case.searched("costs", **fields)
    case.claim("absent_in_file", path="docs/", what="costs")
    assert case.verdict().reason == reason


def test_a_search_holds_until_something_in_its_place_changes() -> None:
    case = Case()
    case.searched("costs")
    case.claim("absent_in_file", path="docs/", what="costs")
    case.write("src/a.py", "x\n")
    assert shown(case) == ("proven", "")
    case.write("docs/a.md", "x\n")
    assert shown(case) == ("unproven", "subject_changed")


def test_a_search_that_found_it_contradicts_absence() -> None:
    case = Case()
    case.searched("costs", matches=2)
    case.claim("absent_in_file", path="docs/", what="costs")
    assert shown(case) == ("contradicted", "")


def test_a_name_that_a_search_did_not_find_is_absent() -> None:
    case = Case()
    search = case.searched("notes.md", within="names")
    case.claim("file_absent", search, what="notes.md")
    assert shown(case) == ("proven", "")
    written = case.write("docs/notes.md", "x\n")
    assert shown(case) == ("contradicted", "")
    assert case.records_of(case.verdict().by) == [written]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"searched": ("docs",)}, "coverage_incomplete"), ({"files_ignored": 1}, "coverage_incomplete"), ({}, "")],
)
def test_a_name_is_absent_only_from_where_it_was_looked_for(fields: dict[str, object], reason: str) -> None:
    case = Case()
    case.searched("notes.md", within="names", **fields)
    case.claim("file_absent", what="notes.md")
    assert case.verdict().reason == reason


def test_a_search_in_texts_says_nothing_of_names() -> None:
    case = Case()
    case.searched("notes.md")
    case.claim("file_absent", what="notes.md")
    assert shown(case) == ("unproven", "no_receipt")


def test_a_file_that_was_deleted_is_there_no_more() -> None:
    case = Case()
    case.write("notes.md", "x\n")
    case.add(r.FileChangedOutside(id="x", by="unknown", session=SESSION, path="notes.md", change="deleted"))
    case.searched("notes.md", within="names")
    case.claim("file_absent", what="notes.md")
    assert shown(case) == ("proven", "")


def test_a_file_is_unchanged_between_equal_reads() -> None:
    case = Case()
    reads = [case.read("s.txt", "a\nb\n"), case.read("s.txt", "a\nb\n")]
    case.claim("unchanged", *reads, path="s.txt")
    assert shown(case) == ("proven", "")
    assert case.records_of(case.verdict().by) == reads


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\nc\n", "a\nb\nc\n"])
def test_a_write_of_other_content_contradicts_unchanged(content: str) -> None:
    case = Case()
    first = case.read("s.txt", "a\nb\n")
    write = case.write("s.txt", content)
    case.claim("unchanged", first, case.read("s.txt", content), path="s.txt")
    assert shown(case) == ("contradicted", "")
    assert case.records_of(case.verdict().by) == [write]


def test_what_a_file_became_after_an_unknown_command_is_not_known_until_it_is_read_whole() -> None:
    case = Case()
    first = case.read("s.txt", "a\nb\n")
    case.ran("./tools/tidy.sh")
    claim = case.claim("unchanged", first, path="s.txt")
    assert shown(case) == ("unproven", "effect_unknown")
    case.claim("unchanged", first, case.read("s.txt", "a\nb\n"), path="s.txt")
    verdicts = {each.record: each.status for each in case.closeout().claims}
    assert verdicts.pop(claim) == "unproven"
    assert list(verdicts.values()) == ["proven"]


def test_two_reads_of_which_the_second_shows_a_change_never_add_up() -> None:
    def told(changed: bool) -> Case:
        case = Case()
        lines = [f"line {n}\n" for n in range(1, 11)]
        case.read("a.md", "".join(lines[:6]), total=10)
        lines[4] = "changed\n" if changed else lines[4]
        case.read("a.md", "".join(lines[4:]), first=5, total=10)
        case.claim("absent_in_file", path="a.md", what="section on costs")
        return case

    assert told(changed=False).verdict().status == "proven"
    found = told(changed=True).verdict()
    assert (found.status, found.reason, found.covered) == ("unproven", "coverage_split", ((5, 10),))


def test_a_line_that_was_read_before_the_file_changed_unseen_proves_no_presence() -> None:
    case = Case()
    case.read("a.md", "wanted\nb\nc\nd\n", total=4)
    case.claim("present_in_file", path="a.md", what="wanted")
    assert case.verdict().status == "proven"
    case.read("a.md", "changed\n", first=3, total=4)
    assert case.verdict().status == "unproven"


@pytest.mark.parametrize(
    ("command", "exit_code", "status"),
    [
        ("grep -rn 'section on costs' docs", 1, "proven"),
        ("rg -uuu 'section on costs' docs", 1, "proven"),
        ("rg 'section on costs' docs", 1, "unproven"),
        ("grep -rn --include='*.txt' 'section on costs' docs", 1, "unproven"),
        ("grep -rn 'section on costs' docs | head", 0, "unproven"),
        ("grep -rn 'section on costs' docs || true", 0, "unproven"),
        ("grep -rn 'section on costs' nowhere", 2, "unproven"),
        ("cd docs && grep -rn 'section on costs' .", 1, "proven"),
        ("cd src && grep -rn 'section on costs' .", 1, "unproven"),
        ("grep -rn 'section' docs", 1, "unproven"),
        ("rg 'section on costs' docs/b.md", 1, "unproven"),
    ],
)
def test_a_search_of_the_shell_proves_absence_as_far_as_it_could_see(command: str, exit_code: int, status: str) -> None:
    case = Case()
    case.write("/repo/docs/a.md", "one\n")
    case.ran(command, exit_code=exit_code)
    case.claim("absent_in_file", path="docs/", what="section on costs")
    assert case.verdict().status == status


def test_a_hit_that_was_removed_since_contradicts_nothing() -> None:
    case = Case()
    case.write("docs/a.md", "section on costs\n")
    case.searched("section on costs", searched=("docs",), matches=1)
    case.write("docs/a.md", "one\n")
    case.claim("absent_in_file", path="docs/", what="section on costs")
    assert case.verdict().status == "unproven"


@pytest.mark.parametrize(("cwd", "status"), [("/repo", "proven"), ("/repo/src", "unproven")])
def test_a_search_of_the_shell_looked_where_it_ran(cwd: str, status: str) -> None:
    case = Case()
    case.write("/repo/docs/a.md", "one\n")
    case.ran("grep -rn 'section on costs' .", exit_code=1, cwd=cwd)
    case.claim("absent_in_file", path="docs/", what="section on costs")
    assert case.verdict().status == status


@pytest.mark.parametrize(
    ("place", "status"), [("docs/a.md", "proven"), ("docs", "unproven"), ("docs/b.md", "unproven")]
)
def test_a_file_that_a_search_names_is_not_passed_over_as_ignored(place: str, status: str) -> None:
    case = Case()
    case.read("/repo/docs/a.md", "one\n", total=9)
    case.ran(f"rg 'section on costs' {place}", exit_code=1)
    case.claim("absent_in_file", path="docs/a.md", what="section on costs")
    assert case.verdict().status == status
