"""TAP, the Test Anything Protocol, in its versions 12 to 14, as node, ava, bats, tap and prove write it.

* Only lines at the left margin count; parts of a test stand indented. Node's own totals count those too.
* A stream is whole if it has its plan (`1..N`) and all N results; `Bail out!` is a failure.
* What fails under `# TODO` was expected to, and counts as skipped, as does `# SKIP`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from muniment.derive.results.result import Result, result_of
from muniment.model.records import Counts

_HEAD: Final = re.compile(r"^TAP version 1[234]\s*$", re.MULTILINE)
_PLAN: Final = re.compile(r"^1\.\.(\d{1,9})\s*(?:#.*)?$", re.MULTILINE)
_LINE: Final = re.compile(r"^(not )?ok\b[ \t]*\d*(?:[ \t]*-)?[ \t]*([^#\n]*)(?:#[ \t]*(\w+).*)?$", re.MULTILINE)
_BAIL: Final = re.compile(r"^Bail out!(.*)$", re.MULTILINE)
_TOTAL: Final = re.compile(r"^# (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$", re.MULTILINE)
_EXPECTED: Final = ("skip", "todo")


def tap_results(text: str) -> Iterator[Result]:
    """Return the result of a TAP stream in a text, where there is one: it begins with its version, or its plan."""
    plan = _PLAN.search(text)
    if _HEAD.search(text) is None and plan is None:
        return
    states: list[str] = []
    failed: list[str] = []
    for bad, name, directive in _LINE.findall(text):
        expected = directive.lower().startswith(_EXPECTED)
        states.append("skipped" if expected else "failed" if bad else "passed")
        if bad and not expected:
            failed.append(name.strip() or "?")
    ends = _BAIL.findall(text)
    whole = plan is not None and int(plan[1]) == len(states) and len(_PLAN.findall(text)) == 1 and not ends
    counts = Counts(
        collected=len(states),
        passed=states.count("passed"),
        failed=states.count("failed") + len(ends),
        skipped=states.count("skipped"),
    )
    yield result_of(
        _with_totals(counts, text), failed + [reason.strip() or "Bail out!" for reason in ends], whole=whole
    )


def _with_totals(counts: Counts, text: str) -> Counts:
    """Return node's own totals, which count parts of tests too, where they are there."""
    told = {name: int(number) for name, number in _TOTAL.findall(text)}
    if "tests" not in told or "pass" not in told:
        return counts
    return Counts(
        collected=told["tests"],
        passed=told["pass"],
        failed=max(told.get("fail", 0) + told.get("cancelled", 0), counts.failed or 0),
        skipped=told.get("skipped", 0) + told.get("todo", 0),
    )
