"""Packets: what was proposed for a context boundary, and what became of it.

* A packet's node holds ids and prose; the texts of what it names are looked up when somebody asks.
* It cites what it names as a fact, and what its prose cites.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.derive import boundaries
from muniment.derive.builder import Builder
from muniment.derive.sessions import agent_of, session_of
from muniment.model import records
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Packet, PacketProse

ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
"""States of a packet; one that is neither was proposed."""

_SAME: Final = tuple(
    name
    for name in records.PacketProposed.__struct_fields__
    if name in Packet.__struct_fields__ and name not in {"id", "prose", "attachments", "session", "agent"}
)
"""Fields that the node has as the record gives them."""


def packet_proposed(builder: Builder, record: records.PacketProposed) -> None:
    """A packet was proposed."""
    session_of(builder, record)
    prose = tuple(PacketProse(text=builder.refer(_text(said)), cites=_cites(said)) for said in record.prose)
    told = {name: getattr(record, name) for name in _SAME}
    node = Packet(
        **{**told, **builder.base(Packet, record)},
        session=record.session,
        agent=record.agent,
        prose=prose,
        attachments=tuple(str(item.get("digest", "")) for item in record.attachments),
    )
    builder.add(node)
    cited = [*record.facts, *(each for said in prose for each in said.cites)]
    for each in dict.fromkeys(cited):
        builder.link(EdgeKind.CITES, node.id, each)


def packet_settled(builder: Builder, record: records.PacketAccepted | records.PacketRefused) -> None:
    """The store put a packet in force, in the place of the one before, or refused it.

    What others say of a packet moves nothing, and what is in force stays so whatever is said of it later.
    """
    packet = builder.find_kind(Packet, record.packet)
    if packet is None or not record.checked:
        return
    key = f"{packet.session}\n{packet.agent}"
    before = builder.state.packets.get(key)
    if packet.id == before:
        return
    state = ACCEPTED if isinstance(record, records.PacketAccepted) else REFUSED
    builder.edge(EdgeKind.MOVED, agent_of(builder, record), packet.id, state)
    if isinstance(record, records.PacketAccepted):
        builder.state.packets[key] = packet.id
        if before is not None:
            builder.edge(EdgeKind.SUPERSEDES, packet.id, before)
        boundaries.packet_accepted(builder, record)


def _text(said: dict[str, object]) -> str:
    text = said.get("text")
    return text if isinstance(text, str) else msgspec.json.encode(text).decode()


def _cites(said: dict[str, object]) -> tuple[str, ...]:
    cites = said.get("cites")
    return tuple(str(each) for each in cites) if isinstance(cites, list | tuple) else ()
