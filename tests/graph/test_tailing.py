"""Entries behind a position: whole, in order, and only those in sight."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.errors import ScopeError
from muniment.store import EvidenceStore
from muniment.tailing import LOOKED_AT

LONG = "long " * 1000


def store_with_two_projects(folder: Path) -> EvidenceStore:
    store = EvidenceStore.open(folder, create=True)
    for name in ("one", "two"):
        opened = {"id": f"s-{name}", "kind": "session_opened", "session": name, "project": name, "by": "harness"}
        said = {"id": f"m-{name}", "kind": "message", "session": name, "by": "user", "text": LONG}
        store.record([opened, said])
    return store


def test_entries_come_whole_and_from_where_one_stopped(tmp_path: Path) -> None:
    with store_with_two_projects(tmp_path) as store:
        first = store.entries(limit=3)
        assert [entry.source_id for entry in first.entries] == ["s-one", "m-one", "s-two"]
        assert first.entries[1].body is not None
        assert first.entries[1].body["text"] == LONG
        rest = store.entries(after=first.position)
        assert [entry.source_id for entry in rest.entries] == ["m-two"]
        assert store.entries(after=rest.position).position == rest.position


def test_entries_of_another_project_are_not_seen(tmp_path: Path) -> None:
    with store_with_two_projects(tmp_path) as store:
        scoped = store.scoped(project="two")
        assert {entry.mission for entry in scoped.entries().entries} == {scoped.missions()[0].mission}
        assert [entry.source_id for entry in scoped.entries().entries] == ["s-two", "m-two"]


def test_a_handle_that_may_not_read_is_given_no_entries(tmp_path: Path) -> None:
    with store_with_two_projects(tmp_path) as store, pytest.raises(ScopeError):
        store.scoped(project="one", verbs=["record"]).entries()


def test_a_call_looks_at_a_bounded_piece_and_says_how_far(tmp_path: Path) -> None:
    with store_with_two_projects(tmp_path) as store:
        many = [
            {"id": f"n{i}", "kind": "message", "session": "one", "by": "agent", "text": "x"} for i in range(LOOKED_AT)
        ]
        store.record(many)
        scoped = store.scoped(project="two")
        assert scoped.entries(after=4).entries == ()
        assert scoped.entries(after=4).position == LOOKED_AT + 4
