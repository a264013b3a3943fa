"""Claims of somebody who wants to be called done: what was taken back, denied, hidden or told of something else."""

from __future__ import annotations

import pytest

from muniment.errors import ScopeError
from muniment.model import records as r
from muniment.scope import RECORD, WAIVE, Scope
from tests.support.claims import Case
from tests.support.graphs import SESSION

FULL = "============ 9 passed in 0.12s ============\n"
SOME_SKIPPED = r.Counts(collected=200, passed=9, failed=0, skipped=191)


def status(case: Case) -> str:
    return case.closeout().claims[-1].status


@pytest.mark.parametrize(("by", "said"), [("agent", "contradicted"), ("child:k", "contradicted"), ("user", "proven")])
def test_only_a_user_takes_back_what_a_run_showed(by: str, said: str) -> None:
    case = Case()
    case.tests()
    failed = case.ran("pytest", "1 failed, 8 passed in 1s", exit_code=1)
    case.add(r.Withdrawal(id="w", by=by, session=SESSION, target=failed))
    case.claim("tests_pass")
    assert status(case) == said


def test_a_breach_stays_one_though_the_agent_withdraws_its_write() -> None:
    case = Case()
    case.fact("Never edit vendor/")
    written = case.write("vendor/a.py", "x\n")
    case.add(r.Withdrawal(id="w", by="agent", session=SESSION, target=written))
    assert "constraint_breached" in {finding.code for finding in case.closeout().findings}


def test_a_fact_that_is_a_waiver_needs_the_verb_for_waivers() -> None:
    waiver = r.FactStated(id="f", by="user", session=SESSION, class_="waiver", text="fine", target="c")
    plain = r.FactStated(id="f", by="user", session=SESSION, class_="constraint", text="fine")
    recording = Scope(verbs=frozenset({RECORD}), actors=frozenset({"user"}))
    with pytest.raises(ScopeError):
        recording.need_author(waiver)
    recording.need_author(plain)
    Scope(verbs=frozenset({RECORD, WAIVE}), actors=frozenset({"user"})).need_author(waiver)


def test_an_artifact_at_another_path_shows_nothing_of_the_claimed_one() -> None:
    case = Case()
    case.write("README.md", "x\n")
    made = case.add(r.ArtifactProduced(id="a", by="tool", session=SESSION, path="README.md", content="x\n"))
    case.claim("artifact_exists", path="dist/app.whl", target=made)
    assert status(case) == "unproven"
    case.claim("artifact_exists", path="README.md", target=made)
    assert status(case) == "proven"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All tests pass, no skips", "unproven"),
        ("All tests pass; none ignored or skipped", "unproven"),
        ("All tests pass, nothing was deselected", "unproven"),
        ("All tests pass, 0 skipped", "unproven"),
        ("All tests pass, 191 skipped", "proven"),
        ("No failures, 191 skipped", "proven"),
        ("All tests pass but for those that are skipped here", "proven"),
    ],
)
def test_who_denies_that_some_were_skipped_does_not_own_up_to_it(text: str, said: str) -> None:
    case = Case()
    case.tests(counts=SOME_SKIPPED)
    case.claim("tests_pass", text=text)
    assert status(case) == said


@pytest.mark.parametrize(("type_", "what"), [("observed", " "), ("absent_in_file", "")])
def test_a_claim_of_no_text_is_not_proven(type_: str, what: str) -> None:
    case = Case()
    case.read("a", "x\n")
    case.ran("ls", "a b")
    case.claim(type_, path="a", what=what)
    assert status(case) == "unproven"
    case.claim(type_, path="a", what="a b" if type_ == "observed" else "y")
    assert status(case) == "proven"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git config status.showUntrackedFiles no", "unproven"),
        ("git update-index --assume-unchanged vendor/a", "unproven"),
        ("git config user.name me", "proven"),
    ],
)
def test_a_look_that_was_told_to_overlook_shows_nothing(command: str, said: str) -> None:
    case = Case()
    case.write("src/a.py", "x\n")
    case.ran(command)
    case.ran("./gen.sh")
    case.ran("git status --short", " M src/a.py\n")
    case.claim("only_changed", path="src/a.py")
    assert status(case) == said


@pytest.mark.parametrize(
    ("command", "output", "type_"),
    [
        ("pytest --testmon", FULL, "tests_pass"),
        ("pytest --shard-id=0 --num-shards=10", FULL, "tests_pass"),
        ("npx jest --shard=1/2", "Test Suites: 2 passed, 2 total\nTests:       9 passed, 9 total\n", "tests_pass"),
        ("npx playwright test --last-failed", "  9 passed (1s)\n", "tests_pass"),
        ("mvn test -Dgroups=x", "[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n", "tests_pass"),
        ("node --test --test-shard=1/2", "# tests 9\n# pass 9\n# fail 0\n", "tests_pass"),
        ("rspec --next-failure", "9 examples, 0 failures\n", "tests_pass"),
        ("ruff check --select F", "All checks passed!\n", "lint_clean"),
        ("ruff check --show-files", "", "lint_clean"),
        ("mypy --exclude src .", "Success: no issues found in 12 source files\n", "types_clean"),
        ("tsc --noCheck --noEmit", "", "types_clean"),
        ("gradle build -m", "", "build_ok"),
        ("npm run build -- --help", "", "build_ok"),
    ],
)
def test_an_option_that_leaves_out_or_does_nothing_is_no_whole_run(command: str, output: str, type_: str) -> None:
    case = Case()
    case.ran(command, output)
    case.claim(type_)
    assert status(case) == "unproven"


@pytest.mark.parametrize(
    ("command", "output", "type_"),
    [
        ("pytest -n 4 --ff", FULL, "tests_pass"),
        ("mvn test -DskipITs=false", "[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n", "tests_pass"),
        ("npx jest --ci", "Test Suites: 2 passed, 2 total\nTests:       9 passed, 9 total\n", "tests_pass"),
        ("ruff check .", "All checks passed!\n", "lint_clean"),
        ("mypy --strict .", "Success: no issues found in 12 source files\n", "types_clean"),
        ("gradle build", "", "build_ok"),
        ("npm run build", "", "build_ok"),
    ],
)
def test_an_option_that_leaves_out_nothing_is_a_whole_run(command: str, output: str, type_: str) -> None:
    case = Case()
    case.ran(command, output)
    case.claim(type_)
    assert status(case) == "proven"


@pytest.mark.parametrize(("by", "said"), [("agent", "unproven"), ("harness", "proven"), ("user", "proven")])
def test_who_gave_work_away_cannot_say_how_it_ended(by: str, said: str) -> None:
    case = Case()
    given = case.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="k"))
    case.add(r.DelegationEnded(id="e", by=by, session=SESSION, delegation=given, outcome="done"))
    case.claim("delegation_done", delegation=given)
    assert status(case) == said


def test_a_failed_delegation_stays_one_though_its_giver_calls_it_done() -> None:
    case = Case()
    given = case.add(r.DelegationStarted(id="g", by="agent", session=SESSION, child="k"))
    case.add(r.DelegationEnded(id="e", by="harness", session=SESSION, delegation=given, outcome="failed"))
    case.add(r.DelegationEnded(id="f", by="agent", session=SESSION, delegation=given, outcome="done"))
    case.claim("delegation_done", delegation=given)
    assert status(case) == "contradicted"


@pytest.mark.parametrize(("by", "stands"), [("agent", True), ("user", False)])
def test_a_users_criterion_outlives_a_task_that_the_agent_cancels(by: str, *, stands: bool) -> None:
    case = Case()
    task = case.task("rate")
    case.add(r.FactStated(id="f", by="user", session=SESSION, class_="acceptance", text="all tests pass", target=task))
    case.add(r.TaskMoved(id="m", by=by, session=SESSION, task=task, to="cancelled"))
    case.write("a.py", "x\n")
    case.claim("file_written", path="a.py")
    assert ("criterion_met" in [claim.type for claim in case.closeout().claims]) == stands


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cmp -n0 a ref", "unproven"),
        ("cmp --bytes=1 a ref", "unproven"),
        ("cmp -i 9 a ref", "unproven"),
        ("diff -w a ref", "unproven"),
        ("diff -qB a ref", "unproven"),
        ("diff --ignore-matching-lines=.* a ref", "unproven"),
        ("false || cmp a ref", "unproven"),
        ("./cmp a ref", "unproven"),
        ("cmp -s a ref", "proven"),
        ("diff -u a ref", "proven"),
        ("cd . && diff -q a ref", "proven"),
    ],
)
def test_a_comparison_that_overlooks_something_shows_no_match(command: str, said: str) -> None:
    case = Case()
    case.write("a", "x\n")
    case.ran(command)
    case.claim("matches_reference", path="a")
    assert status(case) == said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cat out.txt", "unproven"),
        ("sed -n 1p out.txt", "unproven"),
        ('printf "server %s" ok', "unproven"),
        ("echo c2VydmVyIG9r | base64 -d", "unproven"),
        ("python -c \"print('server', 'ok')\"", "unproven"),
        ("cat <<'EOF'\nserver  ok\nEOF", "unproven"),
        ("git log -1", "unproven"),
        ("curl -s localhost:8000", "proven"),
        ("tail -1 server.log", "proven"),
        ("python serve.py", "proven"),
        ("python -c 'import app; app.main()'", "proven"),
        ("curl -s localhost:8000 | grep server", "proven"),
    ],
)
def test_what_the_agent_put_there_itself_was_not_observed(command: str, said: str) -> None:
    case = Case()
    case.write("out.txt", "server ok\n")
    case.ran(command, "server ok", effect="none")
    case.claim("observed", what="server ok")
    assert status(case) == said


@pytest.mark.parametrize(
    ("word", "said"), [("error", "unproven"), ("timeout", "unproven"), ("odd", "unproven"), ("success", "proven")]
)
def test_a_write_whose_status_nobody_knows_wrote_nothing_for_certain(word: str, said: str) -> None:
    case = Case()
    case.add(r.ToolReturned(id="w", by="tool", session=SESSION, tool="write", path="a.py", content="x\n", status=word))
    case.claim("file_written", path="a.py")
    assert status(case) == said


def test_a_run_of_a_status_that_nobody_knows_neither_passed_nor_failed() -> None:
    case = Case()
    case.tests(status="timeout", exit_code=None)
    case.claim("tests_pass")
    assert case.verdict().reason == "status_unknown"


def test_a_clean_worktree_after_a_script_may_hide_a_commit_unless_known_changes_show() -> None:
    case = Case()
    case.ran("./gen.sh")
    case.ran("git status --short", "")
    claim = case.claim("only_changed", path="src/a.py")
    assert case.verdict(claim).reason == "effect_unknown"
    case.write("src/a.py", "x\n")
    case.ran("git status --short", " M src/a.py\n")
    assert case.verdict(claim).status == "proven"
    case.ran("./gen.sh")
    case.ran("git status --short", "")
    assert case.verdict(claim).reason == "effect_unknown"
