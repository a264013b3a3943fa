"""What a run covered, whose status it has and how it ended: never `passed` where it failed, was empty or nobody can
tell.
"""

from __future__ import annotations

import pytest

from muniment.derive.run_words import run_words
from muniment.derive.runners import RUNNERS
from muniment.derive.runs import Ended, counts_in, run_of, run_outcome, runs_of
from muniment.model.records import Counts

SCOPES: list[tuple[str, str, str | tuple[str, ...]]] = [
    ("pytest", "test", "suite"),
    ("python -m pytest -q tests/", "test", "suite"),
    ("cd app && uv run pytest -x --tb=short", "test", "suite"),
    ("pytest tests/test_rate.py", "test", ("tests/test_rate.py",)),
    ("pytest tests/test_rate.py::test_rate", "test", ("tests/test_rate.py::test_rate",)),
    ('pytest -k "t_link or t_name"', "test", ("t_link", "t_name")),
    ("pytest -k 'not slow'", "test", ("-k not slow",)),
    ("pytest -m fast tests/test_rate.py", "test", ("tests/test_rate.py -m fast",)),
    ("pytest --lf", "test", ("--lf",)),
    ("python manage.py test shop.tests", "test", ("shop.tests",)),
    ("python -m unittest discover -s tests", "test", "suite"),
    ("python -m unittest tests.test_rate", "test", ("tests.test_rate",)),
    ("go test ./...", "test", "suite"),
    ("go test", "test", (".",)),
    ("go test ./internal/rate", "test", ("./internal/rate",)),
    ("go test ./... -run TestRate", "test", ("TestRate",)),
    ("go test -run TestRate ./rate", "test", ("./rate TestRate",)),
    ("cargo test", "test", "suite"),
    ("cargo test -p rate", "test", ("-p rate",)),
    ("cargo test rate_is_right", "test", ("rate_is_right",)),
    ("npm test", "test", "suite"),
    ("npm test -- src/rate.test.ts", "test", ("src/rate.test.ts",)),
    ("pnpm --filter api test", "test", ("--filter api",)),
    ("npx jest src/rate.test.ts", "test", ("src/rate.test.ts",)),
    ("npx vitest run", "test", "suite"),
    ("npx vitest run -t rate", "test", ("rate",)),
    ("bun test", "test", "suite"),
    ("mix test", "test", "suite"),
    ("mix test test/rate_test.exs:12", "test", ("test/rate_test.exs:12",)),
    ("make test", "test", "suite"),
    ("mise run test:integration", "test", ("test:integration",)),
    ("git ls-files | xargs pytest", "test", ("what xargs gives it",)),
    ('cd "$X" && pytest', "test", ("what is in the folder that it went to",)),
    ("for d in a b; do pytest $d; done", "test", ("a",)),
    ("python -m django test app.tests", "test", ("app.tests",)),
    ("env A=b timeout 60 bash -lc 'cd app && pytest -q'", "test", "suite"),
    ("pytest <<'EOF'\nx\nEOF", "test", "suite"),
    ("npm run build", "build", "suite"),
    ("cargo build", "build", "suite"),
    ("make", "build", "suite"),
    ("go build ./cmd/x", "build", ("./cmd/x",)),
    ("build", "build", "suite"),
    ("npm run lint", "lint", "suite"),
    ("eslint src/a.ts", "lint", ("src/a.ts",)),
    ("ruff check", "lint", "suite"),
    ("black --check .", "lint", "suite"),
    ("golangci-lint run ./...", "lint", "suite"),
    ("mypy", "types", "suite"),
    ("npx tsc --noEmit", "types", "suite"),
    ("npm run lint && npm test && npm run build", "test", "suite"),
]
NO_RUNS = """
cat tests/test_rate.py
pytest --collect-only
pytest --version
go test -c ./rate
cargo test --no-run
grep -rn pytest .
echo "pytest passed"
black src
python run_checks.py
./run_tests.sh
git commit -m "make test pass"
npm install
cat <<'EOF'
EOF
"""


@pytest.mark.parametrize(("command", "family", "scope"), SCOPES)
def test_a_run_is_known_with_its_scope(command: str, family: str, scope: str | tuple[str, ...]) -> None:
    run = run_of(command)
    assert run is not None
    assert (run.family, run.scope) == (family, scope)


@pytest.mark.parametrize("command", [line for line in NO_RUNS.strip().split("\n") if line != "EOF"])
def test_what_only_speaks_of_tests_is_no_run(command: str) -> None:
    assert run_of(command) is None


def test_a_line_with_several_runs_gives_them_all() -> None:
    assert [run.family for run in runs_of("npm run lint && npm test && npx tsc --noEmit")] == ["lint", "test", "types"]


@pytest.mark.parametrize(
    ("command", "masked"),
    [
        ("pytest", False),
        ("cd app && pytest && git status", False),
        ("set -o pipefail; pytest | tail -5", False),
        ("bash -c 'set -e; pytest; echo done'", False),
        ("pytest || exit 1", False),
        ("npm run lint && npm test", False),
        ("pytest | tail -5", True),
        ("pytest || true", True),
        ("pytest; echo done", True),
        ("pytest &", True),
        ("(pytest; true)", True),
        ("if pytest; then echo yes; fi", True),
    ],
)
def test_a_status_that_is_not_the_runs_own_is_masked(command: str, *, masked: bool) -> None:
    run = run_of(command)
    assert run is not None
    assert run.masked is masked


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("pytest", "none"),
        ("pytest && git push", "outside"),
        ("pytest && rm x", "writes"),
        ("pytest && ./tidy.sh", "unknown"),
        ("rm x && pytest | tail -3", "none"),
    ],
)
def test_what_follows_the_run_in_its_own_line_is_told(command: str, effect: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.after == effect


JEST = """Test Suites: 1 failed, 4 passed, 5 total
Tests:       1 failed, 2 skipped, 5 passed, 8 total
Ran all test suites."""
GO_MIXED = "ok  \tx/a\t0.1s\nok  \tx/b\t(cached)\n?   \tx/c\t[no test files]\n"
UNITTEST = "....\n----------\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n"
CARGO = """test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 5 filtered out; finished in 0.0s
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s"""
SUMMARIES: list[tuple[str, str, Counts | None]] = [
    (
        "pytest",
        "===== 1 failed, 2 passed, 1 skipped, 1 xfailed in 0.03s =====",
        Counts(collected=5, passed=3, failed=1, skipped=1, deselected=0),
    ),
    (
        "pytest -q",
        "..\n2 passed, 3 deselected in 0.01s",
        Counts(collected=5, passed=2, failed=0, skipped=0, deselected=3),
    ),
    ("pytest", "no tests ran in 0.00s", Counts(collected=0, passed=0, failed=0, skipped=0, deselected=0)),
    (
        "pytest",
        "\x1b[32m====== \x1b[1m5 passed\x1b[0m in 61.20s (0:01:01) ======\x1b[0m",
        Counts(collected=5, passed=5, failed=0, skipped=0, deselected=0),
    ),
    ("pytest", "I think that 5 passed in 0.1s or so", None),
    ("python -m unittest", UNITTEST, Counts(collected=5, passed=2, failed=2, skipped=1)),
    ("python -m unittest", "Ran 3 tests in 0.1s\n\nOK\n", Counts(collected=3, passed=3, failed=0, skipped=0)),
    ("go test ./...", GO_MIXED, Counts(passed=1, failed=0, cached=1)),
    (
        "go test -v ./a",
        "--- PASS: TestA (0.0s)\n--- SKIP: TestB (0.0s)\nPASS\nok  \tx/a\t0.1s\n",
        Counts(collected=2, passed=1, failed=0, skipped=1),
    ),
    ("go test ./a", "ok  \tx/a\t0.1s [no tests to run]\n", Counts(passed=0, failed=0)),
    ("go test ./a", "FAIL\tx/a [build failed]\nFAIL\n", Counts(passed=0, failed=2)),
    ("cargo test", CARGO, Counts(collected=11, passed=5, failed=0, skipped=1, deselected=5)),
    ("npx jest", JEST, Counts(collected=8, passed=5, failed=1, skipped=2)),
    (
        "npx vitest run",
        " Test Files  1 passed (1)\n      Tests  5 passed | 2 skipped (7)\n",
        Counts(collected=7, passed=5, failed=0, skipped=2),
    ),
    ("npx mocha", "  3 passing (5ms)\n  1 pending\n", Counts(passed=3, skipped=1)),
    (
        "node --test",
        "# tests 4\n# pass 3\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n",
        Counts(collected=4, passed=3, failed=1, skipped=0),
    ),
    (
        "bun test",
        " 21 pass\n 0 fail\n 42 expect() calls\nRan 21 tests across 1 file. [1ms]",
        Counts(collected=21, passed=21, failed=0),
    ),
    (
        "mix test",
        "14 doctests, 106 tests, 0 failures",
        Counts(collected=120, passed=120, failed=0, skipped=0, deselected=0),
    ),
    ("mix test", "12 tests, 1 failure, 2 excluded", Counts(collected=12, passed=9, failed=1, skipped=0, deselected=2)),
    ("rspec", "5 examples, 0 failures, 1 pending", Counts(collected=5, passed=4, failed=0, skipped=1)),
    (
        "mvn test",
        "[INFO] Tests run: 3, Failures: 0, Errors: 1, Skipped: 1",
        Counts(collected=3, passed=1, failed=1, skipped=1),
    ),
    ("vendor/bin/phpunit", "OK (3 tests, 4 assertions)", Counts(collected=3, passed=3, failed=0, skipped=0)),
    ("ctest", "100% tests passed, 0 tests failed out of 5", Counts(collected=5, passed=5, failed=0, skipped=0)),
    ("npm test", "Tests:       3 passed, 3 total", Counts(collected=3, passed=3, failed=0, skipped=0)),
    ("make test", "3 passed in 0.1s", Counts(collected=3, passed=3, failed=0, skipped=0, deselected=0)),
    ("npx tsc --noEmit", "Found 3 errors in 2 files.", Counts(failed=3)),
    ("eslint .", "✖ 4 problems (1 error, 3 warnings)", Counts(failed=1)),
    ("ruff check", "All checks passed!", Counts(failed=0)),
    ("mypy src", "Success: no issues found in 12 source files", Counts(failed=0)),
    ("golangci-lint run", "0 issues.", Counts(failed=0)),
    ("npm run build", "vite v5 building for production...", None),
    ("python run_checks.py", "3 passed in 0.1s", None),
    ("cat log.txt", "3 passed in 0.1s", None),
]


@pytest.mark.parametrize(("command", "output", "counts"), SUMMARIES)
def test_counts_are_what_the_runner_itself_printed(command: str, output: str, counts: Counts | None) -> None:
    assert counts_in(command, output) == counts


GREEN = "5 passed in 0.1s"
OK = Ended(status="ok", exit_code=0)
UNSEEN = Ended(status="unknown", exit_code=0, own_status=False)
OUTCOMES: list[tuple[str, Ended, str, str]] = [
    ("pytest", OK, GREEN, "passed"),
    ("pytest", OK, "", "unknown"),
    ("pytest", Ended(status="failed", exit_code=1), "1 failed, 4 passed in 0.1s", "failed"),
    ("pytest", Ended(status="failed", exit_code=1), "", "failed"),
    ("pytest", Ended(status="failed", exit_code=5), "", "empty"),
    ("pytest", Ended(status="failed", exit_code=4), "ERROR: file not found", "unknown"),
    ("pytest", Ended(status="failed", exit_code=127), "pytest: command not found", "unknown"),
    ("pytest", Ended(status="failed", exit_code=137), "Killed", "unknown"),
    ("pytest", OK, "no tests ran in 0.0s", "empty"),
    ("pytest", OK, "3 skipped in 0.0s", "empty"),
    ("pytest", Ended(status="refused"), GREEN, "unknown"),
    ("pytest", Ended(status="unknown", own_status=False), "", "unknown"),
    ("pytest | tail -3", Ended(status="unknown", exit_code=0, own_status=False), GREEN, "unknown"),
    (
        "pytest | tail -3",
        Ended(status="unknown", exit_code=0, own_status=False),
        "1 failed, 4 passed in 0.1s",
        "failed",
    ),
    ("pytest | head -3", Ended(status="ok", exit_code=0), "collected 5 items", "unknown"),
    ("pytest || true", OK, "1 failed in 0.1s", "failed"),
    ("pytest || true", OK, "", "unknown"),
    ("pytest & sleep 1", OK, "", "unknown"),
    ("pytest", OK, "Command running in background with ID: b1. Output is being written to: /tmp/x", "unknown"),
    ("go test ./... | tail -3", OK, "ok  \tx/a\t0.1s\n", "unknown"),
    ("go test ./... | tail -3", OK, "ok  \tx/a\t0.1s\nFAIL\n", "failed"),
    ("go test ./... | grep ok", OK, "ok  \tx/a\t0.1s\n", "unknown"),
    ("go test ./... | grep -E 'ok|FAIL'", OK, "FAIL\tx/a\t0.1s\nok  \tx/b\t0.1s\n", "failed"),
    ("npm test | grep Tests:", OK, "Tests:       3 passed, 3 total", "unknown"),
    ("npm test | grep -v x", OK, "ok  \tx/a\t0.1s\n", "unknown"),
    ("go test ./...", OK, "ok  \tx/a\t(cached)\n", "empty"),
    (
        "npm test",
        OK,
        "Tests: 3 passed, 3 total\n\n Tasks:    1 successful, 1 total\nCached:    1 cached, 1 total\n",
        "empty",
    ),
    ("npm test", OK, "Tests: 3 passed, 3 total\nCached:    1 cached, 2 total\n", "passed"),
    (
        "npx nx test",
        OK,
        "from the cache instead of running the command for 2 out of 2 tasks.",
        "empty",
    ),
    ("./gradlew test", OK, "> Task :app:test UP-TO-DATE\nBUILD SUCCESSFUL in 1s\n", "empty"),
    ("case $1 in a) pytest ;; esac", UNSEEN, GREEN, "unknown"),
    ("f() { pytest; }; f", UNSEEN, GREEN, "unknown"),
    ("while ! pytest; do sleep 1; done", UNSEEN, GREEN, "unknown"),
    (
        "cd nowhere && pytest",
        Ended(status="failed", exit_code=1),
        "bash: cd: nowhere: No such file or directory",
        "unknown",
    ),
    ("./setup.sh && pytest", Ended(status="failed", exit_code=1), "", "unknown"),
    ("npm run lint && npm test", Ended(status="failed", exit_code=1), "Tests:       3 passed, 3 total", "unknown"),
    ("npm run build", OK, "", "passed"),
    ("build", Ended(status="failed", exit_code=101), "build finished: 1 error", "failed"),
    ("npm run build | tail -3", OK, "", "unknown"),
    ("make | tail -3", OK, "make: *** [Makefile:3: all] Error 2", "failed"),
    ("npm run build &", OK, "", "unknown"),
    ("npm run lint", OK, "", "passed"),
    ("golangci-lint run | tail -1", OK, "0 issues.", "unknown"),
    ("golangci-lint run | tail -1", OK, "3 issues:", "failed"),
    ("ruff check || true", OK, "Found 2 errors.", "failed"),
]


@pytest.mark.parametrize(("command", "ended", "output", "outcome"), OUTCOMES)
def test_a_run_passed_only_where_its_own_status_says_so(command: str, ended: Ended, output: str, outcome: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run_outcome(run, ended, output) == outcome


def test_counts_that_were_recorded_decide_over_an_unseen_output() -> None:
    assert run_outcome(None, Ended(status="ok", exit_code=0, counts=Counts(collected=3, passed=3))) == "passed"
    assert run_outcome(None, Ended(status="ok", exit_code=0, counts=Counts(collected=0, passed=0))) == "empty"
    assert (
        run_outcome(None, Ended(status="ok", exit_code=0, counts=Counts(collected=3, passed=2, failed=1))) == "failed"
    )
    assert run_outcome(None, Ended(status="ok", exit_code=0)) == "unknown"


@pytest.mark.parametrize("words", sorted(RUNNERS))
def test_every_runner_of_the_table_is_found_in_a_line(words: tuple[str, ...]) -> None:
    found, run = run_words(words), run_of(f"cd app && {' '.join(words)}")
    assert (run and run.family) == (found and found.family)


SELECTING = """tail -3
tail -n 20
head -50
cat
tee log.txt
grep passed
grep -iE "passed|failed"
grep -v warning
grep -A 3 -e passed
tail -20 | grep -E "[0-9]+ passed"
tee log.txt | tail -1
sed -n '$p'
sort | uniq"""
REWRITING = """sed 's/failed/passed/'
sed -n 's/1 failed, //p'
perl -pe 's/1 failed, //'
awk '{print "3 passed in 0.1s"}'
python summary.py
./report
tr f p
cut -c11-
jq .
xargs echo
grep -o "[0-9]* passed.*"
grep -Eo "[0-9]+ passed.*"
grep -oE "[0-9]+ passed.*" | tail -1
grep --only-matching "3 passed.*"
grep passed old.log
grep -e passed old.log
cat old.log
tail -1 old.log
tail -1 | sed 's/failed/passed/'"""


@pytest.mark.parametrize("filters", SELECTING.splitlines())
def test_behind_a_filter_a_summary_may_tell_of_failure_but_not_of_success(filters: str) -> None:
    run = run_of(f"pytest -q 2>&1 | {filters}")
    assert run_outcome(run, Ended(status="ok", exit_code=0, own_status=False), "3 passed in 0.10s") == "unknown"
    assert run_outcome(run, Ended(status="ok", exit_code=0, own_status=False), "1 failed, 2 passed in 0.1s") == "failed"
    kept = run_of(f"set -o pipefail; pytest -q 2>&1 | {filters}")
    assert run_outcome(kept, Ended(status="ok", exit_code=0), "3 passed in 0.10s") == "passed"


@pytest.mark.parametrize("filters", REWRITING.splitlines())
def test_a_summary_that_a_filter_may_have_written_proves_nothing(filters: str) -> None:
    run = run_of(f"pytest -q 2>&1 | {filters}")
    assert run_outcome(run, Ended(status="ok", exit_code=0, own_status=False), "3 passed in 0.10s") == "unknown"
    assert run_outcome(run, Ended(status="ok", exit_code=0, own_status=False), "1 failed, 2 passed in 0.1s") == "failed"
    kept = run_of(f"set -o pipefail; pytest -q 2>&1 | {filters}")
    assert run_outcome(kept, Ended(status="ok", exit_code=0), "3 passed in 0.10s") == "passed"
