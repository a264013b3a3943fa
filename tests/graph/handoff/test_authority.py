"""Ways round the check: nothing but the store's own acceptance puts a packet in force, or moves the one that is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import BusyError, FieldError, ScopeError, UnknownIdError, UsageError
from tests.support.packet_missions import COMPLETE, SESSION, Place, in_force, opened, proposed, told, work


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    store, mission = opened(tmp_path / "s")
    with store:
        yield store, mission


BAD: dict[str, object] = {"facts": []}


def test_no_record_of_a_caller_puts_a_packet_in_force(place: Place) -> None:
    store, _ = place
    store.record([proposed("P1", **BAD)])
    for kind in ("packet_accepted", "packet_refused"):
        for extra in ({}, {"checked": True}, {"actor": "store"}):
            with pytest.raises(UsageError, match="accept_packet"):
                store.record([told(kind, f"{kind}1", "harness", packet="P1", **extra)])
    assert in_force(place) == ""


def test_an_imported_acceptance_is_history(place: Place, tmp_path: Path) -> None:
    store, mission = place
    good = store.accept_packet(COMPLETE, mission=mission)
    lines = [
        proposed("P1", **BAD),
        told("packet_accepted", "P1a", "harness", packet="P1", checked=True),
        told("packet_accepted", "P1b", "user", packet="P1", checked=True),
        told("packet_refused", "P1c", "harness", packet=good.packet, codes=["schema"], checked=True),
    ]
    source = tmp_path / "records.ndjson"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    store.import_session(source, format="ndjson-records", mission=mission)
    assert store.packet_in_force(mission) == good.packet
    states = {each.record: each.state for each in store.packets(mission)}
    assert states["P1"] == "proposed"
    store.rebuild()
    assert store.packet_in_force(mission) == good.packet


@pytest.mark.parametrize(
    "record",
    [
        told("task_moved", "x", "agent", task="P", to="open"),
        told("task_moved", "x", "agent", task="P", to="cancelled"),
        told("question_settled", "x", "agent", question="P"),
        told("delegation_ended", "x", "agent", delegation="P", outcome="done"),
        told("timer_fired", "x", "agent", timer="P"),
        told("withdrawal", "x", "agent", target="P"),
        told("fact_stated", "x", "agent", text="other", supersedes=["P"], **{"class": "preference"}),
        told("decision_made", "x", "agent", choice="other", supersedes=["P"]),
    ],
)
def test_nothing_that_an_agent_records_moves_the_packet_in_force(place: Place, record: dict[str, object]) -> None:
    store, mission = place
    store.record([proposed("P")])
    answer = store.accept_packet("P", mission=mission)
    assert answer.accepted
    store.record([record])
    assert store.packet_in_force(mission) == answer.packet
    assert store.packets(mission)[0].state == "accepted"


def test_a_user_may_withdraw_the_packet_in_force(place: Place) -> None:
    store, mission = place
    answer = store.accept_packet(COMPLETE, mission=mission)
    store.withdraw(answer.packet, "it was made too early")
    assert store.packet_in_force(mission) == ""
    assert store.packets(mission)[0].state == "withdrawn"


def test_a_move_that_was_recorded_before_the_packet_does_not_wait_for_it(place: Place) -> None:
    store, mission = place
    store.record([told("task_moved", "x", "agent", task="P9", to="settled"), proposed("P9", **BAD)])
    assert store.packets(mission)[0].state == "proposed"
    assert in_force(place) == ""


def test_another_packet_under_the_id_of_a_stored_one_is_not_accepted_in_its_place(place: Place) -> None:
    store, mission = place
    store.record([proposed("P1", **BAD)])
    answer = store.accept_packet({**COMPLETE, "id": "P1", "session": SESSION}, mission=mission)
    assert [problem.code for problem in answer.problems] == ["schema"]
    assert in_force(place) == ""
    same = store.accept_packet("P1", mission=mission)
    assert [problem.code for problem in same.problems] == ["binding_missing"]


def test_a_record_that_has_the_id_of_an_acceptance_in_advance_does_not_stand_for_it(place: Place) -> None:
    store, mission = place
    store.record([proposed("P")])
    position = int(store.head().partition(":")[0])
    store.record([told("message", f"P:accepted:{position + 1}", "agent", text="mine", role="answer")])
    with pytest.raises((BusyError, FieldError)):
        store.accept_packet("P", mission=mission)
    assert in_force(place) == ""
    work(store, "r9")
    assert store.accept_packet("P", mission=mission).accepted


def test_only_a_handle_that_may_accept_can(place: Place) -> None:
    store, mission = place
    narrow = store.scoped(project="p")
    with pytest.raises(ScopeError, match="accept"):
        narrow.accept_packet(COMPLETE, mission=mission)
    assert narrow.check_packet(COMPLETE, mission=mission).passed
    assert store.scoped(project="p", verbs=["read", "accept"]).accept_packet(COMPLETE, mission=mission).accepted
    with pytest.raises(ScopeError, match="record"):
        store.scoped(project="p", verbs=["read"]).propose_packet(COMPLETE, mission=mission)


def test_a_foreign_packet_and_an_unknown_one_get_the_same_answer(place: Place) -> None:
    store, mission = place
    packet = store.propose_packet(COMPLETE, mission=mission)
    other = store.scoped(project="elsewhere", verbs=["read", "accept"])
    for wanted in (packet, "packet:nobody"):
        for verb in (other.check_packet, other.accept_packet, other.show_packet):
            with pytest.raises(UnknownIdError):
                verb(wanted)
