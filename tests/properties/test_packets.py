"""I1 to I4 and I17 for packets, over generated missions: what binds is in a packet that passes, or is named."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import EvidenceStore
from muniment.handoff.build import build
from muniment.handoff.check import check, refused
from muniment.handoff.contract import HEADINGS
from muniment.handoff.packet import Checked, Packet, PacketItem, Problem
from muniment.handoff.proposal import offered, proposal_of
from muniment.handoff.request import PacketRequest
from muniment.model.codec import parse_record
from muniment.model.nodes import NODE_TYPES
from muniment.rehydration import rehydrate
from muniment.snapshot import ENDED_STATES, MemorySnapshot
from muniment.tokens import o200k
from tests.support.graphs import MISSION, folded, inline
from tests.support.histories import WORDS, History, histories

ROOM = 100_000
"""Tokens in which all of a generated mission fits."""

CODES = {
    "facts": "binding_missing",
    "tasks": "open_task_missing",
    "delegations": "delegation_missing",
    "timers": "timer_missing",
    "questions": "question_missing",
}
"""What a proposal lists → the code of what is not in it."""


@st.composite
def missions(draw: st.DrawFn) -> History:
    """Draw a history with delegations and timers, some of which have ended."""
    history = draw(histories(20))
    for n in range(draw(st.integers(0, 3))):
        child = history.add("delegation_started", "agent", child=f"k{n}", text=draw(WORDS))
        if draw(st.booleans()):
            history.add("delegation_ended", "agent", delegation=child, outcome=draw(st.sampled_from(["done", "lost"])))
    for _ in range(draw(st.integers(0, 3))):
        timer = history.add("timer_armed", "agent", text=draw(WORDS))
        if draw(st.booleans()):
            history.add("timer_fired", "harness", timer=timer)
    return history


def snapshot_of(history: History) -> MemorySnapshot:
    graph, state = folded(parse_record(dict(record)) for record in history.records)
    return MemorySnapshot(graph, MISSION, state.ordinal, inline)


def packet_of(snapshot: MemorySnapshot) -> Packet:
    return build(snapshot, PacketRequest(budget=ROOM), o200k())


def checked(snapshot: MemorySnapshot, value: object) -> Checked:
    proposal = offered(value)
    return refused(proposal, None) if isinstance(proposal, Problem) else check(snapshot, proposal, None)


def codes(found: Checked) -> dict[str, tuple[str, ...]]:
    return {problem.code: problem.ids for problem in found.problems}


def items_of(packet: Packet) -> list[PacketItem]:
    return [each for section in HEADINGS for each in getattr(packet, section) if isinstance(each, PacketItem)]


@given(missions())
def test_what_the_store_builds_passes_whole_and_as_it_is_stored(history: History) -> None:
    snapshot = snapshot_of(history)
    packet = packet_of(snapshot)
    assert codes(checked(snapshot, packet)) == {}
    assert codes(checked(snapshot, proposal_of(packet))) == {}


@given(missions(), st.data())
def test_a_packet_without_any_one_thing_that_binds_is_refused_and_names_exactly_that(
    history: History, data: st.DataObject
) -> None:
    snapshot = snapshot_of(history)
    said = proposal_of(packet_of(snapshot))
    listed = [(field, each) for field in CODES for each in getattr(said, field) or ()]
    if not listed:
        return
    field, gone = data.draw(st.sampled_from(listed))
    kept: Any = getattr(said, field)
    left = {k: v for k, v in kept.items() if k != gone} if isinstance(kept, dict) else tuple(set(kept) - {gone})
    node = snapshot.node(gone)
    assert node is not None
    broken = msgspec.structs.replace(said, **{field: left})
    assert codes(checked(snapshot, broken)) == {CODES[field]: (node.record,)}
    assert codes(checked(snapshot, msgspec.structs.replace(broken, tail=(*said.tail, gone)))) == {}


@given(missions(), st.data())
def test_a_whole_packet_without_any_one_thing_that_binds_is_refused_and_names_exactly_that(
    history: History, data: st.DataObject
) -> None:
    snapshot = snapshot_of(history)
    packet = packet_of(snapshot)
    sections = {"binding": "facts", "tasks": "tasks", "delegations": "delegations", "timers": "timers"}
    sections["questions"] = "questions"
    listed = [(section, item) for section in sections for item in getattr(packet, section)]
    if not listed:
        return
    section, gone = data.draw(st.sampled_from(listed))
    left = tuple(item for item in getattr(packet, section) if item.id != gone.id)
    broken = msgspec.structs.replace(packet, **{section: left})
    assert codes(checked(snapshot, broken)) == {CODES[sections[section]]: (gone.record,)}


@given(missions(), WORDS)
def test_what_binds_and_came_later_must_be_carried_along(history: History, text: str) -> None:
    before = packet_of(snapshot_of(history))
    later = history.add("message", "user", text=f"later: {text}", role="prompt")
    snapshot = snapshot_of(history)
    said = proposal_of(before)
    assert codes(checked(snapshot, said)) == {"binding_missing": (later,)}
    assert codes(checked(snapshot, msgspec.structs.replace(said, tail=(*said.tail, later)))) == {}


@given(missions())
def test_nothing_that_has_ended_is_an_order_or_passes_for_current(history: History) -> None:
    snapshot = snapshot_of(history)
    packet = packet_of(snapshot)
    ended = {task for task in history.tasks if _is_over(snapshot, task)}
    assert not ended & {snapshot.node(each.task).record for each in packet.next_actions if each.task}  # type: ignore[union-attr]
    assert not ended & {item.record for item in packet.tasks}
    said = proposal_of(packet)
    for task in ended:
        again = msgspec.structs.replace(said, next_actions=(*said.next_actions, task))
        assert codes(checked(snapshot, again)) == {"next_action_not_open": (task,)}
        open_again = msgspec.structs.replace(said, tasks={**said.tasks, task: "open"})
        assert codes(checked(snapshot, open_again)) == {"task_state_mismatch": (task,)}
    for fact in {fact for fact in history.facts if snapshot.ended(_node(snapshot, fact))}:
        listing = msgspec.structs.replace(said, facts=(*said.facts, fact))
        assert codes(checked(snapshot, listing)) == {"superseded_listed": (fact,)}


def _is_over(snapshot: MemorySnapshot, task: str) -> bool:
    node = _node(snapshot, task)
    return bool(snapshot.ended(node)) or snapshot.state(node) in ENDED_STATES


def _node(snapshot: MemorySnapshot, record: str) -> str:
    return next(node.id for node in snapshot.named(record) if node.id.startswith(("task:", "fact:")))


@given(missions())
def test_every_citation_leads_somewhere_or_is_named(history: History) -> None:
    snapshot = snapshot_of(history)
    said = proposal_of(packet_of(snapshot))
    cited = [node.id for kind in NODE_TYPES for node in snapshot.of_kind(kind) if node.id.startswith("receipt:")]
    right = msgspec.structs.replace(said, prose=({"text": "as it was seen", "cites": cited},))
    assert codes(checked(snapshot, right)) == {}
    wrong = msgspec.structs.replace(said, prose=({"text": "as it was seen", "cites": [*cited, "nobody-saw"]},))
    assert codes(checked(snapshot, wrong)) == {"citation_invalid": ("nobody-saw",)}


@given(missions())
def test_everything_that_is_shown_can_be_rehydrated(history: History) -> None:
    snapshot = snapshot_of(history)
    packet = packet_of(snapshot)
    for item in items_of(packet):
        for wanted in (item.id, item.handle, *item.cites, *item.after):
            assert rehydrate(snapshot, wanted, None).id
    for action in packet.next_actions:
        for wanted in filter(None, (action.task, action.about, action.handle, *action.cites)):
            assert rehydrate(snapshot, wanted, None).id


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["f", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["facts", "tasks", "prose", "covers_to", "tail", "files", "claims", "base", "id", "kind", "binding", "mission"]
FIELDS += ["next_actions", "questions", "timers", "budget", "upto", "attachments", "session", "version", "ordinal"]


@given(histories(5), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8) | JSON)
def test_no_value_whatever_makes_a_check_raise(history: History, value: object) -> None:
    found = checked(snapshot_of(history), value)
    msgspec.json.encode(found)


@pytest.mark.slow
@settings(max_examples=15)
@given(missions(), st.sampled_from(["facts", "tasks", "nothing"]))
def test_a_refused_attempt_leaves_everything_but_itself_as_it_was(history: History, gone: str) -> None:
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "s", create=True) as store:
        store.record(history.records)
        mission = store.missions()[0].mission
        first = store.accept_packet(store.packet(mission, budget=ROOM))
        assert first.accepted
        store.record(
            [{"kind": "message", "id": "late", "session": "S", "by": "user", "text": "late", "role": "prompt"}]
        )
        packet = proposal_of(store.packet(mission, budget=ROOM))
        before = _told(store, mission)
        broken = {
            "facts": msgspec.structs.replace(packet, facts=packet.facts[:-1], id="broken"),
            "nothing": {"facts": 3},
        }
        broken["tasks"] = msgspec.structs.replace(packet, tasks={"nobody": "open"}, id="broken")
        answer = store.accept_packet(broken[gone], mission=mission)  # type: ignore[arg-type]
        assert (answer.accepted, answer.in_force) == (False, first.packet)
        assert _told(store, mission) == before
        assert store.accept_packet(store.packet(mission, budget=ROOM)).accepted


def _told(store: EvidenceStore, mission: str) -> object:
    """Return what a mission comes to, without what is on record of attempts."""
    snapshot = store.snapshot(mission)
    nodes = [
        node for kind in NODE_TYPES for node in snapshot.of_kind(kind) if not node.id.startswith(("packet:", "agent:"))
    ]
    view = store.view(mission, budget=ROOM)
    items = [msgspec.structs.replace(item, at=(0, 0)) for item in view.items]
    return store.packet_in_force(mission), nodes, view.text, items, store.packet(mission, budget=ROOM).binding
