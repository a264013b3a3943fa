"""JUnit XML, as pytest, jest-junit, go-junit-report, Maven, Gradle, mocha and many others write it.

* The text is nobody's to trust: a document type (and with it any entity) is refused, and so is deep nesting.
* A document ends where its root does; one that is cut off tells only of the failures that it shows.
* Where the totals of a document say more tests or failures than it lists, it was cut, or says less than it knows.
* Names of elements count without their namespace, and in any case of letters. A failure that stands elsewhere than in
  a test (a suite that could not be set up), and a status that says failed, are failures too.
* A total that is no number of sane size says that the document is not to be trusted as whole.
* Its cases are read by `junit_cases`, which is loaded with the first whole document: few sessions hold one, and all
  commands begin with this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Final
from xml.parsers import expat

from muniment.derive.results.result import BROKEN, Result, result_of
from muniment.model.records import Counts

_START: Final = re.compile(r"^[ \t]*(?:<\?xml\b[^>]{0,200}\?>\s*(?:<!--.{0,2000}?-->\s*)?)?<testsuites?\b", re.M | re.S)
_TYPED: Final = re.compile(r"^[ \t]*(?:<\?xml\b[^>]{0,200}\?>\s*)?<!DOCTYPE\s+testsuites?\b", re.M)
_DECLARATION: Final = re.compile(r"\s*<\?xml\b[^>]*\?>")
_DEEPEST: Final = 64
_MOST: Final = 500
"""Documents of one text beyond which nobody counts."""
_FAILED: Final = frozenset({"failed", "fail", "failure", "error", "errored", "broken"})
_END_TAG: Final = re.compile(rb"</[^<>]*>")


def junit_results(text: str) -> Iterator[Result]:
    """Return the results of the JUnit documents in a text, in order."""
    if _TYPED.search(text) is not None:
        yield BROKEN
        return
    place = 0
    for _ in range(_MOST):
        match = _START.search(text, place)
        if match is None:
            return
        declared = _DECLARATION.match(text, match.start())
        begin = declared.end() if declared is not None else match.start()
        data = text[begin:].encode("utf-8", "replace")
        scan = _Scan()
        size = scan.size_of(data)
        if size is None:
            yield result_of(Counts(failed=scan.failed), scan.names, whole=False)
            return
        yield _whole(data[:size], scan)
        place = begin + len(data[:size].decode("utf-8"))
    yield BROKEN


class _RefusedError(Exception):
    """A document that is not to be read."""


class _Scan:
    """One pass over a document: how long it is, and which failures it shows."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.totals: dict[int, tuple[int, int]] = {}
        """How many tests and failures the root says that it has, and (2) the suites in it together."""
        self._depth = 0
        self._outer = 1
        self.odd = False
        """Whether a total is no number of sane size."""
        self._case: str | None = None
        self._last: int | None = None
        self._parser = expat.ParserCreate()

    @property
    def failed(self) -> int:
        """How many failures were shown."""
        return len(self.names)

    def size_of(self, data: bytes) -> int | None:
        """Return the number of bytes of the document that `data` begins with, None where it has no end."""
        parser = self._parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._typed
        try:
            parser.Parse(data, True)
        except expat.ExpatError:
            pass  # what stands behind the document, or what breaks it: whether its root has ended tells which
        except _RefusedError:
            self.names.clear()
            return None
        tag = _END_TAG.match(data, self._last or 0)
        return tag.end() if tag is not None else self._last

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError
        if tag in ("testsuites", "testsuite") and self._depth <= self._outer:
            self._add(self._depth, attributes)
            self._outer = 2 if tag == "testsuites" and self._depth == 1 else self._outer
        elif tag == "testcase":
            self._case = _name(attributes.get("classname"), attributes.get("name"))
            if not _FAILED.isdisjoint({attributes.get(name, "").lower() for name in ("status", "result")}):
                self._fails(self._case)
        elif tag.rpartition(":")[2].lower() in ("failure", "error"):
            self._fails(self._case or "?")

    def _fails(self, name: str) -> None:
        if name not in self.names[-1:]:
            self.names.append(name)

    def _add(self, level: int, attributes: dict[str, str]) -> None:
        given = (attributes.get(name) for name in ("tests", "failures", "errors"))
        self.odd = self.odd or any(each is not None and not _is_number(each) for each in given)
        tests, failed = self.totals.get(level, (0, 0))
        failures = _number(attributes.get("failures")) + _number(attributes.get("errors"))
        self.totals[level] = (tests + _number(attributes.get("tests")), failed + failures)

    def _end(self, tag: str) -> None:
        self._case = None if tag == "testcase" else self._case
        self._depth -= 1
        if not self._depth and self._last is None:
            self._last = self._parser.CurrentByteIndex

    def _typed(self, *_told: object) -> None:
        raise _RefusedError


def _whole(data: bytes, scan: _Scan) -> Result:
    cases = _reader()(data)
    if cases is None:
        return BROKEN
    states = [state for _, _, state in cases]
    told = list(scan.totals.values())
    seen = len(set(scan.names))
    failed = max([states.count("failed"), seen, *(failures for _, failures in told)])
    passed, skipped = states.count("passed"), states.count("skipped")
    counts = Counts(collected=len(cases), passed=passed, failed=failed, skipped=skipped)
    names = [_name(group, name) for group, name, state in cases if state == "failed"]
    complete = all(tests <= len(cases) for tests, _ in told) and failed == states.count("failed") and not scan.odd
    return result_of(counts, names if len(names) >= seen else scan.names, whole=complete)


def _number(text: str | None) -> int:
    return int(text) if text is not None and _is_number(text) else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


@cache
def _reader() -> Callable[[bytes], list[tuple[str | None, str | None, str]] | None]:
    reader: Callable[[bytes], list[tuple[str | None, str | None, str]] | None]
    reader = import_module("muniment.derive.results.junit_cases").cases_of
    return reader


def _name(group: str | None, name: str | None) -> str:
    return "::".join(part for part in (group, name) if part) or "?"
