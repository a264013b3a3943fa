"""Killed at any moment, the projection reopens by itself and answers what memory answers.

The number of random trials is small by default; MUNIMENT_LONG=1 makes it 200.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from muniment import EvidenceStore
from tests.contracts.test_engines import same_answers
from tests.support import projecting_process, working_process
from tests.support.damaged_files import trials


@pytest.mark.parametrize("trial", trials(6))
def test_a_projection_whose_process_is_killed_answers_what_memory_answers(
    engine: str, tmp_path: Path, trial: int
) -> None:
    chance = random.Random(trial)
    folder = tmp_path / "s"
    acknowledged: dict[str, int] = {}
    EvidenceStore.open(folder, create=True).close()
    for life in range(chance.randint(1, 3)):
        process = projecting_process.start(folder, engine, f"p{life}x")
        working_process.go(process)
        time.sleep(chance.uniform(0, 3))
        process.kill()
        output, _ = process.communicate(timeout=60)
        acknowledged.update(working_process.recorded(output))
    with EvidenceStore.open(folder, engine=engine) as store:
        for info in store.missions():
            held = store.snapshot(info.mission)
            assert info.session != "S" or all(held.named(record) for record in acknowledged)
    for mission in missions_of(folder):
        same_answers(folder, engine, mission)


def missions_of(folder: Path) -> list[str]:
    """Return the ids of a store's missions."""
    with EvidenceStore.open(folder) as store:
        return [info.mission for info in store.missions()]
