"""The judge: which claims a mission makes, the verdict on all of them, and what it notices beside."""

from __future__ import annotations

import msgspec
import pytest

from muniment.closeout.judge import RULES
from muniment.closeout.verdict import REASONS
from muniment.errors import UnknownIdError
from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import MISSION, SESSION


def codes(case: Case, severity: str | None = None) -> set[str]:
    return {f.code for f in case.closeout().findings if severity is None or f.severity == severity}


def test_work_without_a_claim_does_not_pass() -> None:
    case = Case()
    task = case.task("Correct the rate")
    run = case.tests()
    case.add(r.TaskMoved(id="moved", by="agent", session=SESSION, task=task, to="settled", proof=run))
    assert case.closeout().verdict == "nothing_claimed"
    assert not case.closeout().passed
    assert codes(case, "error") == {"nothing_claimed"}
    case.claim("tests_pass", run)
    assert case.closeout().verdict == "proven"
    assert codes(case) == set()


def test_the_worst_claim_decides() -> None:
    case = Case()
    case.claim("tests_pass", case.tests())
    assert case.closeout().verdict == "proven"
    case.claim("build_ok")
    assert case.closeout().verdict == "unproven"
    case.claim("lint_clean", case.ran("ruff check", exit_code=1))
    assert case.closeout().verdict == "contradicted"


def test_the_last_answer_of_the_root_agent_makes_claims() -> None:
    case = Case()
    case.say("All tests pass.", by="agent", role="answer", agent="child")
    case.tests()
    case.answer("All tests pass.")
    [verdict] = case.closeout().claims
    assert (verdict.type, verdict.status, verdict.inferred, verdict.text) == (
        "tests_pass",
        "proven",
        True,
        "All tests pass.",
    )


def test_a_thought_or_a_tool_output_makes_no_claim() -> None:
    case = Case()
    case.say("All tests pass.", by="agent", role="thinking")
    case.ran("cat notes.txt", "All tests pass.")
    assert case.closeout().verdict == "nothing_claimed"


def test_a_settled_task_claims_what_its_text_says_and_an_open_one_nothing() -> None:
    case = Case()
    case.task("All tests pass", to="active")
    assert case.closeout().verdict == "nothing_claimed"
    case.task("All tests pass", to="settled")
    assert [claim.type for claim in case.closeout().claims] == ["tests_pass"]


def test_what_was_stated_and_is_also_inferred_is_judged_once() -> None:
    case = Case()
    stated = case.claim("tests_pass", case.tests(), scope="suite")
    case.answer("All tests pass.")
    assert [claim.record for claim in case.closeout().claims] == [stated]


def test_a_withdrawn_claim_is_none() -> None:
    case = Case()
    claim = case.claim("tests_pass")
    case.add(r.Withdrawal(id="w", by="agent", session=SESSION, target=claim))
    assert case.closeout().verdict == "nothing_claimed"


def test_a_closeout_of_one_task_is_about_that_task() -> None:
    case = Case()
    task = case.task("All tests pass", to="settled")
    other = case.task("Write it down", to="settled")
    case.claim("build_ok")
    assert [claim.type for claim in case.closeout(task).claims] == ["tests_pass"]
    assert case.closeout(other).verdict == "nothing_claimed"
    with pytest.raises(UnknownIdError):
        case.closeout("nobody")


def test_what_a_user_stated_is_stated() -> None:
    case = Case()
    fact, said = case.fact("keep me"), case.say("use port 1")
    proven = [case.claim("stated", fact), case.claim("stated", said, what="port 1")]
    unproven = [
        case.claim("stated", case.say("use port 2", by="agent")),
        case.claim("stated", said, what="port 3"),
        case.claim("stated"),
        case.claim("stated", "F99"),
    ]
    found = {claim.record: (claim.status, claim.reason) for claim in case.closeout().claims}
    assert [found[each] for each in proven] == [("proven", "")] * 2
    assert [found[each][1] for each in unproven] == [
        "support_not_a_receipt", "support_not_a_receipt", "no_receipt", "support_unresolved",
    ]  # fmt: skip


def test_a_delegation_is_done_when_it_has_ended_well() -> None:
    case = Case()
    case.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="k"))
    interim = case.say("next: look further", by="child:k", agent="k", role="answer")
    case.claim("delegation_done", interim, delegation="g")
    assert (case.verdict().status, case.verdict().reason) == ("unproven", "not_final")
    assert "delegation_running" in codes(case, "warning")
    ended = Case()
    ended.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="k"))
    ended.add(r.DelegationEnded(id="e", by="child:k", session=SESSION, delegation="g", outcome="done"))
    ended.claim("delegation_done", delegation="g")
    assert ended.verdict().status == "proven"


def test_a_delegation_that_failed_contradicts() -> None:
    case = Case()
    case.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="k"))
    case.add(r.DelegationEnded(id="e", by="child:k", session=SESSION, delegation="g", outcome="failed"))
    case.claim("delegation_done", delegation="g")
    assert case.verdict().status == "contradicted"


def test_a_file_matches_a_reference_that_nobody_wrote_here() -> None:
    for command, code, status in (
        ("cmp out.txt expected.txt", 0, "proven"),
        ("cmp out.txt expected.txt", 1, "contradicted"),
        ("cmp out.txt made.txt", 0, "unproven"),
        ("cmp out.txt expected.txt || true", 0, "unproven"),
        ("cat out.txt", 0, "unproven"),
    ):
        case = Case()
        case.write("out.txt", "x\n")
        case.write("made.txt", "x\n")
        case.ran(command, exit_code=code, own_status="||" not in command)
        case.claim("matches_reference", path="out.txt")
        assert case.verdict().status == status, command


def test_a_type_that_no_rule_knows_is_unproven() -> None:
    case = Case()
    case.claim("everything_is_fine", case.tests())
    assert case.verdict().status == "unproven"
    assert "tests_pass" in case.verdict().next_step


def test_open_ends_are_noticed_and_fail_nothing() -> None:
    case = Case()
    case.claim("tests_pass", case.tests())
    case.task("Write it down", to="settled")
    case.task("Still to do")
    case.add(r.QuestionOpened(id="q", by="agent", session=SESSION, what="gap", text="not tried on windows"))
    case.fact("port 1", slot="port")
    case.fact("port 2", slot="port")
    assert case.closeout().passed
    assert codes(case, "warning") == {"task_open", "gap_open", "conflict"}
    assert codes(case, "note") == {"task_without_proof"}


def test_each_unproven_claim_says_why_and_what_to_do_next() -> None:
    case = Case()
    for type_ in RULES:
        case.claim(type_, path="a.txt", what="x", delegation="g")
    for claim in case.closeout().claims:
        assert claim.status == "unproven"
        assert claim.reason in REASONS
        assert claim.next_step
        assert claim.text


def test_the_same_mission_gives_the_same_bytes() -> None:
    def told() -> Case:
        case = Case()
        case.write("a.txt", "x\n")
        case.claim("tests_pass", case.tests())
        case.answer("All tests pass. Created `a.txt`.")
        return case

    first, second = told().closeout(), told().closeout()
    assert msgspec.json.encode(first) == msgspec.json.encode(second)
    assert (first.mission, first.head) == (MISSION, "h")
