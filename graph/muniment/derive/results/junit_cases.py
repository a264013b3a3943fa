"""The test cases of a whole JUnit document, as `junitparser` reads them.

* A test that failed as expected (`pytest.xfail`) ran, and counts as passed, as it does in words.
* Nothing imports this module by name but what meets a document (`junit`): the parser is slow to load.
"""

from __future__ import annotations

from typing import Final

from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped, TestCase

_NOT_RUN: Final = frozenset({"notrun", "disabled", "skipped", "ignored", "suppressed"})


def cases_of(data: bytes) -> list[tuple[str | None, str | None, str]] | None:
    """Return each case's class, name and state (passed, failed or skipped); None where it is no such document."""
    try:
        cases = [case for suite in JUnitXml.fromstring(data) for case in suite]
    except (JUnitXmlError, SyntaxError, ValueError):
        return None
    return [(case.classname, case.name, _state(case)) for case in cases]


def _state(case: TestCase) -> str:
    results = case.result
    if any(isinstance(each, Failure | Error) for each in results):
        return "failed"
    skips = [each for each in results if isinstance(each, Skipped)]
    if any(each.type != "pytest.xfail" for each in skips):
        return "skipped"
    told = {str(case._elem.get(name, "")).lower() for name in ("status", "result")}
    return "passed" if told.isdisjoint(_NOT_RUN) else "skipped"
