"""verify, recover, rebuild, withdraw, purge, doctor."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.api.conftest import Ask, Run

SECRET_WORDS = "Everything behind the first comma is dropped"


def handle_of(ask: Ask, words: str) -> str:
    rows = ask("log")["log"]
    assert isinstance(rows, list)
    return str(next(row["handle"] for row in rows if words in row["text"]))


def damage(store: Path, position: int) -> None:
    """Change one byte of an entry's body."""
    with closing(sqlite3.connect(store / "journal.sqlite")) as connection, connection:
        (body,) = connection.execute("SELECT body FROM entry WHERE position = ?", (position,)).fetchone()
        changed = body[:-1] + bytes([body[-1] ^ 1])
        connection.execute("UPDATE entry SET body = ? WHERE position = ?", (changed, position))


def test_a_sound_store_verifies_and_gives_its_head(run: Run, ask: Ask) -> None:
    done = run("verify")
    assert (done.exit_code, done.stdout.startswith("sound")) == (0, True)
    head = ask("verify")["head"]
    assert ask("verify", "--expected-head", str(head))["clean"] is True


def test_a_head_that_is_not_contained_exits_with_4(ask: Ask) -> None:
    answer = ask("verify", "--expected-head", f"999:{'0' * 64}", code=4)
    assert answer["clean"] is False


def test_a_changed_byte_is_found_with_its_position_and_what_is_sound_can_be_saved(
    run: Run, ask: Ask, store: Path, tmp_path: Path
) -> None:
    damage(store, 20)
    done = run("verify")
    assert done.exit_code == 4
    assert "position 20" in done.stdout
    assert "muniment recover" in done.stdout
    saved = ask("recover", str(store), "--to", str(tmp_path / "saved"))
    assert saved["kept"] == 19
    assert ask("verify", "--store", str(tmp_path / "saved"))["clean"] is True


def test_reading_a_damaged_store_exits_with_4_and_names_the_remedy(run: Run, ask: Ask, store: Path) -> None:
    (store / "fold.sqlite").unlink(missing_ok=True)
    damage(store, 20)
    done = run("view")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "muniment recover" in done.stderr
    error = ask("view", code=4)["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["last_good"]) == ("damaged", 19)


def test_a_rebuild_gives_an_equal_graph(ask: Ask, store: Path) -> None:
    first = ask("rebuild")
    (store / "fold.sqlite").unlink(missing_ok=True)
    assert ask("rebuild") == first


def test_what_is_withdrawn_stays_readable_and_is_not_withdrawn_twice(run: Run, ask: Ask) -> None:
    wanted = handle_of(ask, "Do not change the public")
    assert ask("withdraw", wanted, "--why", "the shop is gone")["stored"] == 1
    assert ask("show", wanted)["state"] == "withdrawn"
    assert "Do not change the public signature" not in run("view").stdout
    assert ask("withdraw", wanted, "--why", "again")["stored"] == 0


def test_a_purge_asks_first_and_leaves_no_byte(run: Run, ask: Ask, store: Path, example: Path) -> None:
    wanted = handle_of(ask, SECRET_WORDS)
    refused = run("purge", wanted, "--why", "private")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert SECRET_WORDS in run("show", wanted).stdout
    assert run("purge", wanted, "--why", "private", "--yes").exit_code == 0
    assert not [file for file in store.iterdir() if SECRET_WORDS.encode() in file.read_bytes()]
    assert ask("verify")["clean"] is True
    assert run("show", wanted).exit_code in (1, 2)
    ask("import", str(example))
    assert not [file for file in store.iterdir() if SECRET_WORDS.encode() in file.read_bytes()]


def test_the_doctor_finds_nothing_wrong_with_a_sound_store(run: Run, ask: Ask) -> None:
    assert run("doctor").exit_code == 0
    assert ask("doctor")["healthy"] is True


@pytest.mark.parametrize(("break_it", "code"), [("damage", 4), ("remove", 3)])
def test_the_doctor_says_what_is_wrong(ask: Ask, store: Path, break_it: str, code: int) -> None:
    if break_it == "damage":
        damage(store, 5)
    else:
        (store / "journal.sqlite").unlink()
    answer = ask("doctor", code=code)
    assert answer["healthy"] is False


def test_a_handle_whose_entry_was_purged_is_told_so_and_another_unknown_one_is_not(run: Run, ask: Ask) -> None:
    ask("purge", "R34", "--why", "test", "--yes")
    for command in (["show", "R34"], ["withdraw", "R34", "--why", "x"], ["purge", "R34", "--why", "x", "--yes"]):
        done = run(*command)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "R34 was purged" in done.stderr
    assert run("show", "R999").exit_code == 2


def test_a_store_without_a_mission_says_how_to_get_one(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert run("import", str(empty), "--store", str(tmp_path / "new")).exit_code == 0
    done = run("view", "--store", str(tmp_path / "new"))
    assert done.exit_code == 2
    assert "muniment import PATH" in done.stderr


def test_a_store_that_is_sound_loses_nothing_when_it_is_recovered(run: Run, store: Path, tmp_path: Path) -> None:
    done = run("recover", str(store), "--to", str(tmp_path / "saved"))
    assert "kept 38 entries and 0 payloads" in done.stdout
    assert "nothing was damaged" in done.stdout


def test_doctor_warns_of_what_could_not_be_read_and_not_of_what_was_purged(
    run: Run, ask: Ask, example: Path, tmp_path: Path
) -> None:
    ask("purge", "R34", "--why", "test", "--yes")
    purged = run("doctor").stdout
    assert ("1 purged" in purged, "warning" in purged) == (True, False)
    broken = tmp_path / "broken.jsonl"
    broken.write_text(example.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    assert run("import", str(broken), "--store", str(tmp_path / "new")).exit_code == 0
    done = run("doctor", "--store", str(tmp_path / "new"))
    assert (done.exit_code, "warning" in done.stdout) == (0, True)
