"""Packets that somebody bends: withdrawn ones, taken ids, budgets that cannot hold, ends that are not theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from muniment import EvidenceStore
from muniment.digest import digest_of
from muniment.errors import BudgetInfeasibleError, PacketRefusedError, UsageError
from muniment.handoff.packet import Packet, Prose
from muniment.handoff.proposal import proposal_of
from muniment.handoff.render import render
from tests.support.packet_missions import COMPLETE, changed, codes, opened, told

Place = tuple[EvidenceStore, str]
SECRET = "AKIA" + "K4TZP7WQ2NBVX5RM"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    store, mission = opened(tmp_path / "s")
    with store:
        yield store, mission


def work(store: EvidenceStore, name: str) -> None:
    """One more thing is done."""
    store.record([told("tool_returned", name, "tool", tool="command", command="ls", exit_code=0, effect="none")])


def test_a_packet_that_was_withdrawn_does_not_come_back_and_a_new_one_may_follow(place: Place) -> None:
    store, mission = place
    first = store.accept_packet(COMPLETE, mission=mission)
    store.withdraw(first.packet, "it was made too early")
    for again in (first.packet, COMPLETE):
        answer = store.accept_packet(again, mission=mission)
        assert (answer.accepted, answer.in_force) == (False, "")
        assert [problem.code for problem in answer.problems] == ["superseded_listed"]
    assert store.packet_in_force(mission) == ""
    assert store.accept_packet(store.packet(mission)).accepted


def test_whoever_takes_the_id_of_a_refusal_in_advance_neither_hides_it_nor_stops_the_count(place: Place) -> None:
    store, mission = place
    bad = {**COMPLETE, "facts": ["m1"]}
    store.record([told("packet_proposed", "P1", "compactor", **bad)])
    store.record([told("message", f"P1:refused:{number}", "agent", text="mine", role="answer") for number in (1, 3)])
    for attempt in range(1, 5):
        assert store.accept_packet("P1", mission=mission).attempts == attempt
    with pytest.raises(PacketRefusedError):
        store.accept_packet("P1", mission=mission)
    assert [(each.state, each.codes) for each in store.packets(mission)] == [("refused", ("binding_missing",))]
    assert store.accept_packet(COMPLETE, mission=mission).accepted


def test_a_record_under_the_id_of_anothers_node_takes_nothing_of_its_place(place: Place) -> None:
    store, mission = place
    nodes = [node.id for node in store.snapshot(mission).binding()]
    store.record([told("message", nodes[1], "agent", text="nothing binds", role="answer")])
    packet = store.packet(mission)
    assert codes(store.check_packet(packet)) == {}
    without = changed(packet, binding=tuple(item for item in packet.binding if item.id != nodes[1]))
    assert codes(store.check_packet(without)) == {"binding_missing": ("f1",)}
    answer = store.accept_packet(packet)
    assert [item.id for item in store.show_packet(answer.packet).binding] == nodes


def test_the_end_of_what_a_packet_covers_is_its_records_and_not_what_it_says_beside(place: Place) -> None:
    store, mission = place
    assert store.accept_packet(store.packet(mission)).accepted
    work(store, "r9")
    said = proposal_of(store.packet(mission))
    forged = msgspec.structs.replace(said, id="forged", covers_to="m1", upto=10**6)
    assert list(codes(store.check_packet(forged, mission=mission))) == ["no_progress"]
    assert codes(store.check_packet(said, mission=mission)) == {}


@pytest.mark.parametrize("budget", [-5, 1, 50])
def test_ids_alone_do_not_fit_a_budget_that_cannot_hold_what_they_name(place: Place, budget: int) -> None:
    store, mission = place
    assert list(codes(store.check_packet({**COMPLETE, "budget": budget}, mission=mission))) == ["too_large"]
    emptied = store.packet(mission)
    emptied = changed(emptied, binding=tuple(changed_text(item) for item in emptied.binding), budget=budget)
    assert "too_large" in codes(store.check_packet(emptied))
    assert codes(store.check_packet({**COMPLETE, "budget": 1000}, mission=mission)) == {}


def changed_text(item: msgspec.Struct) -> object:
    return msgspec.structs.replace(item, text="")


def test_a_stored_packet_is_shown_in_its_budget_and_as_it_was_built(place: Place) -> None:
    store, mission = place
    with pytest.raises(BudgetInfeasibleError) as found:
        store.packet(mission, budget=50)
    least = found.value.needed + 24  # the names of packets that are on record by then are longer
    for budget in (*range(least, least + 250, 9), 4_000, 20_000):
        built = store.packet(mission, budget=budget)
        shown = store.show_packet(store.propose_packet(built))
        assert built.tokens <= budget
        assert (render(shown), shown.left_out) == (render(msgspec.structs.replace(built, id=shown.id)), built.left_out)


@pytest.mark.parametrize(
    ("kind", "extra", "many"),
    [("message", {"role": "prompt"}, 4_200), ("task_stated", {}, 600)],
)
def test_the_budget_that_an_infeasible_one_asks_for_is_enough_however_much_binds(
    place: Place, kind: str, extra: dict[str, str], many: int
) -> None:
    store, mission = place
    text = "please keep the columns of the report as they are " * 3
    store.record([{**told(kind, f"x{number}", text=f"{number} {text}"), **extra} for number in range(many)])
    with pytest.raises(BudgetInfeasibleError) as found:
        store.packet(mission)
    packet: Packet = store.packet(mission, budget=found.value.needed)
    assert packet.tokens == found.value.needed
    assert codes(store.check_packet(packet)) == {}
    assert "too_large" in codes(store.check_packet({**COMPLETE, "tail": ["a1"] * 20_000, "focus": "x " * 150_000,
                                                    "budget": 10**9}, mission=mission))  # fmt: skip


@pytest.mark.parametrize("tokens", [float("nan"), True, 1.5, "many", None, -1])
def test_what_is_no_number_of_tokens_gets_no_advice(place: Place, tokens: object) -> None:
    store, _ = place
    with pytest.raises(UsageError, match="number of tokens"):
        store.should_compact("claude-opus-4-5", tokens)  # type: ignore[arg-type]
    assert not store.should_compact("claude-opus-4-5", 0).compact


def stored_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("*.sqlite*"))


@pytest.mark.parametrize(
    "record",
    [
        told("packet_proposed", "x", "compactor", **{**COMPLETE, "prose": [{"text": f"the key is {SECRET}"}]}),
        told("packet_proposed", "x", "compactor", **{**COMPLETE, "attachments": [{"digest": "d", "item": [SECRET]}]}),
        told("decision_made", "x", choice="another key", rejected=["no key", f"the key {SECRET}"]),
    ],
)
def test_no_secret_is_stored_that_stands_in_a_list_of_a_record(
    place: Place, tmp_path: Path, record: dict[str, object]
) -> None:
    store, _ = place
    store.record([record, told("message", "m7", text="the marker of this test", role="answer")])
    assert SECRET.encode() not in stored_bytes(tmp_path / "s")
    assert b"the marker of this test" in stored_bytes(tmp_path / "s")


def test_the_secret_for_which_a_packet_was_refused_is_not_stored_with_it(place: Place, tmp_path: Path) -> None:
    store, mission = place
    packet = changed(store.packet(mission), prose=(Prose(text=f"the key is {SECRET}"),))
    answer = store.accept_packet(packet)
    assert [problem.code for problem in answer.problems] == ["redacted_returned"]
    assert SECRET.encode() not in stored_bytes(tmp_path / "s")
    assert "[redacted:" in store.show_packet(answer.packet).prose[0].text


def test_what_looks_like_the_mark_of_a_payload_in_a_list_does_not_bring_that_payload(place: Place) -> None:
    store, mission = place
    hidden = "what only the owner of another mission may read\n" * 60
    store.record([told("message", "m7", text=hidden, role="answer")])
    mark = {"$payload": digest_of(hidden.encode()), "chars": len(hidden)}
    packet = store.propose_packet({**COMPLETE, "prose": [{"text": mark}]}, mission=mission)
    assert "may read" not in store.show_packet(packet).prose[0].text
    plain = store.propose_packet({**COMPLETE, "prose": [{"text": hidden}]}, mission=mission)
    assert store.show_packet(plain).prose[0].text == hidden


@pytest.mark.parametrize("name", ["version", "mission", "x"])
def test_an_object_whose_names_are_no_texts_is_no_packet(place: Place, name: str) -> None:
    store, mission = place
    assert list(codes(store.check_packet({**COMPLETE, name: {1: 2}}, mission=mission))) == ["schema"]
    assert not store.accept_packet({**COMPLETE, name: {1: 2}}, mission=mission).accepted
    assert store.accept_packet({**COMPLETE, "x": {"1": 2}}, mission=mission).accepted


def test_the_workspace_of_a_packet_is_the_one_on_record_now_or_as_of_what_it_covers(place: Place) -> None:
    store, mission = place
    packet = store.packet(mission)
    forged = changed(packet, workspace=msgspec.structs.replace(packet.workspace, digest="0" * 64))
    assert codes(store.check_packet(forged)) == {"version_stale": ("0" * 64,)}
    assert codes(store.check_packet({**COMPLETE, "workspace": "none"}, mission=mission)) == {"version_stale": ("none",)}
    store.record(
        [told("tool_returned", "w9", "tool", tool="write", path="src/other.py", content="A = 1\n", effect="writes")]
    )
    assert codes(store.check_packet(packet)) == {}
    assert codes(store.check_packet(store.packet(mission))) == {}
