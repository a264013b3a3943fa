"""Which answers are read for claims: those that handed something over, and of each thing the newest."""

from __future__ import annotations

from muniment.model import records as r
from tests.support.claims import Case
from tests.support.graphs import SESSION


def said(case: Case) -> dict[str, str]:
    """Return the sentence in which each type of claim was made."""
    return {claim.type: claim.text for claim in case.closeout().claims}


def test_an_earlier_answer_that_ended_a_turn_still_counts() -> None:
    case = Case()
    case.answer("The build passes.")
    case.say("Now the tests.")
    case.answer("All tests pass.")
    assert said(case) == {"build_ok": "The build passes.", "tests_pass": "All tests pass."}


def test_what_is_said_later_of_the_same_thing_takes_its_place() -> None:
    case = Case()
    case.answer("`pytest tests/test_a.py` passes.")
    case.say("And the rest?")
    case.answer("All tests pass now.")
    assert said(case) == {"tests_pass": "All tests pass now."}


def test_talk_between_two_steps_hands_nothing_over() -> None:
    case = Case()
    case.answer("All tests pass.")
    case.add(r.ToolCalled(id="call", by="agent", session=SESSION, tool="command", command="git commit"))
    case.say("Wait.")
    case.answer("Waiting.")
    assert said(case) == {}


def test_control_the_same_words_at_the_end_of_the_turn_hand_over() -> None:
    case = Case()
    case.add(r.ToolCalled(id="call", by="agent", session=SESSION, tool="command", command="git commit"))
    case.answer("All tests pass.")
    case.say("Wait.")
    case.answer("Waiting.")
    assert said(case) == {"tests_pass": "All tests pass."}


def test_the_result_of_a_child_counts_once_its_work_ended_well() -> None:
    case = Case()
    case.add(r.DelegationStarted(id="given", by="agent", session=SESSION, child="kid", text="Fix the build"))
    case.say("The build passes.", by="child:kid", role="answer", agent="kid")
    assert said(case) == {}
    case.add(r.DelegationEnded(id="ended", by="harness", session=SESSION, delegation="given", outcome="done"))
    assert said(case) == {"build_ok": "The build passes."}


def test_a_child_that_failed_hands_nothing_over() -> None:
    case = Case()
    case.add(r.DelegationStarted(id="given", by="agent", session=SESSION, child="kid", text="Fix the build"))
    case.say("The build passes.", by="child:kid", role="answer", agent="kid")
    case.add(r.DelegationEnded(id="ended", by="harness", session=SESSION, delegation="given", outcome="failed"))
    assert said(case) == {}


def test_a_withdrawn_answer_claims_nothing() -> None:
    case = Case()
    answer = case.answer("The build passes.")
    case.say("Thanks.")
    case.add(r.Withdrawal(id="w", by="user", session=SESSION, target=answer))
    assert said(case) == {}
