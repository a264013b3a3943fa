"""Scope: a handle sees and does what it was given, and what is out of sight is as if it did not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, ScopeError, UnknownIdError
from muniment.journal.port import MissionInfo


def session(name: str, project: str) -> list[dict[str, object]]:
    """Return a session of a project with one constraint."""
    return [
        {
            "kind": "session_opened",
            "id": name,
            "session": name,
            "by": "harness",
            "root": f"/w/{name}",
            "project": project,
        },
        {
            "kind": "fact_stated",
            "id": f"{name}-f",
            "session": name,
            "by": "user",
            "class": "constraint",
            "text": f"of {name}",
        },
    ]


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[EvidenceStore]:
    """A store with two projects, seen by its owner."""
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record(session("one", "p1"))
        store.record(session("two", "p2"))
        yield store


def mission_of(store: EvidenceStore, project: str) -> MissionInfo:
    """Return the mission of a project."""
    return next(info for info in store.missions() if info.project == project)


READS: dict[str, Callable[[EvidenceStore, str], object]] = {
    "view": lambda store, mission: store.view(mission),
    "closeout": lambda store, mission: store.closeout(mission),
    "snapshot": lambda store, mission: store.snapshot(mission),
    "live": lambda store, mission: store.live(mission),
    "reports": lambda store, mission: store.reports(mission),
    "collapse_plan": lambda store, mission: store.collapse_plan(mission),
    "check_write": lambda store, mission: store.check_write("", "a.py", mission=mission),
    "absences": lambda store, mission: store.absences(mission=mission),
    "graph_digest": lambda store, mission: store.graph_digest(mission),
    "to_networkx": lambda store, mission: store.to_networkx(mission),
}


@pytest.mark.parametrize("read", READS)
def test_a_foreign_mission_and_an_unknown_one_get_the_same_answer(owner: EvidenceStore, read: str) -> None:
    narrow = owner.scoped(project="p1")
    foreign, unknown = mission_of(owner, "p2").mission, "mission:000000000000000000000000"
    said = []
    for mission in (foreign, unknown):
        with pytest.raises(UnknownIdError) as refusal:
            READS[read](narrow, mission)
        said.append(str(refusal.value).replace(mission, "?"))
    assert said[0] == said[1]
    READS[read](narrow, mission_of(owner, "p1").mission)


@pytest.mark.parametrize("known_by", ["record", "id"])
def test_a_foreign_thing_cannot_be_rehydrated_by_any_of_its_names(owner: EvidenceStore, known_by: str) -> None:
    own, foreign = owner.rehydrate("one-f"), owner.rehydrate("two-f")
    narrow = owner.scoped(project="p1")
    assert narrow.rehydrate(getattr(own, known_by)).text == "of one"
    with pytest.raises(UnknownIdError):
        narrow.rehydrate(getattr(foreign, known_by))
    with pytest.raises(UnknownIdError):
        narrow.rehydrate(getattr(foreign, known_by), mission=foreign.mission)


def test_only_missions_in_sight_are_listed(owner: EvidenceStore) -> None:
    assert [info.project for info in owner.scoped(project="p1").missions()] == ["p1"]
    assert owner.scoped(project="nowhere").missions() == []
    assert len(owner.missions()) == 2


def test_a_scope_is_required_and_cannot_be_widened(owner: EvidenceStore) -> None:
    with pytest.raises(ScopeError):
        owner.scoped()
    narrow = owner.scoped(project="p1", verbs=["read"])
    for wider in ({"project": "p2"}, {"verbs": ["read", "purge"]}, {"actors": ["user"]}):
        with pytest.raises(ScopeError):
            narrow.scoped(**wider)
    assert narrow.scoped(mission=mission_of(owner, "p1").mission).missions()


def test_verbs_and_actors_are_granted_one_by_one(owner: EvidenceStore) -> None:
    narrow = owner.scoped(project="p1")
    mission = mission_of(owner, "p1").mission
    said = {"kind": "message", "id": "m", "session": "one", "by": "agent", "text": "hello"}
    assert narrow.record([said]).stored == 1
    with pytest.raises(ScopeError, match="write as 'user'"):
        narrow.record([{**said, "id": "m2", "by": "user"}])
    with pytest.raises(ScopeError, match="may not purge"):
        narrow.purge("one-f", "no", mission=mission)
    with pytest.raises(ScopeError, match="may not withdraw"):
        narrow.withdraw("one-f", "no")
    with pytest.raises(ScopeError, match="may not waive"):
        owner.scoped(project="p1", actors=["user"]).record(
            [{"kind": "waiver", "id": "w", "session": "one", "by": "user", "target": "one-f"}]
        )
    reader = owner.scoped(project="p1", verbs=["read"])
    with pytest.raises(ScopeError, match="may not record"):
        reader.record([said])
    with pytest.raises(ScopeError, match="may not import"):
        reader.import_session("nowhere.jsonl")


def test_a_narrow_handle_cannot_write_into_a_foreign_mission(owner: EvidenceStore) -> None:
    narrow = owner.scoped(project="p1")
    foreign = mission_of(owner, "p2")
    before = owner.head()
    said = {"kind": "message", "id": "x", "session": "two", "by": "agent", "text": "hello"}
    with pytest.raises(UnknownIdError):
        narrow.record([said])
    with pytest.raises(UnknownIdError):
        narrow.record([said], mission=foreign.mission)
    assert owner.head() == before
