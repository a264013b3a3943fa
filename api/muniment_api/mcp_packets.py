"""The MCP tools about packets and context boundaries.

They build, check and keep packets, in the agent's name. None puts one in force: that is for whoever runs the agent (the
hooks, `muniment packet accept`), as a model must not decide alone what it may forget.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from mcp.server import MCPServer
from pydantic import BaseModel, Field

from muniment.handoff.boundaries import BoundaryReport
from muniment.handoff.packet import PROBLEMS, Packet, Problem
from muniment.handoff.render import render
from muniment.model.packing import writable
from muniment.store import EvidenceStore
from muniment_api.mcp_desk import READS, RECORDS, Ctx, Desk, Mission, asked, mission_info

PacketId = Annotated[str | None, Field(description="A stored packet: an id or a handle (H38).")]
Whole = Annotated[dict[str, object] | None, Field(description="A packet as a whole, as `packet` gives it.")]


class PacketAnswer(BaseModel, frozen=True):
    """A packet: its text for a model, and all of it in the form of its JSON Schema."""

    id: str
    mission: str
    text: str
    tokens: int
    budget: int
    content: dict[str, object]


class FoundProblem(BaseModel, frozen=True):
    """What is wrong with a packet."""

    code: str
    words: str
    ids: list[str]


class CheckedAnswer(BaseModel, frozen=True):
    """What the check of a packet gave."""

    passed: bool
    in_force: str
    problems: list[FoundProblem]


class ProposedAnswer(BaseModel, frozen=True):
    """A packet that was kept."""

    id: str


class PacketRow(BaseModel, frozen=True):
    """A packet on record, and what became of it."""

    id: str
    handle: str
    state: str
    in_force: bool
    session: str
    agent: str
    codes: list[str]


class PacketsAnswer(BaseModel, frozen=True):
    """The packets on record, oldest first."""

    packets: list[PacketRow]


class BoundaryRow(BaseModel, frozen=True):
    """A place where a context was replaced; `lost`: what bound and did not come over."""

    handle: str
    session: str
    agent: str
    compactor: str
    packet: str
    lost: list[str]


class BoundariesAnswer(BaseModel, frozen=True):
    """Where the context of a mission was replaced, and how well each compactor did with each model."""

    boundaries: list[BoundaryRow]
    scores: list[str]


class AdviceAnswer(BaseModel, frozen=True):
    """Whether a context should be compacted now."""

    compact: bool
    reason: str
    text: str
    limit: int | None
    window: int | None
    source: str


def crossing(server: MCPServer, desk: Desk) -> None:
    """Add the tools."""
    _packets(server, desk)
    _checking(server, desk)
    _boundaries(server, desk)


def _packets(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def packet(
        ctx: Ctx,
        id: PacketId = None,  # noqa: A002
        budget: int | None = None,
        focus: Annotated[str | None, Field(description="Words; what matches them is kept longest.")] = None,
        mission: Mission = None,
    ) -> PacketAnswer:
        """What another context needs to go on with this work: built now, or a stored packet by its id."""

        def work(store: EvidenceStore) -> PacketAnswer:
            home = mission_info(store, mission).mission
            if id is not None:
                return packet_answer(store.show_packet(id, mission=home))
            return packet_answer(store.packet(home, budget=budget, focus=focus))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def packets(ctx: Ctx, mission: Mission = None) -> PacketsAnswer:
        """The packets on record, oldest first, and what became of each."""

        def work(store: EvidenceStore) -> PacketsAnswer:
            found = store.packets(mission_info(store, mission).mission)
            names = PacketRow.model_fields
            return PacketsAnswer(packets=[PacketRow(**{name: getattr(each, name) for name in names}) for each in found])

        return await asked(desk, ctx, work)


def _checking(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def check_packet(
        ctx: Ctx,
        id: PacketId = None,  # noqa: A002
        packet: Whole = None,
        mission: Mission = None,
    ) -> CheckedAnswer:
        """What is wrong with a packet: what binds and is missing, what has ended, ids that lead nowhere, its size."""

        def work(store: EvidenceStore) -> CheckedAnswer:
            home = mission_info(store, mission or _named(packet)).mission
            found = store.check_packet(id if id is not None else packet or {}, mission=home)
            problems = [_problem(each) for each in found.problems]
            return CheckedAnswer(passed=found.passed, in_force=found.in_force, problems=problems)

        return await asked(desk, ctx, work)

    @server.tool(annotations=RECORDS)
    async def propose_packet(ctx: Ctx, packet: dict[str, object], mission: Mission = None) -> ProposedAnswer:
        """Keep a packet, unchecked, for whoever runs this agent to accept."""

        def work(store: EvidenceStore) -> ProposedAnswer:
            home = mission_info(store, mission or _named(packet)).mission
            return ProposedAnswer(id=store.propose_packet(packet, mission=home))

        return await asked(desk, ctx, work)


def _boundaries(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def boundaries(ctx: Ctx, mission: Mission = None) -> BoundariesAnswer:
        """Where the context was replaced, what of what binds did not come over, and how that went."""

        def work(store: EvidenceStore) -> BoundariesAnswer:
            home = mission_info(store, mission).mission
            report = store.compaction_report(home)
            scores = [f"{each.compactor} {each.model}: {each.mean:.2f}".strip() for each in report.transfers]
            return BoundariesAnswer(boundaries=[_boundary(each.report) for each in report.crossed], scores=scores)

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def should_compact(
        ctx: Ctx, model: str, tokens_in_use: int, task_kind: str | None = None, mission: Mission = None
    ) -> AdviceAnswer:
        """Whether a context should be compacted now, and why; in the model's own tokens."""

        def work(store: EvidenceStore) -> AdviceAnswer:
            home = None if mission is None else mission_info(store, mission).mission
            found = store.should_compact(model, tokens_in_use, task_kind, mission=home)
            return AdviceAnswer(**{name: getattr(found, name) for name in AdviceAnswer.model_fields})

        return await asked(desk, ctx, work)


def packet_answer(found: Packet) -> PacketAnswer:
    """Return a packet as a tool answers it."""
    content = writable(msgspec.to_builtins(found))
    return PacketAnswer(
        id=found.id,
        mission=found.mission,
        text=writable(render(found)),
        tokens=found.tokens,
        budget=found.budget,
        content=content,
    )


def _named(packet: dict[str, object] | None) -> str | None:
    """Return the mission that a packet names as its own."""
    named = (packet or {}).get("mission")
    return named if isinstance(named, str) and named else None


def _problem(found: Problem) -> FoundProblem:
    return FoundProblem(code=found.code, words=PROBLEMS.get(found.code, found.code), ids=list(found.ids))


def _boundary(found: BoundaryReport) -> BoundaryRow:
    return BoundaryRow(
        handle=found.handle,
        session=found.session,
        agent=found.agent,
        compactor=found.compactor,
        packet=found.packet,
        lost=[each.handle for each in found.binding if each.how == "absent"],
    )
