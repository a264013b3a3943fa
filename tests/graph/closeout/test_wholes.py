"""Claims of tasks, criteria, facts, artifacts, observations, and that nothing else changed; each with a control."""

from __future__ import annotations

from hashlib import sha256

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def settled(case: Case, *, proof: str | None = None) -> str:
    """A task is stated, and settled."""
    task = case.task("Correct the rate")
    case.add(r.TaskMoved(id=f"{task}:settled", by="agent", session=SESSION, task=task, to="settled", proof=proof))
    return task


def criterion(case: Case, text: str, target: str | None = None) -> str:
    """A user states a criterion."""
    return case.add(
        r.FactStated(id=case._id("k"), by="user", session=SESSION, class_="acceptance", text=text, target=target)
    )


def waive(case: Case, target: str, by: str = "user") -> str:
    """Somebody waives something."""
    return case.add(r.Waiver(id=case._id("waiver"), by=by, session=SESSION, target=target, text="not worth it"))


# ---------------------------------------------------------------- tasks


def test_a_settled_task_with_a_receipt_that_holds_is_done() -> None:
    case = Case()
    task = settled(case, proof=case.tests())
    assert case.verdict(case.claim("task_done", target=task)).status == "proven"


def test_a_settled_task_without_any_proof_is_not() -> None:
    case = Case()
    verdict = case.verdict(case.claim("task_done", target=settled(case)))
    assert (verdict.status, verdict.reason) == ("unproven", "no_receipt")


def test_a_task_whose_proof_has_gone_stale_is_not_done() -> None:
    case = Case()
    task = settled(case, proof=case.tests())
    case.write("src/rate.py", "x\n")
    verdict = case.verdict(case.claim("task_done", target=task))
    assert (verdict.status, verdict.reason) == ("unproven", "subject_changed")


def test_an_open_task_is_not_done_and_a_cancelled_one_contradicts() -> None:
    case = Case()
    task = case.task("Correct the rate")
    claim = case.claim("task_done", case.tests(), target=task)
    assert case.verdict(claim).reason == "not_settled"
    case.move(task, "cancelled")
    assert case.verdict(claim).status == "contradicted"


def test_a_task_is_not_done_before_those_it_depends_on() -> None:
    case = Case()
    first = case.task("Find the rate")
    second = case.add(r.TaskStated(id="second", by="agent", session=SESSION, text="Use it", depends_on=(first,)))
    case.move(second, "settled")
    claim = case.claim("task_done", case.tests(), target=second)
    assert case.verdict(claim).reason == "dependency_open"
    case.move(first, "settled")
    assert case.verdict(claim).status == "proven"


def test_a_message_of_the_agent_is_no_proof_of_a_task() -> None:
    case = Case()
    task = settled(case, proof=case.say("It is done.", by="agent", role="answer"))
    assert case.verdict(case.claim("task_done", target=task)).reason == "support_not_a_receipt"


def test_a_proven_claim_about_the_task_shows_it() -> None:
    case = Case()
    task = settled(case)
    case.tests()
    case.claim("tests_pass", target=task)
    assert case.verdict(case.claim("task_done", target=task)).status == "proven"


def test_claims_that_support_one_another_prove_nothing() -> None:
    case = Case()
    case.tests()
    case.claim("tests_pass", "second", id="first")
    case.claim("tests_pass", "first", id="second")
    assert {claim.reason for claim in case.closeout().claims} == {"circular_support"}


def test_control_a_claim_that_cites_a_proven_one_stands_on_its_receipt() -> None:
    case = Case()
    run = case.tests()
    case.claim("tests_pass", run, id="first")
    case.claim("tests_pass", "first", id="second")
    verdict = case.verdict("second")
    assert (verdict.status, case.records_of(verdict.by)) == ("proven", [run])


# ---------------------------------------------------------------- criteria and waivers


def test_a_criterion_that_nobody_speaks_of_is_unproven() -> None:
    case = Case()
    criterion(case, "The tool must feel quick")
    [verdict] = case.closeout().claims
    assert (verdict.type, verdict.status, verdict.reason) == ("criterion_met", "unproven", "criterion_unmet")


def test_a_criterion_that_can_be_checked_is_checked() -> None:
    case = Case()
    criterion(case, "All tests must pass")
    assert case.closeout().verdict == "unproven"
    case.tests()
    assert case.closeout().verdict == "proven"
    case.write("src/rate.py", "x\n")
    assert case.closeout().verdict == "unproven"


def test_a_claim_beside_the_point_does_not_meet_a_criterion_that_can_be_checked() -> None:
    case = Case()
    wanted = criterion(case, "All tests must pass")
    case.write("notes.md", "x\n")
    case.claim("file_written", path="notes.md", target=wanted)
    assert case.verdict(wanted).reason == "no_receipt"


def test_a_criterion_in_free_words_is_met_by_proven_claims_that_name_it() -> None:
    case = Case()
    wanted = criterion(case, "The tool must feel quick")
    case.ran("./bench", "p95 12 ms", effect="none")
    case.claim("observed", what="p95 12 ms", target=wanted)
    assert case.verdict(wanted).status == "proven"


def test_the_criteria_of_a_task_are_asked_for_with_it() -> None:
    case = Case()
    task = settled(case, proof=case.ran("ls", "a"))
    criterion(case, "All tests must pass", target=task)
    claim = case.claim("task_done", target=task)
    assert case.verdict(claim).status == "unproven"
    case.tests()
    assert case.verdict(claim).status == "proven"
    assert {each.type for each in case.closeout(task).claims} == {"task_done", "criterion_met"}


def test_a_waiver_of_the_user_is_shown_and_lets_the_rest_pass() -> None:
    case = Case()
    case.claim("tests_pass", case.tests())
    wanted = criterion(case, "The tool must feel quick")
    assert not case.closeout().passed
    waive(case, wanted)
    closeout, verdict = case.closeout(), case.verdict(wanted)
    assert closeout.passed
    assert (closeout.verdict, verdict.status, verdict.waiver) == ("proven", "unproven", "not worth it")
    assert verdict.evidence[-1].relation == "waived by"


def test_all_waived_passes_and_is_not_called_proven() -> None:
    case = Case()
    waive(case, case.claim("tests_pass"))
    assert (case.closeout().verdict, case.closeout().passed) == ("waived", True)


def test_a_waiver_of_the_agent_is_none() -> None:
    case = Case()
    waive(case, case.claim("tests_pass"), by="agent")
    assert (case.closeout().verdict, case.closeout().passed) == ("unproven", False)


def test_a_waiver_does_not_cover_what_is_contradicted_later() -> None:
    case = Case()
    claim = case.claim("tests_pass")
    waive(case, claim)
    case.ran("pytest", "1 failed in 0.1s", exit_code=1)
    assert (case.closeout().verdict, case.verdict(claim).waived) == ("contradicted", None)
    waive(case, claim)
    assert case.closeout().verdict == "waived"


def test_a_withdrawn_waiver_waives_nothing() -> None:
    case = Case()
    waiver = waive(case, case.claim("tests_pass"))
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target=waiver))
    assert not case.closeout().passed


# ---------------------------------------------------------------- facts


def test_a_fact_in_force_is_current_and_a_replaced_one_is_not() -> None:
    case = Case()
    fact = case.fact("The port is 8080")
    claim = case.claim("fact_current", target=fact)
    assert case.verdict(claim).status == "proven"
    case.add(
        r.FactStated(
            id="newer", by="user", session=SESSION, class_="constraint", text="The port is 9090", supersedes=(fact,)
        )
    )
    assert case.verdict(claim).status == "contradicted"


def test_what_only_an_agent_stated_is_no_proof_that_it_is_so() -> None:
    case = Case()
    fact = case.add(r.FactStated(id="own", by="agent", session=SESSION, class_="constraint", text="All tests pass"))
    verdict = case.verdict(case.claim("fact_current", target=fact))
    assert (verdict.status, verdict.reason) == ("unproven", "support_not_a_receipt")


def test_facts_that_contradict_one_another_are_not_current() -> None:
    case = Case()
    first = case.fact("The port is 8080", slot="port")
    case.fact("The port is 9090", slot="port")
    assert case.verdict(case.claim("fact_current", target=first)).reason == "facts_conflict"


# ---------------------------------------------------------------- artifacts


def test_a_file_with_the_claimed_digest_is_there() -> None:
    case = Case()
    case.write("report.md", "all well\n")
    good = f"sha256:{sha256(b'all well' + bytes([10])).hexdigest()}"
    assert case.verdict(case.claim("artifact_exists", path="report.md", digest=good)).status == "proven"


def test_a_file_with_another_digest_is_not_what_is_claimed() -> None:
    case = Case()
    case.write("report.md", "all well\n")
    claim = case.claim("artifact_exists", path="report.md", digest=f"sha256:{sha256(b'x').hexdigest()}")
    assert case.verdict(claim).status != "proven"


def test_an_empty_or_a_missing_result_is_none() -> None:
    case = Case()
    case.write("report.md", "")
    assert case.verdict(case.claim("artifact_exists", path="report.md")).reason == "artifact_empty"
    assert case.verdict(case.claim("artifact_exists", path="other.md")).reason == "no_receipt"


def test_an_artifact_that_was_written_over_is_no_more_what_was_recorded() -> None:
    case = Case()
    case.write("report.md", "all well\n")
    artifact = case.add(
        r.ArtifactProduced(id="art", by="agent", session=SESSION, path="report.md", content="all well\n")
    )
    claim = case.claim("artifact_exists", target=artifact)
    assert case.verdict(claim).status == "proven"
    case.write("report.md", "nothing\n")
    assert case.verdict(claim).status == "contradicted"


# ---------------------------------------------------------------- observations


def test_what_a_command_showed_was_observed_until_something_changes() -> None:
    case = Case()
    case.ran("./serve --check", "listening on 8080", effect="none")
    claim = case.claim("observed", what="listening on 8080")
    assert case.verdict(claim).status == "proven"
    case.write("serve.py", "x\n")
    assert case.verdict(claim).reason == "subject_changed"


def test_what_was_only_echoed_or_said_was_not_observed() -> None:
    case = Case()
    case.ran("echo listening on 8080", "listening on 8080")
    case.answer("It shows: listening on 8080")
    assert case.verdict(case.claim("observed", what="listening on 8080")).reason == "no_receipt"


def test_the_same_command_that_no_longer_shows_it_contradicts() -> None:
    case = Case()
    case.ran("./serve --check", "listening on 8080", effect="none")
    claim = case.claim("observed", what="listening on 8080")
    case.ran("./serve --check", "address in use", effect="none")
    assert case.verdict(claim).status == "contradicted"


# ---------------------------------------------------------------- nothing else changed


def test_nothing_else_changed_where_every_change_is_within() -> None:
    case = Case()
    case.write("src/rate.py", "x\n")
    assert case.verdict(case.claim("only_changed", scope=("src/",))).status == "proven"


def test_a_change_outside_contradicts_and_one_put_back_does_not() -> None:
    case = Case()
    case.read("setup.cfg", "a\n")
    case.write("src/rate.py", "x\n")
    case.write("setup.cfg", "b\n")
    claim = case.claim("only_changed", scope=("src/rate.py",))
    verdict = case.verdict(claim)
    assert (verdict.status, verdict.path) == ("contradicted", "setup.cfg")
    case.write("setup.cfg", "a\n")
    assert case.verdict(claim).status == "proven"


def test_after_something_unknown_only_a_look_at_the_worktree_tells() -> None:
    case = Case()
    case.write("src/rate.py", "x\n")
    case.ran("./tidy.sh")
    claim = case.claim("only_changed", scope=("src/rate.py",))
    assert case.verdict(claim).reason == "effect_unknown"
    case.ran("git status --short", " M src/rate.py\n")
    assert case.verdict(claim).status == "proven"
    case.ran("git status --short", " M src/rate.py\n?? junk.txt\n")
    assert case.verdict(claim).status == "unproven"
