"""The runners that are known: their families, and which of their options narrow a run, take a value or run nothing.

* A runner is found by the longest match of its first words. Scripts of a project are known by their conventional names.
* Formatters count as linters only where they are told to check.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Runner(msgspec.Struct, frozen=True):
    """A runner with its family, and the options of it that narrow a run or take a value."""

    family: str
    tool: str
    group: str = ""
    """Runners of one group run the same tests: pytest and tox, jest and `npm test`. "" is a wrapper that may run
    any."""
    narrowing: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    no_run: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    """Operands that stand for everything."""


_TESTS_FOLDERS: Final = _words(". ./ tests tests/ ./tests ./tests/ test test/ ./test ./test/ spec spec/")
_HERE: Final = _words(". ./ ./... ... src src/ ** ./**")

_PYTEST = Runner(
    "test",
    "pytest",
    "python",
    narrowing=_words(
        "-k -m --lf --last-failed --sw --stepwise --deselect --ignore --ignore-glob --testmon --picked --shard-id "
        "--num-shards --splits --group --test-group --test-group-count"
    ),
    valued=_words(
        "-k -m -n -p -c -o -W -r --deselect --ignore --ignore-glob --maxfail --tb --cov --cov-report --junitxml "
        "--override-ini --config-file --confcutdir --reruns --reruns-delay --basetemp --durations "
        "--timeout --rootdir --dist --shard-id --num-shards --splits --group --test-group --test-group-count"
    ),
    no_run=_words("--collect-only --co --fixtures --markers --help -h --version --setup-plan --cache-show"),
    whole=_TESTS_FOLDERS,
)
_UNITTEST = Runner(
    "test",
    "unittest",
    "python",
    narrowing=_words("-k"),
    valued=_words("-k -s -p -t --pattern --start-directory --top-level-directory"),
    no_run=_words("-h --help"),
    whole=_words("discover tests test ."),
)
_DJANGO = Runner(
    "test",
    "django",
    "python",
    narrowing=_words("-k --tag --exclude-tag"),
    no_run=_words("--help -h"),
    valued=_words("-k -p -t --pattern --top-level --tag --exclude-tag --settings --parallel -v --verbosity"),
    whole=frozenset(),
)
_GO_TEST = Runner(
    "test",
    "go",
    "go",
    narrowing=_words("-run -skip -short --run --short"),
    no_run=_words("-c -list -n -exec -toolexec"),
    whole=_words("./... all"),
    valued=_words(
        "-run -skip -tags -timeout -count -coverprofile -covermode -coverpkg -p -parallel -cpu -bench -o --run "
        "-modfile -overlay -fuzz -C"
    ),
)
_CARGO_TEST = Runner(
    "test",
    "cargo",
    "rust",
    narrowing=_words("-p --package --test --lib --bins --bin --doc --example --exclude --tests -E"),
    valued=_words(
        "-p --package --test --bin --example --exclude --features --target --manifest-path --profile -j --jobs -E "
        "--partition --filter-expr --run-ignored --color --test-threads"
    ),
    no_run=_words("--no-run --help -h"),
)
_JEST = Runner(
    "test",
    "jest",
    "js",
    narrowing=_words(
        "-t --testNamePattern -o --onlyChanged --findRelatedTests --testPathPattern --selectProjects --changedSince -f "
        "--lastCommit --onlyFailures --shard --filter --testPathIgnorePatterns --ignoreProjects"
    ),
    valued=_words(
        "-t --testNamePattern -c --config --testPathPattern --selectProjects --changedSince --maxWorkers -w --reporters"
    ),
    no_run=_words("--listTests --showConfig --help -h --version"),
    whole=_words(". ./ run"),
)
_VITEST = Runner(
    "test",
    "vitest",
    "js",
    narrowing=_words("-t --testNamePattern --changed related --project --shard --dir --exclude"),
    valued=_words(
        "-t --testNamePattern -c --config --reporter --project --shard --dir -r --root --environment --mode --pool "
        "--testTimeout --exclude"
    ),
    no_run=_words("list --help -h --version"),
    whole=_words(". ./ run"),
)
_MOCHA = Runner(
    "test",
    "mocha",
    "js",
    narrowing=_words(
        "-g --grep -f --fgrep --test-name-pattern --test-only --test-shard --test-skip-pattern --ignore --exclude"
    ),
    no_run=_words("--help --version --dry-run"),
    valued=_words(
        "-g --grep -f --fgrep -r --require -R --reporter -t --timeout --test-name-pattern --test-reporter --import "
        "--config --package --opts"
    ),
    whole=_TESTS_FOLDERS,
)
_BUN_TEST = Runner(
    "test", "bun", "js", narrowing=_words("-t --test-name-pattern --only"), valued=_words("-t --timeout --bail")
)
_MIX_TEST = Runner(
    "test",
    "exunit",
    "elixir",
    narrowing=_words("--only --failed --stale --exclude --partitions"),
    no_run=_words("--help"),
    valued=_words("--only --exclude --include --seed --max-failures --max-cases --formatter --partitions"),
    whole=_TESTS_FOLDERS,
)
_RSPEC = Runner(
    "test",
    "rspec",
    "ruby",
    narrowing=_words("-e --example -t --tag --only-failures --next-failure -P --pattern --exclude-pattern"),
    whole=_TESTS_FOLDERS,
    valued=_words("-e --example -t --tag -f --format -r --require -o --out --seed -O --options"),
    no_run=_words("--dry-run --help"),
)
_OTHER_TESTS = Runner(
    "test",
    "other",
    "",
    narrowing=_words(
        "--filter --tests -Dtest -R -E -L -k --only -run --grep -e --group --testsuite --project --spec "
        "-Dit.test -Dgroups -DexcludedGroups -Dsurefire.includes -Dsurefire.excludes --rerun-failed --shard "
        "--last-failed --only-changed --grep-invert --exclude-group"
    ),
    valued=_words(
        "--filter --tests -R -E -L -k --only -j --parallel -c --group --testsuite --project --spec -C "
        "--test-dir --build --config --configuration --workers --retries --reporter"
    ),
    no_run=_words("-N --list-tests --list --help -h --version --dry-run"),
    whole=_words(". ./"),
)
_TOX = Runner(
    "test",
    "pytest",
    "python",
    narrowing=_OTHER_TESTS.narrowing,
    valued=_words("-p --parallel --result-json --workdir"),
    no_run=_words(
        "-l --listenvs -a --listenvs-all -n --notest --sdistonly --showconfig -h --help --version list config"
    ),
    whole=_words("run r run-parallel p"),
)
SCRIPT = Runner(
    "",
    "script",
    "",
    whole=_words("--"),
    no_run=_words("--help --version --collect-only --listTests --list-tests --dry-run --dry --graph"),
    narrowing=_words(
        "--filter -F --workspace -w --onlyChanged --changedSince --changed --findRelatedTests --testNamePattern -t "
        "--testPathPattern --grep --shard --lf --last-failed --failed --stale --only --only-failures --stepwise"
    ),
    valued=_words("-C --prefix -f"),
)
_LINT = Runner(
    "lint",
    "lint",
    "",
    whole=_HERE,
    no_run=_words(
        "--version --help -h --print-config --list --show-files --show-settings --add-noqa --watch --env-info --init "
        "--inspect-config --auto-gen-config --bug-report --list-msgs --list-extensions --list-target-files "
        "--show-cops -L"
    ),
    narrowing=_words(
        "--select --ignore --new --new-from-rev --errors-only --stdin --stdin-filename --stdin-file-path "
        "--stdin-filepath"
    ),
    valued=_words(
        "-c --config --config-path --format -f --ext --select --ignore --extend-select --max-warnings -j "
        "--jobs --rcfile -D -W -d --exclude --extend-exclude --extend-ignore --per-file-ignores --ignore-pattern "
        "--ignore-path --rule --disable --enable --fail-under --issues-exit-code --max-line-length --max-complexity "
        "--timeout --out-format --output-format --build-tags --concurrency --color --target-version --line-length -l"
    ),
)
_TYPES = Runner(
    "types",
    "types",
    "",
    whole=_HERE,
    no_run=_words(
        "--version --help -h --init --showConfig --noCheck --command -w --watch --createstub --verifytypes "
        "--listFilesOnly --clean --dry --dependencies --all -v"
    ),
    valued=_words(
        "-p --project --config-file --python-version --pythonversion --pythonpath --pythonplatform --platform "
        "--cache-dir -m --module --package --disable-error-code --enable-error-code --follow-imports --exclude --level "
        "--target --jsx --lib --outDir --rootDir --module-resolution --python-executable --venvpath"
    ),
)
BUILD = Runner(
    "build",
    "build",
    "",
    whole=_words(". ./ ./... all build"),
    no_run=_words("--version --help -h -n --dry-run -m --unit-graph --build-plan --graph --dry"),
    narrowing=_words("-p --package --bin --lib --target --filter --workspace -F"),
    valued=_words(
        "-o -C -f -j --jobs -p --package --bin --target --features --config -tags -ldflags --outdir -t "
        "--mode --filter -F"
    ),
)


def as_tool(runner: Runner, tool: str, group: str = "") -> Runner:
    """Return the same runner under another name."""
    return msgspec.structs.replace(runner, tool=tool, group=group or runner.group)


def _also_listing(runner: Runner, option: str) -> Runner:
    """Return the same runner, of which one more option runs nothing."""
    return msgspec.structs.replace(runner, no_run=runner.no_run | {option})


RUNNERS: Final[dict[tuple[str, ...], Runner]] = {
    ("pytest",): _PYTEST,
    ("py.test",): _PYTEST,
    ("unittest",): _UNITTEST,
    ("tox",): _TOX,
    ("nox",): msgspec.structs.replace(as_tool(_OTHER_TESTS, "pytest", "python"), whole=_words("test tests")),
    ("runtests.py",): _DJANGO,
    ("manage.py", "test"): _DJANGO,
    ("django-admin", "test"): _DJANGO,
    ("go", "test"): _GO_TEST,
    ("gotestsum",): _GO_TEST,
    ("cargo", "test"): _CARGO_TEST,
    ("cargo", "nextest", "run"): as_tool(_CARGO_TEST, "nextest"),
    ("jest",): _JEST,
    ("vitest",): _VITEST,
    ("mocha",): _MOCHA,
    ("ava",): as_tool(_MOCHA, "tap"),
    ("tap",): as_tool(_MOCHA, "tap"),
    ("node", "--test"): as_tool(_MOCHA, "tap"),
    ("bun", "test"): _BUN_TEST,
    ("deno", "test"): as_tool(_OTHER_TESTS, "deno", "js"),
    ("playwright", "test"): as_tool(_OTHER_TESTS, "playwright", "js"),
    ("mix", "test"): _MIX_TEST,
    ("rspec",): _RSPEC,
    ("rails", "test"): as_tool(_RSPEC, "minitest"),
    ("phpunit",): as_tool(_OTHER_TESTS, "phpunit", "php"),
    ("pest",): as_tool(_OTHER_TESTS, "phpunit", "php"),
    ("dotnet", "test"): _also_listing(as_tool(_OTHER_TESTS, "dotnet", "dotnet"), "-t"),
    ("ctest",): as_tool(_OTHER_TESTS, "ctest", "c"),
    ("swift", "test"): as_tool(_OTHER_TESTS, "swift", "swift"),
    ("mvn", "test"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("mvn", "verify"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("mvn", "install"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("mvnw", "test"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("mvnw", "verify"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("mvnw", "install"): as_tool(_OTHER_TESTS, "maven", "jvm"),
    ("gradle", "test"): as_tool(_OTHER_TESTS, "gradle", "jvm"),
    ("gradlew", "test"): as_tool(_OTHER_TESTS, "gradle", "jvm"),
    ("django", "test"): _DJANGO,
    ("nosetests",): as_tool(_PYTEST, "unittest"),
    ("cargo", "t"): _CARGO_TEST,
    ("bazel", "test"): msgspec.structs.replace(as_tool(_OTHER_TESTS, "bazel", "bazel"), whole=_words("//... ...")),
    ("sbt", "test"): as_tool(_OTHER_TESTS, "sbt", "jvm"),
    ("lein", "test"): as_tool(_OTHER_TESTS, "other", "jvm"),
    ("stack", "test"): as_tool(_OTHER_TESTS, "other", "haskell"),
    ("cabal", "test"): as_tool(_OTHER_TESTS, "other", "haskell"),
    ("flutter", "test"): as_tool(_OTHER_TESTS, "other", "dart"),
    ("dart", "test"): as_tool(_OTHER_TESTS, "other", "dart"),
    ("bats",): as_tool(_MOCHA, "tap", "bats"),
    ("prove",): as_tool(_OTHER_TESTS, "tap", "perl"),
    ("go", "build"): msgspec.structs.replace(BUILD, tool="go", whole=_words("./... all")),
    ("go", "vet"): msgspec.structs.replace(_LINT, tool="go", whole=_words("./... all")),
    ("cargo", "build"): as_tool(BUILD, "cargo"),
    ("cargo", "check"): as_tool(BUILD, "cargo"),
    ("cargo", "clippy"): as_tool(_LINT, "cargo"),
    ("mix", "compile"): as_tool(BUILD, "mix"),
    ("mix", "credo"): as_tool(_LINT, "credo"),
    ("mix", "format"): as_tool(_LINT, "mix format"),
    ("mix", "dialyzer"): as_tool(_TYPES, "dialyzer"),
    ("mvn", "compile"): _also_listing(as_tool(BUILD, "maven"), "-v"),
    ("mvn", "package"): _also_listing(as_tool(BUILD, "maven"), "-v"),
    ("gradle", "build"): _also_listing(as_tool(BUILD, "gradle"), "-v"),
    ("gradlew", "build"): _also_listing(as_tool(BUILD, "gradle"), "-v"),
    ("gradle", "assemble"): _also_listing(as_tool(BUILD, "gradle"), "-v"),
    ("gradlew", "assemble"): _also_listing(as_tool(BUILD, "gradle"), "-v"),
    ("vite", "build"): as_tool(BUILD, "vite"),
    ("next", "build"): as_tool(BUILD, "next"),
    ("webpack",): as_tool(BUILD, "webpack"),
    ("dotnet", "build"): as_tool(BUILD, "dotnet"),
    ("docker", "build"): _also_listing(as_tool(BUILD, "docker"), "--check"),
    ("cmake", "--build"): as_tool(BUILD, "cmake"),
    ("ninja",): _also_listing(as_tool(BUILD, "ninja"), "-t"),
    ("build",): BUILD,
    ("build.sh",): BUILD,
    ("eslint",): as_tool(_LINT, "eslint"),
    ("ruff", "check"): as_tool(_LINT, "ruff"),
    ("ruff", "format"): as_tool(_LINT, "ruff format"),
    ("flake8",): as_tool(_LINT, "flake8"),
    ("pylint",): as_tool(_LINT, "pylint"),
    ("black",): as_tool(_LINT, "black"),
    ("prettier",): as_tool(_LINT, "prettier"),
    ("biome", "check"): as_tool(_LINT, "biome"),
    ("biome", "lint"): as_tool(_LINT, "biome"),
    ("biome", "ci"): as_tool(_LINT, "biome"),
    ("oxlint",): as_tool(_LINT, "oxlint"),
    ("stylelint",): as_tool(_LINT, "stylelint"),
    ("golangci-lint", "run"): as_tool(_LINT, "golangci-lint"),
    ("rubocop",): as_tool(_LINT, "rubocop"),
    ("mypy",): _also_listing(as_tool(_TYPES, "mypy"), "-c"),
    ("pyright",): as_tool(_TYPES, "pyright"),
    ("tsc",): as_tool(_TYPES, "tsc"),
    ("vue-tsc",): as_tool(_TYPES, "tsc"),
    ("flow", "check"): as_tool(_TYPES, "flow"),
}
CHECK_ONLY: Final = {
    "black": _words("--check --diff"),
    "prettier": _words("--check -c -l --list-different"),
    "ruff format": _words("--check --diff"),
    "mix format": _words("--check-formatted"),
}
"""Formatters that count as linters only where they are told to check."""
NAMES_OF_SCRIPTS: Final = (
    ("test", re.compile(r"(?:test|tests|t|test:ci|test-ci|test:all|test-all|test:unit|unit|test[:_-][\w:-]+)")),
    ("lint", re.compile(r"(?:lint|eslint|lint[:_-](?!.*(?:fix|staged|changed))[\w:-]+)")),
    ("types", re.compile(r"(?:type-?check|check-?types|types|tsc|typecheck[:_-][\w:-]+|mypy)")),
    ("build", re.compile(r"(?:build|build[:_-](?:prod|production|all|ci)|compile)")),
)
WHOLE_SCRIPTS: Final = _words("test tests t test:ci test-ci test:all test-all")
SCRIPT_RUNNERS: Final = _words("npm pnpm yarn bun make gmake mise just task rake composer deno nx turbo")
SCRIPTS_NOT_RUN: Final = {
    "": _words(
        "--dry-run --dry --list --list-all --show --summary --evaluate --variables --dump --graph --help --version "
        "--tasks --prereqs --describe --where --init --status"
    ),
    "just": _words("-n -l -s -h -V"),
    "task": _words("-n -l -a -h"),
    "rake": _words("-n -T -P -D -W -A -h -V"),
    "mise": _words("-n -h"),
}
"""Before the name of a script: options of a runner of scripts (of all: "") with which it runs none."""
NEED_RUN: Final = _words("npm bun mise composer")
"""For these a bare word is not a script of the project, but for `npm test`."""
