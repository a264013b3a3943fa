"""Acceptance: whole or not at all, compared with what is on record, and by nobody but the store."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import BusyError, EvidenceStore, FieldError, UnknownIdError
from muniment.errors import PacketRefusedError
from muniment.handoff.acceptance import MOST_REFUSED
from muniment.handoff.packet import Prose
from muniment.handoff.proposal import proposal_of
from muniment.model.nodes import Packet, View
from tests.support.packet_missions import COMPLETE, EVERYTHING, Place, changed, in_force, opened, proposed, told, work


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    store, mission = opened(tmp_path / "s")
    with store:
        yield store, mission


def test_a_packet_that_the_store_builds_is_accepted_and_in_force(place: Place) -> None:
    store, mission = place
    answer = store.accept_packet(store.packet(mission), reason="auto")
    assert answer.accepted
    assert store.packet_in_force(mission) == answer.in_force == answer.packet
    (only,) = store.packets(mission)
    assert (only.state, only.in_force, only.codes) == ("accepted", True, ())


def test_a_refused_packet_changes_nothing_but_what_is_on_record_of_it(place: Place) -> None:
    store, mission = place
    before = (store.view(mission, budget=3000).text, store.packet(mission).binding, store.graph_digest(mission))
    answer = store.accept_packet({**COMPLETE, "facts": ["m1"]}, mission=mission)
    assert not answer.accepted
    assert [problem.code for problem in answer.problems] == ["binding_missing"]
    assert in_force(place) == ""
    assert (store.view(mission, budget=3000).text, store.packet(mission).binding) == before[:2]
    (only,) = store.packets(mission)
    assert (only.state, only.codes, only.id) == ("refused", ("binding_missing",), answer.packet)
    assert store.accept_packet(store.packet(mission)).accepted


def test_accepting_what_is_in_force_again_changes_nothing(place: Place) -> None:
    store, mission = place
    packet = store.packet(mission)
    first = store.accept_packet(packet)
    head = store.head()
    assert store.accept_packet(packet) == store.accept_packet(first.packet)
    assert store.accept_packet(first.packet).accepted
    assert store.head() == head


def test_the_next_packet_needs_progress_and_takes_the_place_of_the_first(place: Place) -> None:
    store, mission = place
    first = store.accept_packet(store.packet(mission))
    again = store.accept_packet({**COMPLETE, "id": "p2"}, mission=mission)
    assert [(problem.code, len(problem.ids)) for problem in again.problems] == [("no_progress", 1)]
    work(store, "r9")
    second = store.accept_packet(store.packet(mission))
    assert second.accepted
    assert store.packet(mission).base == second.packet
    assert [(each.id, each.state) for each in store.packets(mission)][:1] == [(first.packet, "superseded")]


def test_a_tasks_move_alone_is_progress(place: Place) -> None:
    store, mission = place
    assert store.accept_packet(store.packet(mission)).accepted
    store.record([told("task_moved", "t1a", "agent", task="t1", to="active")])
    assert store.accept_packet(store.packet(mission)).accepted


def test_boundaries_and_views_alone_are_no_progress(place: Place) -> None:
    store, mission = place
    assert store.accept_packet(store.packet(mission)).accepted
    store.record([told("context_boundary", "k1", "harness", outcome="done")])
    store.view(mission, emit=True)
    answer = store.accept_packet(store.packet(mission))
    assert [problem.code for problem in answer.problems] == ["no_progress"]


def test_a_packet_built_on_another_base_is_refused(place: Place) -> None:
    store, mission = place
    early = store.packet(mission)
    work(store, "r8")
    first = store.accept_packet(store.packet(mission))
    work(store, "r9")
    answer = store.accept_packet(early)
    assert "base_replaced" in [problem.code for problem in answer.problems]
    assert store.packet_in_force(mission) == first.packet


# ---------------------------------------------------------------- what comes in between


class _Between(EvidenceStore):
    """A store in which something is recorded after a packet was checked and before it is accepted."""

    between: list[dict[str, object]]
    rival = False
    passes = 0

    def _check(self, *given: object) -> object:  # type: ignore[override]
        answer = super()._check(*given)  # type: ignore[arg-type]
        if self.between or self.rival:
            self.passes += 1
            with EvidenceStore.open(self._folder) as other:
                if self.between:
                    other.record([self.between.pop()])
                else:
                    self.rival = False
                    assert other.accept_packet(other.packet(other.missions()[0].mission)).accepted
        return answer


def between(path: Path, records: list[dict[str, object]]) -> _Between:
    opened(path)[0].close()
    store = _Between.open(path)
    assert isinstance(store, _Between)
    store.between = records
    return store


def test_a_binding_record_that_comes_between_check_and_commit_refuses_the_packet(tmp_path: Path) -> None:
    with between(tmp_path / "s", [told("message", "m9", text="Stop: keep the old names too.", role="prompt")]) as store:
        mission = store.missions()[0].mission
        answer = store.accept_packet(COMPLETE, mission=mission)
        assert [(problem.code, problem.ids) for problem in answer.problems] == [("binding_missing", ("m9",))]
        assert store.packet_in_force(mission) == ""


def test_what_comes_between_and_binds_nothing_only_has_it_checked_again(tmp_path: Path) -> None:
    with between(tmp_path / "s", [told("message", "a9", "agent", text="On it.", role="answer")]) as store:
        mission = store.missions()[0].mission
        assert store.accept_packet(COMPLETE, mission=mission).accepted


def test_what_comes_between_in_another_mission_costs_no_other_check(tmp_path: Path) -> None:
    other: dict[str, object] = {"kind": "message", "id": "x", "session": "T", "by": "user", "text": "elsewhere"}
    store = between(tmp_path / "s", [other])
    with store:
        mission = store.missions()[0].mission
        assert store.accept_packet(COMPLETE, mission=mission).accepted
        assert store.passes == 1


def test_of_two_that_accept_at_once_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    store = between(tmp_path / "s", [])
    store.rival = True
    with store:
        mission = store.missions()[0].mission
        answer = store.accept_packet({**COMPLETE, "base": ""}, mission=mission)
        assert {problem.code for problem in answer.problems} == {"base_replaced", "no_progress"}
        assert answer.in_force == store.packet_in_force(mission) != ""
        assert [each.state for each in store.packets(mission)] == ["accepted", "refused"]


def test_a_mission_that_never_pauses_gets_an_answer_that_says_so(tmp_path: Path) -> None:
    many = [told("message", f"a{n}", "agent", text="On it.", role="answer") for n in range(50)]
    with between(tmp_path / "s", many) as store:
        mission = store.missions()[0].mission
        with pytest.raises(BusyError, match="nothing was accepted"):
            store.accept_packet(COMPLETE, mission=mission)
        assert store.packet_in_force(mission) == ""


DYING = """
import os, signal, sys
from muniment import EvidenceStore
store = EvidenceStore.open(sys.argv[1])
writing = []
def hear(statement):
    if statement.startswith("BEGIN IMMEDIATE"):
        writing.append(statement)
    elif statement.startswith(sys.argv[2]) and writing:
        os.kill(os.getpid(), signal.SIGKILL)
mission = store.missions()[0].mission
packet = store.packet(mission)
store._journal._connection.set_trace_callback(hear)
store.accept_packet(packet)
"""


@pytest.mark.parametrize("statement", ["INSERT", "COMMIT", "UPDATE"])
def test_a_process_that_dies_leaves_the_old_boundary_whole(tmp_path: Path, statement: str) -> None:
    store, mission = opened(tmp_path / "s")
    with store:
        first = store.accept_packet(store.packet(mission)).packet
        work(store, "r9")
        head = store.head()
    died = subprocess.run([sys.executable, "-c", DYING, str(tmp_path / "s"), statement], env=os.environ, check=False)
    assert died.returncode == -signal.SIGKILL
    with EvidenceStore.open(tmp_path / "s") as again:
        assert again.packet_in_force(mission) == first
        assert again.head() == head
        assert again.verify().clean
        assert again.accept_packet(again.packet(mission)).accepted


# ---------------------------------------------------------------- trying again


def test_packet_after_packet_refused_ends_in_an_error_that_says_what_to_do(place: Place) -> None:
    store, mission = place
    for attempt in range(MOST_REFUSED):
        answer = store.accept_packet({**COMPLETE, "facts": ["m1"], "focus": f"try {attempt}"}, mission=mission)
        assert (answer.accepted, answer.attempts) == (False, attempt + 1)
    with pytest.raises(PacketRefusedError, match="stop compacting") as error:
        store.accept_packet({"facts": 3}, mission=mission)
    assert (error.value.attempts, error.value.codes) == (MOST_REFUSED + 1, ("schema",))
    assert len([each for each in store.packets(mission) if each.state == "refused"]) == MOST_REFUSED + 1
    assert store.accept_packet(store.packet(mission)).accepted
    work(store, "r9")
    assert store.accept_packet({**COMPLETE, "facts": ["m1"]}, mission=mission).attempts == 1


def test_a_narrower_packet_by_another_compactor_may_follow_a_refused_one(place: Place) -> None:
    store, mission = place
    packet = store.packet(mission)
    wordy = changed(packet, prose=(Prose(text="and so on " * 5000, cites=()),))
    assert [problem.code for problem in store.accept_packet(wordy).problems] == ["too_large"]
    assert store.accept_packet(changed(packet, prose=(Prose(text="Rounding is half done."),))).accepted


# ---------------------------------------------------------------- what is stored


def test_the_same_packet_proposed_twice_is_one_and_is_shown_as_it_was(place: Place) -> None:
    store, mission = place
    packet = store.packet(mission)
    first = store.propose_packet(packet)
    assert store.propose_packet(packet) == first
    assert len(store.snapshot(mission).of_kind(Packet)) == 1
    shown = store.show_packet(first)
    assert [item.record for item in shown.binding] == [item.record for item in packet.binding]
    assert {item.text for item in shown.tasks} == {item.text for item in packet.tasks}
    assert proposal_of(shown).facts == proposal_of(packet).facts
    assert store.check_packet(first).passed


def test_what_is_no_packet_is_not_proposed(place: Place) -> None:
    store, mission = place
    head = store.head()
    for odd in ({"facts": 3}, {"kind": "message", "text": "x"}, {}):
        with pytest.raises(FieldError):
            store.propose_packet(odd, mission=mission)
    assert store.head() == head


def test_a_packet_that_only_lists_what_is_purged_stays_and_shows_nothing_of_it(place: Place) -> None:
    store, mission = place
    listing = store.accept_packet(COMPLETE, mission=mission)
    work(store, "r9")
    words = [{"text": "the user says: Never touch the schema", "cites": []}]
    telling = store.propose_packet({**COMPLETE, "prose": words}, mission=mission)
    citing = store.propose_packet({**COMPLETE, "prose": [{"text": "as he said", "cites": ["f1"]}]}, mission=mission)
    store.purge("f1", "asked for")
    left = {each.id for each in store.packets(mission)}
    assert listing.packet in left
    assert not {telling, citing} & left
    assert store.packet_in_force(mission) == listing.packet
    shown = store.show_packet(listing.packet)
    assert "touch the schema" not in str(shown)
    assert store.verify().clean


def test_packets_of_a_child_leave_those_of_the_root_alone(place: Place) -> None:
    store, mission = place
    root = store.accept_packet(COMPLETE, mission=mission)
    child = store.accept_packet({**COMPLETE, "agent": "k1"}, mission=mission)
    assert (root.accepted, child.accepted) == (True, True)
    assert store.packet_in_force(mission) == root.packet
    assert store.packet_in_force(mission, agent="k1") == child.packet


def test_in_force_is_as_of_the_position_asked(place: Place) -> None:
    store, mission = place
    before = int(store.head().partition(":")[0])
    answer = store.accept_packet(COMPLETE, mission=mission)
    assert store.packet_in_force(mission, as_of=before) == ""
    assert store.packet_in_force(mission, as_of=before + 2) == answer.packet
    assert len(EVERYTHING) == before


def test_an_engine_gives_the_same_answers_as_memory(place: Place, tmp_path: Path, engine: str) -> None:
    store, mission = place
    store.accept_packet(store.packet(mission))
    work(store, "r9")
    wrong = {**COMPLETE, "facts": ["f0", "m1"], "next_actions": ["t3"], "claims": {"c1": "proven"}}
    right = store.packet(mission)
    told_here = [store.check_packet(value, mission=mission) for value in (wrong, right)], store.packets(mission)
    store.close()
    with EvidenceStore.open(tmp_path / "s", engine=engine) as other:
        told_there = [other.check_packet(value, mission=mission) for value in (wrong, right)], other.packets(mission)
        assert told_there == told_here
        assert other.accept_packet(right).accepted


def test_of_two_packets_the_one_accepted_last_is_in_force_and_the_base_of_the_next(place: Place) -> None:
    store, mission = place
    store.record([proposed("wide")])
    store.record([proposed("narrow", covers_to="r1")])
    assert store.accept_packet("narrow", mission=mission).accepted
    answer = store.accept_packet("wide", mission=mission)
    assert answer.accepted
    assert in_force(place) == "wide"
    assert store.packet(mission).base == answer.packet


def test_the_view_that_goes_with_a_packet_is_one_that_was_given(place: Place) -> None:
    store, mission = place
    with pytest.raises(UnknownIdError, match="view"):
        store.accept_packet(COMPLETE, mission=mission, view="m1")
    store.view(mission, emit=True)
    (view,) = store.snapshot(mission).of_kind(View)
    assert store.accept_packet(COMPLETE, mission=mission, view=view.id).accepted
