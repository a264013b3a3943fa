"""What the clients ask about packets, and how answers are read: values of the core, as everywhere.

A packet that is given goes over the wire as its JSON Schema describes it, and comes back so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from muniment.handoff.acceptance import Acceptance, PacketInfo
from muniment.handoff.crossing import Forked
from muniment.handoff.packet import Checked, Packet
from muniment.handoff.thresholds import Advice
from muniment_api import client_documents as documents
from muniment_api.client_calls import Call, Data, camel, object_of, value_of

MOST = 500
Offered = Packet | Mapping[str, object] | str


def packet(mission: str, wanted: Mapping[str, object]) -> Call[Packet]:
    """Ask for a stored packet by its `id`, else for one that is built; the rest: see `EvidenceStore.packet`."""

    def parse(data: Data) -> Packet:
        found = data["packet"]
        assert isinstance(found, dict)
        return msgspec.convert(found["content"], Packet)

    return Call(documents.PACKET, {"mission": mission, **camel(wanted)}, parse)


def packets(mission: str) -> Call[list[PacketInfo]]:
    """Ask for the newest packets on record."""

    def parse(data: Data) -> list[PacketInfo]:
        found = data["packets"]
        assert isinstance(found, Sequence)
        return [value_of(one, PacketInfo) for one in found]

    return Call(documents.PACKETS, {"mission": mission, "first": MOST}, parse)


def check_packet(offered: Offered, mission: str, as_of: int | None) -> Call[Checked]:
    """Ask what is wrong with a packet."""
    variables = {"mission": mission, "asOf": as_of, **_given(offered)}
    return Call(documents.CHECK_PACKET, variables, lambda data: value_of(data["checkPacket"], Checked))


def propose_packet(offered: Packet | Mapping[str, object], mission: str) -> Call[str]:
    """Keep a packet, unchecked; the answer is its id."""
    given = {"mission": mission, **_given(offered)}
    return Call(documents.PROPOSE_PACKET, {"input": given}, lambda data: str(object_of(data, "proposePacket")["id"]))


def accept_packet(offered: Offered, mission: str, view: str | None, reason: str) -> Call[Acceptance]:
    """Put a packet in force, if its check finds nothing."""
    given = {"mission": mission, "view": view, "reason": reason, **_given(offered)}

    def parse(data: Data) -> Acceptance:
        return msgspec.convert(object_of(data, "acceptPacket"), Acceptance, strict=False)

    return Call(documents.ACCEPT_PACKET, {"input": given}, parse)


def fork_packet(id: str, session: str, mission: str) -> Call[Forked]:
    """Open another session whose whole history is a packet."""
    given = {"mission": mission, "id": id, "session": session}

    def parse(data: Data) -> Forked:
        return msgspec.convert(object_of(data, "forkPacket"), Forked, strict=False)

    return Call(documents.FORK_PACKET, {"input": given}, parse)


def should_compact(model: str, tokens_in_use: int, task_kind: str | None, mission: str | None) -> Call[Advice]:
    """Ask whether a context should be compacted now."""
    variables: dict[str, object] = {
        "model": model, "tokens": tokens_in_use, "kind": task_kind, "mission": mission
    }  # fmt: skip
    return Call(documents.ADVICE, variables, lambda data: value_of(data["shouldCompact"], Advice))


def _given(offered: Offered) -> dict[str, object]:
    if isinstance(offered, str):
        return {"id": offered}
    return {"packet": msgspec.to_builtins(offered) if isinstance(offered, Packet) else dict(offered)}
