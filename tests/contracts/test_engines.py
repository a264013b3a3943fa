"""The contract of snapshots over engines: memory, Kuzu and ladybug, fed in pieces or rebuilt, answer alike.

`MemorySnapshot` is the meaning. Every engine is fed in pieces, as in a running service, and reopened on the way.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from muniment import EvidenceStore
from muniment.errors import BudgetInfeasibleError
from muniment.model import nodes
from muniment.model.edges import EdgeKind
from muniment.selection.select import select
from muniment.selection.view import View, ViewRequest
from muniment.snapshot import Snapshot
from muniment.tokens import o200k
from tests.contracts.test_snapshots import answers
from tests.support.histories import History, histories

ROOT = Path(__file__).parents[2]

EXAMPLES = max(8, settings().max_examples // 8)
ALL_KINDS = [*EdgeKind]


def in_pieces(folder: Path, engine: str, history: History) -> str:
    """Record a history in three pieces, asking in between; most of it is projected, some lies over the engine."""
    records, mission = history.records, ""
    cuts = [0, len(records) // 3, 2 * len(records) // 3, len(records)]
    for first, last in pairwise(cuts):
        with EvidenceStore.open(folder, create=True, engine=engine) as store:
            for record in records[first:last]:
                store.record([record])
                mission = store.missions()[0].mission
                store.snapshot(mission).binding()
            while len(records) > last and store.settle():
                pass
            store.settle()
    return mission


def projected(folder: Path, engine: str, history: History) -> str:
    """Record a history and project it, a little at a time while it grows, and in the end all of it."""
    mission = ""
    with EvidenceStore.open(folder, create=True, engine=engine) as store:
        for record in history.records:
            store.record([record])
            mission = store.missions()[0].mission
            store.view(mission)
            store.settle()
        while store.settle():
            pass
    return mission


def rebuilt(folder: Path, engine: str, history: History) -> str:
    """Record a history in one go, and load it into the engine by a rebuild."""
    with EvidenceStore.open(folder, create=True) as store:
        store.record(history.records)
        mission = store.missions()[0].mission
    with EvidenceStore.open(folder, engine=engine) as store:
        store.rebuild()
    return mission


WAYS: dict[str, Callable[[Path, str, History], str]] = {
    "in pieces": in_pieces,
    "projected": projected,
    "rebuilt": rebuilt,
}


def whole_answers(snapshot: Snapshot) -> list[object]:
    """Return what the reads of the whole graph answer."""
    found: list[object] = [answers(snapshot)]
    every = [node for kind in nodes.NODE_TYPES for node in snapshot.of_kind(kind)]
    found.append(every)
    for node in every:
        found += [
            snapshot.node(node.id),
            snapshot.named(node.record),
            snapshot.named(node.handle),
            snapshot.edges_from(node.id),
            snapshot.edges_to(node.id),
            snapshot.edges_to(node.id, {EdgeKind.MOVED}),
            snapshot.edges_from(node.id, {EdgeKind.PART_OF, EdgeKind.PRODUCED}),
            snapshot.state(node.id),
            snapshot.ended(node.id),
            snapshot.observations(node.id),
            snapshot.ledger(node.id),
        ]
    return [*found, snapshot.node("nothing"), snapshot.named("nothing"), snapshot.named("R9999")]


def viewed(snapshot: Snapshot) -> View | int:
    """Return the view that is selected out of a snapshot, or the tokens that it would need."""
    try:
        return select(snapshot, ViewRequest(budget=2000), o200k())
    except BudgetInfeasibleError as error:
        return error.needed


def walks(snapshot: Snapshot, seed: int) -> list[object]:
    """Return what some walks reach."""
    chance = random.Random(seed)
    ids = [node.id for kind in nodes.NODE_TYPES for node in snapshot.of_kind(kind)]
    found: list[object] = []
    for _ in range(8):
        seeds = [*chance.sample(ids, min(len(ids), chance.randint(1, 3))), "nobody"]
        kinds = chance.sample(ALL_KINDS, chance.randint(1, len(ALL_KINDS)))
        way = chance.choice(("out", "in", "both"))
        found.append(snapshot.walk(seeds, kinds, chance.randint(0, 5), way=way))  # type: ignore[arg-type]
    return [*found, snapshot.walk(ids[:1], [], 3), snapshot.walk(ids[:1], ALL_KINDS, 40)]


def same_answers(folder: Path, engine: str, mission: str, looks: int = 3) -> None:
    """Compare an engine with memory: all reads, walks, views and closeouts, as of about `looks` ordinals."""
    with EvidenceStore.open(folder) as memory, EvidenceStore.open(folder, engine=engine) as other:
        meant, found = memory.snapshot(mission), other.snapshot(mission)
        assert whole_answers(found) == whole_answers(meant)
        for ordinal in range(0, meant.ordinal + 1, max(1, meant.ordinal // looks)):
            assert answers(found.upto(ordinal)) == answers(meant.upto(ordinal))
            assert walks(found.upto(ordinal), ordinal) == walks(meant.upto(ordinal), ordinal)
            assert viewed(found.upto(ordinal)) == viewed(meant.upto(ordinal))
        middle = meant.ordinal // 2
        assert whole_answers(found.upto(middle)) == whole_answers(meant.upto(middle))
        assert viewed(found) == viewed(meant)
        assert other.view(mission) == memory.view(mission)
        assert other.closeout(mission) == memory.closeout(mission)
        assert other.absences(mission=mission) == memory.absences(mission=mission)
        assert other.collapse_plan(mission) == memory.collapse_plan(mission)
        for file in memory.snapshot(mission).of_kind(nodes.File)[:20]:
            assert other.coverage(file.id, mission=mission) == memory.coverage(file.id, mission=mission)
            assert other.check_write("", file.id, mission=mission) == memory.check_write("", file.id, mission=mission)
        for receipt in memory.snapshot(mission).of_kind(nodes.Receipt)[-20:]:
            assert other.holds(receipt.id, mission=mission) == memory.holds(receipt.id, mission=mission)
        assert other.reports(mission) == memory.reports(mission)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=EXAMPLES)
@given(history=histories())
def test_an_engine_answers_what_memory_answers_as_of_every_ordinal(engine: str, way: str, history: History) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "s"
        same_answers(folder, engine, WAYS[way](folder, engine, history), looks=1000)


def test_texts_with_lone_surrogates_and_nul_come_back_as_they_were(engine: str, tmp_path: Path) -> None:
    odd = "a\ud800b\x00c\\u0041'\"\r\n"
    with EvidenceStore.open(tmp_path / "s", create=True, engine=engine) as store:
        store.record([{"kind": "message", "id": f"m{odd}", "by": "user", "text": odd}])
        store.record([{"kind": "task_stated", "id": f"t{odd}", "by": "user", "text": odd}])
        mission = store.missions()[0].mission
        assert store.snapshot(mission).named(f"m{odd}")
    same_answers(tmp_path / "s", engine, mission)
    with EvidenceStore.open(tmp_path / "s", engine=engine) as store:
        store.rebuild()
    same_answers(tmp_path / "s", engine, mission)


def test_the_other_engine_passes_this_suite(engine: str) -> None:
    """Both in one process do not work, so ladybug has a process of its own."""
    if engine != "kuzu":
        pytest.skip("this is the other engine")
    command = [sys.executable, "-m", "pytest", "-x", "--engine", "ladybug", "tests/contracts/test_engines.py"]
    done = subprocess.run([*command, "tests/graph/projection"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
