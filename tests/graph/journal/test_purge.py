"""Purging: no byte of the text is left in any file, the chain verifies, and nothing brings it back."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from muniment.digest import Digest
from muniment.errors import BusyError, UnknownIdError
from muniment.journal import payloads
from muniment.journal.port import PurgeReport
from muniment.journal.recover import recover
from muniment.journal.sqlite import SqliteJournal
from muniment.payload_markers import lift
from tests.support import purging_process
from tests.support.damaged_files import holds, trials
from tests.support.journal_samples import WHEN, append, contents, draft, some_drafts

SHORT = "zq-secret-plan"
LONG = "zq-long-plan: " + " ".join(f"step {place}" for place in range(400))


def frames(text: str) -> list[bytes]:
    """Return the bytes by which a text could be left in a file: its own, and pieces of its packed form."""
    packed = payloads.pack(_digest(text), text.encode(), payloads.compressor()).data
    return [text[:40].encode(), *(packed[start : start + 24] for start in range(16, len(packed) - 24, 200))]


def _digest(text: str) -> Digest:
    return next(iter(lift({"text": text})[1]))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    """A journal in which the texts to purge stand in the midst of others, in pages that were split."""
    with SqliteJournal.open(tmp_path / "store", create=True, busy_seconds=0.3) as opened:
        append(opened, *some_drafts(40, seed=1, prefix="before"))
        append(opened, draft("f1", {"text": SHORT}), draft("f2", {"text": LONG, "n": 1}))
        append(opened, *some_drafts(200, seed=2, prefix="after"))
        yield opened


def purge(journal: SqliteJournal, *positions: int, everywhere: bool = False) -> PurgeReport:
    return journal.purge(positions, why="asked for", recorded_at=WHEN, everywhere=everywhere)


def assert_gone(folder: Path) -> None:
    for needle in (SHORT.encode(), *frames(LONG)):
        assert holds(folder, needle) == []


def test_a_purged_text_is_in_no_file_and_the_chain_verifies(journal: SqliteJournal, tmp_path: Path) -> None:
    assert holds(tmp_path, SHORT.encode()) != []
    assert all(holds(tmp_path, needle) != [] for needle in frames(LONG)[1:])
    head = str(journal.head())
    report = purge(journal, 41, 42)
    assert (report.purged, report.before, report.shared, report.payloads, report.epoch) == ((41, 42), (), (), 1, 1)
    assert_gone(tmp_path)
    verified = journal.verify(head)
    assert (verified.problems, verified.purged, journal.head().epoch) == ((), 2, 1)
    assert [entry.body for entry in journal.read(None, after=40, upto=42)] == [None, None]
    assert journal.payload(_digest(LONG)) is None
    journal.close()
    assert_gone(tmp_path)


def test_a_second_arrival_is_a_duplicate_and_brings_nothing_back(journal: SqliteJournal, tmp_path: Path) -> None:
    purge(journal, 41, 42)
    again = append(journal, draft("f1", {"text": SHORT}), draft("f2", {"text": LONG}))
    assert (again.stored, again.duplicates) == (0, 2)
    assert_gone(tmp_path)
    said_anew = append(journal, draft("f9", {"text": SHORT}))
    assert said_anew.stored == 1
    assert contents(journal)[-1].body == {"text": SHORT}


def test_a_shared_payload_stays_for_the_others_and_is_told_of(journal: SqliteJournal, tmp_path: Path) -> None:
    append(journal, draft("f3", {"other": LONG}))
    report = purge(journal, 42)
    assert (report.purged, report.shared, report.payloads) == ((42,), (243,), 0)
    assert contents(journal)[-1].body == {"other": LONG}
    assert journal.verify().clean


def test_everywhere_takes_those_that_share_a_payload_too(journal: SqliteJournal, tmp_path: Path) -> None:
    append(journal, draft("f3", {"other": LONG}), draft("f4", {"text": "unharmed"}))
    report = purge(journal, 42, everywhere=True)
    assert (report.purged, report.shared, report.payloads) == ((42, 243), (), 1)
    assert all(holds(tmp_path, needle) == [] for needle in frames(LONG))
    assert [entry.body for entry in journal.read(None, after=242)] == [None, {"text": "unharmed"}]
    assert journal.verify().clean


def test_purging_again_changes_nothing_and_an_unknown_position_is_refused(journal: SqliteJournal) -> None:
    purge(journal, 41)
    again = purge(journal, 41)
    assert (again.purged, again.before, again.epoch) == ((), (41,), 1)
    with pytest.raises(UnknownIdError):
        purge(journal, 42, 9999)
    assert contents(journal)[41].body == {"text": LONG, "n": 1}


def test_a_reader_in_the_way_is_waited_for_and_then_told_of_before_anything_is_erased(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    append(journal, draft("in the WAL"))
    with closing(sqlite3.connect(tmp_path / "store" / "journal.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entry").fetchone()
        append(journal, draft("later"))
        with pytest.raises(BusyError, match="nothing was erased"):
            purge(journal, 41)
        assert contents(journal)[40].body == {"text": SHORT}
        assert journal.head().epoch == 0
    assert purge(journal, 41, 42).purged == (41, 42)
    assert_gone(tmp_path)


def test_a_reader_that_comes_in_between_leaves_a_purge_that_the_next_opening_finishes(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    path = tmp_path / "store" / "journal.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:

        def come_in(statement: str) -> None:
            if statement == "BEGIN IMMEDIATE" and not reader.in_transaction:
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM entry").fetchone()

        journal._connection.set_trace_callback(come_in)
        with pytest.raises(BusyError, match="open the store or purge again to finish"):
            purge(journal, 41, 42)
        journal._connection.set_trace_callback(None)
        assert [entry.body for entry in journal.read(None, after=40, upto=42)] == [None, None]
        assert any("not finished" in problem.what for problem in journal.verify().problems)
        with SqliteJournal.open(tmp_path / "store") as other:
            assert any("not finished" in problem.what for problem in other.verify().problems)
    with SqliteJournal.open(tmp_path / "store") as other:
        assert other.verify().clean
        assert_gone(tmp_path)


@pytest.mark.parametrize("seed", trials(short=6, long=60))
def test_killed_in_the_midst_of_a_purge_it_is_done_or_not_done(
    journal: SqliteJournal, tmp_path: Path, seed: int
) -> None:
    journal.close()
    process = purging_process.start(tmp_path / "store", 41, 42)
    threading.Event().wait(random.Random(seed).uniform(0, 0.012))
    process.kill()
    output, _ = process.communicate(timeout=60)
    with SqliteJournal.open(tmp_path / "store") as again:
        assert again.verify().problems == ()
        bodies = [entry.body for entry in again.read(None, after=40, upto=42)]
        if bodies == [None, None]:
            assert_gone(tmp_path)
        else:
            assert None not in bodies
            assert "done" not in output


def test_recovery_keeps_what_was_purged_purged(journal: SqliteJournal, tmp_path: Path) -> None:
    purge(journal, 41, 42)
    saved = recover(tmp_path / "store", tmp_path / "new")
    assert (saved.kept, saved.lost, saved.problem) == (242, 0, None)
    with SqliteJournal.open(tmp_path / "new") as new:
        assert new.verify(str(journal.head())).clean
        assert (new.verify().purged, new.head().epoch) == (2, 2)
    assert_gone(tmp_path)
