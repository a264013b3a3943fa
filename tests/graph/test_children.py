"""Subagents: what they did stands before what came of it, whenever their files arrive."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Receipt
from tests.support.claude_lines import CHILD, SESSION, Transcript

RESULT = {"status": "completed", "agentId": CHILD, "content": [{"type": "text", "text": "found it"}]}


def root() -> Transcript:
    """A root agent that reads, delegates, and goes on after the child's end."""
    lines = Transcript().user("Find the cause").reads("toolu_r1", "/w/project/a.py", ["one", "two"])
    lines.calls("toolu_task", "Task", description="look", prompt="Look at b.py", subagent_type="Explore")
    lines.returns("toolu_task", "found it", RESULT)
    return lines.runs("toolu_r2", "make check").says("Done.")


def child() -> Transcript:
    """What the child did."""
    return Transcript(CHILD).user("Look at b.py").reads("toolu_c1", "/w/project/b.py", ["three"]).says("found it")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The session's folder on disk."""
    return {
        "root": root().write(tmp_path / f"{SESSION}.jsonl"),
        "child": child().write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl"),
    }


def read_in_order(store: EvidenceStore, mission: str) -> list[str]:
    """Return the record ids of all receipts, in causal order."""
    return [receipt.record for receipt in store.snapshot(mission).of_kind(Receipt)]


CANONICAL = ["toolu_r1:result", "toolu_c1:result", "toolu_task:result", "toolu_r2:result"]


@pytest.mark.parametrize("order", list(permutations(["root", "child"])))
@pytest.mark.parametrize("looked_between", [False, True])
def test_the_order_of_arrival_does_not_matter(
    files: dict[str, Path], tmp_path: Path, order: tuple[str, ...], looked_between: bool
) -> None:
    digests = []
    with EvidenceStore.open(tmp_path / "pieces", create=True) as store:
        for name in order:
            mission = store.import_session(files[name]).mission
            if looked_between:
                store.view(mission)
                store.save_fold()
        assert read_in_order(store, mission) == CANONICAL
        digests.append(store.graph_digest(mission))
    with EvidenceStore.open(tmp_path / "whole", create=True) as store:
        report = store.import_session(tmp_path / SESSION)
        assert report.files == 2
        assert report.mission == mission
        digests.append(store.graph_digest(report.mission))
    assert digests[0] == digests[1]


def test_a_running_child_is_seen_and_moves_to_its_place_when_it_ends(tmp_path: Path) -> None:
    lines = root()
    path = tmp_path / f"{SESSION}.jsonl"
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        beginning = Transcript()
        beginning.lines = lines.lines[:4]
        mission = store.import_session(beginning.write(path)).mission
        store.import_session(child().write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl"))
        assert read_in_order(store, mission) == ["toolu_r1:result", "toolu_c1:result"]
        assert [delegation.call for delegation in store.live(mission).running()] == ["toolu_task"]
        lines.write(path)
        store.import_session(path)
        assert read_in_order(store, mission) == CANONICAL
        assert store.live(mission).running() == []


def test_the_recorded_session_is_the_same_whenever_its_subagents_come(sessions: Path, tmp_path: Path) -> None:
    main = sessions / "claude-code" / "cc12-spotter-196.jsonl"
    folder = sessions / "claude-code" / "cc12-spotter-196"
    with EvidenceStore.open(tmp_path / "later", create=True) as store:
        mission = store.import_session(main).mission
        store.view(mission)
        for file in sorted(folder.rglob("*.jsonl")):
            assert store.import_session(file).mission == mission
        later = store.graph_digest(mission)
    with EvidenceStore.open(tmp_path / "whole", create=True) as store:
        assert store.import_session(folder).files == 3
        assert store.graph_digest(mission) == later
