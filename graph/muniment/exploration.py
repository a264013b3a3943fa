"""The graph as a whole: its nodes and edges, counts, and a digest that is equal for equal graphs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from blake3 import blake3

from muniment.model.edges import Edge
from muniment.model.nodes import NODE_TYPES, AnyNode
from muniment.snapshot import MemorySnapshot


def nodes_of(snapshot: MemorySnapshot) -> Iterator[AnyNode]:
    """Yield all nodes, kind by kind, each by ordinal."""
    for kind in NODE_TYPES:
        yield from snapshot.of_kind(kind)  # type: ignore[misc]


def edges_of(snapshot: MemorySnapshot) -> Iterator[Edge]:
    """Yield all edges, by the node that they start from."""
    for node in nodes_of(snapshot):
        yield from snapshot.edges_from(node.id)


def counts(snapshot: MemorySnapshot) -> tuple[int, int]:
    """Return how many nodes and edges there are."""
    return sum(1 for _ in nodes_of(snapshot)), sum(1 for _ in edges_of(snapshot))


def graph_digest(snapshot: MemorySnapshot) -> str:
    """Return BLAKE3 over the sorted encodings of all nodes and edges, in hexadecimal.

    Handles are left out: they are given in order of arrival, which is no part of what the graph says.
    """
    encoder = msgspec.json.Encoder(order="sorted")
    lines = sorted(encoder.encode(_clean(item)) for item in [*nodes_of(snapshot), *edges_of(snapshot)])
    hasher = blake3()
    for line in lines:
        hasher.update(b"%d:" % len(line) + line)
    return hasher.hexdigest()


def _clean(item: AnyNode | Edge) -> object:
    """Return a value that JSON can hold, without its handle; lone surrogates are escaped."""
    value = msgspec.to_builtins(item)
    if isinstance(value, dict):
        del value["handle"]
    return _escaped(value)


def _escaped(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {str(_escaped(name)): _escaped(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(part) for part in value]
    return value
