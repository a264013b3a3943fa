"""Tables for people, drawn by rich: as wide as the terminal, or as wide as they need where there is none."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console as Terminal
from rich.table import Table
from rich.text import Text

WIDE = 10_000
"""Columns of an output that is no terminal."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool) -> str:
    """Return a table as text."""
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        drawn.add_column(Text(name), overflow="fold")
    for row in rows:
        drawn.add_row(*map(Text, row))
    out = io.StringIO()
    width = None if sys.stdout.isatty() else WIDE
    Terminal(file=out, width=width, no_color=not color, highlight=False).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))
