"""Seals: a file that is not the sealed one is not opened, and a log ends where it is not as it was noted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from muniment.projection.sealing import Seal
from tests.support.damaged_files import change_byte

PARTS = (b"first transaction", b"second", b"the third of them")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A sealed database, with three transactions noted in its log."""
    database = tmp_path / "graph.db"
    database.write_bytes(bytes(range(256)) * 20)
    seal = Seal(database)
    seal.set()
    for part in PARTS:
        with log_of(database).open("ab") as file:
            file.write(part)
        seal.note()
    return database


def log_of(database: Path) -> Path:
    return database.with_name("graph.db.wal")


def test_what_is_as_it_was_noted_stays(database: Path) -> None:
    assert Seal(database).holds()
    assert log_of(database).read_bytes() == b"".join(PARTS)


def test_a_log_is_gone_on_with_where_it_ended(database: Path) -> None:
    seal = Seal(database)
    assert seal.holds()
    with log_of(database).open("ab") as file:
        file.write(b"more")
    seal.note()
    assert Seal(database).holds()
    assert log_of(database).read_bytes() == b"".join((*PARTS, b"more"))
    assert database.with_name("seal").read_text().count("\n") == 5


def test_what_comes_behind_a_cut_is_noted_too(database: Path) -> None:
    change_byte(log_of(database), 20)
    with database.with_name("seal").open("ab") as file:
        file.write(b"40 half a no")
    seal = Seal(database)
    assert seal.holds()
    with log_of(database).open("ab") as file:
        file.write(b"again")
    seal.note()
    assert Seal(database).holds()
    assert log_of(database).read_bytes() == PARTS[0] + b"again"


def test_every_changed_byte_of_a_log_cuts_off_its_transaction_and_what_follows(database: Path) -> None:
    whole = b"".join(PARTS)
    notes = database.with_name("seal").read_bytes()
    ends = [sum(map(len, PARTS[:count])) for count in range(len(PARTS) + 1)]
    for place in range(len(whole)):
        log_of(database).write_bytes(whole)
        database.with_name("seal").write_bytes(notes)
        change_byte(log_of(database), place)
        assert Seal(database).holds()
        assert log_of(database).read_bytes() == whole[: max(end for end in ends if end <= place)]


def test_a_log_that_was_cut_off_or_not_noted_to_its_end_ends_behind_a_transaction(database: Path) -> None:
    whole, notes = b"".join(PARTS), database.with_name("seal").read_bytes()
    for size, left in ((0, 0), (16, 0), (17, 17), (25, 23), (len(whole), len(whole))):
        log_of(database).write_bytes(whole[:size])
        database.with_name("seal").write_bytes(notes)
        assert Seal(database).holds()
        assert log_of(database).stat().st_size == left
    log_of(database).write_bytes(whole + b"not noted")
    assert Seal(database).holds()
    assert log_of(database).read_bytes() == whole
    log_of(database).unlink()
    assert Seal(database).holds()


def test_a_changed_database_and_a_changed_seal_do_not_hold(database: Path) -> None:
    for place in (0, 77, database.stat().st_size - 1):
        change_byte(database, place)
        assert not Seal(database).holds()
        change_byte(database, place)
        assert Seal(database).holds()
    os.truncate(database, 100)
    assert not Seal(database).holds()
    for text in (b"", b"\xff\xfe", b"nothing\n1 2\n"):
        database.with_name("seal").write_bytes(text)
        assert not Seal(database).holds()
    database.with_name("seal").unlink()
    assert not Seal(database).holds()


def test_every_changed_byte_of_the_notes_is_noticed(database: Path) -> None:
    seal, whole = database.with_name("seal"), b"".join(PARTS)
    text = seal.read_bytes()
    for place in range(len(text)):
        log_of(database).write_bytes(whole)
        seal.write_bytes(text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :])
        if Seal(database).holds():
            assert log_of(database).stat().st_size in (0, 17, 23)


def test_where_the_folder_is_gone_there_is_nothing_to_note(database: Path) -> None:
    seal = Seal(database)
    assert seal.holds()
    for path in (log_of(database), database.with_name("seal"), database):
        path.unlink()
    seal.note()
    assert not Seal(database).holds()
