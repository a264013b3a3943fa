"""Symbols: what a file defines, noted once when the file is first known whole, and found again wherever it is now.

* Reading syntax costs more than all the rest of the fold (about 3 MB/s), so each file is read once, and only its `MOST`
  largest definitions become nodes; those of the lines as they are now are asked for by `current_definitions`.
* A symbol is known by file, kind and name. Its lines are those of the version where it was noted; an edit above it
  shifts it, and `found_again` still finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.derive.builder import Builder
from muniment.derive.definitions import Definition, current_definitions, definitions
from muniment.derive.state import FileState
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Symbol

MOST: Final = 24


def note_symbols(builder: Builder, file: FileState, version: str, record: str, content: str) -> None:
    """Note what a file defines, if its whole content is met for the first time."""
    if file.defined:
        return
    file.defined = True
    told = {(each.what, each.name): each for each in definitions(file.path, content)}.values()
    largest = sorted(told, key=lambda each: (each.first - each.last, each.first))[:MOST]
    for each in sorted(largest, key=lambda each: (each.first, -each.last)):
        node = Symbol(
            id=builder.node_id(Symbol, file.node, f"{each.what}:{each.name}"),
            ordinal=builder.ordinal,
            handle=builder.handle(Symbol),
            record=record,
            file=file.node,
            version=version,
            name=each.name,
            what=each.what,
            first=each.first,
            last=each.last,
        )
        builder.add(node)
        builder.edge(EdgeKind.PART_OF, node.id, file.node)


def found_again(symbol: Symbol, path: str, lines: Sequence[str | None]) -> Definition | None:
    """Return where a symbol is now, among the known lines of its file (None: not known); None where it is not there."""
    same = (each for each in current_definitions(path, lines) if (each.what, each.name) == (symbol.what, symbol.name))
    return next(same, None)
