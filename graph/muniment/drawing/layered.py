"""A layered layout for small graphs: boxes in columns, arrows from left to right, few crossings. Deterministic.

Columns are given (how many hops from the start). Inside a column boxes are put in order of the mean place of their
neighbours, forth and back a few times; ties stay in the order given. Then columns are centred on one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

SWEEPS = 6


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """A node as it is drawn: its column, a head line, a line under it, a colour for its edge."""

    id: str
    column: int
    head: str
    line: str = ""
    color: str = "#6e7781"
    tooltip: str = ""


class Arrow(msgspec.Struct, frozen=True, kw_only=True):
    """An edge as it is drawn; `strong` ones are heavier."""

    source: str
    target: str
    label: str = ""
    color: str = "#8c959f"
    strong: bool = False


def placed(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> dict[str, tuple[int, float]]:
    """Return for each box its column and its row; rows are centred on 0."""
    columns: dict[int, list[str]] = defaultdict(list)
    for box in boxes:
        columns[box.column].append(box.id)
    near: dict[str, list[str]] = defaultdict(list)
    for arrow in arrows:
        near[arrow.source].append(arrow.target)
        near[arrow.target].append(arrow.source)
    rows = {node: float(place) for ids in columns.values() for place, node in enumerate(ids)}
    order = sorted(columns)
    for sweep in range(SWEEPS):
        for column in order if sweep % 2 == 0 else reversed(order):
            columns[column].sort(key=lambda node: _mean(node, near, rows))
            rows.update(_centred(columns[column]))
    return {node: (column, rows[node]) for column in order for node in columns[column]}


def _mean(node: str, near: dict[str, list[str]], rows: dict[str, float]) -> float:
    found = [rows[other] for other in near[node] if other in rows]
    return sum(found) / len(found) if found else rows[node]


def _centred(ids: Sequence[str]) -> dict[str, float]:
    return {node: place - (len(ids) - 1) / 2 for place, node in enumerate(ids)}
