"""JSON documents within a text: where they begin and end, and whose they are by their shape.

* A document begins at the left margin. One that does not end is broken, if it has the words of a report; so is one
  that has a key twice, or what is no number (`NaN`).
* The shapes are those of the runner's families: reports of tests (`reports`) and lists of problems (`problems`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from muniment.derive.results import problems, reports
from muniment.derive.results.result import BROKEN, Result

_OPENING: Final = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_MOST: Final = 40
"""Beginnings of documents that are tried in one text."""
_KEYS: Final = re.compile(
    r'"(?:numTotalTests|testResults|assertionResults|nodeid|exitcode|passes|suites|examples|summary|results'
    r'|filePath|errorCount|message|ruleId|generalDiagnostics|diagnostics|Issues|runs|offenses)"'
)
_SEEN: Final = 4_000


def document_results(text: str, family: str) -> Iterator[Result]:
    """Return the results of the JSON documents in a text that are of a family of runs."""
    shapes = reports.SHAPES if family == "test" else problems.SHAPES
    place = 0
    for _ in range(_MOST):
        match = _OPENING.search(text, place)
        if match is None:
            return
        try:
            value, place = _DECODER.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            place = text.find("\n", match.end()) + 1 or len(text)
            if _KEYS.search(text, match.end(), match.end() + _SEEN) is not None and _is_opening(text, match.end()):
                yield BROKEN
                return
            continue
        found = _told(value, shapes)
        if found is not None:
            yield found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; one that says a thing twice says nothing for certain."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _no_number(_name: str) -> object:
    raise ValueError


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


def _is_opening(text: str, place: int) -> bool:
    """Tell whether a brace opens a JSON document, and no line of somebody's log."""
    return re.compile(r'\{\s*(?:"|\Z)|\[\s*(?:[{"]|\Z)').match(text, place) is not None


def _told(value: object, shapes: tuple[Callable[[object], Result | None], ...]) -> Result | None:
    for shape in shapes:
        try:
            found = shape(value)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        if found is not None:
            return found
    return None
