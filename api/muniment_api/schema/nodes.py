"""Nodes on the wire: one interface, and a type for each kind that clients ask about most; the rest is `OtherNode`.

* What every node has is a plain field, read without a resolver. Texts may lie in payloads and are read when asked for.
* `fields` holds all that a node's own kind says, so nothing is out of reach for want of a type.
"""

from __future__ import annotations

import msgspec
import strawberry
from strawberry.scalars import JSON

from muniment.model import nodes as domain
from muniment.model.edges import EdgeKind as DomainEdgeKind
from muniment.model.nodes import AnyNode, kind_of
from muniment.model.packing import writable
from muniment.snapshot import ALL_EDGES, Snapshot
from muniment_api.schema.connections import Connection, PageRequest, page
from muniment_api.schema.declare import interface, said, told, typed
from muniment_api.schema.enums import EdgeKind, NodeKind, Way
from muniment_api.schema.seen import Seen, whole_text

PLAIN = frozenset({"id", "handle", "kind", "record", "ordinal"})
KINDS = {kind.value: kind for kind in NodeKind}


@interface
class Node:
    """A thing that the graph knows. It never changes; what becomes of it is told by later nodes and edges."""

    seen: strawberry.Private[Seen]
    id: strawberry.ID = said("The node's id: derived, the same after every rebuild.")
    handle: str = said("The short name that people and models see (R42); stable within its mission.")
    kind: NodeKind = said("What it is.")
    record: strawberry.ID = said("The id of the record that made it.")
    ordinal: int = said("Its causal place in its mission.")
    by: str | None = said("Its author, where the kind has one.")
    clock: str | None = said("The source's wall clock, ISO 8601, for people: order is by ordinal.")

    @told
    def mission(self) -> strawberry.ID:
        """The id of its mission."""
        return strawberry.ID(self.seen.graph.mission)

    @told
    def state(self) -> str:
        """Its newest state, or how it ceased to hold (withdrawn, superseded); empty where nothing has moved it."""
        return self.seen.graph.ended(self.id) or self.seen.graph.state(self.id)

    @told
    def text(self) -> str:
        """What it says, whole; `[purged]` where that is gone."""
        return whole_text(self.seen)

    @told
    def fields(self) -> JSON:
        """All that its own kind says, as JSON; texts in their stored form."""
        told: dict[str, object] = msgspec.to_builtins(writable(self.seen.node))
        return JSON({name: value for name, value in told.items() if name not in PLAIN})

    @told
    def related(
        self,
        kinds: list[EdgeKind] | None = None,
        way: Way = Way.BOTH,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Node]:
        """Its neighbours over edges of some kinds (all, if none are named)."""
        wanted = ALL_EDGES if kinds is None else frozenset(DomainEdgeKind(kind.value) for kind in kinds)
        near = self.seen.near(wanted, way.value)
        return page([("", near)], PageRequest(first=first, after=after), self.beside)

    def beside(self, node: AnyNode) -> Node:
        """Return another node of the same graph."""
        return node_of(self.seen.graph, node)


@typed
class Message(Node):
    """Something said."""

    session: str = said("The source's session.")
    agent: str = said("The agent that said or heard it; empty for the root agent.")
    role: str = said("prompt, answer, thinking, notice, summary or instructions.")
    binding: bool = said("Whether it is a user's own word, which binds until withdrawn.")
    final: bool = said("Whether it is a final answer.")


@typed
class Fact(Node):
    """A fact stated as such; it binds until superseded or withdrawn."""

    session: str = said("The source's session.")
    class_: str = said(
        "objective, constraint, acceptance, preference, environment, absence, instructions or waiver.", name="class"
    )
    slot: str | None = said("The slot that holds one fact at a time, where it is in one.")
    multi: bool = said("Whether its slot may hold several.")


@typed
class Receipt(Node):
    """What a tool answered: the proof of what was done and seen."""

    session: str = said("The source's session.")
    agent: str = said("The agent that was answered; empty for the root agent.")
    tool: str = said("The family of the tool: read, search, write, command or other.")
    name: str = said("The runtime's own name of the tool.")
    status: str = said("ok, failed, refused or unknown.")
    effect: str = said("What it did to files: none, writes or unknown.")
    exit_code: int | None = said("The process's exit code.")
    path: str | None = said("The path that it is about.")
    duration_ms: int | None = said("How long it took, in milliseconds.")

    @told
    def command(self) -> str | None:
        """The command that was run."""
        node = self.seen.node
        return self.seen.text(node.command) if isinstance(node, domain.Receipt) else None

    @told
    def file(self) -> File | None:
        """The file that it is about."""
        near = self.seen.near({DomainEdgeKind.ABOUT}, "out")
        found = next((self.beside(node) for node in near if isinstance(node, domain.File)), None)
        return found if isinstance(found, File) else None


def receipts_about(node: Node, request: PageRequest) -> Connection[Receipt]:
    """Return a page of the receipts about a node."""
    near = node.seen.near({DomainEdgeKind.ABOUT}, "in")
    runs = [("", [other for other in near if isinstance(other, domain.Receipt)])]
    return page(runs, request, node.beside)  # type: ignore[arg-type]


@typed
class Task(Node):
    """Something to be done. Its `state` is the newest that it was moved to; without one it is open."""

    session: str = said("The source's session.")
    agent: str = said("The agent that has it; empty for the root agent.")

    @told
    def receipts(self, first: int | None = None, after: str | None = None) -> Connection[Receipt]:
        """The receipts about it."""
        return receipts_about(self, PageRequest(first=first, after=after))


@typed
class File(Node):
    """A file of a workspace. Its `text` is the current lines, as far as they are known."""

    path: str = said("Its path, as first met.")
    workspace: strawberry.ID = said("The node of its workspace.")

    @told
    def receipts(self, first: int | None = None, after: str | None = None) -> Connection[Receipt]:
        """The receipts about it."""
        return receipts_about(self, PageRequest(first=first, after=after))


@typed
class Claim(Node):
    """What somebody says is so."""

    session: str = said("The source's session.")
    type: str = said("What is claimed: tests_pass, types_clean, and so on.")
    cites: list[str] = said("What was named as support: ids of records.")
    path: str | None = said("The path that it is about.")
    inferred: bool = said("Whether it was read out of an answer, and not stated as a claim.")


@typed
class Decision(Node):
    """What was decided."""

    session: str = said("The source's session.")
    rejected: list[str] = said("What was rejected.")

    @told
    def reason(self) -> str | None:
        """Why."""
        node = self.seen.node
        return self.seen.text(node.reason) if isinstance(node, domain.Decision) else None


@typed
class Question(Node):
    """A question, risk or gap; open until it is settled."""

    session: str = said("The source's session.")
    what: str = said("question, risk or gap.")


@typed
class OtherNode(Node):
    """A node of a kind without a type of its own; `fields` says what it holds."""


TYPES: dict[type[AnyNode], type[Node]] = {
    domain.Message: Message,
    domain.Fact: Fact,
    domain.Receipt: Receipt,
    domain.Task: Task,
    domain.File: File,
    domain.Claim: Claim,
    domain.Decision: Decision,
    domain.Question: Question,
}
"""Domain type → its type on the wire."""
_OWN = {
    source: tuple(name for name in target.__annotations__ if name in source.__struct_fields__)
    for source, target in TYPES.items()
}


def node_of(graph: Snapshot, node: AnyNode) -> Node:
    """Return a node as it goes over the wire."""
    source = type(node)
    target = TYPES.get(source, OtherNode)
    return target(
        seen=Seen(graph, node),
        id=strawberry.ID(node.id),
        handle=node.handle,
        kind=KINDS[kind_of(node)],
        record=strawberry.ID(node.record),
        ordinal=node.ordinal,
        by=getattr(node, "by", None),
        clock=getattr(node, "clock", None),
        **{name: getattr(node, name) for name in _OWN.get(source, ())},
    )
