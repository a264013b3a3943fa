"""What build tools that run tests themselves count in their own words: Bazel, Deno, sbt and Swift.

* Bazel counts targets; those that it did not execute this time are replayed from its cache, and count as cached.
* Swift tells each suite: only the line of the suite of all tests counts.
"""

from __future__ import annotations

import re

from muniment.derive.results.result import added
from muniment.model.records import Counts


def bazel(text: str) -> Counts | None:
    """Read `Executed 1 out of 3 tests: 3 tests pass.`"""
    found = []
    for executed, total, told in _BAZEL.findall(text):
        passes = sum(int(number) for number in _BAZEL_PASSES.findall(told))
        failed = sum(int(number) for number in _BAZEL_FAILS.findall(told))
        skipped = sum(int(number) for number in _BAZEL_SKIPS.findall(told))
        passed = min(passes, max(int(executed) - failed, 0))
        cached = passes - passed or None
        found.append(Counts(collected=int(total), passed=passed, failed=failed, skipped=skipped, cached=cached))
    return added(found)


def deno(text: str) -> Counts | None:
    """Read `ok | 9 passed (2 steps) | 0 failed | 1 ignored (12ms)`."""
    rows = [[int(number or 0) for number in row] for row in _DENO.findall(text)]
    return added(Counts(collected=p + f + i + o, passed=p, failed=f, skipped=i, deselected=o) for p, f, i, o in rows)


def sbt(text: str) -> Counts | None:
    """Read `[info] Passed: Total 9, Failed 0, Errors 0, Passed 8, Ignored 1`."""
    rows = [[int(number or 0) for number in row] for row in _SBT.findall(text)]
    return added(Counts(collected=t, passed=p, failed=f + e, skipped=max(t - f - e - p, 0)) for t, f, e, p in rows)


def swift(text: str) -> Counts | None:
    """Read the line below `Test Suite 'All tests' passed`, and `Test run with 9 tests passed`."""
    found = []
    for total, skipped, failed in ([int(n or 0) for n in row] for row in _XCTEST.findall(text)):
        passed = max(total - skipped - failed, 0)
        found.append(Counts(collected=total, passed=passed, failed=failed, skipped=skipped))
    for number, word in _SWIFT_TESTING.findall(text):
        failed = int(word == "failed")
        found.append(Counts(collected=int(number), passed=max(int(number) - failed, 0), failed=failed))
    return added(each for each in found if each.collected)


_BAZEL = re.compile(r"^Executed (\d+) out of (\d+) tests?: (.*)$", re.MULTILINE)
_BAZEL_PASSES = re.compile(r"(\d+) tests? pass(?:es)?\b")
_BAZEL_FAILS = re.compile(r"(\d+) (?:tests? )?fails?\b")
_BAZEL_SKIPS = re.compile(r"(\d+) (?:tests? )?(?:was|were) skipped\b")
_DENO = re.compile(
    r"^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?"
    r"(?: \| (\d+) ignored(?: \(\d+ steps?\))?)?(?: \| \d+ measured)?(?: \| (\d+) filtered out)? \([\d.]+m?s\)\s*$",
    re.MULTILINE,
)
_SBT = re.compile(
    r"^\[\w+\] (?:Passed|Failed): Total (\d+), Failed (\d+), Errors (\d+), Passed (\d+)\b.*$", re.MULTILINE
)
_XCTEST = re.compile(
    r"^Test Suite 'All tests' (?:passed|failed) at .*\n\s*Executed (\d+) tests?, "
    r"with (?:(\d+) tests? skipped and )?(\d+) failures?\b.*$",
    re.MULTILINE,
)
_SWIFT_TESTING = re.compile(
    r"^\S+\s+Test run with (\d+) tests? (?:in \d+ suites? )?(passed|failed) after .*$", re.MULTILINE
)
