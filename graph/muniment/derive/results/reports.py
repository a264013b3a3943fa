"""Reports of tests as one JSON document, by their shape.

* jest and vitest, mocha, playwright, rspec, pytest-json-report, and CTRF, which many write.
* What a report says of itself beside its counts (an exit code, `success`) makes it failed, never passed.
* One that counts more tests than it says the end of, or whose counts are no numbers, is not whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from muniment.derive.results.fields import number, rows, table, text, whole_number
from muniment.derive.results.result import Result, result_of
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Counts

_COUNTED: Final = frozenset(
    {
        "tests",
        "passes",
        "failures",
        "pending",
        "passed",
        "failed",
        "skipped",
        "other",
        "expected",
        "unexpected",
        "flaky",
        "total",
        "error",
        "errors",
        "collected",
        "xfailed",
        "xpassed",
        "deselected",
        "example_count",
        "failure_count",
        "pending_count",
        "errors_outside_of_examples_count",
    }
)


def _jest(value: object) -> Result | None:
    body = table(value)
    if "numTotalTests" not in body or "numPassedTests" not in body:
        return None
    cases = [case for suite in rows(body, "testResults") for case in rows(suite, "assertionResults")]
    failed = [text(case, "fullName") or text(case, "title") for case in cases if case.get("status") == "failed"]
    number_failed = number(body, "numFailedTests") + number(body, "numRuntimeErrorTestSuites")
    suites = any(suite.get("status") == "failed" for suite in rows(body, "testResults"))
    if not number_failed and (suites or body.get("success") is False or number(body, "numFailedTestSuites")):
        number_failed = 1
    counts = Counts(
        collected=number(body, "numTotalTests"),
        passed=number(body, "numPassedTests"),
        failed=number_failed,
        skipped=number(body, "numPendingTests") + number(body, "numTodoTests"),
    )
    return result_of(counts, failed, whole=body.get("wasInterrupted") is not True and _adds_up(counts, body, "num"))


def _mocha(value: object) -> Result | None:
    body = table(value)
    stats = table(body.get("stats"))
    if "passes" not in stats or "failures" not in stats:
        return None
    counts = Counts(
        collected=number(stats, "tests"),
        passed=number(stats, "passes"),
        failed=number(stats, "failures"),
        skipped=number(stats, "pending"),
    )
    bad = [text(case, "fullTitle") for case in rows(body, "failures")]
    return result_of(counts, bad, whole=_adds_up(counts, stats))


def _playwright(value: object) -> Result | None:
    body = table(value)
    stats = table(body.get("stats"))
    if "expected" not in stats or "unexpected" not in stats:
        return None
    passed, failed = number(stats, "expected") + number(stats, "flaky"), number(stats, "unexpected")
    skipped = number(stats, "skipped")
    counts = Counts(
        collected=passed + failed + skipped,
        passed=passed,
        failed=failed or len(rows(body, "errors")),
        skipped=skipped,
    )
    return result_of(counts, _specs(body, 0), whole=_adds_up(counts, stats))


def _specs(suite: JSON_OBJECT, depth: int) -> Iterator[str]:
    for spec in rows(suite, "specs"):
        if spec.get("ok") is False:
            yield text(spec, "title")
    if depth < 20:
        for inner in rows(suite, "suites"):
            yield from _specs(inner, depth + 1)


def _rspec(value: object) -> Result | None:
    body = table(value)
    told = table(body.get("summary"))
    if "example_count" not in told or "failure_count" not in told:
        return None
    total, pending = number(told, "example_count"), number(told, "pending_count")
    failed = number(told, "failure_count")
    names = [text(case, "full_description") for case in rows(body, "examples") if case.get("status") == "failed"]
    counts = Counts(
        collected=total,
        passed=max(total - failed - pending, 0),
        failed=failed + number(told, "errors_outside_of_examples_count"),
        skipped=pending,
    )
    return result_of(counts, names, whole=_adds_up(counts, told))


def _pytest(value: object) -> Result | None:
    body = table(value)
    told = table(body.get("summary"))
    code = whole_number(body, "exitcode")
    if code is None or ("total" not in told and "collected" not in told):
        return None
    passed = number(told, "passed") + number(told, "xfailed") + number(told, "xpassed")
    failed = number(told, "failed") + number(told, "error")
    skipped, deselected = number(told, "skipped"), number(told, "deselected")
    whole = code in (0, 1, 5) and number(told, "total") <= passed + failed + skipped + deselected
    counts = Counts(
        collected=passed + failed + skipped + deselected,
        passed=passed,
        failed=failed or (1 if code == 1 else 0),
        skipped=skipped,
        deselected=deselected,
    )
    cases = rows(body, "tests")
    bad = [text(case, "nodeid") for case in cases if case.get("outcome") in ("failed", "error")]
    left_out = [text(case, "nodeid") for case in cases if case.get("outcome") == "skipped"]
    return result_of(counts, bad, left_out if len(left_out) == skipped else (), whole=whole and _adds_up(counts, told))


def _ctrf(value: object) -> Result | None:
    results = table(table(value).get("results"))
    told = table(results.get("summary"))
    if "tests" not in told or "passed" not in told or "failed" not in told:
        return None
    counts = Counts(
        collected=number(told, "tests"),
        passed=number(told, "passed"),
        failed=number(told, "failed"),
        skipped=number(told, "skipped") + number(told, "pending"),
    )
    names = [text(case, "name") for case in rows(results, "tests") if case.get("status") == "failed"]
    return result_of(counts, names, whole=not number(told, "other") and _adds_up(counts, told))


def _adds_up(counts: Counts, told: JSON_OBJECT, begin: str = "") -> bool:
    """Tell whether each test counted has an end among the counts, and each field of counts is a number of sane size.

    `begin`: how the names of such fields begin.
    """
    ended = (counts.passed or 0) + (counts.failed or 0) + (counts.skipped or 0) + (counts.deselected or 0)
    odd = any(
        whole_number(told, name) is None
        for name, value in told.items()
        if name.startswith(begin) and (begin or name in _COUNTED) and value is not None
    )
    return (counts.collected or 0) <= ended and not odd


SHAPES: Final[tuple[Callable[[object], Result | None], ...]] = (_jest, _mocha, _playwright, _rspec, _pytest, _ctrf)
