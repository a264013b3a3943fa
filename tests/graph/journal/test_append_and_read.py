"""Appending to and reading from a journal in real files."""

from __future__ import annotations

import random
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.digest import GENESIS, Digest
from muniment.errors import ConflictError, DamageError, FieldError, StoreError, UnknownIdError
from muniment.journal.port import StreamKey
from muniment.journal.sqlite import SqliteJournal
from muniment.model.entries import QUARANTINE_FORMAT
from muniment.payload_markers import restore
from tests.support.journal_samples import WHEN, append, contents, draft, filled, lifted_drafts, some_drafts


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    """A new journal."""
    with SqliteJournal.open(tmp_path / "store", create=True) as opened:
        yield opened


def test_a_new_journal_is_empty(journal: SqliteJournal) -> None:
    assert (journal.head().position, journal.head().hash) == (0, GENESIS)
    assert (list(journal.read(None)), journal.missions(), journal.streams("mission:m")) == ([], [], [])
    assert journal.verify().clean


def test_what_was_appended_is_read_after_opening_again(tmp_path: Path) -> None:
    drafts = some_drafts(30, seed=3)
    with SqliteJournal.open(tmp_path, create=True) as journal:
        append(journal, *drafts)
        head = journal.head()
    with SqliteJournal.open(tmp_path) as journal:
        assert journal.head() == head
        assert [(entry.source_id, entry.body) for entry in contents(journal)] == [(d.source_id, d.body) for d in drafts]
        assert journal.verify(str(head)).clean


def test_numbers_count_within_the_mission_without_gaps(tmp_path: Path) -> None:
    with filled(tmp_path) as journal:
        for info in journal.missions():
            entries = list(journal.read(info.mission))
            assert [entry.number for entry in entries] == list(range(1, info.entries + 1))
            assert entries == sorted(entries, key=lambda entry: entry.position)


def test_a_source_id_is_stored_once_per_mission_and_session(journal: SqliteJournal) -> None:
    first = append(journal, draft("a"), draft("b"), draft("a"))
    assert [(placed.position, placed.new) for placed in first.placed] == [(1, True), (2, True), (1, False)]
    again = append(journal, draft("b", {"other": "body"}), draft("c"))
    assert (again.stored, again.duplicates) == (1, 1)
    assert [(placed.position, placed.new) for placed in again.placed] == [(2, False), (3, True)]
    elsewhere = append(journal, draft("a", session="other"), draft("a", mission="mission:other"))
    assert elsewhere.stored == 2


def test_expected_is_the_last_position_or_nothing_is_written(journal: SqliteJournal) -> None:
    append(journal, draft("a"), expected=0)
    with pytest.raises(ConflictError) as caught:
        append(journal, draft("b"), expected=0)
    assert (caught.value.expected, caught.value.actual) == (0, 1)
    assert append(journal, draft("b"), expected=1).head.position == 2


def test_reading_after_and_up_to_a_position(tmp_path: Path) -> None:
    with filled(tmp_path) as journal:
        everything = list(journal.read(None))
        for mission, stream in ((None, None), ("mission:1", None), ("mission:1", StreamKey("s", "child"))):
            mine = [
                e
                for e in everything
                if mission in (None, e.mission) and stream in (None, StreamKey(e.session, e.stream))
            ]
            for after, upto in ((0, None), (7, None), (0, 20), (19, 41), (60, None), (0, 0), (99, 3)):
                wanted = [e for e in mine if e.position > after and (upto is None or e.position <= upto)]
                assert list(journal.read(mission, after=after, upto=upto, stream=stream)) == wanted


def test_what_is_appended_after_a_read_began_is_not_seen_by_it(journal: SqliteJournal) -> None:
    append(journal, *(draft(f"a{place}") for place in range(200)))
    reading = journal.read("mission:m")
    first = next(reading)
    append(journal, draft("late"))
    assert [first.source_id, *(entry.source_id for entry in reading)][-1] == "a199"


def test_one_entry_by_number_and_by_source_id(tmp_path: Path) -> None:
    with filled(tmp_path) as journal:
        entry = journal.entry("mission:1", 5)
        assert (entry.mission, entry.number) == ("mission:1", 5)
        assert journal.find("mission:1", entry.source_id) == [entry]
        assert journal.find("mission:2", entry.source_id) == []
        for mission, number in (("mission:1", 0), ("mission:1", 21), ("mission:none", 1), ("mission:1", 10**30)):
            with pytest.raises(UnknownIdError):
                journal.entry(mission, number)


def test_missions_and_streams_tell_where_they_are(journal: SqliteJournal) -> None:
    append(journal, draft("q", format=QUARANTINE_FORMAT, project="", session="q"), draft("a", session="s1"))
    append(journal, draft("x", mission="mission:x"), draft("b", session="s1", stream="kid"), draft("c", session="s1"))
    info, other = journal.missions()
    assert (info.project, info.format, info.session, info.entries) == ("p", "sample/1", "s1", 4)
    assert (info.first_position, info.last_position, other.first_position) == (1, 5, 3)
    assert (journal.mission("mission:m"), journal.mission("mission:none")) == (info, None)
    streams = journal.streams("mission:m")
    assert [(tuple(s.key), s.entries, s.first_position, s.last_position) for s in streams] == [
        (("q", ""), 1, 1, 1),
        (("s1", ""), 2, 2, 5),
        (("s1", "kid"), 1, 4, 4),
    ]


def test_broken_texts_are_kept_as_they_are(journal: SqliteJournal) -> None:
    append(journal, draft("id \ud83d", {"k\ud83d": ["\ud83e", "\ud83d" * 2000]}, mission="m \udc00", stream="\x00"))
    entry = contents(journal)[0]
    assert (entry.source_id, entry.mission, entry.stream) == ("id \ud83d", "m \udc00", "\x00")
    assert entry.body == {"k\ud83d": ["\ud83e", "\ud83d" * 2000]}
    assert journal.verify().clean


def test_equal_texts_are_one_payload(journal: SqliteJournal) -> None:
    append(journal, draft("a", {"t": "x" * 5000}), draft("b", {"u": {"v": "x" * 5000}}))
    assert journal.verify().payloads == 1
    assert [body["t"] for body in (contents(journal)[0].body or {},)] == ["x" * 5000]


def test_a_payload_must_be_given_and_have_its_digest(journal: SqliteJournal) -> None:
    drafts, payloads = lifted_drafts([draft("a", {"t": "x" * 5000})])
    for wrong in ({}, dict.fromkeys(payloads, b"other")):
        with pytest.raises(FieldError):
            journal.append(drafts, wrong, recorded_at=WHEN)
    assert journal.head().position == 0
    journal.append(drafts, payloads, recorded_at=WHEN)
    assert restore(next(iter(journal.read(None))).body or {}, journal.payload) == ({"t": "x" * 5000}, False)


def test_a_payload_that_no_entry_names_is_not_stored(journal: SqliteJournal) -> None:
    _, payloads = lifted_drafts([draft("a", {"t": "x" * 5000})])
    journal.append([draft("b")], payloads, recorded_at=WHEN)
    assert journal.verify().payloads == 0
    with pytest.raises(UnknownIdError):
        journal.payload(next(iter(payloads)))
    with pytest.raises(UnknownIdError):
        journal.payload(Digest("no digest"))


def test_a_body_that_is_no_json_is_refused_and_nothing_is_written(journal: SqliteJournal) -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"d": deep}
    bodies: list[dict[str, object]] = [{"a": object()}, {1: "a"}, deep]  # type: ignore[dict-item]
    for body in bodies:
        with pytest.raises(FieldError):
            journal.append([draft("good"), draft("bad", body)], {}, recorded_at=WHEN)
    assert journal.head().position == 0


def test_waiting_ends_when_another_object_appends(tmp_path: Path) -> None:
    with SqliteJournal.open(tmp_path, create=True) as journal, SqliteJournal.open(tmp_path) as other:
        timer = threading.Timer(0.1, lambda: append(other, draft("a")))
        timer.start()
        assert journal.wait(0, timeout=10).position == 1
        timer.join()
        assert journal.wait(1, timeout=0.05).position == 1


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = SqliteJournal.open(tmp_path, create=True)
    journal.close()
    journal.close()
    with pytest.raises(StoreError, match="cannot be used any more"):
        journal.head()


def test_a_full_disk_is_told_of_and_nothing_is_written(tmp_path: Path) -> None:
    with SqliteJournal.open(tmp_path, create=True) as journal:
        append(journal, draft("a"))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        try:
            with pytest.raises(StoreError) as caught:
                append(journal, draft("b", {"noise": random.Random(1).randbytes(400_000).hex()}))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert not isinstance(caught.value, DamageError)
        assert journal.head().position == 1
        assert append(journal, draft("b")).stored == 1
        assert journal.verify().clean


def test_the_store_key_is_made_once(tmp_path: Path) -> None:
    with SqliteJournal.open(tmp_path, create=True) as journal:
        key = journal.key
    with SqliteJournal.open(tmp_path, create=True) as journal:
        assert (journal.key, len(key)) == (key, 32)
    with SqliteJournal.open(tmp_path / "second", create=True) as journal:
        assert journal.key != key
