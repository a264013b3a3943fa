"""Whose result a line gives: another program under a runner's name, another status, another run's text."""

from __future__ import annotations

import pytest

from muniment.derive.runs import Ended, run_of, run_outcome
from tests.support.claims import Case

FULL = "============ 9 passed in 0.12s ============\n"

DOUBTFUL = """
./pytest
/tmp/pytest
/tmp/python -m pytest
alias pytest=true; pytest
alias make=true; make
hash -p /tmp/fake pytest; pytest
PATH=/tmp/fake:$PATH pytest
export PATH=/tmp/x:$PATH; pytest
env -i PATH=/tmp pytest
trap 'exit 0' EXIT; make
true || make
test -f done || pytest
""".strip().split("\n")
PLAIN = """
.venv/bin/pytest
node_modules/.bin/jest
/usr/local/go/bin/go test ./...
./gradlew test
python ./manage.py test
alias ll='ls -l'; pytest
PATH=$HOME/.cargo/bin:$PATH cargo test
PATH="$PWD/node_modules/.bin:$PATH" jest
export PATH=$PATH:/opt/x && pytest
trap 'kill $SERVER' EXIT && pytest
test -f pyproject.toml && pytest
""".strip().split("\n")


@pytest.mark.parametrize("command", DOUBTFUL)
def test_a_line_that_may_run_something_else_says_nothing_of_the_run(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.masked


@pytest.mark.parametrize("command", PLAIN)
def test_a_line_that_runs_what_it_names_speaks(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert not run.masked


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("pytest > log && cat oldlog", "unknown"),
        ("pytest > /dev/null && tail -3 log", "unknown"),
        ("pytest | tee new > /dev/null && cat old", "unknown"),
        ("pytest && cat last.log", "unknown"),
        ("npx vitest run --passWithNoTests && cat last", "unknown"),
        ("pytest > log && cat log", "passed"),
        ("pytest > log 2>&1 && tail -3 log", "passed"),
        ("pytest 2> /dev/null", "passed"),
        ("cat setup.cfg && pytest", "passed"),
        ("pytest && git status", "passed"),
    ],
)
def test_text_that_may_be_of_another_run_is_not_taken_for_this_ones(command: str, outcome: str) -> None:
    assert run_outcome(run_of(command), Ended(exit_code=0, status="ok"), FULL) == outcome


@pytest.mark.parametrize(
    ("written", "command", "status"),
    [
        ("/tmp/fake/bin/pytest", "/tmp/fake/bin/pytest", "unproven"),
        ("/tmp/fake/pytest/__main__.py", "PYTHONPATH=/tmp/fake python -m pytest", "unproven"),
        ("env.sh", ". ./env.sh && pytest", "unproven"),
        ("other.sh", ". ./env.sh && pytest", "proven"),
        ("src/a.py", "PYTHONPATH=src .venv/bin/pytest", "proven"),
    ],
)
def test_a_runner_that_the_mission_wrote_itself_proves_nothing(written: str, command: str, status: str) -> None:
    case = Case()
    case.write(written, "x\n")
    case.ran(command, FULL)
    case.claim("tests_pass")
    assert case.verdict().status == status
