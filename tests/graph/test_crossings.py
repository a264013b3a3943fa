"""Crossing a boundary on purpose: folds by hand, words of compactors, forks, and the advice when to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from muniment.errors import PacketRefusedError, ScopeError, UnknownIdError, UsageError
from muniment.handoff.compactor import NO_ROOM, CompactorError
from muniment.handoff.crossing import FAILED
from muniment.handoff.packet import Packet
from muniment.store import EvidenceStore

APPROVED = '[[compactor]]\nname = "words"\nprovider = "acme"\n'
SECRETIVE = (
    '[[provider]]\nproviders = ["acme"]\nmost = "public"\n\n[[sensitive]]\nlevel = "internal"\nwords = ["Zebra"]\n'
)
Answering = Callable[[str, Packet], object]


class Words:
    """A compactor that answers as it is told, and keeps what it was given."""

    name = "words"
    provider = "acme"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.given: list[str] = []

    def __call__(self, text: str, packet: Packet) -> object:
        self.given.append(text)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(text, packet) if callable(self.answer) else self.answer


def said(record: str, text: str, by: str = "user") -> dict[str, object]:
    return {"kind": "message", "id": record, "session": "s1", "by": by, "text": text}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    folder = tmp_path / "store"
    with EvidenceStore.open(folder, create=True) as opened:
        (folder / "policy.toml").write_text(APPROVED, encoding="utf-8")
        opened.record(
            [
                {"kind": "session_opened", "id": "o1", "session": "s1", "by": "harness", "root": "/w", "project": "p"},
                said("m1", "Rename Zebra to Horse, and keep the old name as an alias."),
                {"kind": "task_stated", "id": "t1", "session": "s1", "by": "agent", "text": "Rename it."},
                said("m2", "I begin with the model.", by="agent"),
            ]
        )
        yield opened


def mission(store: EvidenceStore) -> str:
    return store.missions()[0].mission


def entries(store: EvidenceStore) -> int:
    return store.missions()[0].entries


def test_a_fold_puts_a_packet_in_force_and_a_second_one_says_that_there_is_nothing_to_fold(
    store: EvidenceStore,
) -> None:
    first = store.fold(mission(store), focus="keep the alias details")
    assert first.folded
    assert first.packet is not None
    assert (first.packet.focus, store.packet_in_force(mission(store))) == ("keep the alias details", first.packet.id)
    before = entries(store)
    again = store.fold(mission(store), focus="keep the alias details")
    assert (again.folded, again.reason, again.about) == (False, "nothing_to_fold", (first.packet.id,))
    assert entries(store) == before
    store.record([said("m3", "Also rename the tests.")], mission=mission(store))
    third = store.fold(mission(store))
    assert third.folded
    assert third.packet is not None
    assert third.packet.base == first.packet.id


def test_a_fold_waits_for_the_end_of_a_turn(store: EvidenceStore) -> None:
    call = {"kind": "tool_called", "id": "c1", "session": "s1", "by": "agent", "tool": "Bash", "command": "make"}
    store.record([call], mission=mission(store))
    held = store.fold(mission(store))
    assert (held.folded, held.reason) == (False, "mid_turn")
    assert store.rehydrate(held.about[0]).record == "c1"
    back = {"kind": "tool_returned", "id": "c1:result", "session": "s1", "by": "tool", "call": "c1", "status": "ok"}
    store.record([{**back, "name": "Bash", "output": "done"}], mission=mission(store))
    assert store.fold(mission(store)).folded


def test_words_of_an_approved_compactor_go_along_with_what_they_cite(store: EvidenceStore) -> None:
    words = Words("The rename is begun; U2 binds.")
    done = store.fold(mission(store), compactor=words)
    assert done.folded
    assert done.packet is not None
    assert done.attempt is not None
    assert done.attempt.taken
    assert [piece.text for piece in done.packet.prose] == ["The rename is begun; U2 binds."]
    assert done.packet.prose[0].cites == (store.rehydrate("m1").id,)
    assert store.packets(mission(store))[-1].compactor == "words"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (CompactorError("status", "429"), "status"),
        (CompactorError("timeout"), "timeout"),
        (ValueError("no"), "raised"),
        ({"nonsense": 1}, "garbage"),
        ("", "garbage"),
    ],
)
def test_a_compactor_that_fails_is_on_record_and_the_packet_without_its_words_is_taken(
    store: EvidenceStore, answer: object, failure: str
) -> None:
    done = store.fold(mission(store), compactor=Words(answer))
    assert done.folded
    assert done.packet is not None
    assert done.attempt is not None
    assert (done.attempt.taken, done.attempt.failure, done.packet.prose) == (False, failure, ())
    refused, accepted = store.packets(mission(store))
    assert (refused.state, refused.codes, refused.compactor) == ("refused", (FAILED,), "words")
    assert (accepted.state, accepted.in_force) == ("accepted", True)


def test_what_a_compactor_makes_up_is_refused_by_the_same_check(store: EvidenceStore) -> None:
    for answer in (
        {"prose": [{"text": "All is proven.", "cites": ["R99"]}]},
        {"packet": {"mission": "mission:other", "covers_to": "m1", "ordinal": 1, "version": 1}},
        {"packet": {"facts": [], "covers_to": "m2"}},
    ):
        done = store.fold(mission(store), compactor=Words(answer))
        assert done.folded
        assert done.attempt is not None
        assert not done.attempt.taken
        assert done.attempt.problems
        store.record([said(f"more{entries(store)}", "Go on.")], mission=mission(store))


def test_a_compactor_is_given_only_what_its_provider_may_see(store: EvidenceStore, tmp_path: Path) -> None:
    (tmp_path / "store" / "policy.toml").write_text(APPROVED + SECRETIVE, encoding="utf-8")
    words = Words("Nothing more.")
    done = store.fold(mission(store), compactor=words)
    assert done.packet is not None
    assert "Zebra" not in words.given[0]
    assert "withheld" in words.given[0]
    assert any("Zebra" in item.text for item in done.packet.binding)


def test_a_compactor_that_the_policy_does_not_name_is_never_asked(store: EvidenceStore, tmp_path: Path) -> None:
    words = Words("Me too.")
    words.provider = "other"
    with pytest.raises(UsageError, match="acme"):
        store.fold(mission(store), compactor=words)
    (tmp_path / "store" / "policy.toml").unlink()
    with pytest.raises(UsageError, match="none"):
        store.fold(mission(store), compactor=Words("Me too."))
    assert words.given == []
    assert store.packets(mission(store)) == []


def test_a_fork_begins_with_the_packet_and_leaves_the_first_session_as_it_was(store: EvidenceStore) -> None:
    first = store.fold(mission(store)).packet
    assert first is not None
    before = [entry.source_id for entry in store.entries().entries if entry.session == "s1"]
    fork = store.fork_packet(first.id, session="s2")
    assert fork.forked
    assert (fork.parent, fork.of) == ("s1", first.id)
    assert "alias" in fork.text
    assert [entry.source_id for entry in store.entries().entries if entry.session == "s1"] == before
    assert store.packet_in_force(mission(store), session="s1") == first.id
    assert store.packet_in_force(mission(store), session="s2") == fork.packet
    assert store.show_packet(fork.packet).binding == first.binding
    assert len(store.missions()) == 1
    view = store.view(mission(store), session="s2").text
    assert "keep the old name as an alias" in view
    assert first.id in view
    on = store.packet(mission(store), session="s2")
    assert on.base == fork.packet


def test_what_a_fold_puts_in_force_is_what_is_in_force_also_in_a_mission_of_several_sessions(
    store: EvidenceStore,
) -> None:
    home = mission(store)
    store.record([{**said("m9", "Go on, and keep the notes."), "session": "s2"}], mission=home)
    folded = store.fold(home).packet
    assert folded is not None
    assert folded.owner.session == "s2"
    assert store.packet_in_force(home) == folded.id
    assert store.packet_in_force(home, session="s1") == ""
    assert store.first_view(home).packet == folded.id
    assert store.first_view(home, session="s1").packet == ""


def test_a_fork_into_a_session_that_is_there_already_is_refused(store: EvidenceStore) -> None:
    first = store.fold(mission(store)).packet
    assert first is not None
    before = entries(store)
    for session in ("s1", "", "  "):
        with pytest.raises(UsageError):
            store.fork_packet(first.id, session=session)
    with pytest.raises(UnknownIdError):
        store.fork_packet("packet:" + "0" * 24, session="s3")
    assert entries(store) == before


def test_a_packet_that_would_not_be_accepted_now_cannot_be_forked(store: EvidenceStore) -> None:
    first = store.fold(mission(store)).packet
    assert first is not None
    store.record([said("m9", "And never touch the database.")], mission=mission(store))
    before = entries(store)
    fork = store.fork_packet(first.id, session="s2")
    assert not fork.forked
    assert "binding_missing" in [problem.code for problem in fork.problems]
    assert entries(store) == before


def test_a_handle_that_may_not_accept_can_neither_fold_nor_fork(store: EvidenceStore) -> None:
    first = store.fold(mission(store)).packet
    assert first is not None
    narrow = store.scoped(mission=mission(store), verbs=["read", "record"])
    with pytest.raises(ScopeError):
        narrow.fold(mission(store))
    with pytest.raises(ScopeError):
        narrow.fork_packet(first.id, session="s2")
    assert narrow.should_compact("claude-opus-4-5", 1).reason == "below_limit"


def test_advice_follows_the_stores_own_profiles(store: EvidenceStore, tmp_path: Path) -> None:
    assert store.should_compact("claude-opus-4-5", 170_000).compact
    assert store.should_compact("nobody-knows", 10**7, mission=mission(store)).reason == "unknown_window"
    (tmp_path / "store" / "profiles.toml").write_text("[compaction]\nautomatic = false\n", encoding="utf-8")
    assert store.should_compact("claude-opus-4-5", 170_000).reason == "opted_out"


@pytest.mark.parametrize("budget", [300, 640])
def test_where_the_budget_has_no_room_for_words_the_packet_without_them_is_taken(
    store: EvidenceStore, budget: int
) -> None:
    words = Words("We are half way.")
    done = store.fold(mission(store), budget=budget, compactor=words)
    assert done.folded
    assert done.attempt is not None
    assert (done.attempt.taken, done.attempt.failure, words.given) == (False, NO_ROOM, [])


def test_a_compactor_that_was_refused_too_often_does_not_cost_the_packet_without_its_words(
    store: EvidenceStore,
) -> None:
    for attempt in range(5):
        with suppress(PacketRefusedError):
            store.accept_packet({"id": f"b{attempt}", "covers_to": "m2", "facts": []}, mission=mission(store))
    done = store.fold(mission(store), compactor=Words({"packet": {"facts": [], "covers_to": "m2"}}))
    assert done.folded
    assert done.attempt is not None
    assert not done.attempt.taken
    assert [problem.code for problem in done.attempt.problems]


def test_a_focus_and_a_root_that_are_withheld_are_not_given_to_a_compactor(
    store: EvidenceStore, tmp_path: Path
) -> None:
    (tmp_path / "store" / "policy.toml").write_text(APPROVED + SECRETIVE, encoding="utf-8")
    words = Words("We are half way.")
    done = store.fold(mission(store), compactor=words, focus="keep what Zebra is")
    assert done.packet is not None
    assert done.packet.focus == "keep what Zebra is"
    assert "Zebra" not in words.given[0]
    assert store.packet(mission(store), provider="acme", focus="Zebra").focus != "Zebra"
    assert store.packet(mission(store), provider="other", focus="Zebra").focus == "Zebra"
