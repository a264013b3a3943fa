"""What a packet covers: from the record that it names to the ordinal as of which it speaks, and back.

* A packet names the newest record that made a node. What only moved things after it (a task's state, a timer's end) and
  made no node of its own is covered too: up to the next node.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from muniment.model.nodes import NODE_TYPES, Excerpt, FileVersion, Name, Node, Symbol
from muniment.snapshot import WINDOW, LiveReads, Snapshot

_COUNTED: Final = tuple(kind for kind in NODE_TYPES if kind not in (Excerpt, FileVersion, Name, Symbol))
"""Kinds of which each record that makes a node makes one."""


def newest_record(live: LiveReads) -> str:
    """Return the id of the newest record that made a node; "" where nothing is on record."""
    newest = live.newest(_COUNTED, 1)
    return newest[0].record if newest else ""


def ordinal_covered(snapshot: Snapshot, covers_to: str | int | None) -> int:
    """Return the ordinal as of which a packet speaks that covers up to this record; 0 where nothing is known of it."""
    if isinstance(covers_to, int):
        return min(covers_to, snapshot.ordinal)
    made = snapshot.named(covers_to) if covers_to else []
    if not made:
        return 0
    last = max(node.ordinal for node in made)
    following = [after for kind in _COUNTED if (after := _first_after(snapshot, kind, last))]
    return min(following) - 1 if following else snapshot.ordinal


def _first_after(snapshot: Snapshot, kind: type[Node], ordinal: int) -> int:
    newest = snapshot.newest([kind])
    if len(newest) >= WINDOW and newest[-1].ordinal > ordinal:
        nodes = snapshot.of_kind(kind)
        return nodes[bisect_right(nodes, ordinal, key=lambda node: node.ordinal)].ordinal
    after = [node.ordinal for node in newest if node.ordinal > ordinal]
    return min(after, default=0)
