"""Claims that something ran: proven only by what was executed, in scope, with a known status, on what is there now."""

from __future__ import annotations

import pytest

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION

RATE = {"src/rate.py": "return n * 0.25\n"}


def shown(case: Case) -> tuple[str, str]:
    verdict = case.verdict()
    return verdict.status, verdict.reason


def test_a_run_of_the_claimed_scope_proves() -> None:
    case = Case()
    run = case.tests()
    case.claim("tests_pass", run, scope="suite")
    assert shown(case) == ("proven", "")
    assert case.records_of(case.verdict().by) == [run]
    assert case.closeout().passed


def test_a_claim_may_leave_it_to_the_store_to_find_its_proof() -> None:
    case = Case()
    run = case.tests()
    case.claim("tests_pass")
    assert case.records_of(case.verdict().by) == [run]


def test_a_claim_without_any_run_is_unproven_not_false() -> None:
    case = Case()
    case.claim("tests_pass", text="212 tests pass")
    assert shown(case) == ("unproven", "no_receipt")
    assert not case.closeout().passed


@pytest.mark.parametrize(
    ("author", "reason"), [("agent", "support_not_a_receipt"), ("child:k1", "support_not_a_receipt"), ("tool", "")]
)
def test_only_a_tool_or_the_harness_proves(author: str, reason: str) -> None:
    case = Case()
    case.claim("tests_pass", case.tests(by=author))
    assert case.verdict().reason == reason


def test_what_an_agent_says_is_no_receipt() -> None:
    case = Case()
    case.claim("tests_pass", case.say("212 passed", by="agent", role="answer"))
    assert shown(case) == ("unproven", "support_not_a_receipt")


def test_a_citation_that_leads_nowhere_makes_its_claim_unproven() -> None:
    case = Case()
    case.tests()
    case.claim("tests_pass", "R99")
    assert shown(case) == ("unproven", "support_unresolved")
    assert "dangling_citation" in {finding.code for finding in case.closeout().findings}


def test_a_receipt_that_was_withdrawn_supports_nothing() -> None:
    case = Case()
    run = case.tests()
    case.claim("tests_pass", run)
    assert shown(case)[0] == "proven"
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target=run))
    assert shown(case) == ("unproven", "support_unresolved")


def test_an_edit_after_the_run_makes_it_stale_and_a_new_run_proves_again() -> None:
    case = Case()
    first = case.tests()
    case.write("src/rate.py", "return n\n")
    case.claim("tests_pass", first)
    assert shown(case) == ("unproven", "subject_changed")
    assert case.verdict().path == "src/rate.py"
    assert "pytest" in case.verdict().next_step
    again = case.tests()
    assert case.records_of(case.verdict().by) == [again]


def test_an_edit_that_was_put_back_leaves_the_run_standing() -> None:
    case = Case()
    case.write("src/rate.py", "a\n")
    run = case.tests()
    case.write("src/rate.py", "b\n")
    case.claim("tests_pass", run)
    assert shown(case) == ("unproven", "subject_changed")
    case.write("src/rate.py", "a\n")
    assert shown(case) == ("proven", "")


def test_a_closed_subject_is_only_itself_and_an_open_one_is_not() -> None:
    for closed, status, reason in ((True, "proven", ""), (None, "unproven", "subject_set_changed")):
        case = Case()
        case.write("src/rate.py", RATE["src/rate.py"])
        run = case.tests(subject=RATE, subject_closed=closed)
        case.write("docs/notes.md", "x\n")
        case.claim("tests_pass", run)
        assert shown(case) == (status, reason)


def test_an_open_subject_is_touched_by_a_known_file_beside_it() -> None:
    case = Case()
    case.write("src/other.py", "a\n")
    run = case.tests(subject=RATE)
    case.write("src/other.py", "b\n")
    case.claim("tests_pass", run)
    assert shown(case) == ("unproven", "subject_changed")
    assert case.verdict().path == "src/other.py"


def test_a_subject_that_never_was_what_is_there_proves_nothing() -> None:
    case = Case()
    case.write("src/rate.py", "other\n")
    run = case.tests(subject=RATE, subject_closed=True)
    case.claim("tests_pass", run)
    assert shown(case) == ("unproven", "subject_changed")


def test_a_change_outside_of_any_tool_makes_a_run_stale() -> None:
    case = Case()
    case.read("src/rate.py", "a\n")
    run = case.tests()
    case.add(r.FileChangedOutside(id="x", by="unknown", session=SESSION, path="src/rate.py"))
    case.claim("tests_pass", run)
    assert shown(case) == ("unproven", "subject_changed")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("cat src/rate.py", ""),
        ("git status --short", ""),
        ("git add -A && git commit -m x && git push", ""),
        ("./tools/tidy.sh", "effect_unknown"),
        ("sed -i s/a/b/ src/rate.py", "subject_changed"),
        ("mkdir -p build/reports", ""),
        ("pip install left", "effect_unknown"),
        ("git checkout other", "effect_unknown"),
        ("npm install", "subject_changed"),
    ],
)
def test_a_later_command_leaves_a_run_standing_only_if_it_is_known_to_be_harmless(command: str, reason: str) -> None:
    case = Case()
    run = case.tests()
    case.ran(command)
    case.claim("tests_pass", run)
    assert case.verdict().reason == reason


def test_a_command_that_never_came_back_may_have_done_anything() -> None:
    for command, reason in (("./tools/tidy.sh", "effect_unknown"), ("cat x", "")):
        case = Case()
        run = case.tests()
        case.add(r.ToolCalled(id="call", by="agent", session=SESSION, tool="command", name="Bash", command=command))
        case.claim("tests_pass", run)
        assert case.verdict().reason == reason


def test_an_edit_beside_the_run_may_have_come_between() -> None:
    case = Case()
    case.add(r.ToolCalled(id="run", by="agent", session=SESSION, tool="command", name="Bash", command="pytest"))
    case.add(r.ToolCalled(id="edit", by="agent", session=SESSION, tool="write", name="Write", path="a.py"))
    case.add(
        r.ToolReturned(
            id="edit:r", by="tool", session=SESSION, tool="write", call="edit", path="a.py", content="x\n", status="ok"
        )
    )
    case.tests(id="run:r", call="run")
    case.claim("tests_pass")
    assert shown(case) == ("unproven", "subject_changed")


def test_a_refused_command_changed_nothing() -> None:
    case = Case()
    case.tests()
    case.ran("./tools/tidy.sh", status="refused", exit_code=None)
    case.claim("tests_pass")
    assert shown(case) == ("proven", "")


def test_a_line_that_was_lost_may_have_been_an_edit() -> None:
    case = Case()
    case.add(r.LineQuarantined(id="q1", by="harness", session=SESSION, line=3, reason="no JSON", digest="d"))
    run = case.tests()
    case.claim("tests_pass", run)
    assert shown(case) == ("proven", "")
    case.add(r.LineQuarantined(id="q2", by="harness", session=SESSION, line=9, reason="no JSON", digest="d"))
    assert shown(case) == ("unproven", "effect_unknown")


def test_what_follows_the_run_in_its_own_line_comes_after_it() -> None:
    for command, reason in (("pytest && git push", ""), ("pytest && ./tools/tidy.sh", "effect_unknown")):
        case = Case()
        case.claim("tests_pass", case.ran(command, "5 passed in 0.1s"))
        assert case.verdict().reason == reason


def test_a_status_that_was_lost_is_not_success_whatever_the_summary_says() -> None:
    for output, status, reason in (
        ("collected 5 items", "unproven", "status_unknown"),
        ("5 passed in 0.1s", "unproven", "status_unknown"),
        ("1 failed, 4 passed in 0.1s", "contradicted", ""),
    ):
        case = Case()
        case.claim("tests_pass", case.ran("pytest | tail -3", output, own_status=False))
        assert shown(case) == (status, reason)


def test_a_summary_that_others_may_have_printed_proves_nothing_without_a_status() -> None:
    for command in ("pytest || echo '5 passed in 0.1s'", "pytest; cat old.log"):
        case = Case()
        case.claim("tests_pass", case.ran(command, "5 passed in 0.1s", own_status=False))
        assert shown(case) == ("unproven", "status_unknown")


def test_a_run_that_says_nothing_of_what_it_executed_proves_nothing() -> None:
    case = Case()
    case.claim("tests_pass", case.ran("pytest -qq"))
    assert shown(case) == ("unproven", "no_machine_report")


def test_a_line_printed_by_the_agents_own_code_is_no_report_and_a_harness_report_is() -> None:
    for fields, reason in (
        ({}, "no_machine_report"),
        ({"counts": r.Counts(collected=3, passed=3), "counts_from": "report", "scope": "suite"}, ""),
    ):
        case = Case()
        case.claim("tests_pass", case.ran("python run_checks.py", "3 passed in 0.1s", effect="none", **fields))
        assert case.verdict().reason == reason


@pytest.mark.parametrize(
    ("counts", "fields", "claimed", "reason"),
    [
        (r.Counts(collected=0, passed=0, failed=0, skipped=0), {}, {}, "nothing_executed"),
        (r.Counts(collected=3, passed=0, failed=0, skipped=3), {}, {}, "nothing_executed"),
        (r.Counts(collected=3, passed=2, failed=0, skipped=1), {}, {}, "subject_skipped"),
        (r.Counts(collected=3, passed=2, failed=0, skipped=1), {}, {"text": "2 tests pass, 1 is skipped"}, ""),
        (r.Counts(collected=3, passed=2, skipped=1), {"skipped_ids": ("a",)}, {"scope": ("a",)}, "subject_skipped"),
        (r.Counts(collected=3, passed=2, skipped=1), {"skipped_ids": ("a",)}, {"scope": ("b",)}, ""),
        (r.Counts(collected=9, passed=5, failed=0, deselected=4), {}, {}, "scope_narrower"),
        (r.Counts(collected=9, passed=9, suite_total=340), {"scope": ("tests/a.py",)}, {}, "scope_narrower"),
        (r.Counts(collected=9, passed=9, suite_total=340), {"scope": ("tests/a.py",)}, {"scope": ("tests/a.py",)}, ""),
        (r.Counts(collected=9, passed=9), {"scope": ("tests/a.py",)}, {"scope": ("tests/a.py::test_x",)}, ""),
        (r.Counts(collected=9, passed=9), {"scope": ("tests/a.py",)}, {"scope": ("tests/ab.py",)}, "scope_narrower"),
        (r.Counts(collected=9, passed=9), {}, {"text": "All 12 tests pass"}, "scope_narrower"),
        (r.Counts(collected=9, passed=9), {}, {"text": "All 9 tests pass"}, ""),
    ],
)
def test_a_claim_reaches_as_far_as_what_was_executed(
    counts: r.Counts, fields: dict[str, object], claimed: dict[str, object], reason: str
) -> None:
    case = Case()
    case.claim("tests_pass", case.tests(9, **{"counts": counts, **fields}), **claimed)
    assert case.verdict().reason == reason


def test_how_much_was_covered_is_told() -> None:
    case = Case()
    counts = r.Counts(collected=9, passed=9, suite_total=340)
    case.claim("tests_pass", case.tests(counts=counts, scope=("tests/a.py",)))
    assert (case.verdict().covered, case.verdict().total) == (9, 340)


def test_a_later_failure_contradicts_and_a_later_pass_overrules_it() -> None:
    case = Case()
    case.tests()
    case.claim("tests_pass")
    failed = case.tests(command="pytest tests/a.py", scope=("tests/a.py",), exit_code=1, counts=r.Counts(failed=1))
    assert shown(case) == ("contradicted", "")
    assert case.records_of(case.verdict().by) == [failed]
    case.tests()
    assert shown(case) == ("proven", "")


def test_a_failure_before_a_fix_is_history() -> None:
    case = Case()
    case.tests(exit_code=1, counts=r.Counts(collected=9, passed=8, failed=1))
    case.claim("tests_pass")
    assert shown(case)[0] == "contradicted"
    case.write("src/rate.py", "fixed\n")
    assert shown(case) == ("unproven", "subject_changed")
    case.tests()
    assert shown(case) == ("proven", "")


def test_a_failure_outside_of_the_claimed_scope_contradicts_nothing() -> None:
    case = Case()
    run = case.tests(command="pytest tests/a.py", scope=("tests/a.py",))
    case.tests(command="pytest tests/b.py", scope=("tests/b.py",), exit_code=1, counts=r.Counts(failed=1))
    case.claim("tests_pass", run, scope=("tests/a.py",))
    assert shown(case) == ("proven", "")


def test_another_runner_overrules_no_failure_and_hides_no_stale_run() -> None:
    case = Case()
    case.ran("npx jest", "Tests:       1 failed, 2 passed, 3 total", exit_code=1)
    case.tests()
    case.claim("tests_pass")
    assert shown(case)[0] == "contradicted"
    case.ran("npx jest", "Tests:       3 passed, 3 total")
    assert shown(case) == ("proven", "")
    case.write("src/rate.py", "x\n")
    case.tests()
    assert shown(case) == ("unproven", "subject_changed")


def test_a_run_that_could_not_start_contradicts_nothing() -> None:
    case = Case()
    case.claim("tests_pass", case.ran("pytest", "bash: pytest: command not found", exit_code=127))
    assert shown(case) == ("unproven", "status_unknown")


def test_a_cached_result_is_worth_the_run_on_record_behind_it() -> None:
    cached = "ok  \tx/a\t(cached)\n"
    alone = Case()
    alone.claim("tests_pass", alone.ran("go test ./...", cached))
    assert shown(alone) == ("unproven", "not_executed")
    backed = Case()
    origin = backed.ran("go test ./a", "ok  \tx/a\t0.2s\n")
    backed.claim("tests_pass", backed.ran("go test ./...", cached))
    assert shown(backed) == ("proven", "")
    assert origin in backed.records_of(backed.verdict().by)


def test_a_run_in_another_checkout_is_about_other_content() -> None:
    for command, reason in (
        ("cd /repo && pytest", ""),
        ("cd /elsewhere/repo && pytest", "origin_subject_differs"),
        ("cd /repo-2 && pytest", "origin_subject_differs"),
    ):
        case = Case()
        case.claim("tests_pass", case.ran(command, "5 passed in 0.1s"))
        assert case.verdict().reason == reason


def test_a_whole_run_in_a_folder_is_the_suite_only_of_work_in_that_folder() -> None:
    for path, reason in (("api/a.py", ""), ("README.md", ""), ("web/a.js", "scope_narrower")):
        case = Case()
        case.write(path, "x\n")
        case.claim("tests_pass", case.ran("cd api && pytest", "5 passed in 0.1s"))
        assert case.verdict().reason == reason


@pytest.mark.parametrize(
    ("type_", "command"),
    [
        ("build_ok", "cargo build"),
        ("build_ok", "npm run build"),
        ("lint_clean", "npm run lint"),
        ("lint_clean", "ruff check"),
        ("types_clean", "mypy"),
    ],
)
def test_builds_linters_and_type_checkers_prove_their_own_claims(type_: str, command: str) -> None:
    good, bad, other = Case(), Case(), Case()
    good.claim(type_, good.ran(command))
    bad.claim(type_, bad.ran(command, exit_code=1))
    other.claim(type_, other.ran("echo done"))
    assert shown(good) == ("proven", "")
    assert shown(bad) == ("contradicted", "")
    assert shown(other) == ("unproven", "no_machine_report")


def test_a_run_of_another_family_proves_nothing() -> None:
    case = Case()
    case.ran("npm run lint")
    case.claim("tests_pass")
    assert shown(case) == ("unproven", "no_receipt")


def test_an_environment_that_was_put_back_takes_no_proof_away() -> None:
    case = Case()
    run = case.tests()
    case.add(r.EnvironmentChanged(id="e1", session=SESSION, what="python", was="3.11", now="3.12"))
    case.claim("tests_pass", run)
    assert case.verdict().reason == "effect_unknown"
    case.add(r.EnvironmentChanged(id="e2", session=SESSION, what="python", was="3.12", now="3.11"))
    assert case.verdict().status == "proven"


def test_a_part_that_failed_before_the_last_change_is_said_to_be_out_of_date_not_too_narrow() -> None:
    case = Case()
    case.ran("pytest tests/test_a.py", "1 failed, 8 passed in 1s", exit_code=1)
    claim = case.claim("tests_pass")
    assert case.verdict(claim).status == "contradicted"
    case.write("src/a.py", "x\n")
    assert case.verdict(claim).reason == "subject_changed"
    assert "whole" in case.verdict(claim).next_step
    case.ran("pytest tests/test_a.py", "9 passed in 1s")
    assert case.verdict(claim).reason == "scope_narrower"
