"""Results that a build tool printed again instead of making them: they were not executed, and are counted as cached.

* Only where all results are replayed is nothing executed; where a part ran, what ran counts.
* A failure that is replayed stays a failure.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.derive.summaries import plain
from muniment.model.records import Counts

_REPLAYED: Final = re.compile(
    r"^\s*Cached:\s+(\d+) cached, (\d+) total\s*$|>>> FULL TURBO"
    r"|instead of running the command for (\d+) out of (\d+) tasks?"
    r"|^> Task :(?:[\w-]+:)*test (?:UP-TO-DATE|FROM-CACHE)$"
    r"|^Executed 0 out of \d+ tests?: .*",
    re.MULTILINE,
)
"""What turbo, nx, gradle and bazel say of results that they did not make anew."""


def replayed(output: str, counts: Counts | None) -> Counts | None:
    """Return what was counted, as replayed where a build tool says that it printed the results of an earlier run."""
    if counts is not None and counts.failed:
        return counts
    found = _REPLAYED.search(plain(output))
    if found is None or (counts is not None and counts.cached is not None):
        return counts
    told = [int(number) for number in found.groups() if number is not None]
    if len(told) == 2 and told[0] < told[1]:
        return counts  # only some of it was replayed: the rest ran
    passed = counts.passed if counts is not None and counts.passed else 1
    return Counts(collected=counts.collected if counts is not None else None, passed=0, failed=0, cached=passed)
