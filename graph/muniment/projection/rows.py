"""Rows: what additions to the graph are in the engine's tables, and back.

* Every text that goes into the engine can be bound and copied: lone surrogates, NUL and backslashes are escaped, as in
  `model.packing`; `data` is JSON, in which a leading space says that texts inside are escaped so.
* `seq` is an item's place in the mission's sequence of additions: it gives ties their order.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from blake3 import blake3

from muniment.graph import Additions, Observation
from muniment.model.edges import Edge, EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import AnyNode, Message, kind_of
from muniment.model.packing import escaped, from_json_text, json_text

PAGE = 256
"""Nodes of a kind in one bucket."""
BINDING = "binding"
"""The pages of messages that bind, beside those of all messages."""

ENDED = "ended"
"""The pages of what some edge moved, superseded or withdrew, once for each such edge."""
ENDING = frozenset({EdgeKind.MOVED, EdgeKind.SUPERSEDES, EdgeKind.WITHDRAWS})

Row = dict[str, str | int]

_NODES = msgspec.json.Decoder(AnyNode)
_EDGES = msgspec.json.Decoder(Edge)


class Counts(msgspec.Struct, frozen=True):
    """How much of a mission's sequence of additions was taken in."""

    nodes: int = 0
    edges: int = 0
    observations: int = 0

    @property
    def items(self) -> int:
        """All together."""
        return self.nodes + self.edges + self.observations

    def behind(self, added: Additions) -> Counts:
        """Return the counts once these are taken in as well."""
        return Counts(
            self.nodes + len(added.nodes),
            self.edges + len(added.edges),
            self.observations + len(added.observations),
        )

    def rest(self, begin: Counts, added: Additions) -> Additions:
        """Return what of additions, which begin at `begin`, is not counted here."""
        return Additions(
            added.nodes[max(self.nodes - begin.nodes, 0) :],
            added.edges[max(self.edges - begin.edges, 0) :],
            added.observations[max(self.observations - begin.observations, 0) :],
        )


def page_name(mission: str, kind: str, page: int) -> str:
    """Return the bucket of a page of nodes of a kind."""
    return f"{escaped(mission)}|{kind}|{page}"


def record_name(mission: str, record: str) -> str:
    """Return the bucket of the nodes that a record made."""
    return blake3(f"{mission}\n{record}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def node_row(mission: str, node: AnyNode, seq: int) -> Row:
    """Return the row of a node."""
    return {
        "id": node.id,
        "kind": kind_of(node),
        "mission": escaped(mission),
        "ordinal": node.ordinal,
        "seq": seq,
        "handle": escaped(node.handle),
        "record": escaped(node.record),
        "data": json_text(node),
    }


class Page(NamedTuple):
    """A page that a node goes into; `new`: it is the first one there."""

    name: str
    new: bool


def pages_of(mission: str, node: AnyNode, sizes: dict[str, int]) -> list[Page]:
    """Return the pages that a new node goes into; `sizes`, how many nodes there are by kind, goes up."""
    kinds = [kind_of(node), BINDING] if isinstance(node, Message) and node.binding else [kind_of(node)]
    return [_next_page(mission, kind, sizes) for kind in kinds]


def ended_page(mission: str, edge: Edge, sizes: dict[str, int]) -> Page | None:
    """Return the page that the target of a new edge goes into, if the edge is one that ends or moves something."""
    return _next_page(mission, ENDED, sizes) if edge.kind in ENDING else None


def _next_page(mission: str, kind: str, sizes: dict[str, int]) -> Page:
    place = sizes.get(kind, 0)
    sizes[kind] = place + 1
    return Page(page_name(mission, kind, place // PAGE), place % PAGE == 0)


def edge_row(edge: Edge, seq: int) -> Row:
    """Return the row of an edge."""
    return {
        "source": edge.source,
        "target": edge.target,
        "ordinal": edge.ordinal,
        "seq": seq,
        "state": escaped(edge.state),
        "data": json_text(edge),
    }


def observation_row(seen: Observation, seq: int) -> Row:
    """Return the row of a state of a ledger."""
    return {
        "id": f"{seen.file}|{seq}",
        "file": seen.file,
        "ordinal": seen.ordinal,
        "seq": seq,
        "data": json_text(seen.state),
    }


def node_of(data: object) -> AnyNode:
    """Return the node that stands in a column `data`."""
    text = str(data)
    return from_json_text(text, AnyNode) if text.startswith(" ") else _NODES.decode(text)  # type: ignore[arg-type]


def ledger_of(data: object) -> LedgerState:
    """Return the ledger that stands in a column `data`."""
    return from_json_text(str(data), LedgerState)


def edge_of(row: list[object]) -> tuple[int, Edge]:
    """Return the sequence number and the edge of (seq, data)."""
    text = str(row[1])
    return number(row[0]), from_json_text(text, Edge) if text.startswith(" ") else _EDGES.decode(text)


def number(value: object) -> int:
    """Return an integer that the engine gave."""
    assert isinstance(value, int)
    return value
