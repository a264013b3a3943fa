"""The index: files and commands that the view does not show, one line each, so that they can be asked for.

A file is pointed to by runs of its lines that are not shown, each of about 1,000 tokens at most, those nearest to what
was seen last first: one of them can be asked for by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.nodes import Receipt
from muniment.selection.excerpts import Chunk, Shelf, handles, sources_of
from muniment.selection.pieces import A_TOKEN, POINTER_TOKENS, Desk, Piece, first_line
from muniment.selection.steps import Happening, outcome
from muniment.selection.view import CURRENT, HISTORY

COMMAND_TOKENS = 24
RUNS_TOLD = 4
"""Runs of a file that its line names: the others are in `View.omitted`."""


def file_lines(desk: Desk, shelves: Iterable[Shelf]) -> Iterable[Piece]:
    """Yield a line for each file of which known lines are not shown, in the order given."""
    for shelf in shelves:
        if not shelf.hidden:
            continue
        sources = sources_of(desk, shelf.state)
        newest = sorted(sources, key=lambda source: (-source.ordinal, source.id))[:1]
        total = f"{shelf.state.total}" if shelf.state.total is not None else "?"
        runs = ", ".join(f"{first}-{last}" for first, last in hidden_runs(shelf)[:RUNS_TOLD])
        text = f"{shelf.path}:{runs} of {total} lines ({handles(desk, newest)})"
        yield Piece(
            node=shelf.file,
            section="files",
            text=text,
            tokens=desk.cost(text),
            why="lines of it are known and not shown",
            role=CURRENT,
            path=shelf.file.path,
            receipts=tuple(source.receipt for source in newest),
        )


def hidden_runs(shelf: Shelf) -> list[tuple[int, int]]:
    """Return runs of known lines of a file that are not shown, best first, none much longer than a pointer may be."""
    waiting = shelf.waiting()
    places = {chunk.first: place for place, chunk in enumerate(waiting)}
    runs: list[list[Chunk]] = []
    size = 0
    for chunk in sorted(waiting, key=lambda chunk: chunk.first):
        size += len(chunk.text)
        if runs and runs[-1][-1].last + 1 == chunk.first and size <= POINTER_TOKENS * A_TOKEN:
            runs[-1].append(chunk)
        else:
            runs.append([chunk])
            size = len(chunk.text)
    runs.sort(key=lambda run: min(places[chunk.first] for chunk in run))
    return [(run[0].first, run[-1].last) for run in runs]


def command_lines(desk: Desk, happenings: Iterable[Happening]) -> Iterable[Piece]:
    """Yield a line for each command, in the order given."""
    for node in happenings:
        if not isinstance(node, Receipt) or node.command is None:
            continue
        command = desk.text(node.command)
        kept = desk.counter.cut(first_line(command), COMMAND_TOKENS)
        text = f"{node.handle} {kept}{'' if kept == command else ' […]'} → {outcome(node)}"
        yield Piece(
            node=node,
            section="commands",
            text=text,
            tokens=desk.cost(text),
            why="a command that is not shown",
            role=HISTORY,
            receipts=(node.id,),
        )
