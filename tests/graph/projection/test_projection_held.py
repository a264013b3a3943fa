"""Who holds a projection, who else may not, and what a purge does to it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from muniment import EvidenceStore, StoreError, UsageError
from muniment.projection.folder import ProjectionLockedError, states
from tests.contracts.test_engines import same_answers
from tests.graph.projection.test_projection_compared import filled
from tests.support import projecting_process, working_process

SECRET = "the-heron-stands-in-the-reeds"
PURGE = """
import sys
from muniment import EvidenceStore
with EvidenceStore.open(sys.argv[1]) as store:
    store.purge("m", "asked for")
"""


def test_another_process_is_told_which_one_holds_it_and_can_use_the_fold(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    mission = filled(folder, engine, 0, 3)
    process = projecting_process.start(folder, engine, "p", rounds=1_000)
    working_process.go(process)
    assert process.stdout is not None
    process.stdout.readline()
    refused = None
    for _ in range(200):
        try:
            EvidenceStore.open(folder, engine=engine).close()
        except ProjectionLockedError as error:
            refused = error
            break
    assert refused is not None
    assert refused.holder == process.pid
    assert f"process {process.pid}" in str(refused)
    assert "without an engine" in str(refused)
    with EvidenceStore.open(folder) as store:
        assert store.snapshot(mission).named("n0")
    process.kill()
    process.communicate(timeout=60)
    same_answers(folder, engine, mission)


def test_a_second_store_object_in_one_process_is_refused(engine: str, tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True, engine=engine) as store:
        with pytest.raises(StoreError, match="this process"):
            EvidenceStore.open(tmp_path / "s", engine=engine)
        store.record([{"kind": "message", "id": "m", "by": "user", "text": "one"}])
        with EvidenceStore.open(tmp_path / "other", create=True, engine=engine) as other:
            assert other.missions() == []
    EvidenceStore.open(tmp_path / "s", engine=engine).close()


def test_two_engines_in_one_process_are_refused(engine: str, tmp_path: Path) -> None:
    filled(tmp_path / "s", engine, 0, 1)
    other = {"kuzu": "ladybug", "ladybug": "kuzu"}[engine]
    with EvidenceStore.open(tmp_path / "s", engine=other) as store, pytest.raises(UsageError, match="another process"):
        store.snapshot(store.missions()[0].mission)


def test_an_unknown_engine_is_wrong_use_and_memory_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="kuzu, ladybug and memory"):
        EvidenceStore.open(tmp_path / "s", create=True, engine="neo4j")
    EvidenceStore.open(tmp_path / "s", create=True, engine="memory").close()
    assert states(tmp_path / "s") == []


def holds(folder: Path, text: str) -> list[str]:
    """Return the files of a store in which a text stands."""
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_a_purge_leaves_nothing_in_any_projection(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with EvidenceStore.open(folder, create=True, engine=engine) as store:
        store.record([{"kind": "message", "id": "m", "by": "user", "text": SECRET}])
        store.record([{"kind": "message", "id": "n", "by": "user", "text": "stays"}])
        mission = store.missions()[0].mission
        assert store.snapshot(mission).named("m")
    assert f"projection-{engine}" in {path.parent.name for path in folder.rglob("*.db")}
    (folder / f"projection-{engine}.aside-1").mkdir()
    (folder / f"projection-{engine}.aside-1" / "graph.db").write_text(SECRET)
    with EvidenceStore.open(folder) as other:
        other.purge("m", "asked for")
    assert holds(folder, SECRET) == []
    same_answers(folder, engine, mission)
    assert holds(folder, SECRET) == []


def test_a_purge_leaves_nothing_in_what_was_derived_while_it_waited(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with EvidenceStore.open(folder, create=True) as store:
        store.record([{"kind": "message", "id": "m", "by": "user", "text": SECRET}])
        mission = store.missions()[0].mission
        store.view(mission)
        store.save_fold()
    command = [sys.executable, "-c", PURGE, str(folder)]
    with closing(sqlite3.connect(folder / "journal.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entry").fetchone()
        with EvidenceStore.open(folder) as store:
            store.record([{"kind": "message", "id": "n", "by": "user", "text": "stays"}])
        with subprocess.Popen(command, stdout=subprocess.PIPE) as purging:
            while (folder / "fold.sqlite").exists():  # it is deleted when the purge begins
                time.sleep(0.01)
            with EvidenceStore.open(folder, engine=engine) as owner:
                assert owner.snapshot(mission).named("m")
                owner.save_fold()
            assert holds(folder / f"projection-{engine}", SECRET)
            reader.execute("ROLLBACK")
            assert purging.wait(timeout=60) == 0
    assert not (folder / f"projection-{engine}").exists()
    assert not (folder / "fold.sqlite").exists()
    assert holds(folder, SECRET) == []
    same_answers(folder, engine, mission)


def test_the_owner_notices_a_purge_by_another_store_object(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with EvidenceStore.open(folder, create=True, engine=engine) as owner:
        owner.record([{"kind": "message", "id": "m", "by": "user", "text": SECRET}])
        owner.record([{"kind": "message", "id": "n", "by": "user", "text": "stays"}])
        mission = owner.missions()[0].mission
        before = owner.snapshot(mission)
        assert before.named("m")
        with EvidenceStore.open(folder) as other:
            other.purge("m", "asked for")
        assert owner.snapshot(mission).named("n")
        assert not owner.snapshot(mission).named("m")[1:]
        assert not owner.snapshot(mission).binding()[1:]
        with pytest.raises(StoreError, match="built anew"):
            before.named("m")
    assert holds(folder, SECRET) == []
    same_answers(folder, engine, mission)


def test_the_purge_of_the_owner_itself_leaves_nothing(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with EvidenceStore.open(folder, create=True, engine=engine) as owner:
        owner.record([{"kind": "message", "id": "m", "by": "user", "text": SECRET}])
        mission = owner.missions()[0].mission
        owner.view(mission)
        owner.purge("m", "asked for")
        owner.view(mission)
    assert holds(folder, SECRET) == []
    same_answers(folder, engine, mission)
