"""The index: files and commands that the view does not show, one line each, so that they can be asked for."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.nodes import Receipt
from muniment.selection.excerpts import Shelf, handles, sources_of
from muniment.selection.pieces import Desk, Piece, first_line
from muniment.selection.steps import Happening, outcome
from muniment.selection.view import CURRENT, HISTORY

COMMAND_TOKENS = 24


def file_lines(desk: Desk, shelves: Iterable[Shelf]) -> Iterable[Piece]:
    """Yield a line for each file of which known lines are not shown, in the order given."""
    for shelf in shelves:
        if not shelf.hidden:
            continue
        sources = sources_of(desk, shelf.state)
        newest = sorted(sources, key=lambda source: (-source.ordinal, source.id))[:1]
        total = f"{shelf.state.total}" if shelf.state.total is not None else "?"
        text = f"{shelf.path} {shelf.known}/{total} lines {handles(desk, newest)}"
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
