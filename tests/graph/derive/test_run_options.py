"""Options that take away some of what a run looks at, or make its status say nothing; each with one that does not."""

from __future__ import annotations

import pytest

from muniment.derive.run_words import SUITE, run_words
from muniment.derive.runs import run_of, runs_of

NARROWER = r"""
pytest -o addopts='-k x'
pytest -o python_files=test_one.py
pytest --override-ini=testpaths=tests/a
pytest -c other.ini
pytest -c /dev/null
pytest --noconftest
pytest -k'rate and not slow'
pytest -mfast
pytest --only-group x
python -m unittest discover -p test_one.py
python -m unittest discover -s tests/unit
python manage.py test --pattern=test_one.py
go test -modfile=x.mod ./...
go test -overlay o.json ./...
cargo test --manifest-path other/Cargo.toml
cargo test --no-default-features
cargo test -- --ignored
cargo nextest run --partition count:1/2
jest --config unit.json
jest -c '{"testMatch": ["a"]}'
jest --rootDir x
npx vitest run --config unit.config.ts
npx vitest run --root packages/a
npx playwright test -c one.ts
npx mocha --config other.json
mvn test -pl core
mvn test -Dsurefire.excludes=A
phpunit -c unit.xml
ruff check --select F
ruff check --isolated
ruff check --config x.toml
ruff check --exclude src/a
ruff check --diff
eslint --no-eslintrc .
eslint --rule x:0 .
eslint . --ignore-pattern src
flake8 --extend-ignore E501
pylint -E src
golangci-lint run --new-from-merge-base main
golangci-lint run --fast
cargo clippy -- -A clippy::all
rubocop --fail-level F
mypy --config-file x.ini
mypy --disable-error-code=x .
mypy --follow-imports=skip .
mypy -p rate
mypy --exclude src/a .
tsc --noEmit -p other
make -f other.mk test
""".strip().split("\n")
WHOLE = r"""
pytest -o addopts=''
pytest -o addopts="-q --tb=short"
pytest -o log_cli=true -o cache_dir=x
pytest -c pyproject.toml
pytest --ff --maxfail=3 --reruns 2
pytest --import-mode=importlib --cov=rate --cov-config=.coveragerc
python -m unittest discover -s tests -p 'test_*.py'
python -m unittest discover tests
go test -tags=integration -count=1 -failfast ./...
cargo test --features x --all
cargo test -- --include-ignored --test-threads=1
jest --config jest.config.js --ci --coverage --maxWorkers=2
npx vitest run --config ./vitest.config.ts --coverage.enabled
npx playwright test -c playwright.config.ts --reporter=list
mvn -q test -DfailIfNoTests=false
mvn test -fae
ctest --test-dir build
ruff check --exclude .venv,build .
ruff check --extend-select I .
eslint . --ext .ts,.tsx --max-warnings 0
eslint -c eslint.config.js .
flake8 --max-line-length 100
golangci-lint run --timeout 5m
cargo clippy --all-targets -- -D warnings
mypy --config-file pyproject.toml .
mypy --ignore-missing-imports --follow-imports=silent .
tsc --noEmit -p tsconfig.json
tsc --noEmit --skipLibCheck
make -j test
make -f Makefile test
make -k test
""".strip().split("\n")
SILENT = """
make -i
make -si test
make --ignore-errors build
npm run build --if-present
mvn package -fn
mvn test -Dmaven.test.failure.ignore=true
pylint --exit-zero src
pylint --fail-under=0 src
ruff check --exit-zero
ruff check -e
ruff check --fix-only
golangci-lint run --issues-exit-code=0
golangci-lint run --issues-exit-code 0
flake8 --exit-zero
eslint . --fix-dry-run
black --diff .
rspec --failure-exit-code 0
mocha --pass-on-failing-test-suite
npx vitest run --dangerouslyIgnoreUnhandledErrors
mypy --ignore-errors
MAKEFLAGS=-i make
PYTHONOPTIMIZE=1 pytest
python -O -m pytest
""".strip().split("\n")
SPEAKING = """
make
make -j8 test
npm run build
mvn package -fae
pylint src
ruff check --fix
golangci-lint run --issues-exit-code=1
black --check --diff .
rspec --failure-exit-code 1
MAKEFLAGS=-j4 make
python -X dev -m pytest
""".strip().split("\n")
NO_RUNS = """
make -n
make -t build
make -q test
make --dry-run build
make --version
make -sn test
go test -exec true ./...
ninja -t clean
dotnet test -t
mypy -c 'x = 1'
ruff check --watch
pyright --createstub x
""".strip().split("\n")


@pytest.mark.parametrize("command", NARROWER)
def test_an_option_that_takes_tests_or_files_away_narrows_a_run(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.scope != SUITE


@pytest.mark.parametrize("command", WHOLE)
def test_an_option_that_takes_nothing_away_leaves_a_run_whole(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.scope == SUITE


@pytest.mark.parametrize("command", SILENT)
def test_a_status_that_was_told_to_say_nothing_is_masked(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert run.masked


@pytest.mark.parametrize("command", SPEAKING)
def test_a_status_that_speaks_is_not(command: str) -> None:
    run = run_of(command)
    assert run is not None
    assert not run.masked


@pytest.mark.parametrize("command", NO_RUNS)
def test_what_runs_nothing_is_no_run(command: str) -> None:
    assert runs_of(command) == []


def test_a_script_may_be_missing_for_a_build_but_tests_have_to_be_counted() -> None:
    build, test = run_of("npm run build --if-present"), run_of("npm test --if-present")
    assert build is not None
    assert test is not None
    assert (build.masked, test.masked) == (True, False)


def test_an_unknown_option_that_speaks_of_choosing_is_named_in_the_scope() -> None:
    found = run_words(("pytest", "--shard-of=3"))
    assert found is not None
    assert found.scope == ("--shard-of 3",)
