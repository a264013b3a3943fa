"""Results in files: what a run wrote and somebody read later says what it counted, if nothing came between."""

from __future__ import annotations

import pytest

from muniment.model import records as r
from muniment.model.nodes import Receipt
from tests.support.claims import Case
from tests.support.graphs import SESSION

GREEN = '<testsuite name="s" tests="2" failures="0"><testcase name="a"/><testcase name="b"/></testsuite>'
RED = GREEN.replace('failures="0"', 'failures="1"').replace('name="b"/>', 'name="b"><failure/></testcase>')
RUN = "pytest -q --junitxml=out/r.xml > /dev/null"


def read(case: Case, content: str, path: str = "out/r.xml", **fields: object) -> str:
    given: dict[str, object] = {"lines": (1, 1), "total_lines": 1, **fields}
    record = r.ToolReturned(
        id=case._id("r"), by="tool", session=SESSION, tool="read", path=path, content=content, status="ok",
        effect="none", **given,  # type: ignore[arg-type]
    )  # fmt: skip
    return case.add(record)


def shown(case: Case) -> tuple[str, str]:
    case.claim("tests_pass")
    verdict = case.verdict()
    return verdict.status, verdict.reason


@pytest.mark.parametrize("how", ["read", "cat", "jq", "cd"])
def test_a_result_that_is_read_later_proves_the_run_that_wrote_it(how: str) -> None:
    case = Case()
    command = RUN if how != "cd" else "cd out && pytest -q --junitxml=r.xml > /dev/null"
    run = case.ran(command)
    later = read(case, GREEN) if how == "read" else case.ran("cat out/r.xml", GREEN)
    case.claim("tests_pass")
    verdict = case.verdict()
    assert (verdict.status, case.records_of(verdict.by)) == ("proven", [run, later])


def test_the_read_says_whose_results_it_shows_and_what_failed() -> None:
    case = Case()
    run = case.ran(RUN, exit_code=1)
    later = read(case, RED)
    shown = next(node for node in case.snapshot().of_kind(Receipt) if node.record == later)
    assert case.records_of((shown.report_of or "",)) == [run]
    assert (shown.counts, shown.counts_from) == (r.Counts(collected=2, passed=1, failed=1, skipped=0), "report")
    assert shown.failed_ids == ("b",)


def test_without_the_read_nobody_knows_that_anything_ran() -> None:
    case = Case()
    case.ran(RUN)
    assert shown(case) == ("unproven", "no_machine_report")


def test_a_red_result_contradicts_although_the_status_was_lost() -> None:
    case = Case()
    case.ran(f"{RUN} || true")
    case.ran("cat out/r.xml", RED)
    assert shown(case)[0] == "contradicted"


def test_a_green_result_does_not_stand_in_for_a_status_that_was_lost() -> None:
    case = Case()
    case.ran(f"{RUN} || true")
    case.ran("cat out/r.xml", GREEN)
    assert shown(case) == ("unproven", "status_unknown")


@pytest.mark.parametrize("content", [GREEN[:60], "", "<html></html>", GREEN.replace('tests="2"', 'tests="3"')])
def test_a_broken_result_proves_nothing(content: str) -> None:
    case = Case()
    case.ran(RUN)
    read(case, content)
    assert shown(case)[0] == "unproven"


def test_an_empty_result_is_no_run() -> None:
    case = Case()
    case.ran(RUN)
    read(case, '<testsuite tests="0"/>')
    assert shown(case) == ("unproven", "nothing_executed")


@pytest.mark.parametrize(
    "between",
    [
        "cp old.xml out/r.xml",
        "git checkout -- out",
        "rm -r out && mkdir out",
        "./make_report.sh",
        "pytest tests/test_b.py --junitxml=out/r.xml",
    ],
)
def test_a_file_that_was_written_since_tells_of_no_run(between: str) -> None:
    case = Case()
    case.ran(RUN)
    case.ran(between)
    read(case, GREEN)
    reads = [node for node in case.snapshot().of_kind(Receipt) if node.tool == "read"]
    first = next(node for node in case.snapshot().of_kind(Receipt) if node.counts_from == "output")
    assert reads[-1].report_of != first.id


@pytest.mark.parametrize("between", ["ls out", "git status", "pytest tests/test_b.py --junitxml=out/b.xml", "git push"])
def test_what_does_not_touch_the_file_leaves_it_the_run_s(between: str) -> None:
    case = Case()
    case.ran(RUN)
    case.ran(between)
    read(case, GREEN)
    assert [node.report_of is not None for node in case.snapshot().of_kind(Receipt)][-1]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("pytest -q", "out/r.xml"),
        (RUN, "r.xml"),
        ("mvn test", "target/surefire-reports/TEST-a.xml"),
        ("npx jest --outputFile=out/r.xml", "out/r.xml"),
        ("pytest --junitxml=out/r.xml && ./after.sh", "out/r.xml"),
    ],
)
def test_a_file_that_the_run_does_not_name_is_not_its(command: str, path: str) -> None:
    case = Case()
    case.ran(command)
    read(case, GREEN, path)
    assert [node.report_of for node in case.snapshot().of_kind(Receipt)] == [None, None]


@pytest.mark.parametrize(
    "fields",
    [{"lines": (1, 1), "total_lines": 9}, {"cut_lines": (1,)}, {"truncated": True}],
    ids=["part", "cut", "short"],
)
def test_a_read_of_a_part_tells_of_failures_only(fields: dict[str, object]) -> None:
    for content, known in ((GREEN, False), (RED, True)):
        case = Case()
        case.ran(RUN)
        read(case, content, **fields)  # type: ignore[arg-type]
        assert [node.report_of is not None for node in case.snapshot().of_kind(Receipt)] == [False, known]


@pytest.mark.parametrize("fields", [{"exit_code": 4}, {"exit_code": None, "status": "unknown"}, {"status": "refused"}])
def test_a_run_that_did_not_come_to_its_end_wrote_nothing_new(fields: dict[str, object]) -> None:
    case = Case()
    case.ran(RUN, **fields)  # type: ignore[arg-type]
    read(case, GREEN)
    assert [node.report_of for node in case.snapshot().of_kind(Receipt)] == [None, None]


def test_two_files_at_once_are_no_result_of_one_run() -> None:
    case = Case()
    case.ran(RUN)
    case.ran("cat out/r.xml old.xml", GREEN)
    assert [node.report_of for node in case.snapshot().of_kind(Receipt)] == [None, None]


def test_a_refuted_claim_names_what_failed() -> None:
    case = Case()
    case.ran(RUN, exit_code=1)
    read(case, RED)
    case.claim("tests_pass")
    assert (case.verdict().status, case.verdict().names) == ("contradicted", ("b",))
    printed = Case()
    printed.ran("pytest --junitxml=/dev/stdout", RED, exit_code=1)
    printed.claim("tests_pass")
    assert printed.verdict().names == ("b",)
