"""Queries about packets, boundaries and compaction, beside all others."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from muniment.errors import UsageError
from muniment_api.schema import queries
from muniment_api.schema.context import Info
from muniment_api.schema.declare import made, told, typed
from muniment_api.schema.limits import MOST, PAGE
from muniment_api.schema.packets import (
    CheckedPacket,
    CompactionAdvice,
    CompactionReport,
    ContextBoundary,
    ContextPacket,
    PacketInfo,
    boundary_of,
    checked_of,
    compactions_of,
    info_of,
    packet_of,
)


@typed
class Query(queries.Query):
    """What can be asked, in the scope of the request."""

    @told
    def packet(
        self,
        info: Info,
        mission: strawberry.ID,
        id: strawberry.ID | None = None,
        budget: int | None = None,
        model: str | None = None,
        focus: str | None = None,
        session: strawberry.ID | None = None,
        agent: str | None = None,
        covers_to: strawberry.ID | None = None,
        provider: str | None = None,
        before: strawberry.ID | None = None,
        as_of: int | None = None,
    ) -> ContextPacket:
        """With `id`, a stored packet with its texts as they are on record now; else one that is built now."""
        store, home = info.context.store, info.context.mission(mission).mission
        if id is not None:
            return packet_of(store.show_packet(id, mission=home))
        found = store.packet(
            home,
            budget=budget,
            model=model,
            focus=focus,
            session=session,
            agent=agent,
            covers_to=covers_to,
            provider=provider,
            before=before,
            as_of=as_of,
        )
        return packet_of(found)

    @told
    def packets(self, info: Info, mission: strawberry.ID, first: int = PAGE) -> list[PacketInfo]:
        """The packets that are on record, the newest of them, oldest first."""
        if not 0 <= first <= MOST:
            raise UsageError(f"a page has 0 to {MOST} packets, {first} were asked for")
        found = info.context.store.packets(info.context.mission(mission).mission)
        return [info_of(each) for each in found[len(found) - min(first, len(found)) :]]

    @told
    def check_packet(
        self,
        info: Info,
        mission: strawberry.ID,
        id: strawberry.ID | None = None,
        packet: JSON | None = None,
        as_of: int | None = None,
    ) -> CheckedPacket:
        """What is wrong with a stored packet, or with one that is given; nothing is recorded."""
        home = info.context.mission(mission).mission
        return checked_of(info.context.store.check_packet(offered(id, packet), mission=home, as_of=as_of))

    @told
    def boundaries(
        self, info: Info, mission: strawberry.ID, first: int = PAGE, as_of: int | None = None
    ) -> list[ContextBoundary]:
        """Where the context of a mission was replaced, the newest of them, oldest first."""
        if not 0 <= first <= MOST:
            raise UsageError(f"a page has 0 to {MOST} boundaries, {first} were asked for")
        found = info.context.store.boundaries(info.context.mission(mission).mission, as_of=as_of)
        return [boundary_of(each) for each in found[len(found) - min(first, len(found)) :]]

    @told
    def compaction_report(self, info: Info, mission: strawberry.ID) -> CompactionReport:
        """What came after the boundaries of a mission, with a score for each compactor and model."""
        return compactions_of(info.context.store.compaction_report(info.context.mission(mission).mission))

    @told
    def should_compact(
        self,
        info: Info,
        model: str,
        tokens_in_use: int,
        task_kind: str | None = None,
        mission: strawberry.ID | None = None,
    ) -> CompactionAdvice:
        """Whether a context should be compacted now, and why; figures are in the model's own tokens."""
        home = None if mission is None else info.context.mission(mission).mission
        found = info.context.store.should_compact(model, tokens_in_use, task_kind, mission=home)
        return made(CompactionAdvice, found)


def offered(id: str | None, packet: object) -> str | dict[str, object]:
    """Return the one packet that is named or given; what is no object is passed on as one that is none.

    Raises:
        UsageError: both, or neither.
    """
    if (id is None) == (packet is None):
        raise UsageError("give either the id of a stored packet or a packet")
    if id is not None:
        return id
    return packet if isinstance(packet, dict) else {"packet": packet}
