"""Progress bars: on stderr, and only where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console as Terminal
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

Watcher = Callable[[int, int], None]
"""Told what is done and what there is in all (0: not known)."""


@contextmanager
def progress_bar(what: str, *, color: bool) -> Iterator[Watcher | None]:
    """Show a bar while the block runs; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Terminal(stderr=True, no_color=not color),
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole or None)
