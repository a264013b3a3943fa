"""Missions on the wire, and the nodes in them."""

from __future__ import annotations

from collections.abc import Sequence

import strawberry

from muniment.journal.port import MissionInfo
from muniment.model import nodes as domain
from muniment.model.nodes import NODE_TYPES, AnyNode, kind_of
from muniment_api.schema.connections import Connection, PageRequest, Run, page
from muniment_api.schema.context import Info
from muniment_api.schema.declare import said, told, typed
from muniment_api.schema.enums import NodeKind
from muniment_api.schema.nodes import Claim, Decision, Fact, File, Message, Node, Question, Receipt, Task, node_of

BY_KIND: dict[str, type[AnyNode]] = {kind_of(kind): kind for kind in NODE_TYPES}  # type: ignore[misc]
QUIET = frozenset({"file", "file_version", "name", "symbol"})
"""Kinds that a timeline leaves out unless they are asked for: they are about things, not about what happened."""


@typed
class Mission:
    """One root session with all that came of it."""

    id: strawberry.ID = said("The mission's id.")
    project: str = said("The project that it belongs to.")
    format: str = said("The format of its root session.")
    session: str = said("The source's own id of its root session.")
    entries: int = said("How many entries of the journal are its.")
    first_position: int = said("The position of its first entry.")
    last_position: int = said("The position of its newest entry.")
    first_recorded_at: str = said("When its first entry was recorded, ISO 8601.")
    last_recorded_at: str = said("When its newest entry was recorded, ISO 8601.")

    @told
    def nodes(
        self,
        info: Info,
        kinds: list[NodeKind] | None = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
    ) -> Connection[Node]:
        """Its nodes of some kinds (all, if none are named), by causal order."""
        wanted = list(BY_KIND) if kinds is None else [kind.value for kind in kinds]
        return nodes_page(info, self.id, wanted, PageRequest(first=first, after=after, last=last, before=before))

    @told
    def tasks(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Task]:
        """Its tasks."""
        return _own(info, self.id, domain.Task, PageRequest(first=first, after=after))

    @told
    def receipts(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Receipt]:
        """Its receipts."""
        return _own(info, self.id, domain.Receipt, PageRequest(first=first, after=after))

    @told
    def facts(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Fact]:
        """Its facts."""
        return _own(info, self.id, domain.Fact, PageRequest(first=first, after=after))

    @told
    def messages(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Message]:
        """What was said in it."""
        return _own(info, self.id, domain.Message, PageRequest(first=first, after=after))

    @told
    def claims(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Claim]:
        """What was claimed in it."""
        return _own(info, self.id, domain.Claim, PageRequest(first=first, after=after))

    @told
    def decisions(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Decision]:
        """What was decided in it."""
        return _own(info, self.id, domain.Decision, PageRequest(first=first, after=after))

    @told
    def questions(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Question]:
        """Its questions, risks and gaps."""
        return _own(info, self.id, domain.Question, PageRequest(first=first, after=after))

    @told
    def files(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[File]:
        """The files that it touched."""
        return _own(info, self.id, domain.File, PageRequest(first=first, after=after))


def mission_of(info: MissionInfo) -> Mission:
    """Return a mission as it goes over the wire."""
    return Mission(
        id=strawberry.ID(info.mission),
        project=info.project,
        format=info.format,
        session=info.session,
        entries=info.entries,
        first_position=info.first_position,
        last_position=info.last_position,
        first_recorded_at=info.first_recorded_at,
        last_recorded_at=info.last_recorded_at,
    )


def nodes_page(info: Info, mission: str, kinds: Sequence[str], request: PageRequest) -> Connection[Node]:
    """Return a page of nodes of some kinds.

    Raises:
        UnknownIdError: there is no such mission in sight.
    """
    graph = info.context.snapshot(info.context.mission(mission).mission)
    runs: list[Run] = [(kind, graph.of_kind(BY_KIND[kind])) for kind in dict.fromkeys(kinds)]
    return page(runs, request, lambda node: node_of(graph, node))


def _own(info: Info, mission: str, kind: type[AnyNode], request: PageRequest) -> Connection:  # type: ignore[type-arg]
    return nodes_page(info, mission, [kind_of(kind)], request)
