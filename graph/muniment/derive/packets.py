"""Packets: what was proposed for a context boundary, and what became of it.

* A packet's node holds ids and prose; the texts of what it names are looked up when somebody asks.
* It cites what it names as a fact, and what its prose cites.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.derive.builder import Builder
from muniment.derive.sessions import agent_of, session_of
from muniment.model import records
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Packet, PacketProse

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
    """A packet opened the next context, or was refused."""
    state = "accepted" if isinstance(record, records.PacketAccepted) else "refused"
    builder.link(EdgeKind.MOVED, agent_of(builder, record), record.packet, state=state)


def _text(said: dict[str, object]) -> str:
    text = said.get("text")
    return text if isinstance(text, str) else msgspec.json.encode(text).decode()


def _cites(said: dict[str, object]) -> tuple[str, ...]:
    cites = said.get("cites")
    return tuple(str(each) for each in cites) if isinstance(cites, list | tuple) else ()
