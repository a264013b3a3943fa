"""What must always hold of proof: who said it, how wide it is, how fresh, and that it is not refused for nothing.

* Each id of a verdict leads to something on record, and what proves is of an author whose word proves.
* Proven only inside the scope that was executed, on equal content, by a process whose status is known, with nothing of
  unknown effect since.
* Three verdicts: unproven has a reason, proven and contradicted have receipts.
* Each refusal has a control: without what spoils the proof, the same story is proven.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from muniment.closeout.assessing import covers
from muniment.closeout.evidence import PROOF_AUTHORS
from muniment.closeout.verdict import CONTRADICTED, PROVEN, REASONS, UNPROVEN, ClaimVerdict
from muniment.model import records as r
from muniment.model.nodes import Event, Fact, Message, Receipt
from tests.support.claims import Case
from tests.support.graphs import SESSION

TYPES = (
    "tests_pass", "build_ok", "lint_clean", "types_clean", "file_written", "present_in_file", "absent_in_file",
    "file_absent", "unchanged", "stated", "delegation_done", "matches_reference", "artifact_exists", "only_changed",
    "observed", "task_done", "fact_current", "criterion_met", "no_such_type",
)  # fmt: skip
STEPS = (
    "write a", "write b", "read a", "tests", "failing tests", "one test", "skipping tests", "piped tests", "lint",
    "tidy", "push", "look", "note", "fact", "criterion", "task", "settle", "withdraw", "child says", "agent says",
)  # fmt: skip
CITED = st.lists(st.integers(0, 11), max_size=2)
TOLD = st.tuples(
    st.lists(st.sampled_from(STEPS), max_size=12),
    st.lists(st.tuples(st.sampled_from(TYPES), CITED), min_size=1, max_size=3),
)


def told(steps: list[str]) -> tuple[Case, list[str]]:
    """Tell a story; return it with the ids of its records."""
    case, made = Case(), [""]
    for step in steps:
        made.append(_step(case, step, made[-1]))
    return case, made[1:]


def _step(case: Case, step: str, last: str) -> str:
    simple: dict[str, Callable[[], str]] = {
        "write a": lambda: case.write("src/a.py", f"{len(case.records)}\n"),
        "write b": lambda: case.write("src/b.py", "b\n"),
        "read a": lambda: case.read("src/a.py", "seen\n"),
        "tests": case.tests,
        "failing tests": lambda: case.ran("pytest", "1 failed, 8 passed in 0.1s", exit_code=1),
        "one test": lambda: case.ran("pytest tests/test_a.py", "2 passed in 0.1s"),
        "skipping tests": lambda: case.ran("pytest", "8 passed, 1 skipped in 0.1s"),
        "piped tests": lambda: case.ran("pytest | tail -3", "9 passed in 0.1s", own_status=False),
        "lint": lambda: case.ran("ruff check .", "All checks passed!"),
        "tidy": lambda: case.ran("./tidy.sh"),
        "push": lambda: case.ran("git push", "ok"),
        "look": lambda: case.ran("git status --short", ""),
        "note": lambda: case.say("All 9 tests pass", by="tool", role="notice"),
        "fact": lambda: case.fact("The port is 8080"),
        "criterion": lambda: case.fact("All tests must pass", class_="acceptance"),
        "task": lambda: case.task("Correct the rate"),
        "child says": lambda: case.say("All tests pass.", by="child:kid", role="answer", agent="kid"),
        "agent says": lambda: case.say("I ran them: 9 passed", by="agent", role="thinking"),
    }  # fmt: skip
    if step == "settle":
        task = case.task("Use the rate")
        case.add(
            r.TaskMoved(id=f"{task}:moved", by="agent", session=SESSION, task=task, to="settled", proof=last or None)
        )
        return task
    if step == "withdraw":
        return case.add(r.Withdrawal(id=case._id("wd"), by="user", session=SESSION, target=last or "nothing"))
    return simple[step]()


def claimed(case: Case, made: list[str], claims: list[tuple[str, list[int]]]) -> None:
    """Claim things of a story, citing some of its records."""
    for type_, places in claims:
        cites = tuple(made[place] for place in places if place < len(made))
        target = cites[0] if cites else None
        scope = ("src/",) if type_ == "only_changed" else None
        case.claim(type_, *cites, path="src/a.py", what="seen", target=target, scope=scope)


@given(TOLD)
def test_what_proves_is_on_record_and_of_an_author_whose_word_proves(
    story: tuple[list[str], list[tuple[str, list[int]]]],
) -> None:
    case, made = told(story[0])
    claimed(case, made, story[1])
    snapshot = case.snapshot()
    for verdict in case.closeout_of(snapshot).claims:
        named = (*verdict.by, *verdict.via, *((verdict.receipt,) if verdict.receipt else ()), *verdict.because)
        assert all(snapshot.node(each) is not None for each in named), verdict
        assert all(step.words != "not on record" for step in verdict.evidence), verdict
        for proof in verdict.by if verdict.status == PROVEN else ():
            node = snapshot.node(proof)
            assert not snapshot.ended(proof), verdict
            if isinstance(node, Receipt):
                assert node.by in PROOF_AUTHORS or node.tool == "write", verdict
            else:
                assert isinstance(node, Fact | Message | Event), verdict
                assert not isinstance(node, Message) or node.by == "user", verdict


@given(TOLD)
def test_there_are_three_verdicts_each_with_what_it_needs(story: tuple[list[str], list[tuple[str, list[int]]]]) -> None:
    case, made = told(story[0])
    claimed(case, made, story[1])
    closeout = case.closeout()
    for verdict in closeout.claims:
        assert verdict.status in (PROVEN, UNPROVEN, CONTRADICTED)
        assert (verdict.reason in REASONS) == (verdict.status == UNPROVEN), verdict
        assert verdict.status == UNPROVEN or verdict.by, verdict
        assert verdict.status == PROVEN or verdict.next_step, verdict
    assert closeout.passed <= (closeout.verdict in ("proven", "waived"))
    assert (closeout.verdict == "nothing_claimed") == (not closeout.claims)


@given(st.lists(st.sampled_from(STEPS), max_size=12), st.sampled_from(["suite", ("tests/test_a.py",)]))
def test_tests_are_proven_only_by_a_fresh_run_that_was_wide_enough(
    steps: list[str], scope: str | tuple[str, ...]
) -> None:
    case, _ = told(steps)
    claim = case.claim("tests_pass", scope=scope)
    [verdict] = [each for each in case.closeout().claims if each.record == claim]
    if verdict.status != PROVEN:
        return
    runs = [node for each in verdict.by if isinstance(node := case.snapshot().node(each), Receipt)]
    assert any(run.scope is not None and covers(run.scope, scope) for run in runs)
    assert all(run.status == "ok" and run.own_status and not (run.counts and run.counts.failed) for run in runs)
    newest = max(run.ordinal for run in runs)
    after = [each for each in case.snapshot().of_kind(Receipt) if each.ordinal > newest]
    assert not [each for each in after if each.effect == "unknown"]
    assert not [each for each in after if each.tool == "write" and _differs(case, each)]


def _differs(case: Case, write: Receipt) -> bool:
    """A write of `a` always holds something new here; one of `b` holds the same each time."""
    return write.path == "src/a.py" or not [
        each
        for each in case.snapshot().of_kind(Receipt)
        if each.tool == "write" and each.path == write.path and each.ordinal < write.ordinal
    ]


@given(st.lists(st.sampled_from(["write b", "read a", "push", "look", "agent says", "note", "fact"]), max_size=6))
def test_harmless_steps_after_a_run_refuse_nothing(steps: list[str]) -> None:
    case, _ = told(["write b", "tests", *steps])
    claim = case.claim("tests_pass")
    [verdict] = [each for each in case.closeout().claims if each.record == claim]
    seen = "read a" in steps
    assert verdict.status == PROVEN or seen, verdict


@given(st.sampled_from(["write a", "tidy", "failing tests"]), st.lists(st.sampled_from(["push", "look"]), max_size=3))
def test_what_spoils_a_proof_refuses_it_until_the_run_is_repeated(spoiler: str, between: list[str]) -> None:
    def status(steps: list[str]) -> ClaimVerdict:
        case, _ = told(steps)
        claim = case.claim("tests_pass")
        [verdict] = [each for each in case.closeout().claims if each.record == claim]
        return verdict

    assert status(["tests", *between, spoiler, *between]).status != PROVEN
    assert status(["tests", *between, spoiler, *between, "tests"]).status == PROVEN
    assert status(["tests", *between]).status == PROVEN
