"""The same bytes, whoever is asked: views, explanations, deltas and slices, over processes, hash seeds and engines."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings

from muniment import EvidenceStore
from muniment.errors import BudgetInfeasibleError
from muniment.model.nodes import NODE_TYPES
from muniment.selection import ViewRequest, select
from muniment.store import EvidenceStore as Store
from muniment.tokens import o200k
from tests.properties.test_view import stories
from tests.support.graphs import SESSION, Story
from tests.support.histories import History, histories

BUDGETS = (600, 4000)


def told(store: Store, mission: str) -> list[object]:
    """Return all that is said of some views of a mission."""
    answers: list[object] = []
    nodes = [node.id for kind in NODE_TYPES for node in store.snapshot(mission).of_kind(kind)][:60]
    for budget in BUDGETS:
        try:
            view, part = store.view(mission, budget=budget), store.view(mission, budget=budget, slice=True)
        except BudgetInfeasibleError as refused:
            answers.append(refused.needed)
            continue
        answers += [view, part, view.delta(part), part.delta(view), store.explain(mission, budget=budget)]
        answers += [store.why(node, mission=mission, budget=budget) for node in nodes]
    return [*answers, store.rereads(mission)]


def written(answers: list[object]) -> bytes:
    return msgspec.json.encode(answers)


def recorded(folder: Path, history: History) -> str:
    with EvidenceStore.open(folder, create=True) as store:
        store.record(history.records)
        return store.missions()[0].mission


@settings(max_examples=10, deadline=None)
@given(history=histories())
def test_an_engine_and_memory_say_the_same_of_views(engine: str, history: History) -> None:
    with TemporaryDirectory() as folder:
        mission = recorded(Path(folder) / "s", history)
        with EvidenceStore.open(Path(folder) / "s") as store:
            expected = told(store, mission)
        with EvidenceStore.open(Path(folder) / "s", engine=engine) as store:
            assert told(store, mission) == expected


@settings(max_examples=30, deadline=None)
@given(story=stories())
def test_each_delta_gives_the_later_text_exactly(story: Story) -> None:
    snapshot = story.snapshot()
    views = []
    for ordinal in range(1, snapshot.ordinal + 1):
        try:
            views.append(select(snapshot.upto(ordinal), ViewRequest(budget=1500), o200k()))
        except BudgetInfeasibleError:
            continue
    for before, after in pairwise(views):
        delta = after.delta(before)
        assert delta.applied(before.text) == after.text
        assert before.text[: delta.kept] == after.text[: delta.kept]
        assert delta.tail_tokens <= after.tokens + 1


SCRIPT = """
import sys
from pathlib import Path
from muniment import EvidenceStore
from tests.properties.test_views_alike import told, written
with EvidenceStore.open(Path(sys.argv[1])) as store:
    sys.stdout.buffer.write(written(told(store, store.missions()[0].mission)))
"""


@pytest.fixture
def talkative(tmp_path: Path) -> Path:
    """A store with something of each kind."""
    story = Story()
    story.fact("Amounts are integer cents", slot="money"), story.say("Make src/rates.py right, see tests/test_rates.py")
    story.task("Fix compute_rate in src/rates.py", to="active"), story.task("Write the changelog")
    for number in range(12):
        story.read(f"src/m{number % 5}.py", f"def f_{number}(rate):\n    return rate * {number}\n" * 12)
        story.run(f"grep -rn rate_{number} src", f"src/m{number % 5}.py:1: rate_{number}\n" * 30)
        story.run("make test", f"FAILED test_rate_{number}\n", exit_code=number % 2)
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record(story.records)
        assert store.missions()[0].session == SESSION
    return tmp_path / "s"


def test_processes_with_other_hash_seeds_say_the_same(talkative: Path) -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(talkative)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}, capture_output=True, check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(said) == 1
    assert len(said.pop()) > 10_000
