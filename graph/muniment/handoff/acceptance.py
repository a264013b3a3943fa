"""Acceptance: what is in force, what a check comes to, and when trying on is of no use.

* In force is, for an agent of a session, the packet that this store accepted last. What others say of packets is
  history.
* A refused attempt changes nothing but what is on record of attempts. Several in a row since the packet in force end in
  an error that says what to do: a loop that cannot help must stop.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.derive.packets import ACCEPTED, REFUSED
from muniment.handoff.packet import Checked, Problem
from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import Packet
from muniment.snapshot import LiveReads, Snapshot

PROPOSED: Final = "proposed"
MOST_REFUSED: Final = 4
"""Refused attempts in a row after which a further one ends in an error."""


class Acceptance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of an attempt. `packet` is the packet's id, `in_force` the one that is in force now, "" for none.

    `record` is what was recorded of it, "" where that packet was in force already. `attempts` counts those refused in a
    row since the packet in force, this one included.
    """

    accepted: bool
    packet: str
    in_force: str
    problems: tuple[Problem, ...] = ()
    record: str = ""
    attempts: int = 0


class PacketInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored packet. `state`: proposed, accepted, superseded, withdrawn or refused; `codes` are those of its last
    refusal.
    """

    id: str
    handle: str
    record: str
    state: str
    by: str
    session: str = ""
    agent: str = ""
    compactor: str = ""
    model: str = ""
    covers_to: str = ""
    base: str = ""
    budget: int | None = None
    in_force: bool = False
    codes: tuple[str, ...] = ()


def in_force(snapshot: Snapshot, session: str, agent: str) -> Packet | None:
    """Return the packet that is in force for an agent of a session; None where none was accepted yet."""
    found: tuple[int, Packet] | None = None
    for packet in snapshot.of_kind(Packet):
        if (packet.session, packet.agent) == (session, agent) and not snapshot.ended(packet.id):
            at = accepted_at(snapshot, packet)
            if at and (found is None or at > found[0]):
                found = at, packet
    return found[1] if found is not None else None


def newest_session(live: LiveReads, own: str) -> str:
    """Return the source's id of the session that a packet is of where nobody names one; `own` where none is known."""
    sessions = live.sessions()
    return sessions[-1].session if sessions else own


def accepted_at(snapshot: Snapshot, packet: Packet) -> int:
    """Return the ordinal at which a packet was accepted last; 0 where it never was."""
    return max((edge.ordinal for edge in moves(snapshot, packet, ACCEPTED)), default=0)


def refused_in_row(snapshot: Snapshot, session: str, agent: str) -> int:
    """Return how many attempts were refused since the packet in force was accepted."""
    current = in_force(snapshot, session, agent)
    since = accepted_at(snapshot, current) if current is not None else 0
    of_agent = [each for each in snapshot.of_kind(Packet) if (each.session, each.agent) == (session, agent)]
    return sum(edge.ordinal > since for packet in of_agent for edge in moves(snapshot, packet, REFUSED))


def too_many(attempts: int) -> bool:
    """Tell whether so many refused attempts in a row say that trying on is of no use."""
    return attempts > MOST_REFUSED


def moves(snapshot: Snapshot, packet: Packet, state: str) -> list[Edge]:
    """Return the edges that gave a packet a state."""
    return [edge for edge in snapshot.edges_to(packet.id, {EdgeKind.MOVED}) if edge.state == state]


def state_of(snapshot: Snapshot, packet: Packet) -> str:
    """Return the state of a packet, in the words of `PacketInfo`."""
    return snapshot.ended(packet.id) or snapshot.state(packet.id) or PROPOSED


def told(checked: Checked) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the codes of what is wrong and the ids of each, as they are recorded."""
    return tuple(problem.code for problem in checked.problems), tuple(problem.ids for problem in checked.problems)
