"""The check, rule by rule: what is wrong is found with its code and ids; the complete packet passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from muniment import EvidenceStore, UnknownIdError
from muniment.handoff.check import RULES
from muniment.handoff.packet import PROBLEMS, Packet, Prose
from muniment.handoff.proposal import DEEPEST, MOST_CHARACTERS
from muniment.model.nodes import Fact, Message
from tests.support.packet_missions import COMPLETE, changed, codes, opened, told

SECRET = "AKIA" + "K4TZP7WQ2NBVX5RM"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[EvidenceStore, str]]:
    store, mission = opened(tmp_path / "s")
    with store:
        yield store, mission


def found(place: tuple[EvidenceStore, str], **fields: object) -> dict[str, tuple[str, ...]]:
    """Return what is wrong with the complete packet, changed."""
    store, mission = place
    return codes(store.check_packet({**COMPLETE, **fields}, mission=mission))


def test_each_rule_has_a_code_that_is_explained() -> None:
    assert {code for code, _ in RULES} <= set(PROBLEMS)


def test_the_complete_packet_passes(place: tuple[EvidenceStore, str]) -> None:
    assert found(place) == {}


def test_the_packet_that_the_store_builds_passes(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    assert codes(store.check_packet(store.packet(mission), mission=mission)) == {}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"facts": ["m1", "f2"]}, {"binding_missing": ("f1",)}),
        ({"facts": []}, {"binding_missing": ("m1", "f1", "f2")}),
        ({"tasks": {"t1": "open"}}, {"open_task_missing": ("t2",)}),
        ({"delegations": []}, {"delegation_missing": ("g1",)}),
        ({"timers": []}, {"timer_missing": ("i1",)}),
        ({"timers": None}, {"timer_missing": ("i1",)}),
        ({"questions": []}, {"question_missing": ("q1",)}),
        ({"tasks": {"t1": "settled", "t2": "open"}}, {"task_state_mismatch": ("t1",)}),
        ({"tasks": {"t1": "open", "t2": "open", "t3": "open"}}, {"task_state_mismatch": ("t3",)}),
        ({"settled": ["t1"]}, {"task_state_mismatch": ("t1",)}),
        ({"next_actions": ["t3"]}, {"next_action_not_open": ("t3",)}),
        ({"next_actions": ["t2"]}, {"next_action_not_open": ("t2",)}),
        ({"facts": ["m1", "f0", "f1", "f2"]}, {"superseded_listed": ("f0",)}),
        ({"decisions": ["d1", "d2"]}, {"superseded_listed": ("d1",)}),
        ({"facts": ["m1", "f1", "f2", "a1"]}, {"citation_invalid": ("a1",)}),
        ({"facts": ["m1", "f1", "f2", "nobody"]}, {"id_unknown": ("nobody",)}),
        ({"facts": ["m1", "f1", "f2", "w1"]}, {"id_unknown": ("w1",)}),
        ({"turns": ["nobody"]}, {"id_unknown": ("nobody",)}),
        ({"prose": [{"text": "all is well", "cites": ["nobody"]}]}, {"citation_invalid": ("nobody",)}),
        ({"prose": [{"text": f"the key is {SECRET}", "cites": ["m1"]}]}, {"redacted_returned": ("packet",)}),
        ({"prose": [{"text": "word " * 5000, "cites": []}]}, {"too_large": ("packet",)}),
        ({"files": {"src/other.py": "00"}}, {"id_unknown": ("src/other.py",)}),
        ({"files": {"src/rate.py": "0" * 64}}, {"version_stale": ("src/rate.py",)}),
        ({"claims": {"c1": "proven"}}, {"claim_overstated": ("c1",)}),
        ({"claims": {"c1": "splendid"}}, {"claim_overstated": ("c1",)}),
        ({"claims": {"nobody": "proven"}}, {"id_unknown": ("nobody",)}),
        ({"covers_to": "nobody"}, {"id_unknown": ("nobody",)}),
        ({"covers_to": None}, {"schema": ("packet",)}),
        ({"base": "P0"}, {"base_replaced": ("P0",)}),
        ({"session": "elsewhere"}, {"id_unknown": ("elsewhere",)}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_with_exactly_its_ids(
    place: tuple[EvidenceStore, str], fields: dict[str, object], expected: dict[str, tuple[str, ...]]
) -> None:
    name = next(iter(found(place, covers_to=None).values()))[0]
    told = {code: tuple(name if each == "packet" else each for each in ids) for code, ids in expected.items()}
    wrong = found(place, **fields)
    if "packet" in next(iter(expected.values())):
        assert set(wrong) == set(told)
    else:
        assert wrong == told


@pytest.mark.parametrize(
    "fields",
    [
        {"tail": ["f1"], "facts": ["m1", "f2"]},
        {"tail": ["t2", "i1", "q1", "g1"], "tasks": {"t1": "open"}, "timers": [], "questions": [], "delegations": []},
        {"tasks": {"t1": "open", "t2": "open", "t3": "settled"}, "settled": ["t3"]},
        {"prose": [{"text": "the tests fail still", "cites": ["r1", "m1", "c1"]}]},
        {"claims": {"c1": "contradicted"}},
        {"turns": ["m1", "a1"], "failed": ["r1"], "pointers": ["w1"]},
        {"decisions": []},
        {"covers_to": "t3s"},
        {"next_actions": []},
    ],
)
def test_what_is_right_passes(place: tuple[EvidenceStore, str], fields: dict[str, object]) -> None:
    assert found(place, **fields) == {}


def test_ids_and_handles_of_nodes_name_things_as_well_as_those_of_records(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    snapshot = store.snapshot(mission)
    nodes = [node for name in ("m1", "f1", "f2") for node in snapshot.named(name) if isinstance(node, Message | Fact)]
    assert found(place, facts=[node.id for node in nodes]) == {}
    assert found(place, facts=[node.handle for node in nodes]) == {}


def test_a_binding_record_that_came_after_what_it_covers_must_be_in_it_or_in_its_tail(
    place: tuple[EvidenceStore, str],
) -> None:
    store, _ = place
    store.record([told("message", "m2", text="And one thing more: no new dependencies.", role="prompt")])
    assert found(place) == {"binding_missing": ("m2",)}
    assert found(place, tail=["m2"]) == {}


def whole(place: tuple[EvidenceStore, str]) -> Packet:
    store, mission = place
    return store.packet(mission)


def with_text(packet: Packet, record: str, text: str) -> Packet:
    items = [msgspec.structs.replace(i, text=text) if i.record == record else i for i in packet.binding]
    return changed(packet, binding=tuple(items))


def test_texts_are_those_of_the_graph_or_shorter(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    packet = whole(place)
    fact = next(item.id for item in packet.binding if item.record == "f1")
    assert codes(store.check_packet(with_text(packet, "f1", "Always touch the schema"))) == {"text_differs": (fact,)}
    assert codes(store.check_packet(with_text(packet, "f1", "Never [… 2 tokens more: K4] schema"))) == {}
    assert codes(store.check_packet(with_text(packet, "f1", "Never   touch\nthe schema"))) == {}
    back = codes(store.check_packet(with_text(packet, "f1", f"the key is {SECRET}"), mission=mission))
    assert back == {"text_differs": (fact,), "redacted_returned": (fact,)}


def test_what_is_beside_an_id_is_that_things_own(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    packet = whole(place)
    item = packet.binding[0]
    for wrong in ({"kind": "fact"}, {"handle": "K99"}, {"record": "f1"}):
        broken = changed(packet, binding=(msgspec.structs.replace(item, **wrong), *packet.binding[1:]))
        assert codes(store.check_packet(broken)) == {"id_unknown": (item.id,)}
    other = changed(packet, binding=(msgspec.structs.replace(item, by="agent"), *packet.binding[1:]))
    assert codes(store.check_packet(other, mission=mission)) == {"citation_invalid": (item.id,)}


def test_a_whole_packet_keeps_to_its_budget(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    packet = changed(whole(place), prose=(Prose(text="on and on " * 3000),))
    assert set(codes(store.check_packet(packet))) == {"too_large"}
    assert codes(store.check_packet(changed(packet, budget=50_000), mission=mission)) == {}


def test_a_packet_of_another_mission_or_version_is_none_of_this_one(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    packet = whole(place)
    other = changed(packet, mission="mission:" + "1" * 24)
    assert codes(store.check_packet(other, mission=mission)) == {"id_unknown": (other.mission,)}
    assert set(codes(store.check_packet(changed(packet, version=99)))) == {"schema"}


RING: dict[str, Any] = {"facts": []}
RING["facts"].append(RING)

ODD: list[Any] = [
    None, 7, "", [], {}, {"facts": 3}, {"facts": ["a", 3]}, {"tasks": []}, {"kind": "message", "text": "x"}, RING,
    {"facts": [], "prose": [{"text": {"a": [1]}, "cites": {"b": 1}}]}, {"facts": ["\ud83d", "\ud83d\x00"]},
    {"facts": [], "covers_to": 10**30}, {"facts": [], "covers_to": -5}, {"facts": [], "upto": 2**62},
    {"facts": [], "budget": -1}, {"mission": 3, "binding": [{}]}, {"facts": [], "id": ""}, {"facts": [], "id": 5},
    {"facts": [], "prose": [{"text": "\ud800", "cites": ["\udfff"]}]}, {1: 2}, {"facts": [], "files": {"a": 1}},
    {"facts": ["x" * (MOST_CHARACTERS + 1)]}, {"kind": "packet_proposed", "id": "x", "base": "\ud83d"}, float("nan"),
    {"covers_to": "w2", "facts": ["F1", "U2", "K3"] * 20_000}, {"facts": [], "tasks": {"t1": "\ud83d"}},
    json.loads('{"facts": ' + "[" * (DEEPEST + 5) + "]" * (DEEPEST + 5) + "}"), {"facts": [], "claims": {"\ud83d": ""}},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_a_bad_packet_never_raises_and_is_never_right(place: tuple[EvidenceStore, str], odd: Any) -> None:
    store, mission = place
    if isinstance(odd, str):
        with pytest.raises(UnknownIdError):
            store.check_packet(odd, mission=mission)
        return
    checked = store.check_packet(odd, mission=mission)
    assert checked.problems
    msgspec.json.encode(checked)
    answer = store.accept_packet(odd, mission=mission)
    assert not answer.accepted
    assert store.packet_in_force(mission) == ""
    assert store.verify().clean


def test_prose_that_cites_what_was_purged_is_refused(place: tuple[EvidenceStore, str]) -> None:
    store, mission = place
    prose = [{"text": "the tests failed", "cites": ["r1"]}]
    assert found(place, prose=prose) == {}
    store.purge("r1", "asked for", mission=mission)
    assert found(place, prose=prose) == {"citation_invalid": ("r1",)}
    assert found(place, failed=["r1"]) == {"id_unknown": ("r1",)}


def test_ids_without_end_do_not_fit_a_budget(place: tuple[EvidenceStore, str]) -> None:
    assert set(found(place, pointers=["w1"] * 999, budget=4000)) == set()
    assert set(found(place, pointers=["w1"] * 1001, budget=4000)) == {"too_large"}
    assert set(found(place, budget=0)) == set()
    assert set(found(place, compactor="x y " * 9000)) == {"too_large"}


@pytest.mark.parametrize("covers_to", [-5, 0, ""])
def test_a_packet_that_covers_nothing_is_refused(place: tuple[EvidenceStore, str], covers_to: object) -> None:
    assert set(found(place, covers_to=covers_to)) & {"id_unknown", "schema"}
    assert found(place, covers_to=5) == {}
