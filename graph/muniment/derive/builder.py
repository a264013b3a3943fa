"""The builder: what one record adds to the graph, collected while its rule runs.

Rules call `add` for nodes, `edge` for edges between nodes they hold, and `link` for edges to something that a record
names by id,
which may come later, or never. The builder gives ordinals and handles and resolves references; it judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypedDict, TypeVar

from muniment.derive.known import KnownLines
from muniment.derive.state import Awaited, FoldState
from muniment.derive.texts import Texts, split_lines
from muniment.graph import Additions, Observation
from muniment.model import ids
from muniment.model.edges import Edge, EdgeKind
from muniment.model.entries import Entry
from muniment.model.ledger import LedgerState
from muniment.model.nodes import SIDE_KINDS, AnyNode, Gap, Node, Packet, Receipt, Text, kind_of
from muniment.model.records import Record

N = TypeVar("N", bound=Node)

Lookup = Callable[[str], Sequence[AnyNode]]
"""Find what earlier records made, by record id or node id; oldest first."""
TextOf = Callable[[Text], str]

_ENDING = frozenset({EdgeKind.SUPERSEDES, EdgeKind.WITHDRAWS})


class Base(TypedDict):
    """The fields that every node has."""

    id: str
    ordinal: int
    handle: str
    record: str


class Paused(NamedTuple):
    """Where an entry stands whose records are not all folded yet."""

    number: int
    places: dict[str, int]
    texts: Texts


class Builder:
    """Collects additions for one entry after another."""

    def __init__(self, state: FoldState, text_of: TextOf, earlier: Lookup) -> None:
        self.state = state
        self.text_of = text_of
        self._earlier = earlier
        self._recent: dict[str, list[AnyNode]] = {}
        self._places: dict[str, int] = {}
        self._texts = Texts({})
        self._number = 0
        self.known = KnownLines(self.lines_of)
        self.added = Additions([], [], [])

    def begin(self, entry: Entry, payloads: dict[str, str]) -> None:
        """Turn to the next entry; `payloads` are its long strings by digest."""
        self._number = entry.number
        self._places.clear()
        self._texts = Texts(payloads)

    def pause(self) -> Paused:
        """Return where the entry at hand stands, to go on with it after others."""
        return Paused(self._number, dict(self._places), self._texts)

    def go_on(self, paused: Paused) -> None:
        """Turn back to an entry that was paused."""
        self._number, self._texts = paused.number, paused.texts
        self._places = dict(paused.places)

    def next_ordinal(self) -> None:
        """Turn to the next record."""
        self.state.ordinal += 1

    def take(self) -> Additions:
        """Return what was added since the last time, and begin anew."""
        taken, self.added = self.added, Additions([], [], [])
        return taken

    @property
    def ordinal(self) -> int:
        """The ordinal of the record at hand."""
        return self.state.ordinal

    def lines_of(self, excerpt: str) -> list[str]:
        """Return the lines of the text of an excerpt that a ledger points to."""
        return split_lines(self.text_of(self.state.texts[excerpt]))

    def refer(self, text: str) -> Text:
        """Return a reference to a text of this entry."""
        return self._texts.refer(text)

    def node_id(self, kind: type[Node], record: str, role: str = "") -> str:
        """Return the id that a node of this kind and record has."""
        return ids.node_id(kind_of(kind), self.state.mission, record, role)

    def handle(self, kind: type[Node]) -> str:
        """Return the handle for the next node of this kind that the entry makes."""
        place = self._places.get(kind.letter, 0)
        self._places[kind.letter] = place + 1
        return ids.handle(kind.letter, self._number, place)

    def base(self, kind: type[Node], record: Record, role: str = "") -> Base:
        """Return the fields that every node has."""
        return {
            "id": self.node_id(kind, record.id, role),
            "ordinal": self.ordinal,
            "handle": self.handle(kind),
            "record": record.id,
        }

    def add(self, node: AnyNode) -> None:
        """Add a node, and the edges that waited for its record."""
        self.added.nodes.append(node)
        if isinstance(node, SIDE_KINDS):
            return
        self._recent.setdefault(node.record, []).append(node)
        self._recent.setdefault(node.id, []).append(node)
        if node.record in self.state.awaited:
            self._arrived(node, self.state.awaited.pop(node.record))

    def edge(self, kind: EdgeKind, source: str, target: str, state: str = "") -> None:
        """Add an edge between two nodes that exist."""
        self.added.edges.append(Edge(kind, source, target, self.ordinal, state))

    def observe(self, file: str, ledger: LedgerState) -> None:
        """Add a new state of a file's ledger."""
        self.added.observations.append(Observation(file, self.ordinal, ledger))

    def lookup(self, reference: str) -> Sequence[AnyNode]:
        """Return all nodes that a reference inside a record names, oldest first: those of a record, or one by node id.

        Handles are for people: `R2` inside a record means the record of that name, which may be still to come.
        """
        return [*self._earlier(reference), *self._recent.get(reference, ())]

    def find(self, reference: str) -> AnyNode | None:
        """Return the node that a reference names: the first that its record made, or the one with that node id."""
        main = [node for node in self.lookup(reference) if not isinstance(node, SIDE_KINDS)]
        return main[0] if main else None

    def find_kind(self, kind: type[N], reference: str) -> N | None:
        """Return the node of a kind that a reference names."""
        return next((node for node in self.lookup(reference) if isinstance(node, kind)), None)

    def link(self, kind: EdgeKind, node: str, reference: str, *, forward: bool = True, state: str = "") -> None:
        """Join `node` to what `reference` names, now or when it comes. `forward`: from `node`; else towards it."""
        other = self.find(reference)
        if other is None:
            self.state.awaited.setdefault(reference, []).append(Awaited(kind.value, node, forward, state))
        elif kind is EdgeKind.MOVED and isinstance(other, Packet):
            self.refuse("no_authority", reference)
        elif forward:
            self.edge(kind, node, other.id, state)
        else:
            self.edge(kind, other.id, node, state)

    def end(self, kind: EdgeKind, ender: str, by: str, reference: str) -> None:
        """Let `ender`, authored by `by`, supersede or withdraw what `reference` names, if the author may do that.

        What a user stated is ended by a user only. Where the thing is still to come, the edge waits for it.
        """
        other = self.find(reference)
        if other is None:
            self.state.awaited.setdefault(reference, []).append(Awaited(kind.value, ender, True, by))
        elif may_end(by, other):
            self.edge(kind, ender, other.id)
        else:
            self.refuse("no_authority", reference)

    def refuse(self, code: str, detail: str) -> None:
        """Note something that was asked for and not done."""
        self.state.gaps += 1
        record = f"{code}:{self.ordinal}:{self.state.gaps}"
        self.add(
            Gap(
                id=self.node_id(Gap, record),
                ordinal=self.ordinal,
                handle=self.handle(Gap),
                record=record,
                code=code,
                detail=detail,
            )
        )

    def _arrived(self, node: AnyNode, awaited: list[Awaited]) -> None:
        for edge in awaited:
            kind = EdgeKind(edge.kind)
            if (kind in _ENDING and not may_end(edge.state, node)) or (
                kind is EdgeKind.MOVED and isinstance(node, Packet)
            ):
                self.refuse("no_authority", node.record)
            elif edge.forward:
                self.edge(kind, edge.node, node.id, "" if kind in _ENDING else edge.state)
            else:
                self.edge(kind, node.id, edge.node, edge.state)


def may_end(by: str, thing: AnyNode) -> bool:
    """Tell whether `by` may end a thing: what a user said holds until a user ends it.

    What a tool gave back is taken back by no agent: a failing run that its agent doesn't like did fail. A packet is
    ended by a user, or by the packet that the store accepts next.
    """
    author = getattr(thing, "by", "unknown")
    if isinstance(thing, Packet):
        return by == "user"
    if isinstance(thing, Receipt) and author in ("tool", "harness"):
        return by in ("user", "tool", "harness")
    return by == "user" or author != "user"
