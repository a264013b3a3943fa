"""A node in its graph: what resolvers read that is not a plain field."""

from __future__ import annotations

from muniment.model.edges import EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import AnyNode, File, Text, text_of
from muniment.rehydration import current_text
from muniment.snapshot import Snapshot


class Seen:
    """A node in its graph."""

    __slots__ = ("graph", "node")

    def __init__(self, graph: Snapshot, node: AnyNode) -> None:
        self.graph = graph
        self.node = node

    def text(self, text: Text | None) -> str | None:
        """Return the characters of a text that UTF-8 can hold."""
        return None if text is None else self.graph.text(text).encode("utf-8", "replace").decode("utf-8")

    def near(self, kinds: set[EdgeKind] | frozenset[EdgeKind], way: str) -> list[AnyNode]:
        """Return the neighbours over edges of some kinds, each once, by ordinal."""
        ends: dict[str, None] = {}
        if way != "in":
            ends |= dict.fromkeys(edge.target for edge in self.graph.edges_from(self.node.id, kinds))
        if way != "out":
            ends |= dict.fromkeys(edge.source for edge in self.graph.edges_to(self.node.id, kinds))
        found = [node for end in ends if (node := self.graph.node(end)) is not None]
        return sorted(found, key=lambda node: (node.ordinal, node.id))


def whole_text(seen: Seen) -> str:
    """Return the whole text of a node; of a file the lines as they are now."""
    if isinstance(seen.node, File):
        text = current_text(seen.graph, seen.graph.ledger(seen.node.id) or LedgerState())
        return text.encode("utf-8", "replace").decode("utf-8")
    return seen.text(text_of(seen.node)) or ""
