"""Cutting back: a mission that was folded anew keeps in the engine what both folds have in common.

* Two folds of a mission agree up to some ordinal (that of a late child's parent, or of what was told twice since). What
  lies behind it is taken out, in one transaction with the standing; from there it is caught up with as ever.
* Relationships are taken out before their ends: to detach nodes in Kuzu leaves relationships wrong.
* Buckets stay, empty, and are found again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from muniment.graph import Additions
from muniment.model.edges import EdgeKind
from muniment.model.packing import escaped, json_text
from muniment.projection.engine import Engine
from muniment.projection.rows import Counts, ended_page, number, pages_of
from muniment.projection.standing import Standing
from muniment.projection.tables import named, over

Stored = dict[int, tuple[int, str]]
"""Place in a sequence → ordinal, and the item as it is stored."""


class Common(NamedTuple):
    """What two folds have in common: up to `ordinal`, so many items and nodes by kind. `behind`: items to write."""

    ordinal: int
    counts: Counts
    sizes: dict[str, int]
    behind: int


class _Stored(NamedTuple):
    nodes: Stored
    edges: Stored
    observations: Stored


def common(engine: Engine, mission: str, parts: Iterable[Additions]) -> Common:
    """Compare what is projected of a mission with the parts of its new fold."""
    stored = _stored(engine, mission)
    whole = Additions([], [], [])
    for part in parts:
        whole.nodes.extend(part.nodes)
        whole.edges.extend(part.edges)
        whole.observations.extend(part.observations)
    ordinal = _agreed(stored, whole)
    kept = Additions(
        [node for node in whole.nodes if node.ordinal <= ordinal],
        [edge for edge in whole.edges if edge.ordinal <= ordinal],
        [seen for seen in whole.observations if seen.ordinal <= ordinal],
    )
    counts = Counts().behind(kept)
    return Common(ordinal, counts, _sizes(mission, kept), Counts().behind(whole).items - counts.items)


def cut_back(engine: Engine, mission: str, standing: Standing, kept: Common) -> None:
    """Take out what lies behind, inside a transaction of the caller; move the standing there."""
    place: dict[str, str | int] = {"mission": escaped(mission), "upto": kept.ordinal}
    for kind in EdgeKind:
        engine.rows(over("cut edges", (kind,)), **place)
    engine.rows(named("cut holds"), **place)
    gone = [str(row[0]) for row in engine.rows(named("ledgers behind"), **place)]
    engine.rows(named("cut ledgers"), **place)
    for observation in gone:
        engine.rows(named("cut observation"), id=observation)
    engine.rows(named("cut nodes"), **place)
    standing.counts, standing.sizes = kept.counts, kept.sizes


def _stored(engine: Engine, mission: str) -> _Stored:
    key = escaped(mission)
    edges = (row for kind in EdgeKind for row in engine.rows(over("stored edges", (kind,)), mission=key))
    return _Stored(
        _placed(engine.rows(named("stored nodes"), mission=key)),
        _placed(edges),
        _placed(engine.rows(named("stored ledgers"), mission=key)),
    )


def _placed(rows: Iterable[list[object]]) -> Stored:
    return {number(seq): (number(ordinal), str(data)) for seq, ordinal, data in rows}


def _agreed(stored: _Stored, whole: Additions) -> int:
    """Return the ordinal up to which what is stored is what the new fold has made."""
    seen: set[str] = set()
    differing: list[int] = [max((item.ordinal for item in (*whole.nodes, *whole.edges)), default=0) + 1]
    for place, node in enumerate(whole.nodes):
        if node.id not in seen:
            seen.add(node.id)
            differing += _difference(stored.nodes, place, node.ordinal, json_text(node))
    for place, edge in enumerate(whole.edges):
        differing += _difference(stored.edges, place, edge.ordinal, json_text(edge))
    for place, observation in enumerate(whole.observations):
        differing += _difference(stored.observations, place, observation.ordinal, json_text(observation.state))
    sizes = (len(whole.nodes), len(whole.edges), len(whole.observations))
    for items, size in zip(stored, sizes, strict=True):
        differing += [ordinal for place, (ordinal, _) in items.items() if place >= size]
    return min(differing) - 1


def _difference(stored: Stored, place: int, ordinal: int, data: str) -> list[int]:
    """Return the ordinals of two items in one place that differ."""
    other = stored.get(place)
    if other is None:
        return [ordinal]
    return [] if other == (ordinal, data) else [ordinal, other[0]]


def _sizes(mission: str, kept: Additions) -> dict[str, int]:
    """Return how many nodes of each kind there are, and of what ended."""
    sizes: dict[str, int] = {}
    for node in {node.id: node for node in reversed(kept.nodes)}.values():
        pages_of(mission, node, sizes)
    for edge in kept.edges:
        ended_page(mission, edge, sizes)
    return sizes
