"""The ledger of a file: which lines are current, and where each was seen.

Lines count from 1. A segment says that lines `start`..`start + count - 1` of the file, as it is now, are lines
`offset`..`offset + count - 1` (from 0) of the text of excerpt `excerpt`. Segments are disjoint and in order; lines of
no
segment have not been seen as they are now. A state is never changed: each event makes a new one.
"""

from __future__ import annotations

import msgspec


class Segment(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A run of current lines with one source."""

    start: int
    count: int
    excerpt: str
    offset: int

    @property
    def stop(self) -> int:
        """The first line after the run."""
        return self.start + self.count


class LedgerState(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The current lines of one file. `total` is its number of lines, None where not known; `version` the newest version
    seen.
    """

    segments: tuple[Segment, ...] = ()
    total: int | None = None
    version: str = ""
    complete: bool = False
    """True where every line of the file is known: after a whole read or a write."""


NOTHING_KNOWN = LedgerState()
