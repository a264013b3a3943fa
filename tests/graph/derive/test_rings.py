"""Rings of SUPERSEDES: they end nothing by themselves; what stands outside them still can."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.snapshot import Snapshot


def told(folder: Path, *facts: Mapping[str, object]) -> tuple[Snapshot, dict[str, tuple[str, ...]]]:
    """Record facts of a user; return the snapshot and the ids of each report."""
    common = {"kind": "fact_stated", "class": "constraint", "session": "s", "by": "user"}
    with EvidenceStore.open(folder / "store", create=True) as store:
        store.record([{**common, "text": str(fact["id"]), **fact} for fact in facts])
        mission = store.missions()[0].mission
        return store.snapshot(mission), {report.code: report.ids for report in store.reports(mission)}


def records(snapshot: Snapshot, nodes: list[str]) -> list[str]:
    return [node.record for found in nodes if (node := snapshot.node(found)) is not None]


def standing(snapshot: Snapshot) -> list[str]:
    return [node.record for node in snapshot.binding()]


def test_who_supersede_one_another_stand_and_contradict(tmp_path: Path) -> None:
    snapshot, reports = told(tmp_path, {"id": "one", "supersedes": ["two"]}, {"id": "two", "supersedes": ["one"]})
    assert standing(snapshot) == ["one", "two"]
    assert records(snapshot, snapshot.conflicts()) == ["one", "two"]
    assert reports["cycle"] == ("one", "two")


def test_a_third_from_outside_ends_a_ring(tmp_path: Path) -> None:
    ring = ({"id": "one", "supersedes": ["two"]}, {"id": "two", "supersedes": ["one"]})
    snapshot, reports = told(tmp_path, *ring, {"id": "three", "supersedes": ["one", "two"]})
    assert standing(snapshot) == ["three"]
    assert snapshot.conflicts() == []
    assert reports["cycle"] == ("one", "two")


def test_what_supersedes_itself_stands_and_is_reported(tmp_path: Path) -> None:
    snapshot, reports = told(tmp_path, {"id": "one", "supersedes": ["one"]})
    assert standing(snapshot) == ["one"]
    assert reports["cycle"] == ("one",)


@pytest.mark.parametrize("supersedes", [[], ["zero"]])
def test_a_clash_in_one_slot_is_no_ring(tmp_path: Path, supersedes: list[str]) -> None:
    clash = ({"id": "one", "slot": "owner"}, {"id": "two", "slot": "owner", "supersedes": supersedes})
    snapshot, reports = told(tmp_path, {"id": "zero"}, *clash)
    assert records(snapshot, snapshot.conflicts()) == ["one", "two"]
    assert "cycle" not in reports


@pytest.mark.parametrize("name", ["K1", "K2", "K3"])
def test_a_reference_that_looks_like_a_handle_means_a_record_that_may_come_later(tmp_path: Path, name: str) -> None:
    snapshot, _ = told(tmp_path, {"id": "one"}, {"id": "two", "supersedes": [name]}, {"id": name})
    assert standing(snapshot) == ["one", "two"]
