"""What is around a node: its neighbours in columns by how far they are."""

from __future__ import annotations

from collections.abc import Collection

from muniment.drawing.graphs import drawn
from muniment.drawing.layered import Arrow
from muniment.drawing.markup import cut
from muniment.errors import UnknownIdError, UsageError
from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import AnyNode
from muniment.pictures.picture import Picture, box_of, said
from muniment.snapshot import ALL_EDGES, Snapshot, Step

QUIET = frozenset({EdgeKind.PART_OF, EdgeKind.MENTIONS, EdgeKind.PRECEDES, EdgeKind.OBSERVED})
"""Edges that nearly everything has, or that say what another says; left out unless they are asked for."""
TELLING = ALL_EDGES - QUIET
MOST_HOPS = 4
MOST_IN_COLUMN = 18


def neighbourhood(
    snapshot: Snapshot, wanted: str, *, hops: int = 2, kinds: Collection[EdgeKind] = TELLING, most: int = 40
) -> Picture:
    """Return a picture of what is at most `hops` edges away from the node of an id or handle.

    The nearest come first; of those equally near, the newest. `most` bounds how many are shown.

    Raises:
        UnknownIdError: nothing has this id.
        UsageError: `hops` is not from 1 to 4.
    """
    if not 1 <= hops <= MOST_HOPS:
        raise UsageError(f"a neighbourhood reaches 1 to {MOST_HOPS} hops, not {hops}")
    found = snapshot.named(wanted)
    if not found:
        raise UnknownIdError(wanted)
    steps = snapshot.walk([found[0].id], kinds, hops)
    shown = nearest(steps, most)
    left = len(steps) - len(shown)
    note = f"{len(shown)} of {len(steps)} things within {hops} hops; the newest are shown" if left else ""
    boxes = [box_of(snapshot, step.node, step.hops) for step in shown]
    title = f"Around {found[0].handle}: {cut(said(snapshot, found[0]), 60)}"
    return Picture(
        drawn(boxes, arrows_among(snapshot, [step.node for step in shown], kinds), title, [note][: bool(left)])
    )


def nearest(steps: list[Step], most: int) -> list[Step]:
    """Return at most `most` steps, at most `MOST_IN_COLUMN` of each distance: the nearest, of equals the newest."""
    kept: list[Step] = []
    for hops in sorted({step.hops for step in steps}):
        column = [step for step in steps if step.hops == hops]
        kept += sorted(column, key=lambda step: (-step.node.ordinal, step.node.id))[:MOST_IN_COLUMN]
    return sorted(kept[:most], key=lambda step: (step.hops, step.node.ordinal, step.node.id))


def arrows_among(snapshot: Snapshot, nodes: list[AnyNode], kinds: Collection[EdgeKind]) -> list[Arrow]:
    """Return the edges between nodes that are shown, each kind once for a pair."""
    shown = {node.id for node in nodes}
    edges = [edge for node in nodes for edge in snapshot.edges_from(node.id, kinds) if edge.target in shown]
    pairs = {(edge.source, edge.target, edge.kind): edge for edge in edges if edge.source != edge.target}
    return [Arrow(source=edge.source, target=edge.target, label=_label(edge)) for edge in pairs.values()]


def _label(edge: Edge) -> str:
    return edge.state if edge.kind is EdgeKind.MOVED and edge.state else edge.kind.value.lower().replace("_", " ")
