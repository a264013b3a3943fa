"""Asking the engine in Cypher, for people: read-only, with a limit of rows and of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from muniment.model.packing import escaped
from muniment.projection.engine import plain_rows
from muniment.projection.projection import Projection
from muniment.projection.readonly import check_readonly

TIMEOUT_MS = 30_000


class Answer(msgspec.Struct, frozen=True):
    """Columns and rows; `more`: there were more rows than were asked for."""

    columns: list[str]
    rows: list[list[object]]
    more: bool


def ask(projection: Callable[[], Projection], query: str, values: Mapping[str, str | int], most: int) -> Answer:
    """Check a query before anything else happens, then run it; `$name` in it stands for a value.

    Raises:
        UsageError: it does not only read, or the engine refuses it.
    """
    checked = check_readonly(query)
    bound = {name: escaped(value) if isinstance(value, str) else value for name, value in values.items()}
    columns, rows = projection().ask(checked, bound, most + 1, TIMEOUT_MS)
    return Answer(columns, plain_rows(rows[:most]), len(rows) > most)
