"""A projection whose files were damaged is noticed, and comes back by itself: no wrong answer, and no crash.

The number of random trials is small by default; MUNIMENT_LONG=1 makes it 200.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from muniment import EvidenceStore
from tests.contracts.test_engines import same_answers
from tests.graph.projection.test_projection_compared import age, filled, projection
from tests.support import projecting_process, working_process
from tests.support.damaged_files import copied, damage, trials


@pytest.fixture(scope="module")
def closed(engine: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store whose projection was closed, and its mission."""
    folder = tmp_path_factory.mktemp("closed") / "s"
    return folder, filled(folder, engine, 0, 12)


@pytest.fixture(scope="module")
def killed(engine: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store whose projection was not closed, so that its log holds transactions, and its mission."""
    folder = tmp_path_factory.mktemp("killed") / "s"
    mission = filled(folder, engine, 0, 3)
    process = projecting_process.start(folder, engine, "k")
    working_process.go(process)
    assert process.stdout is not None
    for _ in range(projecting_process.A_ROUND - 1):
        process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)
    assert (projection(folder, engine) / "graph.db.wal").stat().st_size > 0
    return folder, mission


@pytest.mark.parametrize("trial", trials(4))
@pytest.mark.parametrize("kind", ["closed", "killed"])
def test_a_damaged_projection_answers_what_memory_answers(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, kind: str, trial: int
) -> None:
    source, mission = request.getfixturevalue(kind)
    folder = copied(source, tmp_path / "s")
    damage(projection(folder, engine), random.Random(trial))
    same_answers(folder, engine, mission, looks=1)


def test_a_projection_with_a_page_of_zeros_is_built_anew(engine: str, closed: tuple[Path, str], tmp_path: Path) -> None:
    folder, mission = copied(closed[0], tmp_path / "s"), closed[1]
    made = age(folder, engine)
    with (projection(folder, engine) / "graph.db").open("r+b") as file:
        file.seek(150_000)
        file.write(bytes(4096) if file.read(4096).strip(b"\0") else b"\x01" * 4096)
    same_answers(folder, engine, mission, looks=1)
    assert age(folder, engine) != made


def test_a_projection_that_was_killed_and_not_damaged_is_not_built_anew(
    engine: str, killed: tuple[Path, str], tmp_path: Path
) -> None:
    folder, mission = copied(killed[0], tmp_path / "s"), killed[1]
    made = age(folder, engine)
    with EvidenceStore.open(folder, engine=engine) as store:
        assert store.snapshot(mission).named("k0")
    assert age(folder, engine) == made
