"""The graph as a networkx graph, for exploration and algorithms.

networkx costs more time to load (140 ms) than all else that the store needs, so
only `EvidenceStore.to_networkx` loads this module.
"""

from __future__ import annotations

import msgspec
import networkx

from muniment.exploration import edges_of, nodes_of
from muniment.snapshot import MemorySnapshot


def to_networkx(snapshot: MemorySnapshot) -> networkx.MultiDiGraph:
    """Return a directed multigraph: nodes by id with their fields, edges keyed by kind with ordinal and state."""
    graph = networkx.MultiDiGraph(mission=snapshot.mission, ordinal=snapshot.ordinal)
    for node in nodes_of(snapshot):
        graph.add_node(node.id, **{name: value for name, value in msgspec.to_builtins(node).items() if name != "id"})
    for edge in edges_of(snapshot):
        graph.add_edge(edge.source, edge.target, kind=edge.kind.value, ordinal=edge.ordinal, state=edge.state)
    return graph
