"""Drafts: what a head was made of when it was chosen, as of a mark.

* A draft follows from its request and from the history up to the mark, which never changes within one graph. So it is
  made once for each mark and kept with the graph (`LiveReads.made`): what is found there is what would be made again,
  whichever views were asked for before.
* What of it still holds is another question, asked for each view (`settling`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import msgspec

from muniment.model.ledger import LedgerState
from muniment.model.nodes import File
from muniment.selection.excerpts import Chunk
from muniment.selection.parts import Names
from muniment.selection.pieces import Desk, Piece

MOST: Final = 16
"""Drafts that are kept, of half a view each: for different tasks, agents, budgets and models."""


class Kept(msgspec.Struct, frozen=True):
    """What was chosen of a file when `state` was known of it, each chunk for its `names`."""

    file: File
    state: LedgerState
    chunks: tuple[Chunk, ...]
    names: tuple[Names, ...]


class Draft(msgspec.Struct, frozen=True):
    """What was chosen of files, those touched last at the end; and of steps. `above`: what stood above, by node."""

    files: tuple[Kept, ...]
    steps: tuple[Piece, ...]
    above: dict[str, str]


class Drafts(dict[Hashable, Draft]):
    """The drafts of a graph, by what they follow from."""


def kept_draft(desk: Desk, key: Hashable, make: Callable[[], Draft]) -> Draft:
    """Return the draft with a key that says all that it follows from beside the graph; make it if there is none."""
    drafts = desk.live.made.setdefault(Drafts, Drafts())
    assert isinstance(drafts, Drafts)
    draft = drafts.get(key)
    if draft is None:
        draft = make()
        if len(drafts) >= MOST:
            drafts.clear()
        drafts[key] = draft
    return draft
