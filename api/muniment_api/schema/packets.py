"""Packets, boundaries and advice on the wire."""

from __future__ import annotations

import msgspec
import strawberry
from strawberry.scalars import JSON

from muniment.handoff.acceptance import Acceptance as DomainAcceptance
from muniment.handoff.acceptance import PacketInfo as DomainInfo
from muniment.handoff.boundaries import BoundaryReport as DomainBoundary
from muniment.handoff.crossing import Forked as DomainForked
from muniment.handoff.packet import PROBLEMS
from muniment.handoff.packet import Checked as DomainChecked
from muniment.handoff.packet import Packet as DomainPacket
from muniment.handoff.packet import Problem as DomainProblem
from muniment.handoff.render import render
from muniment.handoff.scoring import CompactionReport as DomainReport
from muniment.model.packing import writable
from muniment_api.schema.declare import made, said, typed


@typed
class ContextPacket:
    """The least state with which another context can go on."""

    id: strawberry.ID = said("The stored packet's node; empty where it was only built.")
    mission: strawberry.ID = said("The mission.")
    base: strawberry.ID = said("The packet in force when it was built; empty for the first.")
    covers_to: strawberry.ID = said("The last record that it speaks for.")
    ordinal: int = said("The causal place as of which it speaks.")
    budget: int = said("What its text may cost.")
    tokens: int = said("What its text costs.")
    estimator: str = said("What counted the tokens.")
    focus: str = said("Words; what matched them yielded last.")
    compactor: str = said("Who wrote its prose; empty where it has none.")
    text: str = said("Its text for a model.")
    content: JSON = said("All of it, in the form that its JSON Schema describes.")


def packet_of(found: DomainPacket) -> ContextPacket:
    """Return a packet as it goes over the wire."""
    content = JSON(writable(msgspec.to_builtins(found)))
    return made(ContextPacket, found, text=writable(render(found)), content=content)


@typed
class PacketInfo:
    """A packet that is on record."""

    id: strawberry.ID = said("Its node.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that proposed it.")
    state: str = said("proposed, accepted, superseded, withdrawn or refused.")
    by: str = said("Who proposed it.")
    session: str = said("The session that it is of.")
    agent: str = said("The agent that it is of; empty for the root agent.")
    compactor: str = said("Who wrote its prose.")
    model: str = said("The model that worked.")
    covers_to: str = said("The last record that it speaks for.")
    base: str = said("The packet in force when it was built.")
    budget: int | None = said("What its text may cost.")
    in_force: bool = said("Whether it is the one in force for its agent.")
    codes: list[str] = said("What was wrong with it when it was refused last.")


def info_of(found: DomainInfo) -> PacketInfo:
    """Return what is known of a packet as it goes over the wire."""
    return made(PacketInfo, found, codes=list(found.codes))


@typed
class PacketProblem:
    """What is wrong with a packet."""

    code: str = said("The code.")
    words: str = said("What it says, in words.")
    ids: list[str] = said("What it is about, as the packet or the graph names it.")
    message: str = said("More about it.")


@typed
class CheckedPacket:
    """What the check of a packet gave."""

    packet: strawberry.ID = said("The packet.")
    in_force: strawberry.ID = said("The packet in force; empty where there is none.")
    passed: bool = said("Whether nothing is wrong.")
    problems: list[PacketProblem] = said("What is wrong.")


def checked_of(found: DomainChecked) -> CheckedPacket:
    """Return what a check gave as it goes over the wire."""
    return made(CheckedPacket, found, problems=problems_of(found.problems))


def problems_of(found: tuple[DomainProblem, ...]) -> list[PacketProblem]:
    """Return problems as they go over the wire."""
    return [
        PacketProblem(code=one.code, words=PROBLEMS.get(one.code, one.code), ids=list(one.ids), message=one.message)
        for one in found
    ]


@typed
class PacketAcceptance:
    """What came of an attempt to put a packet in force."""

    accepted: bool = said("Whether it is in force now.")
    packet: strawberry.ID = said("The packet.")
    in_force: strawberry.ID = said("The packet in force now; empty where there is none.")
    problems: list[PacketProblem] = said("Why it was refused.")
    record: str = said("The record of the attempt; empty where it was in force already.")
    attempts: int = said("Attempts refused in a row since the packet in force.")


def acceptance_of(found: DomainAcceptance) -> PacketAcceptance:
    """Return what came of an attempt as it goes over the wire."""
    return made(PacketAcceptance, found, problems=problems_of(found.problems))


@typed
class ForkedSession:
    """A session whose whole history is a packet."""

    forked: bool = said("Whether it was opened.")
    mission: strawberry.ID = said("The mission.")
    session: str = said("The session.")
    parent: str = said("The session that it was forked from.")
    packet: strawberry.ID = said("Its packet; empty where it was not opened.")
    of: strawberry.ID = said("The packet that was forked.")
    text: str = said("The packet's text, for the model that goes on.")
    problems: list[PacketProblem] = said("Why it was not opened.")


def forked_of(found: DomainForked) -> ForkedSession:
    """Return a fork as it goes over the wire."""
    return made(ForkedSession, found, problems=problems_of(found.problems))


@typed
class ContextBoundary:
    """A place where a context was replaced."""

    id: strawberry.ID = said("The boundary's node.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that told of it.")
    session: str = said("The session.")
    agent: str = said("The agent; empty for the root agent.")
    ordinal: int = said("Its causal place.")
    compactor: str = said("What wrote that with which the next context began.")
    model: str = said("The model.")
    trigger: str = said("What set it off.")
    outcome: str = said("What came of it.")
    packet: str = said("The packet that opened the next context; empty for none.")
    views: list[str] = said("The views that opened the next context.")
    report: JSON = said("All that is told of it: what was in the context before and after, what bound and came over.")


def boundary_of(found: DomainBoundary) -> ContextBoundary:
    """Return a boundary as it goes over the wire."""
    report = JSON(writable(msgspec.to_builtins(found)))
    return made(ContextBoundary, found, views=list(found.views), report=report)


@typed
class TransferScore:
    """How one compactor did with one model."""

    compactor: str = said("The compactor.")
    model: str = said("The model.")
    boundaries: list[str] = said("The boundaries, in order of time.")
    scores: list[float] = said("The score of each, from 0 to 1.")
    mean: float = said("Their mean.")
    trend: float = said("How they change.")
    drift: float = said("How badly it went lately, from 0 to 1; it lowers the limits of `shouldCompact`.")
    weak: int = said("Boundaries over which so much was lost that it should be brought back.")


@typed
class CompactionReport:
    """How the boundaries of some missions went."""

    missions: list[strawberry.ID] = said("The missions.")
    transfers: list[TransferScore] = said("How each compactor did with each model.")
    report: JSON = said("All of it: each boundary with what came after, what took points off, what to bring back.")


def compactions_of(found: DomainReport) -> CompactionReport:
    """Return how boundaries went as it goes over the wire."""
    transfers = [
        made(TransferScore, each, boundaries=list(each.boundaries), scores=list(each.scores))
        for each in found.transfers
    ]
    report = JSON(writable(msgspec.to_builtins(found)))
    return CompactionReport(
        missions=[strawberry.ID(each) for each in found.missions], transfers=transfers, report=report
    )


@typed
class CompactionAdvice:
    """Whether a context should be compacted now."""

    compact: bool = said("Whether it should.")
    reason: str = said("below_limit, at_limit, over_window, unknown_window or opted_out.")
    text: str = said("The whole in words.")
    tokens_in_use: int = said("The tokens in use.")
    model: str = said("The model.")
    task_kind: str = said("The kind of task.")
    profile: str = said("The profile whose figures they are.")
    limit: int | None = said("The tokens from which on it is full; null where nobody knows.")
    window: int | None = said("The tokens that it holds; null where nobody knows.")
    drift: float = said("What lowered the limit, from 0 to 1.")
    source: str = said("Where the figures are from.")
