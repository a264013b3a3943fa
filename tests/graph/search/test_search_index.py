"""The index of text search: disposable, right after any damage, shared by processes, the same however it was fed."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from muniment import BusyError, EvidenceStore, PurgedError
from muniment.search import searching, storage
from muniment.search.hits import Hit
from muniment.search.storage import FILE_NAME
from tests.support.claude_lines import CHILD, SESSION, Transcript
from tests.support.damaged_files import holds, trials

ROOT = Path(__file__).parents[3]
RESULT = {"status": "completed", "agentId": CHILD, "content": [{"type": "text", "text": "found it"}]}


def transcript(steps: int) -> Transcript:
    lines = Transcript().user("Find the needle")
    for step in range(steps):
        lines.reads(f"toolu_r{step}", f"/w/project/{step % 5}.py", [f"needle {step} line {i}" for i in range(30)])
        lines.runs(f"toolu_c{step}", f"make part{step}", f"built {step}\n" * 40)
    return lines


def answers(store: EvidenceStore) -> list[list[Hit]]:
    return [store.search(text, limit=200) for text in ("needle", "built 3", '"line 7"', "make")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with an index."""
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.import_session(transcript(12).write(tmp_path / f"{SESSION}.jsonl"))
        assert all(answers(store))
    return tmp_path / "s"


def without(folder: Path) -> Path:
    """Delete the index of a store."""
    for file in folder.glob(f"{FILE_NAME}*"):
        file.unlink()
    return folder


def fresh(folder: Path) -> list[list[Hit]]:
    """Return the answers of an index that is made anew."""
    with EvidenceStore.open(without(folder)) as store:
        return answers(store)


def test_a_missing_index_is_made_anew(folder: Path) -> None:
    with EvidenceStore.open(folder) as store:
        told = answers(store)
    assert fresh(folder) == told
    with EvidenceStore.open(folder) as store:
        store.rebuild()
        assert answers(store) == told


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 300, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_that_is_no_database_is_made_anew(folder: Path, damage: bytes) -> None:
    told = fresh(folder)
    (folder / FILE_NAME).write_bytes(damage)
    with EvidenceStore.open(folder) as store:
        assert answers(store) == told


@pytest.mark.parametrize(
    "statement",
    [
        *(
            "DROP TABLE words_1",
            "DROP TABLE document",
            "DROP TABLE text",
            "DROP VIEW words",
            "DELETE FROM words_1_data",
        ),
        *("UPDATE text SET body = X'00'", "UPDATE mission SET marks = X'FF', position = 1"),
        *("UPDATE basis SET tag = 'other'", "UPDATE basis SET epoch = 7"),
        *("UPDATE mission SET marks = X'91A3787979', position = 1", "UPDATE mission SET ordinal = 9999, position = 1"),
    ],
)
def test_an_index_whose_tables_are_wrong_is_made_anew(folder: Path, statement: str) -> None:
    told = fresh(folder)
    with closing(sqlite3.connect(folder / FILE_NAME)) as database, database:
        database.execute(statement)
    with EvidenceStore.open(folder) as store:
        assert answers(store) == told


@pytest.mark.parametrize("trial", trials(8, 300))
def test_random_damage_stops_no_answer_and_makes_no_false_hit(folder: Path, trial: int) -> None:
    chance = random.Random(trial)
    path = folder / FILE_NAME
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 30))):
        place = chance.randrange(len(data))
        data[place : place + 64] = chance.randbytes(min(64, len(data) - place))
    path.write_bytes(data)
    with EvidenceStore.open(folder) as store:
        store.verify()
        for hit in answers(store)[0]:
            assert "needle" in store.rehydrate(hit.id).text


def test_an_index_of_an_older_version_is_made_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = fresh(folder)
    with closing(sqlite3.connect(folder / FILE_NAME)) as database, database:
        database.execute("UPDATE text SET title = X'28B52FFD0400'")
    monkeypatch.setattr(searching, "VERSION", "0")
    with EvidenceStore.open(folder) as store:
        assert answers(store) == told


@pytest.mark.parametrize("child_first", [False, True])
def test_a_child_that_comes_late_or_runs_is_found_once_and_in_its_place(tmp_path: Path, child_first: bool) -> None:
    root = Transcript().user("Find the needle").reads("toolu_r1", "/w/project/a.py", ["needle one"])
    root.calls("toolu_task", "Task", description="look", prompt="Look at b.py", subagent_type="Explore")
    begun = len(root.lines)
    root.returns("toolu_task", "found it", RESULT).runs("toolu_r2", "make check", "needle two").says("Done.")
    child = Transcript(CHILD).user("Look at b.py").reads("toolu_c1", "/w/project/b.py", ["needle three"])
    file = child.write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
    beginning = Transcript()
    beginning.lines = root.lines[:begun]
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.import_session((beginning if child_first else root).write(tmp_path / f"{SESSION}.jsonl"))
        answers(store)
        store.import_session(file)
        found = {hit.record for hit in store.search("needle", kinds=["receipt"])}
        assert {"toolu_r1:result", "toolu_c1:result"} <= found
        store.import_session(root.write(tmp_path / f"{SESSION}.jsonl"))
        told = answers(store)
        assert [hit.record for hit in store.search('"needle three"', kinds=["receipt"])] == ["toolu_c1:result"]
    assert fresh(tmp_path / "s") == told


WORKER = """
import sys
from muniment import BusyError, EvidenceStore, PurgedError
folder, name = sys.argv[1:]
with EvidenceStore.open(folder) as store:
    for number in range(12):
        record = f"{name}{number}"
        store.record([{"kind": "message", "id": record, "by": "user", "session": name, "text": f"said {record}"}])
        assert [hit.record for hit in store.search(record)] == [record]
        assert len(store.search("said", limit=200)) >= number + 1
"""


@pytest.mark.parametrize("made", [True, False])
def test_processes_that_record_and_search_at_once_find_what_they_recorded(folder: Path, made: bool) -> None:
    folder = folder if made else without(folder)
    command = [sys.executable, "-c", WORKER, str(folder)]
    workers = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("ash", "elm", "oak")]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0, 0]
    with EvidenceStore.open(folder) as store:
        told = answers(store), store.search("said", limit=200)
        assert len(told[1]) == 36
    assert fresh(folder) == told[0]


def test_an_index_that_another_process_holds_too_long_is_told_and_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "BUSY_SECONDS", 0.2)
    with EvidenceStore.open(folder) as store, closing(sqlite3.connect(folder / FILE_NAME)) as other:
        told = answers(store)
        other.execute("BEGIN IMMEDIATE")
        assert answers(store) == told, "reading goes on"
        store.record([{"kind": "message", "id": "new", "by": "user", "text": "needle"}])
        with pytest.raises(BusyError, match="index of the text search"):
            store.search("needle")
        other.rollback()
        assert "new" in {hit.record for hit in store.search("needle", limit=200)}


SEARCHER = """
import sys, time
from pathlib import Path
from muniment import EvidenceStore, StoreError
end = time.monotonic() + 2.5
with EvidenceStore.open(sys.argv[1]) as store:
    print("ready", flush=True)
    while time.monotonic() < end:
        try:
            for file in Path(sys.argv[1]).glob("search.sqlite*"):
                file.unlink(missing_ok=True)
            store.search("quetzalcoatlus")
        except StoreError:
            pass
"""


def test_a_purge_while_others_make_the_index_leaves_no_byte(folder: Path) -> None:
    with EvidenceStore.open(folder) as store:
        text = "quetzalcoatlus " * 100
        store.record([{"kind": "fact_stated", "id": "secret", "by": "user", "class": "constraint", "text": text}])
    searchers = [
        subprocess.Popen([sys.executable, "-c", SEARCHER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for searcher in searchers:
        assert searcher.stdout is not None
        assert searcher.stdout.readline() == b"ready\n"
    with EvidenceStore.open(folder) as store:
        purge_at_last(store)
    assert [searcher.communicate(timeout=60)[0] for searcher in searchers] == [b"", b""]
    assert [searcher.returncode for searcher in searchers] == [0, 0]
    assert not holds(folder, b"quetzalcoatlus")
    with EvidenceStore.open(folder) as store:
        assert not store.search("quetzalcoatlus", history=True)
        assert store.search("needle")


def test_an_index_that_another_makes_during_a_purge_is_deleted_after_it(folder: Path) -> None:
    with EvidenceStore.open(folder) as store, EvidenceStore.open(folder) as other:
        with searching.Search(store._journal, store._missions).absent():
            assert not (folder / FILE_NAME).exists()
            assert other.search("needle")
            assert (folder / FILE_NAME).exists()
        assert not list(folder.glob(f"{FILE_NAME}*"))
        assert other.search("needle") == store.search("needle")


def purge_at_last(store: EvidenceStore) -> None:
    """Purge, as often as it takes while others read."""
    for _ in range(200):
        try:
            store.purge("secret", "asked to")
        except BusyError:
            continue
        except PurgedError:
            return
        return
