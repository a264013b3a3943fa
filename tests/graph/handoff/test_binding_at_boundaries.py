"""What binds at each boundary of the recorded sessions is in the packet, by a list that was made by reading them."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from muniment.handoff.build import build
from muniment.handoff.packet import Packet, PacketItem
from muniment.handoff.request import PacketRequest
from muniment.model.nodes import Boundary
from muniment.store import EvidenceStore
from muniment.tokens import o200k

LIST = json.loads((Path(__file__).parents[2] / "bench" / "boundaries.json").read_text(encoding="utf-8"))["boundaries"]
FILES = [(file, list(listed)) for file, listed in groupby(LIST, key=lambda each: each["file"])]


def records_in(packet: Packet) -> set[str]:
    fields = (getattr(packet, name) for name in Packet.__struct_fields__)
    return {e.record for field in fields if isinstance(field, tuple) for e in field if isinstance(e, PacketItem)}


@pytest.mark.sessions
@pytest.mark.parametrize(("file", "listed"), FILES, ids=[file for file, _ in FILES])
def test_a_packet_at_a_boundary_holds_all_that_binds(
    file: str, listed: list[dict[str, object]], sessions: Path, tmp_path: Path
) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        snapshot = store.snapshot(store.import_session(sessions / file).mission)
        found = {boundary.record: boundary for boundary in snapshot.of_kind(Boundary)}
        assert set(found) == {each["boundary"] for each in listed}
        for each in listed:
            boundary = found[str(each["boundary"])]
            request = PacketRequest(session=boundary.session)
            packet = build(snapshot.upto(boundary.ordinal - 1), request, o200k())
            binds = {item["record"] for item in each["binds"]}  # type: ignore[attr-defined]
            assert binds <= records_in(packet)
            assert packet.tokens <= packet.budget
