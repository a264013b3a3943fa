"""Ten boundaries in a row over a planted mission: nothing of it is lost, distorted or brought back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from muniment import EvidenceStore
from muniment.acceptances import Offered
from muniment.handoff.packet import Packet, Prose
from muniment.handoff.proposal import proposal_of
from muniment.handoff.render import render
from muniment.model.nodes import Packet as PacketNode
from muniment.rehydration import rehydrate
from tests.support.planted import COMMITS, CONSTRAINT, ERROR, LEGS, NAMES, REJECTED, SECRET, beginning, leg

TENTH = 0.06
"""By how much the tenth packet may differ from the first in its cost."""
ANY = 0.08
"""By how much any may: until as many turns are there as a packet shows, each shows one more."""


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list[Packet]]:
    """Ten legs of work with a boundary after each; the store is closed and opened between any two."""
    path = tmp_path_factory.mktemp("planted") / "s"
    packets: list[Packet] = []
    with EvidenceStore.open(path, create=True) as store:
        store.record(beginning())
        mission = store.missions()[0].mission
    for number in range(1, LEGS + 1):
        with EvidenceStore.open(path) as store:
            store.record(list(leg(number)))
            packet = store.packet(mission)
            before = store.packet_in_force(mission)
            for code, broken in _broken(store, mission, packet, number):
                found = {problem.code: problem.ids for problem in store.check_packet(broken, mission=mission).problems}
                assert set(found) == {code}, (number, code, found)
            refused = store.accept_packet(proposal_of(msgspec.structs.replace(packet, tasks=())), mission=mission)
            assert [(p.code, p.ids) for p in refused.problems] == [("open_task_missing", (NAMES.deferred,))]
            assert store.packet_in_force(mission) == before
            proposal = store.propose_packet(packet)
            assert store.accept_packet(proposal, mission=mission).accepted, number
            assert store.packet_in_force(mission) == proposal
            packets.append(store.show_packet(proposal))
    return path, mission, packets


def _broken(store: EvidenceStore, mission: str, packet: Packet, number: int) -> list[tuple[str, Offered]]:
    """Return packets with what compactions are known to do, each with the code that it must be refused by."""
    said = proposal_of(packet)
    snapshot = store.snapshot(mission)
    message = next(item.id for item in packet.binding if item.record == NAMES.first)
    claim = next(item.id for item in packet.unverified if item.record == NAMES.claim)
    ended = snapshot.named(f"task-{number}")[0].id
    plan = snapshot.named(NAMES.plan)[0].id

    def but(**fields: object) -> Offered:
        return msgspec.structs.replace(said, id="broken", **fields)

    broken: list[tuple[str, Offered]] = [
        ("binding_missing", but(facts=tuple(each for each in said.facts if each != message))),
        ("task_state_mismatch", but(tasks={**said.tasks, NAMES.concluded: "open"})),
        ("next_action_not_open", but(next_actions=(*said.next_actions, ended))),
        ("superseded_listed", but(decisions=(*said.decisions, NAMES.rejected))),
        ("citation_invalid", but(facts=(*said.facts, plan))),
        ("claim_overstated", but(claims={**said.claims, claim: "proven"})),
        ("redacted_returned", msgspec.structs.replace(packet, prose=(Prose(text=f"the key is {SECRET}"),))),
        ("text_differs", _reworded(packet, message, "Please change the wire format.")),
    ]
    if number > 1:
        broken.append(("superseded_listed", but(facts=(*said.facts, f"focus-{number - 1}"))))
        old = store.show_packet(store.packet_in_force(mission)).files
        digest = next(item.digest for item in old if item.path == NAMES.file)
        broken.append(("version_stale", but(files={**said.files, NAMES.file: digest or ""})))
    return broken


def _reworded(packet: Packet, wanted: str, text: str) -> Packet:
    items = (msgspec.structs.replace(i, text=text) if i.id == wanted else i for i in packet.binding)
    return msgspec.structs.replace(packet, binding=tuple(items))


Crossed = tuple[Path, str, list[Packet]]


def records(packet: Packet, section: str) -> list[str]:
    return [item.record for item in getattr(packet, section)]


def test_the_constraint_of_the_first_message_binds_in_each_packet(crossed: Crossed) -> None:
    for packet in crossed[2]:
        first = next(item for item in packet.binding if item.record == NAMES.first)
        assert CONSTRAINT in first.text
        assert first.by == "user"


def test_the_task_that_was_put_off_stays_open_and_no_task_that_has_ended_comes_back(crossed: Crossed) -> None:
    for number, packet in enumerate(crossed[2], 1):
        assert records(packet, "tasks") == [NAMES.deferred]
        assert {each.task for each in packet.next_actions} <= {"", packet.tasks[0].id}
        history = {f"task-{number}", f"next-{number}"} | ({NAMES.concluded} if number == 1 else set())
        assert set(records(packet, "settled")) == history
        assert {item.state for item in packet.settled} <= {"settled", "cancelled"}


def test_the_rejected_approach_is_known_as_turned_down_and_as_nothing_else(crossed: Crossed) -> None:
    for packet in crossed[2]:
        assert records(packet, "decisions") == [NAMES.decision]
        assert packet.decisions[0].rejected == (REJECTED,)
        assert "memory is short" in packet.decisions[0].why
        assert not any(REJECTED in item.text for item in (*packet.binding, *packet.tasks))
        assert not any(REJECTED in action.why for action in packet.next_actions)
        told = render(packet).lower()
        said_by_agent = sum(item.record == NAMES.plan for item in packet.turns)
        assert told.count(REJECTED) == 1 + said_by_agent


def test_only_the_newest_of_what_follows_one_another_is_in_force(crossed: Crossed) -> None:
    for number, packet in enumerate(crossed[2], 1):
        assert records(packet, "binding") == [NAMES.first, f"focus-{number}"]


def test_files_are_as_they_were_at_each_boundary(crossed: Crossed) -> None:
    digests = [next(item.digest for item in packet.files if item.path == NAMES.file) for packet in crossed[2]]
    assert len(set(digests)) == LEGS
    assert [len(packet.files) for packet in crossed[2]] == [7] * LEGS
    assert len({packet.workspace.digest for packet in crossed[2]}) == LEGS


def test_errors_alike_of_two_commits_stay_two(crossed: Crossed) -> None:
    for packet in crossed[2]:
        failed = {item.record: item for item in packet.failed}
        assert set(NAMES.errors) <= set(failed)
        for name, commit in zip(NAMES.errors, COMMITS, strict=True):
            told = f"{failed[name].what} {failed[name].text} {failed[name].why}"
            assert commit[:8] in told
            assert ERROR[:30] in told


def test_what_was_concluded_and_not_verified_is_never_called_verified(crossed: Crossed) -> None:
    for packet in crossed[2]:
        assert NAMES.claim in records(packet, "unverified")
        assert NAMES.claim not in records(packet, "verified")
        assert NAMES.concluded not in records(packet, "verified")


def test_no_secret_shows_anywhere(crossed: Crossed) -> None:
    path, _, packets = crossed
    for packet in packets:
        assert SECRET not in render(packet) + msgspec.json.encode(packet).decode()
    assert not any(SECRET.encode() in file.read_bytes() for file in path.rglob("*") if file.is_file())


def test_the_tenth_packet_costs_what_the_first_did(crossed: Crossed) -> None:
    costs = [packet.tokens for packet in crossed[2]]
    assert abs(costs[-1] / costs[0] - 1) <= TENTH
    assert max(abs(cost / costs[0] - 1) for cost in costs) <= ANY


def test_each_packet_follows_the_one_before(crossed: Crossed) -> None:
    packets = crossed[2]
    assert [packet.base for packet in packets] == ["", *(packet.id for packet in packets[:-1])]


def test_all_that_any_packet_shows_can_be_rehydrated(crossed: Crossed) -> None:
    path, mission, packets = crossed
    with EvidenceStore.open(path) as store:
        snapshot = store.snapshot(mission)
        for packet in packets:
            for section in ("binding", "tasks", "settled", "decisions", "files", "unverified", "failed", "turns"):
                for item in getattr(packet, section):
                    assert rehydrate(snapshot, item.id, None).record == item.record
                    assert rehydrate(snapshot, item.handle, None).id == item.id


def test_a_rebuild_tells_the_same_of_all_boundaries(crossed: Crossed) -> None:
    path, mission, packets = crossed
    with EvidenceStore.open(path) as store:
        before = store.packets(mission)
        store.rebuild()
        assert store.packets(mission) == before
        assert store.packet_in_force(mission) == packets[-1].id
        states = [each.state for each in before]
        assert (states.count("accepted"), states.count("superseded")) == (1, LEGS - 1)
        assert len(store.snapshot(mission).of_kind(PacketNode)) == len(before)
        assert store.verify().clean


def test_the_first_view_after_the_last_boundary_has_what_binds(crossed: Crossed) -> None:
    path, mission, _ = crossed
    with EvidenceStore.open(path) as store:
        text = store.view(mission, budget=4000).text
    assert CONSTRAINT in text
    assert SECRET not in text
