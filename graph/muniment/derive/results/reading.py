"""Reading structured results out of a text: an output, or a file that a run wrote.

* In an output a result stands among other lines; all that are of the run's family are added up.
* A wrapper (`npm test`, `make test`) does not say what it prints: there a result counts only where it is all that was
  printed, but for the lines in which the wrapper says what it runs.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.derive.results.documents import document_results
from muniment.derive.results.events import event_results
from muniment.derive.results.junit import junit_results
from muniment.derive.results.result import Result, joined
from muniment.derive.results.tap import tap_results

_SAYS_WHAT_IT_RUNS: Final = re.compile(r"(?:\s*\n|> [^\n]*\n|\$ [^\n]*\n|make(?:\[\d+\])?: [^\n]*\n)*")
_BEGINNING: Final = re.compile(r"<\?xml\b|<testsuites?\b|TAP version 1[234]$|1\.\.\d+$|[{\[]\s*[\"{\]]", re.MULTILINE)


def result_in(text: str, family: str) -> Result | None:
    """Return what the structured results of a family in a text say together; None where there is none."""
    text = text.replace("\r\n", "\n").lstrip("\ufeff")
    if family == "test":
        found = [*junit_results(text), *event_results(text, family)]
        return joined(found or [*document_results(text, family)] or tap_results(text))
    return joined([*event_results(text, family)] or document_results(text, family))


def is_result_alone(text: str) -> bool:
    """Tell whether a text begins as a structured result does, behind what a wrapper says that it runs."""
    start = _SAYS_WHAT_IT_RUNS.match(text)
    return _BEGINNING.match(text, start.end() if start is not None else 0) is not None
