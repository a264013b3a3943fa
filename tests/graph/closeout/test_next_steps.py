"""The cheapest next step: the command narrowed to what is claimed, and never narrower than that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.closeout.assessing import covers
from muniment.closeout.narrowing import bare, narrowed
from muniment.derive.runs import run_of
from tests.support.claims import Case

SUITE_RUN = "pytest -q"


def step(case: Case) -> str:
    [verdict] = case.closeout().claims
    assert verdict.status == "unproven"
    return verdict.next_step


@pytest.mark.parametrize(
    ("ran", "claimed", "command"),
    [
        ("pytest -q", ("tests/test_a.py",), "pytest -q tests/test_a.py"),
        ("python -m pytest", ("tests/test_a.py::test_x",), "python -m pytest tests/test_a.py::test_x"),
        ("cd api && pytest -q 2>&1 | tail -5", ("tests/test_a.py",), "cd api && pytest -q tests/test_a.py"),
        ("go test ./...", ("./pkg/rate",), "go test ./pkg/rate"),
        ("npx vitest run", ("src/a.test.ts",), "npx vitest run src/a.test.ts"),
        ("pytest tests/test_a.py tests/test_b.py", ("tests/test_b.py",), "pytest tests/test_b.py"),
        ("pytest -q", "suite", "pytest -q"),
        ("pytest -q || true", "suite", "pytest -q"),
        ("pytest -q", ("t_link",), "pytest -q"),
        ("make test", ("tests/test_a.py",), "make test"),
    ],
)
def test_a_command_is_narrowed_to_places_and_to_nothing_else(
    ran: str, claimed: str | tuple[str, ...], command: str
) -> None:
    run = run_of(ran)
    assert run is not None
    assert narrowed(run, claimed, ran) == command


@pytest.mark.parametrize(
    ("ran", "command"),
    [
        (
            "cd /repo && python -m pytest tests/test_a.py 2>&1 | tail -20",
            "cd /repo && python -m pytest tests/test_a.py",
        ),
        ("mise run lint 2>&1 | tail -3; go test ./... | head -5", "go test ./..."),
        ("pytest -q", "pytest -q"),
    ],
)
def test_a_command_goes_without_what_hides_its_status(ran: str, command: str) -> None:
    run = run_of(ran)
    assert run is not None
    assert bare(run, ran) in (command, "")
    assert "|" not in bare(run, ran)


def test_a_run_of_a_part_behind_a_pipe_is_asked_for_without_the_pipe() -> None:
    case = Case()
    case.ran("python -m pytest tests/test_a.py 2>&1 | tail -20", "9 passed in 0.1s")
    case.claim("tests_pass")
    assert "|" not in step(case).replace("`|| true`", "")


def test_a_stale_claim_of_one_file_asks_for_that_file_only() -> None:
    case = Case()
    case.ran("pytest -q", "9 passed in 0.1s")
    case.write("src/rate.py", "x\n")
    case.claim("tests_pass", scope=("tests/test_rate.py",))
    assert step(case) == "run again: pytest -q tests/test_rate.py"


def test_control_a_stale_claim_of_the_suite_asks_for_all_of_it() -> None:
    case = Case()
    case.ran("pytest -q", "9 passed in 0.1s")
    case.write("src/rate.py", "x\n")
    case.claim("tests_pass")
    assert step(case) == "run again: pytest -q"


def test_of_several_names_only_those_without_proof_are_asked_for() -> None:
    case = Case()
    case.ran("pytest tests/test_a.py", "2 passed in 0.1s")
    case.write("src/rate.py", "x\n")
    case.ran("pytest tests/test_b.py", "3 passed in 0.1s")
    case.claim("tests_pass", scope=("tests/test_a.py", "tests/test_b.py"))
    assert step(case) == "run again: pytest tests/test_a.py"


def test_several_runs_show_several_names() -> None:
    case = Case()
    runs = [case.ran(f"pytest tests/test_{name}.py", "2 passed in 0.1s") for name in "ab"]
    case.claim("tests_pass", scope=("tests/test_a.py", "tests/test_b.py"))
    verdict = case.verdict()
    assert (verdict.status, case.records_of(verdict.by)) == ("proven", runs)


def test_a_claim_that_gives_the_number_of_a_run_needs_no_other_runner() -> None:
    case = Case()
    case.ran("npx vitest run", "Test Files  1 passed (1)\n     Tests  16 passed (16)\n")
    case.write("src/rate.py", "x\n")
    case.ran("pytest", "141 passed in 0.1s")
    case.claim("tests_pass", text="All 141 tests pass")
    assert case.verdict().status == "proven"


def test_control_without_the_number_each_runner_has_to_hold() -> None:
    case = Case()
    case.ran("npx vitest run", "Test Files  1 passed (1)\n     Tests  16 passed (16)\n")
    case.write("src/rate.py", "x\n")
    case.ran("pytest", "141 passed in 0.1s")
    case.claim("tests_pass", text="All tests pass")
    assert case.verdict().status == "unproven"


NAMES = st.sampled_from(["tests/test_a.py", "tests/test_b.py::test_x", "tests/", "t_link", "a and b", "./pkg", "x.y"])
COMMANDS = st.sampled_from(
    ["pytest", "pytest -q -x", "pytest tests/", "cd app && pytest", "go test ./...", "npm test", "bun test",
     "npx vitest run", "python -m unittest", "pytest -k 'a or b'", "mix test", "cargo test", "pytest | tail -3"]
)  # fmt: skip


@given(COMMANDS, st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_a_narrowed_command_runs_all_that_is_claimed(ran: str, names: list[str]) -> None:
    run = run_of(ran)
    assert run is not None
    command = narrowed(run, tuple(names), ran)
    again = run_of(command)
    assert again is not None
    assert command == ran or covers(again.scope, tuple(names))
