"""Sessions that are documents: counts, growth, what was replaced, what is broken, what is not a session."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import EvidenceStore, FormatError, UsageError
from muniment.capture import documents
from muniment.capture.importing import ImportReport
from muniment.capture.units import files_read
from muniment.model.nodes import Call, Message, Receipt
from tests.graph.test_importing import adds_up
from tests.support import session_documents as made
from tests.support.session_records import Json

Write = Callable[[Path], Path]


def as_json(value: object) -> Write:
    """Return what writes a value as a file."""

    def write(folder: Path) -> Path:
        path = folder / "session.json"
        path.write_text(json.dumps(value, indent=1), encoding="utf-8")
        return path

    return write


def as_lines(lines: list[Json]) -> Write:
    """Return what writes JSON lines as a file."""

    def write(folder: Path) -> Path:
        path = folder / "session.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return path

    return write


def as_text(folder: Path) -> Path:
    path = folder / "history.md"
    path.write_text(made.AIDER, encoding="utf-8")
    return path


SESSIONS: dict[str, tuple[Write, int]] = {
    "mini-swe-agent": (as_json(made.mini_swe_agent()), 9),
    "swe-agent": (as_json(made.swe_agent()), 10),
    "openhands": (lambda folder: made.openhands_folder(folder / "conversation"), 14),
    "openhands-legacy": (as_json(made.openhands_legacy()), 8),
    "chat-messages": (as_json(made.chat_messages()), 6),
    "opencode": (as_json(made.opencode()), 3),
    "gemini-cli": (as_json(made.gemini_cli()), 7),
    "copilot-cli": (as_lines(made.copilot_cli()), 12),
    "aider": (as_text, 8),
    "atif": (as_json(made.atif()), 7),
}
"""Each format's session, and how many entries it gives."""


@pytest.mark.parametrize("name", SESSIONS)
def test_each_format_is_found_out_counted_and_stored_once(tmp_path: Path, name: str) -> None:
    write, entries = SESSIONS[name]
    path = write(tmp_path)
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        first, second = store.import_session(path), store.import_session(path)
        assert adds_up(first)
        assert adds_up(second)
        assert (first.lines, first.quarantined, first.stored) == (entries, 0, entries)
        assert (second.stored, second.duplicates, second.quarantined) == (0, entries, 0)
        assert [info.format for info in store.missions()] == [f"{name}/1"]
        snapshot = store.snapshot(first.mission)
        assert any(message.by == "user" for message in snapshot.of_kind(Message))
        assert store.view(first.mission, budget=2000).tokens <= 2000
        assert store.closeout(first.mission).verdict
        assert not store.reports(first.mission) or {report.count for report in store.reports(first.mission)} == {0}
        assert [built.digest for built in store.rebuild()] == [store.graph_digest(first.mission)]


@pytest.mark.parametrize("name", [name for name in SESSIONS if name != "openhands"])
def test_each_format_comes_over_a_stream_too(tmp_path: Path, name: str) -> None:
    write, entries = SESSIONS[name]
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        assert store.import_session(io.BytesIO(write(tmp_path).read_bytes())).stored == entries


@pytest.mark.parametrize("name", SESSIONS)
def test_a_graph_is_the_same_in_every_store(tmp_path: Path, name: str) -> None:
    path = SESSIONS[name][0](tmp_path)
    digests = set()
    for store_name in ("a", "b"):
        with EvidenceStore.open(tmp_path / store_name, create=True) as store:
            digests.add(store.graph_digest(store.import_session(path).mission))
    assert len(digests) == 1


def grown(value: Json, messages: int) -> Json:
    """Return a mini-swe-agent document as it was when it had so many messages."""
    whole = value["messages"]
    assert isinstance(whole, list)
    return {**value, "messages": whole[:messages]}


def test_a_document_that_grew_gives_only_what_is_new(tmp_path: Path) -> None:
    value = made.mini_swe_agent()
    with EvidenceStore.open(tmp_path / "whole", create=True) as store:
        whole = store.graph_digest(store.import_session(as_json(value)(tmp_path)).mission)
    with EvidenceStore.open(tmp_path / "pieces", create=True) as store:
        path = as_json(grown(value, 4))(tmp_path)
        assert store.import_session(path).stored == 5
        report = store.import_session(as_json(value)(tmp_path))
        assert (report.stored, report.duplicates, report.quarantined) == (4, 5, 0)
        assert store.graph_digest(report.mission) == whole


def test_a_followed_document_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    value = made.mini_swe_agent()
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        importing = store.importing()
        for messages in (3, 3, 5, 8):
            importing.path(as_json(grown(value, messages))(tmp_path), final=False)
        report = importing.report()
        assert adds_up(report)
        assert (report.lines, report.stored, report.duplicates) == (9, 9, 0)


def test_a_document_that_is_still_being_written_waits_for_its_end(tmp_path: Path) -> None:
    path = as_json(made.mini_swe_agent())(tmp_path)
    data = path.read_bytes()
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        importing = store.importing()
        path.write_bytes(data[:-400])
        importing.path(path, final=False)
        assert importing.report().quarantined == 0
        assert importing.report().unfinished > 0
        path.write_bytes(data)
        importing.path(path, final=True)
        report = importing.report()
        assert adds_up(report)
        assert (report.stored, report.quarantined, report.unfinished) == (10, 0, 0)  # the head came twice


def test_a_message_that_changed_is_reported_and_never_merged(tmp_path: Path) -> None:
    value = made.mini_swe_agent()
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.import_session(as_json(value)(tmp_path))
        changed = json.dumps(value).replace("1 failed", "9 passed")
        report = store.import_session(as_json(json.loads(changed))(tmp_path))
        assert adds_up(report)
        assert (report.stored, report.quarantined) == (0, 1)
        told = store.reports(report.mission)[0]
        assert (told.code, told.count) == ("lines_quarantined", 1)
        assert "log_replaced" in told.detail[0]
        snapshot = store.snapshot(report.mission)
        outputs = [snapshot.text(receipt.output) for receipt in snapshot.of_kind(Receipt) if receipt.output]
        assert not [text for text in outputs if "9 passed" in text]


def test_an_event_that_changed_under_its_own_id_is_reported(tmp_path: Path) -> None:
    folder = made.openhands_folder(tmp_path / "conversation")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.import_session(folder)
        file = next((folder / "events").glob("event-00007-*"))
        file.write_text(file.read_text(encoding="utf-8").replace("1 passed", "2 passed"), encoding="utf-8")
        report = store.import_session(folder)
        assert (report.stored, report.duplicates, report.quarantined) == (0, 13, 1)
        assert store.import_session(folder).quarantined == 1


def test_two_runs_of_one_instance_are_two_missions(tmp_path: Path) -> None:
    again = json.loads(json.dumps(made.mini_swe_agent()).replace("resp-", "other-"))
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        first = store.import_session(as_json(made.mini_swe_agent())(tmp_path))
        second = store.import_session(as_json(again)(tmp_path))
        assert first.mission != second.mission
        assert second.quarantined == 0


def test_the_newest_message_of_an_export_may_be_written_anew(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.import_session(as_json(made.opencode(finished=False))(tmp_path))
        report = store.import_session(as_json(made.opencode())(tmp_path))
        assert (report.stored, report.duplicates, report.quarantined) == (1, 2, 0)
        snapshot = store.snapshot(report.mission)
        assert len(list(snapshot.of_kind(Call))) == len(list(snapshot.of_kind(Receipt))) == 3
        assert [snapshot.text(each.text) for each in snapshot.of_kind(Message) if each.final] == ["Fixed."]


def test_a_text_that_grew_tells_the_rest_of_its_newest_piece(tmp_path: Path) -> None:
    path = as_text(tmp_path)
    cut = made.AIDER.index("> Applied edit")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        path.write_text(made.AIDER[:cut], encoding="utf-8")
        store.import_session(path)
        report = store.import_session(as_text(tmp_path))
        assert report.quarantined == 0
        receipts = list(store.snapshot(report.mission).of_kind(Receipt))
        assert [(receipt.name, receipt.status) for receipt in receipts] == [("search_replace", "ok")]


def test_of_a_cut_document_the_whole_messages_are_kept(tmp_path: Path) -> None:
    path = as_json(made.mini_swe_agent())(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'"role": "exit"')])
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(path)
        assert (report.lines, report.parsed, report.quarantined) == (9, 8, 1)
        assert "the document ends in the middle of it" in store.reports(report.mission)[0].detail[0]
        path.write_bytes(data)
        assert store.import_session(path).stored == 2  # the message, and the head, which is whole now


@pytest.mark.parametrize("name", [name for name in SESSIONS if name not in ("openhands", "aider", "copilot-cli")])
def test_a_broken_message_costs_itself_alone(tmp_path: Path, name: str) -> None:
    path = SESSIONS[name][0](tmp_path)
    data = path.read_bytes()
    place = data.rindex(b'": "')
    path.write_bytes(data[: place + 4] + b"\x00" + data[place + 4 :])
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(path)
        assert adds_up(report)
        assert report.quarantined == 1
        assert report.lines in (SESSIONS[name][1], SESSIONS[name][1] + 1)


def test_a_broken_event_file_costs_itself_alone(tmp_path: Path) -> None:
    folder = made.openhands_folder(tmp_path / "conversation")
    next((folder / "events").glob("event-00003-*")).write_bytes(b'{"kind": "Observ')
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(folder)
        assert (report.lines, report.parsed, report.quarantined) == (14, 13, 1)


def test_a_document_in_no_known_format_is_refused_with_the_names_of_all(tmp_path: Path) -> None:
    path = as_json({"hello": [1]})(tmp_path)
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        with pytest.raises(FormatError, match=r"claude-code.*mini-swe-agent.*aider"):
            store.import_session(path)
        with pytest.raises(FormatError):
            store.import_session(as_json([1, 2])(tmp_path))
        assert store.missions() == []


def test_a_document_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", 1000)
    with EvidenceStore.open(tmp_path / "s", create=True) as store, pytest.raises(FormatError, match="larger than"):
        store.import_session(as_json(made.mini_swe_agent())(tmp_path))


def test_a_folder_gives_its_sessions_and_passes_other_files_over(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    (folder / "deep").mkdir(parents=True)
    made.openhands_folder(folder / "conversation")
    as_json(made.mini_swe_agent())(folder)
    as_text(folder / "deep")
    (folder / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (folder / "README.md").write_text("# Read me\n", encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(folder)
        assert (report.files, len(report.missions), report.refused) == (3, 3, ())
        (tmp_path / "empty").mkdir()
        with pytest.raises(UsageError, match="no session file"):
            store.import_session(tmp_path / "empty")


def test_lines_whose_first_is_broken_stay_lines(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    lines = [json.dumps(line) for line in made.copilot_cli()]
    path.write_text("\n".join([lines[0][:30], *lines]) + "\n", encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report: ImportReport = store.import_session(path)
        assert (report.lines, report.parsed, report.quarantined, report.ignored) == (13, 11, 1, {"hook.start": 1})


def test_all_files_that_an_import_reads_are_named_before_it(tmp_path: Path) -> None:
    folder = made.openhands_folder(tmp_path / "many" / "conversation")
    other = as_json(made.atif())(tmp_path / "many")
    named = files_read(tmp_path / "many")
    assert set(named) == {other, folder / "base_state.json", *(folder / "events").iterdir()}


def test_a_child_that_one_entry_calls_and_ends_comes_between_call_and_result(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        snapshot = store.snapshot(store.import_session(as_json(made.atif())(tmp_path)).mission)
        ordinals = {node.record: node.ordinal for kind in (Call, Receipt) for node in snapshot.of_kind(kind)}
        assert ordinals["x2"] < ordinals["y1"] < ordinals["y1:result"] < ordinals["x2:result"]
        handles = [node.handle for kind in (Call, Receipt, Message) for node in snapshot.of_kind(kind)]
        assert len(handles) == len(set(handles))


def test_lines_are_not_read_as_a_document_that_is_named(tmp_path: Path) -> None:
    path = as_lines(made.copilot_cli())(tmp_path)
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        with pytest.raises(FormatError, match="these are lines of JSON"):
            store.import_session(path, format="swe-agent")
        assert store.import_session(path, format="copilot-cli").stored == 12
