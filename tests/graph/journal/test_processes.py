"""Several processes at once, and processes that die: what was acknowledged is there, whatever happens."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from muniment.errors import BusyError
from muniment.journal.sqlite import SqliteJournal
from tests.support.appending_process import acknowledged, finish, go, start
from tests.support.damaged_files import trials
from tests.support.journal_samples import append, contents, draft


def test_four_processes_append_at_once(tmp_path: Path) -> None:
    with SqliteJournal.open(tmp_path, create=True) as journal:
        append(journal, draft("first"))
        reader = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM entry").fetchall()  # a reader that stays: it must not hold anybody up
        processes = [start(tmp_path, name, 50) for name in "abcd"]
        for process in processes:
            go(process)
        acks = [finish(process) for process in processes]
        reader.close()
        where = {entry.source_id: entry.position for entry in journal.read("mission:m")}
        assert where == {"first": 1, **{name: place for ack in acks for name, place in ack.items()}}
        assert [len(ack) for ack in acks] == [50] * 4
        for ack in acks:
            assert list(ack.values()) == sorted(ack.values())
        assert journal.verify().clean


def test_a_journal_made_by_several_processes_at_once_is_one_journal(tmp_path: Path) -> None:
    keys = []

    def make() -> None:
        with SqliteJournal.open(tmp_path, create=True) as journal:
            append(journal, draft(threading.current_thread().name))
            keys.append(journal.key)

    threads = [threading.Thread(target=make, name=f"t{place}") for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with SqliteJournal.open(tmp_path) as journal:
        assert journal.head().position == 6
        assert set(keys) == {journal.key}
    assert [path.name for path in tmp_path.iterdir()] == ["journal.sqlite"]


def test_a_busy_journal_says_so_and_nothing_is_written(tmp_path: Path) -> None:
    with SqliteJournal.open(tmp_path, create=True, busy_seconds=0.1) as journal:
        holder = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="nothing was written"):
            append(journal, draft("a"))
        assert journal.head().position == 0
        holder.execute("ROLLBACK")
        holder.close()
        assert append(journal, draft("a")).stored == 1


def test_killed_at_random_moments_no_acknowledged_entry_is_lost(tmp_path: Path) -> None:
    SqliteJournal.open(tmp_path, create=True).close()
    acks: dict[str, int] = {}
    for trial in trials():
        process = start(tmp_path, f"t{trial}-", 1_000_000)
        go(process)
        threading.Event().wait(random.Random(trial).uniform(0, 0.12))
        process.kill()
        output, _ = process.communicate(timeout=60)
        acks |= acknowledged(output)
        with SqliteJournal.open(tmp_path) as journal:
            where = {entry.source_id: entry.position for entry in contents(journal)}
            assert acks.items() <= where.items()
            assert len(where) <= len(acks) + trial + 1  # at most the one that was being appended, once per kill
            assert journal.verify().problems == ()
    assert acks


def test_one_sync_before_each_acknowledgement(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("strace is needed in CI")
        pytest.skip("install strace to watch the system calls")
    SqliteJournal.open(tmp_path / "store", create=True).close()
    log = tmp_path / "calls"
    watch = ("strace", "-f", "-y", "-qq", "-e", "trace=fsync,fdatasync,write", "-o", str(log))
    process = start(tmp_path / "store", "a", 30, under=watch)
    go(process)
    assert len(finish(process)) == 30
    synced = _syncs_before_each_ack(log)
    # The very first commit also syncs the head of the new WAL and its folder.
    assert synced[0] >= 1
    assert synced[1:] == [1] * 29


def _syncs_before_each_ack(log: Path) -> list[int]:
    counts, since = [], 0
    for line in log.read_text().splitlines():
        if re.search(r"\bf(data)?sync\(", line):
            since += 1
        elif "write(" in line and '"ack ' in line:
            counts.append(since)
            since = 0
    return counts
