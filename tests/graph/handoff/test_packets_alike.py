"""The same packet: across processes, hash seeds, engines and the ways to reach a moment; and one after another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from muniment.errors import BudgetInfeasibleError
from muniment.handoff.build import build
from muniment.handoff.contract import HEADINGS
from muniment.handoff.packet import Packet
from muniment.handoff.proposal import proposal_of
from muniment.handoff.render import render
from muniment.handoff.request import PacketRequest
from muniment.handoff.resolve import resolved
from muniment.model import nodes
from muniment.model.codec import parse_record
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import Story
from tests.support.histories import History, histories

RECORDED = (
    "codex/cx02-agentv-317.jsonl",
    "claude-code/cc12-spotter-196.jsonl",
    "claude-code/cc04-entire-62.jsonl",
    "codex/cx06-agentv-100.jsonl",
)
PROGRAM = """
import sys, msgspec
from muniment.store import EvidenceStore
with EvidenceStore.open(sys.argv[1]) as store:
    sys.stdout.buffer.write(msgspec.json.encode(store.packet(store.missions()[0].mission, budget=700)))
"""


def busy() -> Story:
    story = Story()
    story.say("Fix the rate.")
    for number in range(12):
        story.fact(f"Part {number} stays as it is", class_="constraint" if number % 2 else "preference")
        story.write(f"src/part_{number}.py", f"x = {number}\n")
        story.run(f"make part-{number}", "error: no such target", exit_code=number % 2)
        story.task(f"Do part {number}", to="settled" if number % 3 else "active")
    return story


def filled(folder: Path, *, engine: str | None = None, story: Story | None = None) -> EvidenceStore:
    store = EvidenceStore.open(folder, create=True, engine=engine)
    store.record((story or busy()).records)
    return store


def test_a_packet_is_the_same_under_each_hash_seed(tmp_path: Path) -> None:
    filled(tmp_path / "store").close()
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path / "store")], check=True, capture_output=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(found) == 1


def test_an_engine_gives_the_packet_that_memory_gives(tmp_path: Path, engine: str) -> None:
    with filled(tmp_path / "memory") as memory, filled(tmp_path / "engine", engine=engine) as other:
        mission = memory.missions()[0].mission
        for budget in (500, 4000):
            one, two = (store.packet(mission, budget=budget) for store in (memory, other))
            assert msgspec.structs.replace(one, head="") == msgspec.structs.replace(two, head="")


def test_a_packet_as_of_a_position_is_the_one_that_was_built_there(tmp_path: Path) -> None:
    with filled(tmp_path / "store") as store:
        mission = store.missions()[0].mission
        then, position = store.packet(mission), int(store.head().partition(":")[0])
        late = {"kind": "fact_stated", "id": "late", "by": "user", "session": "S", "class": "constraint", "text": "x"}
        store.record([late], mission=mission)
        again, now = store.packet(mission, as_of=position), store.packet(mission)
    assert msgspec.structs.replace(again, head="") == msgspec.structs.replace(then, head="")
    assert [item.record for item in now.binding][-1] == "late"


@given(history=histories())
def test_whatever_happened_a_packet_keeps_to_its_budget_and_carries_all_that_binds(history: History) -> None:
    story = Story()
    story.records = [parse_record(record) for record in history.records]
    snapshot = story.snapshot()
    try:
        found = build(snapshot, PacketRequest(budget=400), o200k())
    except BudgetInfeasibleError as error:
        found = build(snapshot, PacketRequest(budget=error.needed), o200k())
    assert o200k().count(render(found)) == found.tokens <= found.budget
    assert [item.id for item in found.binding] == [node.id for node in snapshot.binding()]
    assert [item.id for item in found.tasks] == [node.id for node in snapshot.open_tasks()]
    open_tasks = {item.id for item in found.tasks}
    assert {action.task for action in found.next_actions if action.task} <= open_tasks


def _accept(store: EvidenceStore, mission: str, packet: Packet) -> str:
    accepted = store.accept_packet(packet, mission=mission)
    assert accepted.accepted, accepted.problems
    return accepted.packet


def test_the_tenth_packet_in_a_row_costs_what_the_first_did_and_loses_nothing(tmp_path: Path) -> None:
    with filled(tmp_path / "store") as store:
        mission = store.missions()[0].mission
        first = store.packet(mission)
        sizes, packet = [first.tokens], first
        for number in range(10):
            _accept(store, mission, packet)
            said = {"kind": "message", "id": f"go{number}", "by": "agent", "role": "answer", "text": f"Step {number}."}
            store.record([{**said, "session": "S"}], mission=mission)
            packet = store.packet(mission)
            sizes.append(packet.tokens)
    assert packet.base
    assert packet.settled == ()
    assert max(sizes[1:]) <= first.tokens
    assert [item.id for item in packet.binding] == [item.id for item in first.binding]
    assert {item.id for item in packet.failed} == {item.id for item in first.failed}
    assert {item.id for item in packet.files} == {item.id for item in first.files}


@pytest.mark.sessions
@pytest.mark.parametrize("name", RECORDED)
def test_a_packet_of_a_recorded_session_is_whole_and_within_its_budget(
    sessions: Path, tmp_path: Path, name: str
) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        mission = store.import_session(sessions / name).mission
        assert mission is not None
        snapshot = store.snapshot(mission)
        found = store.packet(mission)
        assert o200k().count(render(found)) == found.tokens <= 4000
        assert {item.id for item in found.binding} == {node.id for node in snapshot.binding()}
        assert {item.id for item in found.tasks} == {node.id for node in snapshot.open_tasks()}
        assert proposal_of(found).covers_to == found.covers_to
        resolving = (*found.binding, *found.tasks, *found.decisions, *found.files, *found.failed, *found.absent)
        assert all(snapshot.node(item.id) is not None for item in resolving)
        store.propose_packet(found, mission=mission)
        after = store.snapshot(mission)
        again = resolved(after, after.of_kind(nodes.Packet)[-1], o200k())
        unlike = [section for section in HEADINGS if getattr(again, section) != getattr(found, section)]
        assert (unlike, again.tokens) == ([], found.tokens)
