"""Commands that only list, explain or would run a build, linter or test are no run; each kind with one that is."""

from __future__ import annotations

import pytest

from muniment.derive.run_words import SUITE
from muniment.derive.runs import counts_in, run_of

NO_RUN = """
just --dry-run build
just -n lint
just --show build
just --list test
task --dry build
task -n lint
rake -n build
bundle exec rake -T build
turbo run build --dry
turbo run build --dry=json
turbo run lint --graph
docker build --check .
cargo build --unit-graph
gradle -v build
mvn -v package
flake8 --bug-report
pylint --list-msgs
rubocop -L
tsc -v
tsc --all
pyright --dependencies
tox -l
tox --notest
"""
RUN = """
just build
just -f justfile lint
task build
rake build
bundle exec rake test
turbo run build
docker build .
cargo build --release
gradle build
mvn -B package
flake8
pylint src
rubocop
tsc
pyright --stats
tox
./mvnw -B clean install
"""
NARROWER = """
npm run lint-staged
npm run lint:changed
eslint --stdin
pyright -p other
nox -s docs
tox -e py311
"""
WHOLE = """
npm run lint:ci
eslint .
pyright -p pyrightconfig.json
nox -s tests
tox -p auto
tox run-parallel
bazel test //...
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("command", _lines(NO_RUN))
def test_what_only_lists_or_would_run_is_no_run(command: str) -> None:
    assert run_of(command) is None


@pytest.mark.parametrize("command", _lines(RUN))
def test_the_same_tool_that_is_told_to_run_is_one(command: str) -> None:
    assert run_of(command) is not None


@pytest.mark.parametrize("command", _lines(NARROWER))
def test_a_part_of_the_project_is_less_than_all_of_it(command: str) -> None:
    run = run_of(command)
    assert run is None or run.scope != SUITE


@pytest.mark.parametrize("command", _lines(WHOLE))
def test_how_it_runs_takes_nothing_away(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.scope == SUITE


def test_caps_on_lints_hide_what_clippy_finds() -> None:
    hidden, seen = run_of("cargo clippy -- --cap-lints=allow"), run_of("cargo clippy -- -D warnings")
    assert hidden is not None
    assert hidden.masked
    assert seen is not None
    assert not seen.masked


@pytest.mark.parametrize(
    ("command", "output", "passed", "failed"),
    [
        ("deno test -A", "ok | 9 passed (2 steps) | 0 failed | 1 ignored (12ms)", 9, 0),
        ("deno test -A", "FAILED | 8 passed | 1 failed (12ms)", 8, 1),
        ("sbt test", "[info] Passed: Total 9, Failed 0, Errors 0, Passed 9", 9, 0),
        ("sbt test", "[error] Failed: Total 9, Failed 1, Errors 1, Passed 7", 7, 2),
        ("bazel test //...", "Executed 2 out of 2 tests: 2 tests pass.", 2, 0),
        ("bazel test //...", "Executed 3 out of 3 tests: 1 test passes and 2 fail locally.", 1, 2),
        ("bazel test //...", "Executed 0 out of 3 tests: 3 tests pass.", 0, 0),
        ("bazel test //...", "Executed 1 out of 3 tests: 3 tests pass.", 1, 0),
        (
            "swift test",
            "Test Suite 'A' passed at 10:00.\n\t Executed 4 tests, with 0 failures (0 unexpected) in 0.1\n"
            "Test Suite 'All tests' passed at 10:00.\n"
            "\t Executed 9 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.1",
            8,
            0,
        ),
        ("swift test", "✘ Test run with 9 tests failed after 0.1 seconds with 1 issue.", 8, 1),
    ],
)
def test_build_tools_tell_what_they_executed(command: str, output: str, passed: int, failed: int) -> None:
    counts = counts_in(command, output)
    assert counts is not None
    assert (counts.passed, counts.failed) == (passed, failed)


def test_a_line_in_passing_is_no_summary_of_a_build_tool() -> None:
    assert counts_in("deno test", "I saw: ok | 9 passed | 0 failed (12ms)") is None
    assert (
        counts_in("swift test", "Test Suite 'Selected tests' passed at 10:00.\n\t Executed 9 tests, with 0 failures")
        is None
    )
