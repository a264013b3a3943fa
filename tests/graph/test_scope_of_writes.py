"""Scopes: a narrowed handle changes nothing that lies outside of it, by whichever way the writing comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, ScopeError, UnknownIdError
from tests.support.claude_lines import SESSION, Transcript

OTHER = SESSION.replace("1", "9")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


def transcript(folder: Path, *, session: str = SESSION, root: str = "/w/project", words: str = "hello") -> Path:
    """A session of one message, in a folder of its own."""
    written = Transcript().user(words)
    written.lines = [line.replace(SESSION, session).replace("/w/project", root) for line in written.lines]
    return written.write(folder / f"{session}.jsonl")


@pytest.mark.parametrize("given", [{"project": ""}, {"mission": ""}, {"project": "", "mission": ""}])
def test_an_empty_name_is_no_scope(store: EvidenceStore, given: dict[str, str]) -> None:
    with pytest.raises(ScopeError):
        store.scoped(**given)
    assert store.scoped(project="/w/project").missions() == []


def test_an_import_cannot_write_into_what_is_out_of_sight(store: EvidenceStore, tmp_path: Path) -> None:
    foreign = store.import_session(transcript(tmp_path, root="/w/other")).mission
    own = store.import_session(transcript(tmp_path, session=OTHER)).mission
    more = transcript(tmp_path / "more", session=OTHER.replace("9", "8"))
    grown = transcript(tmp_path / "grown", words="said later", root="/w/other")
    head = store.head()
    for handle in (store.scoped(project="/w/project"), store.scoped(mission=own)):
        with pytest.raises(UnknownIdError):
            handle.import_session(more, mission=foreign)
        with pytest.raises(UnknownIdError):
            handle.import_session(grown, mission=foreign)
    with pytest.raises(UnknownIdError):
        store.scoped(project="/w/project").import_session(more, project="/w/other")
    with pytest.raises(UnknownIdError):
        store.scoped(project="/w/project").import_session(grown)
    assert store.head() == head
    assert store.scoped(project="/w/project").import_session(more).stored == 1
    assert store.scoped(mission=own).import_session(transcript(tmp_path / "own", session=OTHER)).mission == own


def test_a_record_does_not_show_by_its_place_that_a_foreign_session_is_there(
    store: EvidenceStore, tmp_path: Path
) -> None:
    foreign = store.import_session(transcript(tmp_path, root="/w/other")).mission
    handle = store.scoped(project="/w/project")
    for session in (SESSION, "a session that nobody has"):
        handle.record([{"kind": "message", "id": f"m {session}", "by": "agent", "session": session, "text": "hi"}])
    assert len(handle.missions()) == 2
    assert foreign not in {info.mission for info in handle.missions()}


def test_a_handle_that_may_only_read_emits_no_view(store: EvidenceStore, tmp_path: Path) -> None:
    mission = store.import_session(transcript(tmp_path)).mission
    head = store.head()
    reader = store.scoped(mission=mission, verbs=["read"])
    with pytest.raises(ScopeError):
        reader.view(mission, emit=True)
    assert store.head() == head
    assert "hello" in reader.view(mission).text
    store.scoped(mission=mission).view(mission, emit=True)
    assert store.head() != head


def test_the_end_of_a_scoped_handle_leaves_the_store_open(store: EvidenceStore, tmp_path: Path) -> None:
    mission = store.import_session(transcript(tmp_path)).mission
    with store.scoped(mission=mission) as handle:
        assert handle.missions()
    assert store.missions()
