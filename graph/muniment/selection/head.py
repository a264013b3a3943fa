"""The head: evidence that stays the same over many steps, so that a model's prompt cache can keep it.

* It is chosen as of the last mark, every `MARK` ordinals: with what was known then, in half of the room that there was.
  So it changes by the history alone, never by which views were asked for.
* What no longer holds is left out of it: lines of a file that are other lines now, or stand elsewhere, or that a
  withdrawn receipt showed; what was withdrawn; more of a message that is shown in another size now. The rest keeps its
  text.
* It is of the sessions that are in focus now, as far as they were known at the mark.
* What the head shows the rest of the view does not show again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.model.ledger import LedgerState, Segment
from muniment.selection.pieces import Piece

Lines = tuple[int, int]
"""First and last line of a run."""


class Head(msgspec.Struct, frozen=True):
    """The pieces of a head; which lines of which file it shows, by the file's id; and which steps."""

    pieces: tuple[Piece, ...]
    lines: dict[str, tuple[Lines, ...]]
    steps: frozenset[str]

    @property
    def tokens(self) -> int:
        """What the pieces cost."""
        return sum(piece.tokens for piece in self.pieces)


NO_HEAD: Final = Head((), {}, frozenset())


def beside(state: LedgerState, lines: Sequence[Lines]) -> LedgerState:
    """Return the lines of a file that are known and not among `lines`."""
    segments = list(state.segments)
    for first, last in lines:
        segments = [part for segment in segments for part in _cut_out(segment, first, last + 1)]
    return msgspec.structs.replace(state, segments=tuple(segments))


def _cut_out(segment: Segment, start: int, stop: int) -> list[Segment]:
    if segment.stop <= start or stop <= segment.start:
        return [segment]
    parts = []
    if segment.start < start:
        parts.append(Segment(segment.start, start - segment.start, segment.excerpt, segment.offset))
    if stop < segment.stop:
        parts.append(Segment(stop, segment.stop - stop, segment.excerpt, segment.offset + stop - segment.start))
    return parts
