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
    case.ran(command)
    case.ran("./gen.sh")
    case.ran("git status --short", "")
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
