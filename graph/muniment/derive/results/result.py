"""What a structured result says: counts, the names of what failed and was skipped, and whether it is all there.

* A result that was cut off, or that holds less than it says, is not `whole`: of it only failures count.
* What is named as failed has failed, whatever the counts say.
* `skipped` is given only where the names are those that a runner takes as arguments, since claims are compared with
  them; all of them, or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.model.records import Counts

MOST_NAMES: Final = 100
_FIELDS: Final = ("collected", "passed", "failed", "skipped", "deselected", "cached")


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What structured results say. `counts` None: nothing can be told."""

    counts: Counts | None = None
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    whole: bool = True

    @property
    def tells(self) -> bool:
        """Whether it says more than words could: all of the run, or that something failed."""
        return self.counts is not None and (self.whole or bool(self.counts.failed))


BROKEN: Final = Result(whole=False)


def added(found: Iterable[Counts]) -> Counts | None:
    """Add counts up; what none of them says stays unsaid."""
    parts = list(found)
    if not parts:
        return None
    sums: dict[str, int] = {}
    for field in _FIELDS:
        told = [value for part in parts if (value := getattr(part, field)) is not None]
        if told:
            sums[field] = sum(told)
    return Counts(**sums)


def result_of(counts: Counts, failed: Iterable[str] = (), skipped: Iterable[str] = (), *, whole: bool = True) -> Result:
    """Return a result; of one that is not whole the failures only, and no more names than are of use."""
    names, left_out = tuple(dict.fromkeys(failed)), tuple(dict.fromkeys(skipped))
    if whole and names and not counts.failed:
        counts = msgspec.structs.replace(counts, failed=len(names))
    if not whole:
        failures = Counts(failed=counts.failed) if counts.failed else None
        return Result(counts=failures, failed=names[:MOST_NAMES], whole=False)
    return Result(counts=counts, failed=names[:MOST_NAMES], skipped=left_out if len(left_out) <= MOST_NAMES else ())


def joined(results: Iterable[Result]) -> Result | None:
    """Return several results as one; None where there is none. One that is not whole leaves only failures."""
    found = list(results)
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    counts = added(result.counts for result in found if result.counts is not None) or Counts()
    skipped = [name for result in found for name in result.skipped]
    named = sum(len(result.skipped) for result in found) >= (counts.skipped or 0)
    return result_of(
        counts,
        [name for result in found for name in result.failed],
        skipped if named else (),
        whole=all(result.whole for result in found),
    )


def part(result: Result) -> Result:
    """Return a result that went through a filter, or was read in part: only its failures count."""
    return result_of(result.counts or Counts(), result.failed, whole=False)
