"""What the store's verbs give back, where no other module has the type."""

from __future__ import annotations

import msgspec


class Recorded(int):
    """The position of the last record, with counts: `records given = stored + duplicates`."""

    stored: int
    duplicates: int

    def __new__(cls, position: int, stored: int, duplicates: int) -> Recorded:
        """Make a position with counts."""
        made = super().__new__(cls, position)
        made.stored, made.duplicates = stored, duplicates
        return made


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What a rebuild made of a mission; `digest` is over all nodes and edges."""

    mission: str
    nodes: int
    edges: int
    digest: str
