"""Known lines: the current lines of the files that were asked for last, put together once.

* They are what the ledger says, and nothing else: kept for the very segments that they were made of.
* An edit of a file that is known whole changes its list where the edit is; so many edits of one large file cost no more
  than a pass over its lines each.
* Lists are shared with whoever asks: nobody changes them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from muniment.derive import ledger
from muniment.derive.hunks import Splice
from muniment.derive.state import FileState
from muniment.model.ledger import LedgerState

FILES: Final = 16
"""Files whose lines are kept: about as many as an agent works on at a time."""


class KnownLines:
    """The lines of some files, None where a line is not known, each with the state of the ledger that they are of."""

    def __init__(self, lines_of: Callable[[str], list[str]]) -> None:
        """`lines_of` gives the lines of an excerpt's text."""
        self._lines_of = lines_of
        self._held: OrderedDict[str, tuple[LedgerState, list[str | None]]] = OrderedDict()

    def of(self, file: FileState) -> list[str | None]:
        """Return the current lines of a file."""
        held = self._held.get(file.node)
        if held is not None and _same(held[0], file.ledger):
            return held[1]
        lines = ledger.known_lines(file.ledger, self._lines_of)
        self.keep(file, lines)
        return lines

    def keep(self, file: FileState, lines: list[str | None]) -> None:
        """Remember what the lines of a file are now."""
        self._held[file.node] = (file.ledger, lines)
        self._held.move_to_end(file.node)
        if len(self._held) > FILES:
            self._held.popitem(last=False)

    def edited(self, file: FileState, before: list[str | None], splices: tuple[Splice, ...], added: list[str]) -> None:
        """Remember the lines of a file that was, and is, known whole: `before` with splices of `added` lines."""
        lines: list[str | None] = []
        reached = 0
        for splice in splices:
            lines += before[reached : splice.start - 1]
            lines += added[splice.offset : splice.offset + splice.added]
            reached = splice.stop - 1
        self.keep(file, lines + before[reached:])


def _same(one: LedgerState, other: LedgerState) -> bool:
    """Tell whether two states know the same lines; versions apart."""
    return one is other or (one.segments is other.segments and one.total == other.total)
