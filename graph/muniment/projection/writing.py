"""Writing additions into the engine, many records a transaction: prepared statements that match primary keys.

The counterpart for a fresh database is `loading.py`. Both give the same tables; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.graph import Additions
from muniment.model.edges import Edge
from muniment.model.nodes import AnyNode, kind_of
from muniment.model.packing import escaped, json_text
from muniment.projection.engine import Engine
from muniment.projection.rows import edge_row, ended_page, node_row, observation_row, pages_of, record_name
from muniment.projection.standing import Standing, join
from muniment.projection.tables import named, over

KindOf = Callable[[str], str]


def write_additions(
    engine: Engine, mission: str, standing: Standing, added: Additions, *, kind_at: KindOf
) -> Additions:
    """Write additions behind what `standing` says, inside a transaction of the caller; move its counts.

    `kind_at` tells the kind of a node that is projected already, "" where there is none.

    Returns:
        what was written, without nodes that were there before.
    """
    counts = standing.counts
    kinds = {node.id: kind_of(node) for node in added.nodes}
    new = [
        node
        for place, node in enumerate(added.nodes)
        if _write_node(engine, mission, standing, node, counts.nodes + place)
    ]
    for place, edge in enumerate(added.edges):
        _write_edge(engine, mission, standing, edge, counts.edges + place)
        source, target = (kinds.get(end) or kind_at(end) for end in (edge.source, edge.target))
        if source and target:
            standing.joins.add(join(source, edge.kind, target))
    for place, seen in enumerate(added.observations):
        engine.rows(named("add observation"), **observation_row(seen, counts.observations + place))
    standing.counts = counts.behind(added)
    return Additions(new, added.edges, added.observations)


def write_state(engine: Engine, key: str, state: msgspec.Struct, *, new: bool) -> None:
    """Write how far a mission is; under "" what the database was made from."""
    engine.rows(named("add state" if new else "set state"), id=escaped(key), data=json_text(state))


def _write_node(engine: Engine, mission: str, standing: Standing, node: AnyNode, seq: int) -> bool:
    """Write a node that is not there yet.

    Nodes of a record that made none so far are new. Were one not, the engine would refuse its id, and the projection
    be built anew.
    """
    made = record_name(mission, node.record)
    if not engine.rows(named("has bucket"), id=made):
        engine.rows(named("add bucket"), id=made)
    elif engine.rows(named("exists"), id=node.id):
        return False
    page, *others = pages_of(mission, node, standing.sizes)
    for place in (page, *others):
        if place.new and not engine.rows(named("has bucket"), id=place.name):
            engine.rows(named("add bucket"), id=place.name)
    engine.rows(named("add node"), page=page.name, made=made, **node_row(mission, node, seq))
    for place in others:
        engine.rows(named("add holds"), page=place.name, id=node.id, ordinal=node.ordinal, seq=seq)
    return True


def _write_edge(engine: Engine, mission: str, standing: Standing, edge: Edge, seq: int) -> None:
    engine.rows(over("add edge", (edge.kind,)), **edge_row(edge, seq))
    page = ended_page(mission, edge, standing.sizes)
    if page is not None:
        if page.new and not engine.rows(named("has bucket"), id=page.name):
            engine.rows(named("add bucket"), id=page.name)
        engine.rows(named("add holds"), page=page.name, id=edge.target, ordinal=edge.ordinal, seq=seq)
