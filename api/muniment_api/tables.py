"""Tables for people: as wide as the terminal, or as wide as they need where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool) -> str:
    """Return a table as text."""
    drawn: str = import_module("muniment_api.drawn_tables").drawn_table(columns, rows, color=color)
    return drawn
