"""Damaged files: a clear error with the way out, never another answer than what was written."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from muniment.errors import DamageError, JournalMissingError, StoreError
from muniment.journal.port import Journal
from muniment.journal.recover import recover
from muniment.journal.sqlite import SqliteJournal
from muniment.model.entries import Entry
from tests.support.damaged_files import change_byte, copied, damage, trials
from tests.support.journal_samples import append, contents, draft, filled, whole


class Truth:
    """A sound store, and what it holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "copied-while-open"
        with filled(folder / "sound") as journal:
            self.entries = contents(journal)
            self.head = str(journal.head())
            self.missions = journal.missions()
            copied(folder / "sound", self.folder)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """A store whose files were copied while it was open, with entries in the main file and in the WAL."""
    return Truth(tmp_path_factory.mktemp("truth"))


def read_everything(journal: Journal) -> list[Entry]:
    """Read by all ways that there are."""
    for info in journal.missions():
        for stream in journal.streams(info.mission):
            for entry in journal.read(info.mission, stream=stream.key):
                assert journal.find(entry.mission, entry.source_id) == [entry]
        assert [entry.number for entry in journal.read(info.mission)] == list(range(1, info.entries + 1))
    return contents(journal)


def test_the_copy_of_an_open_store_is_sound(truth: Truth, tmp_path: Path) -> None:
    folder = copied(truth.folder, tmp_path / "copy")
    assert sorted(path.name for path in folder.iterdir()) == ["journal.sqlite", "journal.sqlite-wal"]
    with SqliteJournal.open(folder) as journal:
        assert read_everything(journal) == truth.entries
        assert journal.verify(truth.head).problems == ()


@pytest.mark.parametrize("seed", trials())
def test_a_damaged_store_gives_a_sound_prefix_or_refuses(truth: Truth, tmp_path: Path, seed: int) -> None:
    folder = copied(truth.folder, tmp_path / "copy")
    what = damage(folder, random.Random(seed))
    refusal = answers_soundly(truth, folder, what)
    if isinstance(refusal, DamageError):
        assert f"muniment recover {folder} --to NEW" in str(refusal), what
        assert_recovers(truth, folder, tmp_path / "new", refusal.last_good)
    elif refusal is not None:
        assert "version" in str(refusal), what  # the one number in the file that cannot be told from an honest one


def answers_soundly(truth: Truth, folder: Path, what: str) -> StoreError | None:
    try:
        with SqliteJournal.open(folder) as journal:
            found = read_everything(journal)
            assert found == truth.entries[: len(found)], what
            assert len(found) == len(truth.entries) or not journal.verify(truth.head).clean, what
    except StoreError as error:
        return error
    return None


def assert_recovers(truth: Truth, folder: Path, target: Path, last_good: int) -> None:
    try:
        saved = recover(folder, target)
    except DamageError as error:
        found = error.last_good
    else:
        found = saved.kept
        with SqliteJournal.open(target) as journal:
            assert read_everything(journal) == truth.entries[:found]
            assert journal.verify().problems == ()
            assert journal.verify(truth.head).clean == (found == len(truth.entries))
            append(journal, draft("goes on"))
            assert journal.verify(saved.head).clean
    assert found >= last_good


@pytest.mark.parametrize("seed", trials(short=40, long=1500))
def test_a_changed_byte_is_found_or_changes_nothing(truth: Truth, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = checkpointed(truth, tmp_path / "copy")
    path = folder / "journal.sqlite"
    place = chance.randrange(path.stat().st_size)
    change_byte(path, place)
    try:
        with SqliteJournal.open(folder) as journal:
            if journal.verify(truth.head).clean:
                assert read_everything(journal) == truth.entries, place
    except (DamageError, StoreError):
        pass  # found at once


COLUMNS = ("commitment", "hash", "salt", "body", "source_id", "recorded_at")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("seed", range(3))
def test_a_changed_byte_of_an_entry_is_found_with_its_position(
    truth: Truth, tmp_path: Path, column: str, seed: int
) -> None:
    chance = random.Random(f"{column}{seed}")
    folder = checkpointed(truth, tmp_path / "copy")
    position = chance.randrange(2, len(truth.entries))
    with closing(sqlite3.connect(folder / "journal.sqlite")) as raw:
        (value,) = raw.execute(f"SELECT {column} FROM entry WHERE position = ?", (position,)).fetchone()
        changed = bytearray(value)
        changed[chance.randrange(len(value))] ^= 1 << chance.randrange(8)
        raw.execute(f"UPDATE entry SET {column} = ? WHERE position = ?", (bytes(changed), position))
        raw.commit()
    assert_found(folder, position)


@pytest.mark.parametrize("column", ["mission", "number", "session", "stream", "place", "project", "actor", "format"])
def test_a_changed_number_of_an_entry_is_found_with_its_position(truth: Truth, tmp_path: Path, column: str) -> None:
    folder = checkpointed(truth, tmp_path / "copy")
    with closing(sqlite3.connect(folder / "journal.sqlite")) as raw:
        raw.execute(f"UPDATE entry SET {column} = {column} + 1000 WHERE position = 20")
        raw.commit()
    assert_found(folder, 20)


def assert_found(folder: Path, position: int) -> None:
    with SqliteJournal.open(folder) as journal:
        problems = journal.verify().problems
        assert position in {problem.position for problem in problems}
        with pytest.raises(DamageError) as caught:
            read_everything(journal)
        assert caught.value.last_good == position - 1


@pytest.mark.parametrize("seed", range(4))
def test_a_changed_byte_of_a_payload_is_found_with_entry_and_digest(truth: Truth, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = checkpointed(truth, tmp_path / "copy")
    with closing(sqlite3.connect(folder / "journal.sqlite")) as raw:
        digest, data = chance.choice(raw.execute("SELECT digest, data FROM payload").fetchall())
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        raw.execute("UPDATE payload SET data = ? WHERE digest = ?", (bytes(changed), digest))
        raw.commit()
    with SqliteJournal.open(folder) as journal:
        problems = journal.verify().problems
        assert {problem.payload for problem in problems} == {digest.hex()}
        assert all(problem.position for problem in problems)
        with pytest.raises(DamageError):
            journal.payload(digest.hex())


def open_and_read(folder: Path) -> None:
    with SqliteJournal.open(folder) as journal:
        assert not journal.verify().clean
        read_everything(journal)


def test_a_hidden_or_forged_row_is_found_when_read(truth: Truth, tmp_path: Path) -> None:
    changes = (
        "DELETE FROM entry WHERE position = 60",
        "DELETE FROM entry WHERE position = 30",
        "DELETE FROM payload WHERE id = 2",
        "DELETE FROM stream WHERE id = 2",
        "UPDATE mission SET entries = entries - 1 WHERE id = 1",
        "UPDATE store SET position = 59",
        "UPDATE store SET key = zeroblob(32)",
        "UPDATE entry SET body = NULL, salt = NULL WHERE position = 12",
    )
    for place, change in enumerate(changes):
        folder = checkpointed(truth, tmp_path / str(place))
        with closing(sqlite3.connect(folder / "journal.sqlite")) as raw:
            raw.execute(change)
            raw.commit()
        with pytest.raises(DamageError):
            open_and_read(folder)


def test_a_cut_off_end_shows_against_an_earlier_head(truth: Truth, tmp_path: Path) -> None:
    folder = checkpointed(truth, tmp_path / "copy")
    assert recover(folder, tmp_path / "whole").kept == 60
    with closing(sqlite3.connect(folder / "journal.sqlite")) as raw:
        raw.execute("UPDATE entry SET hash = zeroblob(32) WHERE position = 41")
        raw.commit()
    saved = recover(folder, tmp_path / "prefix")
    assert (saved.kept, saved.lost, saved.key_kept) == (40, 20, True)
    with SqliteJournal.open(tmp_path / "prefix") as journal:
        assert journal.verify().clean
        cut = journal.verify(truth.head)
        assert [problem.position for problem in cut.problems] == [60]
        assert "cut off" in cut.problems[0].what
        earlier = truth.entries[29]
        assert journal.verify(f"30:{earlier.hash.hex()}").clean
        assert journal.verify(earlier.hash.hex()).clean
        assert not journal.verify(f"31:{earlier.hash.hex()}").clean


def test_a_lost_wal_leaves_a_sound_prefix_and_shows_against_an_earlier_head(truth: Truth, tmp_path: Path) -> None:
    folder = copied(truth.folder, tmp_path / "copy")
    (folder / "journal.sqlite-wal").unlink()
    with SqliteJournal.open(folder) as journal:
        assert read_everything(journal) == truth.entries[:30]
        assert journal.verify().clean
        assert not journal.verify(truth.head).clean


def test_the_wal_of_another_store_is_never_read_as_this_one_s(truth: Truth, tmp_path: Path) -> None:
    with filled(tmp_path / "other", seed=9):
        other = copied(tmp_path / "other", tmp_path / "copy of other")
    folder = copied(truth.folder, tmp_path / "copy")
    (folder / "journal.sqlite-wal").write_bytes((other / "journal.sqlite-wal").read_bytes())
    refusal = answers_soundly(truth, folder, "foreign WAL")
    assert isinstance(refusal, DamageError)


def test_no_store_no_journal_and_no_database_are_told_apart(truth: Truth, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="create"):
        SqliteJournal.open(tmp_path / "nothing")
    for left in ("journal.sqlite-wal", "fold.sqlite"):
        folder = tmp_path / left
        folder.mkdir()
        (folder / left).write_bytes((truth.folder / "journal.sqlite-wal").read_bytes())
        for create in (False, True):
            with pytest.raises(JournalMissingError, match=left):
                SqliteJournal.open(folder, create=create)
        assert [path.name for path in folder.iterdir()] == [left]
    for content in (b"", b"no database at all" * 100):
        folder = tmp_path / f"content{len(content)}"
        folder.mkdir()
        (folder / "journal.sqlite").write_bytes(content)
        with pytest.raises(DamageError, match="sound up to position 0"):
            SqliteJournal.open(folder, create=True)
        with pytest.raises(DamageError, match="cannot be read"):
            recover(folder, folder / "new")


def test_recovery_refuses_a_target_that_is_not_empty_and_changes_no_source(truth: Truth, tmp_path: Path) -> None:
    folder = copied(truth.folder, tmp_path / "copy")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(StoreError, match="not empty"):
        recover(folder, folder)
    with pytest.raises(StoreError, match="no journal"):
        recover(tmp_path / "none", tmp_path / "new")
    assert recover(folder, tmp_path / "new").kept == 60
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with SqliteJournal.open(tmp_path / "new") as journal:
        assert [whole(journal, entry) for entry in journal.read(None)] == truth.entries


def checkpointed(truth: Truth, folder: Path) -> Path:
    """Return a copy of the sound store with everything in its main file."""
    copied(truth.folder, folder)
    SqliteJournal.open(folder).close()
    assert [path.name for path in folder.iterdir()] == ["journal.sqlite"]
    return folder
