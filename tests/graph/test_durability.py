"""Durability of the whole store: killed, damaged, shared; and a purge that leaves no byte.

The number of random trials is small by default; MUNIMENT_LONG=1 makes it 200.
"""

from __future__ import annotations

import random
import time
import zlib
from pathlib import Path

import pytest

from muniment import DamageError, EvidenceError, EvidenceStore, PurgedError, StoreError
from muniment.model.nodes import Message
from tests.support import working_process
from tests.support.claude_lines import Transcript
from tests.support.damaged_files import copied, damage, holds, trials

SECRET = "the-heron-stands-in-the-reeds"


def session_file(folder: Path, name: str, steps: int = 40) -> Path:
    """Write a session with reads, runs and long outputs."""
    lines = Transcript().user(f"Do what {name} needs")
    for step in range(steps):
        lines.reads(f"toolu_{name}r{step}", f"/w/project/{step % 7}.py", [f"{name} {step} line {i}" for i in range(30)])
        lines.runs(f"toolu_{name}c{step}", f"make part{step}", f"{name} built {step}\n" * 80)
    lines.lines = [line.replace("11111111-2222", f"{zlib.crc32(name.encode()):08x}-2222") for line in lines.lines]
    return lines.write(folder / f"{name}.jsonl")


def facts(store: EvidenceStore) -> dict[str, tuple[str, str]]:
    """Return digest and view of each mission."""
    missions = [info.mission for info in store.missions()]
    return {mission: (store.graph_digest(mission), store.view(mission).text) for mission in missions}


@pytest.mark.parametrize("trial", trials(6))
def test_a_store_whose_process_is_killed_reopens_with_all_that_was_acknowledged(tmp_path: Path, trial: int) -> None:
    chance = random.Random(trial)
    session = session_file(tmp_path, "killed", 25)
    EvidenceStore.open(tmp_path / "s", create=True).close()
    process = working_process.start(tmp_path / "s", session, "k")
    working_process.go(process)
    time.sleep(chance.uniform(0, 0.8))
    process.kill()
    output, _ = process.communicate(timeout=60)
    acknowledged = working_process.recorded(output)
    with EvidenceStore.open(tmp_path / "s") as store:
        assert store.verify().clean
        for record, position in acknowledged.items():
            assert store.rehydrate(record).text.startswith(f"{record} says something")
            assert position <= store.verify().head.position
        told = facts(store)
        assert {built.mission: built.digest for built in store.rebuild()} == {
            m: digest for m, (digest, _) in told.items()
        }
        assert facts(store) == told


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[str, str]], str]:
    """A store with a saved fold, what it answers, and its head."""
    folder = tmp_path_factory.mktemp("sound")
    with EvidenceStore.open(folder / "s", create=True) as store:
        store.import_session(session_file(folder, "first"))
        store.import_session(session_file(folder, "second"))
        told = facts(store)
        store.save_fold()
        return folder / "s", told, store.head()


@pytest.mark.parametrize("trial", trials(16))
def test_a_damaged_copy_answers_rightly_or_refuses_and_says_what_to_do(
    sound: tuple[Path, dict[str, tuple[str, str]], str], tmp_path: Path, trial: int
) -> None:
    source, told, head = sound
    copy = copied(source, tmp_path / "copy")
    what = damage(copy, random.Random(trial))
    refusal, found, complete = answer_of(copy, head)
    if isinstance(refusal, DamageError):
        assert "muniment recover" in str(refusal), what
        assert f"position {refusal.last_good}" in str(refusal), what
    elif refusal is None:
        assert complete or "fold" not in what
        assert found == told or not complete, what


def answer_of(folder: Path, head: str) -> tuple[StoreError | None, dict[str, tuple[str, str]], bool]:
    """Open a store and ask it everything: its refusal, or its answers, and whether it says that it is complete."""
    try:
        with EvidenceStore.open(folder) as store:
            return None, facts(store), store.verify(head).clean
    except StoreError as error:
        return error, {}, False


def test_an_undamaged_copy_is_clean_and_answers_the_same(
    sound: tuple[Path, dict[str, tuple[str, str]], str], tmp_path: Path
) -> None:
    source, told, head = sound
    with EvidenceStore.open(copied(source, tmp_path / "copy")) as store:
        assert facts(store) == told
        assert store.verify(head).clean


def test_a_truncated_journal_is_told_by_the_head_that_was_printed(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record([{"kind": "message", "id": "one", "by": "user", "text": "one"}])
    older = copied(tmp_path / "s", tmp_path / "older")
    with EvidenceStore.open(tmp_path / "s") as store:
        store.record([{"kind": "message", "id": "two", "by": "user", "text": "two"}])
        head = store.head()
    with EvidenceStore.open(older) as store:
        assert store.verify().clean
        problems = store.verify(head).problems
        assert problems


def test_a_saved_fold_of_a_longer_journal_is_not_believed(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record([{"kind": "message", "id": "one", "by": "user", "text": "one"}])
    older = copied(tmp_path / "s", tmp_path / "older")
    with EvidenceStore.open(tmp_path / "s") as store:
        store.record([{"kind": "message", "id": "two", "by": "user", "text": "two"}])
        store.view(store.missions()[0].mission)
        store.save_fold()
    (tmp_path / "s" / "fold.sqlite").rename(older / "fold.sqlite")
    with EvidenceStore.open(older) as store:
        mission = store.missions()[0].mission
        store.record([{"kind": "message", "id": "other", "by": "user", "text": "other"}])
        assert [m.record for m in store.live(mission).newest([Message])] == ["other", "one"]


def test_two_processes_import_and_four_append_at_once(tmp_path: Path) -> None:
    EvidenceStore.open(tmp_path / "s", create=True).close()
    sessions = [session_file(tmp_path, name, 12) for name in ("left", "right")]
    processes = [working_process.start(tmp_path / "s", sessions[i % 2], f"p{i}") for i in range(4)]
    for process in processes:
        working_process.go(process)
    outputs = [process.communicate(timeout=240)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    with EvidenceStore.open(tmp_path / "s") as store:
        assert store.verify().clean
        for output in outputs:
            acknowledged = working_process.recorded(output)
            assert len(acknowledged) == working_process.ROUNDS
            assert list(acknowledged.values()) == sorted(acknowledged.values())
            mission = next(i.mission for i in store.missions() if i.session == next(iter(acknowledged))[:2])
            assert [m.record for m in store.snapshot(mission).of_kind(Message)] == list(acknowledged)
        told = facts(store)
        store.rebuild()
        assert facts(store) == told
    alone = tmp_path / "alone"
    with EvidenceStore.open(alone, create=True) as store:
        for session in sessions:
            report = store.import_session(session)
            assert told[report.mission][0] == store.graph_digest(report.mission)


def purging_store(folder: Path) -> tuple[EvidenceStore, str]:
    """Make a store whose every derived form holds the secret text: fold, view, closeout, emitted view."""
    lines = (
        Transcript()
        .user("Look at the notes")
        .runs("toolu_1", "cat notes.txt", f"{SECRET}\n" * 90)
        .says("I have read it.")
    )
    lines.reads("toolu_2", "/w/project/other.txt", [SECRET, "short"])
    store = EvidenceStore.open(folder / "s", create=True)
    mission = store.import_session(lines.write(folder / "session.jsonl")).mission
    assert SECRET in store.view(mission, emit=True).text
    store.closeout(mission)
    store.save_fold()
    return store, mission


def test_after_a_purge_no_byte_is_left_and_a_reimport_does_not_bring_it_back(tmp_path: Path) -> None:
    store, mission = purging_store(tmp_path)
    with store:
        assert holds(tmp_path / "s", SECRET.encode())
        for record in ("toolu_1:result", "toolu_2:result"):
            store.purge(record, "contains what must not be kept", mission=mission)
        assert not holds(tmp_path / "s", SECRET.encode())
        assert store.verify().clean
        assert store.import_session(tmp_path / "session.jsonl").stored == 0
        view = store.view(mission).text
        assert SECRET not in view
        store.save_fold()
        assert not holds(tmp_path / "s", SECRET.encode())
        with pytest.raises(EvidenceError):
            store.rehydrate("toolu_1:result", mission=mission)
        built = store.rebuild()[0]
        assert built.digest == store.graph_digest(mission)
    assert not holds(tmp_path / "s", SECRET.encode())


def test_what_was_not_purged_stays(tmp_path: Path) -> None:
    store, mission = purging_store(tmp_path)
    with store:
        store.purge("toolu_1:result", "not needed", mission=mission)
        assert store.rehydrate("toolu_2:result", mission=mission).text.startswith(SECRET)
        assert SECRET in store.view(mission).text


def test_a_purged_record_says_that_it_was_purged(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record([{"kind": "fact_stated", "id": "F", "by": "user", "class": "constraint", "text": SECRET}])
        store.purge("F", "asked to")
        with pytest.raises(PurgedError):
            store.rehydrate("F")
        assert [report.code for report in store.reports(store.missions()[0].mission)] == ["purged"]


def test_another_process_notices_a_purge(tmp_path: Path) -> None:
    store, mission = purging_store(tmp_path)
    with store, EvidenceStore.open(tmp_path / "s") as other:
        assert SECRET in other.view(mission).text
        for record in ("toolu_1:result", "toolu_2:result"):
            store.purge(record, "asked to", mission=mission)
        assert SECRET not in other.view(mission).text
        other.save_fold()
    assert not holds(tmp_path / "s", SECRET.encode())
