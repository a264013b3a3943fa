"""A stored proposal as a packet again: the same texts, but for what was purged or withdrawn since."""

from __future__ import annotations

from pathlib import Path

import msgspec

from muniment.handoff.build import build
from muniment.handoff.packet import Packet
from muniment.handoff.proposal import proposal_of
from muniment.handoff.render import render
from muniment.handoff.request import PacketRequest
from muniment.handoff.resolve import resolved
from muniment.model import nodes
from muniment.model import records as r
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

NOT_STORED = {"id": "", "head": "", "left_out": {}, "base": ""}


def busy() -> Story:
    story = Story()
    story.say("Fix the rate.")
    story.fact("Never touch the schema")
    story.task("Look at the rate", to="active")
    story.task("Read the report", to="settled")
    story.write("src/rate.py", "RATE = 1\n")
    story.run("pytest", "== 3 passed in 0.1s ==")
    story.run("make", "error: no such target", exit_code=2)
    story.add(r.ClaimMade(id="c", by="agent", session=SESSION, type="tests_pass", scope="suite", text="All tests pass"))
    story.add(
        r.DecisionMade(id="d", by="agent", session=SESSION, choice="A queue", reason="bursts", rejected=("cron",))
    )
    story.say("I looked at the rate.", by="agent", role="answer")
    return story


def built(story: Story) -> Packet:
    return build(story.snapshot(), PacketRequest(), o200k())


def again(story: Story) -> Packet:
    snapshot = story.snapshot()
    (node,) = snapshot.of_kind(nodes.Packet)
    return resolved(snapshot, node, o200k())


def proposed(story: Story) -> Packet:
    """Propose the packet of a story in it, and return that packet."""
    packet = built(story)
    story.add(proposal_of(packet))
    return packet


def test_a_stored_packet_is_shown_as_it_was_built() -> None:
    story = busy()
    packet = proposed(story)
    story.say("And something else.")
    story.write("src/rate.py", "RATE = 2\n")
    assert msgspec.structs.replace(again(story), **NOT_STORED) == msgspec.structs.replace(packet, **NOT_STORED)


def test_what_was_withdrawn_since_says_so_and_shows_no_text() -> None:
    story = busy()
    proposed(story)
    (fact,) = [record.id for record in story.records if isinstance(record, r.FactStated)]
    assert "Never touch the schema" in render(again(story))
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=fact))
    found = again(story)
    assert [item.state for item in found.binding] == ["", "withdrawn"]
    assert "Never touch the schema" not in render(found)
    assert "[withdrawn]" in render(found)


def test_what_was_purged_since_shows_nothing_and_keeps_its_id(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        store.record(busy().records)
        mission = store.missions()[0].mission
        packet = store.packet(mission)
        store.record([proposal_of(packet)], mission=mission)
        (fact,) = [item for item in packet.binding if item.kind == "fact"]
        store.purge(fact.record, "asked to", mission=mission)
        snapshot = store.snapshot(mission)
        (node,) = snapshot.of_kind(nodes.Packet)
        found = resolved(snapshot, node, o200k())
    (gone,) = [item for item in found.binding if item.state == "purged"]
    assert (gone.id, gone.text) == (fact.id, "")
    assert "Never touch the schema" not in render(found)
    assert "Fix the rate." in render(found)
