"""Tables as rich draws them. It is slow to load: `tables` imports this module when the first one is drawn."""

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


def drawn_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool) -> str:
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
