"""What a runner's own output says that it counted: one reader per runner, over whole lines, so that a word in passing
is no summary.

* Several summaries of one kind (a binary each, a package each) are added up.
* `passed` counts what was executed and passed. What was skipped, excluded or filtered out was not executed.
* Linters, type checkers and builds have no tests: `failed` counts their errors, 0 where they say that there are none,
  and nothing
  is counted where they say nothing.
* Only the output of a command that is known to be a runner may be read so: a line printed by anybody's own code is no
  report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from muniment.derive.results.events import go_output
from muniment.derive.results.result import added
from muniment.derive.summaries_of_builders import bazel, deno, sbt, swift
from muniment.model.records import Counts

_COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def counts_of_tests(output: str, tool: str, *, cut: bool = False) -> Counts | None:
    """Return what the tests of `tool` counted; of a wrapper (`script`, `other`) what any runner's summary says.

    `cut`: the output went through a filter, so only summaries count whose one line tells the failures too.
    """
    text = plain(output)
    names = [tool] if tool in _READERS else list(_READERS)
    readers = dict.fromkeys(_READERS[name] for name in names if not cut or name in SELF_CONTAINED)
    found = [counts for read in readers if (counts := read(text)) is not None]
    return added(found)


def problem_counts(output: str) -> Counts | None:
    """Return the number of errors that a linter, type checker or build says it found; None where it says nothing."""
    text = plain(output)
    errors = [int(number) for match in _ERRORS.finditer(text) for number in match.groups() if number is not None]
    if errors:
        return Counts(failed=sum(errors))
    return Counts(failed=0) if _CLEAN.search(text) and not _BROKEN.search(text) else None


def says_failed(output: str) -> bool:
    """Tell whether a wrapper, compiler or build says in a line of its own that it failed."""
    return _BROKEN.search(plain(output)) is not None


def is_running(output: str) -> bool:
    """Tell whether the runtime says that the command was started and not waited for."""
    return _RUNNING.search(output[:600]) is not None


def was_prevented(output: str) -> bool:
    """Tell whether the beginning of an output says that the command never came about."""
    return _PREVENTED.search(plain(output[:600])) is not None


def plain(output: str) -> str:
    """Return an output without colours, its line ends made one."""
    return _COLOURS.sub("", output).replace("\r\n", "\n")


_ERRORS: Final = re.compile(
    r"^\s*(?:Found (\d+) errors?\b.*|✖ \d+ problems? \((\d+) errors?,.*|(\d+) issues:?$|(\d+) errors?, \d+ warnings?.*"
    r"|Found (\d+) issues?\b.*|\d+ files? inspected, (\d+) offenses? detected.*|.*\bbuild finished: (\d+) errors?)",
    re.MULTILINE,
)
_BROKEN: Final = re.compile(
    r"^(?:g?make(?:\[\d+\])?: \*\*\* .*|error(?:\[E\d+\])?: .*|.*\berror TS\d+: .*|npm (?:ERR!|error) .*"
    r"|BUILD FAILED\b.*"
    r"|(?:\[ERROR\] )?BUILD FAILURE.*|== Compilation error .*|.*\bERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\b.*"
    r"|.*\bELIFECYCLE\b.*"
    r"|Would reformat: .*|would reformat .*|\s*× Some errors were emitted while running checks\."
    r"|error Command failed .*"
    r"|\[[\w:-]+\] ERROR task failed|error: script .* exited with code \d+|.*\bbuild finished: [1-9]\d* errors?)$",
    re.MULTILINE,
)
_CLEAN: Final = re.compile(
    r"^\s*(?:0 issues\.|All checks passed!|Success: no issues found in \d+ source files?|.*\bfound no issues\."
    r"|Checked \d+ files? in .*No fixes applied\.?|All matched files use Prettier code style!|no offenses detected"
    r"|\d+ files? inspected, no offenses detected|BUILD SUCCESSFUL\b.*|\[INFO\] BUILD SUCCESS"
    r"|\d+ files? would be left unchanged\."
    r"|\d+ files? already formatted|Finished .*(?:dev|release|test|bench).* target\(s\) in .*|0 errors, .*)$",
    re.MULTILINE,
)
_RUNNING: Final = re.compile(
    r"Command running in background with ID|Process running with session ID|^\[\d+\] \d+$", re.MULTILINE
)
_PREVENTED: Final = re.compile(
    r"<tool_use_error>|Sibling tool call errored|doesn't want to proceed with this tool use|Request interrupted by user"
    r"|[Cc]ommand timed out|command not found|(?:cd|pushd)(?::\d+)?: .*[Nn]o such file"
    r"|no such file or directory: |can't cd to"
    r"|[Mm]issing script:|No module named (?:pytest|unittest)\b|Permission denied|no Go files in "
)


def _pytest(text: str) -> Counts | None:
    found: list[Counts] = []
    for match in _PYTEST.finditer(text):
        numbers: dict[str, int] = {}
        for number, word in _PYTEST_PART.findall(match[1]):
            numbers[word] = numbers.get(word, 0) + int(number)
        passed = sum(numbers.get(word, 0) for word in ("passed", "xfailed", "xpassed"))
        failed = sum(numbers.get(word, 0) for word in ("failed", "error", "errors"))
        skipped, deselected = numbers.get("skipped", 0), numbers.get("deselected", 0)
        total = passed + failed + skipped + deselected
        found.append(Counts(collected=total, passed=passed, failed=failed, skipped=skipped, deselected=deselected))
    return added(found)


_PYTEST: Final = re.compile(
    r"^=*\s*((?:no tests ran|\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun"
    r"|reruns)\b.*?))"
    r" in \d[\d.]*s(?: \([\d:]+\))?\s*=*$",
    re.MULTILINE,
)
_PYTEST_PART: Final = re.compile(r"(\d+) (\w+)")


def _unittest(text: str) -> Counts | None:
    found: list[Counts] = []
    for match in _UNITTEST.finditer(text):
        notes = {word: int(number) for word, number in re.findall(r"([\w ]+?)=(\d+)", match[3] or "")}
        notes = {word.strip(): number for word, number in notes.items()}
        ran, skipped = int(match[1]), notes.get("skipped", 0)
        failed = notes.get("failures", 0) + notes.get("errors", 0) + notes.get("unexpected successes", 0)
        if match[2] == "FAILED" and not failed:
            failed = 1
        found.append(Counts(collected=ran, passed=max(ran - failed - skipped, 0), failed=failed, skipped=skipped))
    return added(found)


_UNITTEST: Final = re.compile(
    r"^Ran (\d+) tests? in [\d.]+s\n(?:\s*\n)*(OK|FAILED|NO TESTS RAN)(?: \(([^)]*)\))?\s*$", re.MULTILINE
)


def _go(text: str) -> Counts | None:
    packages = _GO_PACKAGE.findall(text)
    tests = _GO_TEST.findall(text)
    broken = len(_GO_BROKEN.findall(text))
    if not packages and not tests and not broken:
        return None
    fresh = [note for word, note in packages if word == "ok" and "[no tests to run]" not in note]
    cached = sum("(cached)" in note for note in fresh)
    failed = sum(word == "FAIL" for word, _ in packages)
    if tests:
        passed, skipped = tests.count("PASS"), tests.count("SKIP")
        failed = max(tests.count("FAIL"), failed, broken)
        if cached == len(fresh) and cached and not failed:
            return Counts(collected=len(tests), passed=0, failed=0, skipped=skipped, cached=passed)
        return Counts(collected=len(tests), passed=passed, failed=failed, skipped=skipped, cached=cached or None)
    return Counts(passed=len(fresh) - cached, failed=max(failed, broken), cached=cached or None)


_GO_PACKAGE: Final = re.compile(r"^(ok|FAIL)\s*\t\S+[ \t]+(.*)$", re.MULTILINE)
_GO_TEST: Final = re.compile(r"^--- (PASS|FAIL|SKIP): ", re.MULTILINE)
_GO_BROKEN: Final = re.compile(r"^(?:FAIL|panic: .*|FAIL\t.*\[(?:build|setup) failed\])$", re.MULTILINE)
_GO_RESULT: Final = re.compile(r"^ok\s*\t(\S+)[ \t]+(\(cached\)|[\d.]+s)", re.MULTILINE)


def go_packages(output: str, *, cached: bool) -> set[str]:
    """Return the Go packages whose tests passed: replayed from the cache, or run just now."""
    text = _COLOURS.sub("", output)
    text = go_output(text) or text
    return {name for name, note in _GO_RESULT.findall(text) if (note == "(cached)") == cached}


def _cargo(text: str) -> Counts | None:
    rows = [[int(number) for number in row] for row in _CARGO.findall(text)]
    parts = [Counts(passed=p, failed=f, skipped=i, deselected=o, collected=p + f + i + o) for p, f, i, o in rows]
    for ran, passed, failed, skipped in _NEXTEST.findall(text):
        parts.append(
            Counts(collected=int(ran), passed=int(passed or 0), failed=int(failed or 0), deselected=int(skipped or 0))
        )
    return added(parts)


_CARGO: Final = re.compile(
    r"^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; (\d+) filtered out",
    re.MULTILINE,
)
_NEXTEST: Final = re.compile(
    r"^\s*Summary \[.*?\]\s+(\d+) tests? run: (\d+) passed(?: \(.*?\))?(?:, (\d+) failed)?(?:, (\d+) skipped)?",
    re.MULTILINE,
)


def _named(pattern: re.Pattern[str], words: Mapping[str, str]) -> Callable[[str], Counts | None]:
    """Make a reader of lines such as `Tests: 1 failed, 2 passed, 3 total`; `words` maps the runner's words to ours."""

    def read(text: str) -> Counts | None:
        found: list[Counts] = []
        for match in pattern.finditer(text):
            sums = dict.fromkeys(words.values(), 0)
            for number, word in re.findall(r"(\d+) (\w+)", match[1]):
                if word in words:
                    sums[words[word]] += int(number)
            sums.setdefault("collected", sum(sums.values()))
            found.append(Counts(**sums))
        return added(found)

    return read


_jest = _named(
    re.compile(r"^Tests:\s+(.*\b\d+ total)\s*$", re.MULTILINE),
    {
        "passed": "passed",
        "failed": "failed",
        "skipped": "skipped",
        "todo": "skipped",
        "pending": "skipped",
        "total": "collected",
    },
)
_vitest = _named(
    re.compile(r"^\s*Tests\s+(\d+ (?:passed|failed|skipped|todo)\b.*\(\d+\))\s*$", re.MULTILINE),
    {"passed": "passed", "failed": "failed", "skipped": "skipped", "todo": "skipped"},
)
_playwright = _named(
    re.compile(r"^\s*((?:\d+ (?:passed|failed|skipped|flaky|did)\b[^\n]*\n?\s*)+)\s*\([\d.]+m?s\)", re.MULTILINE),
    {"passed": "passed", "failed": "failed", "skipped": "skipped", "flaky": "passed", "did": "skipped"},
)


def _rows(patterns: Mapping[str, str], needed: str) -> Callable[[str], Counts | None]:
    """Make a reader of one number per line; without the `needed` one there is no summary. `todo` counts as skipped."""
    compiled = {field: re.compile(pattern, re.MULTILINE) for field, pattern in patterns.items()}

    def read(text: str) -> Counts | None:
        sums: dict[str, int] = {}
        for field, pattern in compiled.items():
            numbers = [int(number) for number in pattern.findall(text)]
            if numbers:
                field = "skipped" if field == "todo" else "failed" if field == "cancelled" else field
                sums[field] = sums.get(field, 0) + sum(numbers)
        return Counts(**sums) if needed in sums else None

    return read


_bun = _rows(
    {
        "passed": r"^ (\d+) pass$",
        "failed": r"^ (\d+) fail$",
        "skipped": r"^ (\d+) skip$",
        "todo": r"^ (\d+) todo$",
        "deselected": r"^ (\d+) filtered out$",
        "collected": r"^Ran (\d+) tests? across ",
    },
    "collected",
)
_mocha = _rows(
    {"passed": r"^\s+(\d+) passing\b", "failed": r"^\s+(\d+) failing\b", "skipped": r"^\s+(\d+) pending\b"}, "passed"
)
_node = _rows(
    {
        "collected": r"^(?:#|ℹ) tests (\d+)$",
        "passed": r"^(?:#|ℹ) pass (\d+)$",
        "failed": r"^(?:#|ℹ) fail (\d+)$",
        "skipped": r"^(?:#|ℹ) skipped (\d+)$",
        "cancelled": r"^(?:#|ℹ) cancelled (\d+)$",
        "todo": r"^(?:#|ℹ) todo (\d+)$",
    },
    "collected",
)


def _exunit(text: str) -> Counts | None:
    found: list[Counts] = []
    for match in _EXUNIT.finditer(text):
        notes = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", match[0])}
        total = sum(notes.get(word, 0) for word in ("doctest", "doctests", "property", "properties", "test", "tests"))
        failed = notes.get("failure", 0) + notes.get("failures", 0) + notes.get("invalid", 0)
        skipped, excluded = notes.get("skipped", 0), notes.get("excluded", 0)
        passed = max(total - failed - skipped - excluded, 0)
        found.append(Counts(collected=total, passed=passed, failed=failed, skipped=skipped, deselected=excluded))
    return added(found)


_EXUNIT: Final = re.compile(
    r"^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?\d+ (?:tests?|doctests?|propert(?:y|ies)), \d+ failures?"
    r"(?:, \d+ (?:excluded|skipped|invalid))*\s*$",
    re.MULTILINE,
)


def _junit_like(pattern: str) -> Callable[[str], Counts | None]:
    """Make a reader of lines with the groups total, failed, errors and skipped, as far as the pattern has them."""
    compiled = re.compile(pattern, re.MULTILINE)

    def read(text: str) -> Counts | None:
        found: list[Counts] = []
        for match in compiled.finditer(text):
            group = {name: int(value or 0) for name, value in match.groupdict().items()}
            total, skipped = group["total"], group.get("skipped", 0)
            failed = group.get("failed", 0) + group.get("errors", 0)
            found.append(
                Counts(collected=total, passed=max(total - failed - skipped, 0), failed=failed, skipped=skipped)
            )
        return added(found)

    return read


_maven = _junit_like(
    r"^(?:\[\w+\]\s+)?Tests run: (?P<total>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+), Skipped: "
    r"(?P<skipped>\d+)\s*$"
)
_rspec = _junit_like(
    r"^(?P<total>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?(?:, (?P<errors>\d+) errors? "
    r".*)?\s*$"
)
_minitest = _junit_like(
    r"^(?P<total>\d+) (?:runs|tests), \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors, "
    r"(?P<skipped>\d+) skips\b.*$"
)
_phpunit_ok = _junit_like(r"^OK \((?P<total>\d+) tests?, \d+ assertions?\)\s*$")
_phpunit_notes = _junit_like(
    r"^Tests: (?P<total>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?"
    r"(?:, (?:Warnings|Deprecations): \d+)*(?:, Skipped: (?P<skipped>\d+))?.*\.$"
)
_ctest = _junit_like(r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<total>\d+)\s*$")
_dotnet = _junit_like(
    r"^(?:Passed|Failed)!\s+- Failed:\s+(?P<failed>\d+), Passed:\s+\d+, "
    r"Skipped:\s+(?P<skipped>\d+), "
    r"Total:\s+(?P<total>\d+).*$"
)


def _phpunit(text: str) -> Counts | None:
    return added(part for part in (_phpunit_ok(text), _phpunit_notes(text)) if part is not None)


_READERS: Final[dict[str, Callable[[str], Counts | None]]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "django": _unittest,
    "go": _go,
    "cargo": _cargo,
    "nextest": _cargo,
    "jest": _jest,
    "vitest": _vitest,
    "bun": _bun,
    "mocha": _mocha,
    "tap": _node,
    "playwright": _playwright,
    "exunit": _exunit,
    "maven": _maven,
    "rspec": _rspec,
    "minitest": _minitest,
    "phpunit": _phpunit,
    "ctest": _ctest,
    "dotnet": _dotnet,
    "bazel": bazel,
    "deno": deno,
    "sbt": sbt,
    "swift": swift,
}
"""Tool of a run → reader of its summary. A wrapper's output is read by all of them."""
SELF_CONTAINED: Final = frozenset(
    [
        "pytest",
        "unittest",
        "django",
        "jest",
        "vitest",
        "bun",
        "exunit",
        "rspec",
        "minitest",
        "phpunit",
        "ctest",
        "dotnet",
        "nextest",
    ]
)
"""Tools whose one summary line tells the failures too, so that it proves what a lost exit status does not."""
