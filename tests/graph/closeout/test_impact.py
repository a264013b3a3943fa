"""What loses its proof, and the chain behind a claim."""

from __future__ import annotations

import pytest

from muniment.closeout.explaining import explain
from muniment.closeout.impact import impact
from muniment.errors import AmbiguousIdError, UnknownIdError, UsageError
from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def built() -> tuple[Case, str, str]:
    """A file is written and tested; one claim rests on the run, one on the file alone."""
    case = Case()
    case.write("src/rate.py", "x\n")
    run = case.tests()
    claim = case.claim("tests_pass", run)
    case.claim("file_written", path="src/rate.py")
    return case, run, claim


def test_a_change_of_a_file_takes_the_proof_of_the_run_and_not_of_the_write() -> None:
    case, _, _ = built()
    found = impact(case.snapshot(), "src/rate.py")
    assert [(each.words, each.before, each.after, each.reason) for each in found.loses] == [
        ("tests pass", "proven", "unproven", "subject_changed")
    ]
    assert (found.happened, found.lost) == (False, ())


def test_what_a_change_took_already_is_told() -> None:
    case, _, _ = built()
    case.write("src/rate.py", "y\n")
    found = impact(case.snapshot(), "rate.py")
    assert (found.happened, [each.words for each in found.lost], found.loses) == (True, ["tests pass"], ())


def test_a_receipt_that_was_withdrawn_would_prove_again() -> None:
    case, run, claim = built()
    assert [each.words for each in impact(case.snapshot(), run).loses] == ["tests pass"]
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target=run))
    found = impact(case.snapshot(), run)
    assert (found.happened, [each.words for each in found.lost]) == (True, ["tests pass"])
    assert [each.id for each in found.rests] == [node.id for node in case.snapshot().named(claim)]


def test_control_a_receipt_that_nothing_needs_takes_nothing() -> None:
    case, _, _ = built()
    other = case.ran("ls", "src")
    found = impact(case.snapshot(), other)
    assert (found.loses, found.lost, found.rests) == ((), (), ())


def test_tasks_and_artifacts_lose_their_proof_too() -> None:
    case, run, _ = built()
    task = case.task("Correct the rate")
    case.add(r.TaskMoved(id="moved", by="agent", session=SESSION, task=task, to="settled", proof=run))
    case.add(r.ArtifactProduced(id="art", by="agent", session=SESSION, path="src/rate.py", content="x\n"))
    assert {each.kind for each in impact(case.snapshot(), "src/rate.py").loses} == {"claim", "task", "artifact"}


def test_a_decision_takes_the_claims_that_it_is_current_and_shows_what_rests_on_it() -> None:
    case = Case()
    decision = case.add(r.DecisionMade(id="d1", by="user", session=SESSION, choice="Use SQLite"))
    case.claim("fact_current", decision, target=decision)
    found = impact(case.snapshot(), decision)
    assert ([each.reason for each in found.loses], [each.kind for each in found.rests]) == ([""], ["claim"])
    case.add(r.DecisionMade(id="d2", by="user", session=SESSION, choice="Use files", supersedes=("d1",)))
    assert impact(case.snapshot(), decision).happened


def test_what_is_not_there_or_carries_nothing_is_refused() -> None:
    case, _, _ = built()
    message = case.say("Hello")
    with pytest.raises(UnknownIdError):
        impact(case.snapshot(), "nowhere.py")
    with pytest.raises(UsageError):
        impact(case.snapshot(), message)


def test_an_explanation_tells_the_receipt_its_files_and_what_came_since() -> None:
    case, run, claim = built()
    case.write("notes.txt", "x\n")
    found = explain(case.snapshot(), claim)
    told = [(step.relation, step.depth) for step in found.steps]
    assert found.claim.reason == "subject_changed"
    assert {("falls short", 1), ("since then", 2), ("because of", 1)} <= set(told)
    assert run in [node.record for step in found.steps if (node := case.snapshot().node(step.id)) is not None]


def test_an_explanation_of_a_criterion_tells_what_it_asks_for() -> None:
    case = Case()
    wanted = case.fact("All tests must pass", class_="acceptance")
    case.tests()
    found = explain(case.snapshot(), wanted)
    assert found.claim.status == "proven"
    assert ("needs", "tests pass: proven") in [(step.relation, step.words) for step in found.steps]


def test_a_claim_is_named_by_what_it_was_read_out_of_unless_that_makes_several() -> None:
    case = Case()
    answer = case.answer("All tests pass.")
    handle = case.snapshot().named(answer)[0].handle
    assert explain(case.snapshot(), handle).claim.type == "tests_pass"
    other = case.answer("All tests pass and the build succeeds.")
    with pytest.raises(AmbiguousIdError):
        explain(case.snapshot(), other)
    with pytest.raises(UnknownIdError):
        explain(case.snapshot(), "nothing")
