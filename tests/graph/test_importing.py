"""Importing: counts that add up, nothing twice, nothing lost, whatever the file looks like."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import EvidenceStore, FormatError, UsageError
from muniment.capture.importing import ImportReport
from muniment.model.nodes import Message
from tests.support.claude_lines import SESSION, Transcript

NAMES = [
    *("claude-code/cc01-entire-311", "claude-code/cc04-entire-62", "claude-code/cc05-entire-78"),
    *("claude-code/cc07-entire-71", "claude-code/cc08-cipherbox-143", "claude-code/cc12-spotter-196"),
    *("codex/cx02-agentv-317", "codex/cx03-agentv-220", "codex/cx06-agentv-100", "codex/cx07-chatbotui-39"),
]


def adds_up(report: ImportReport) -> bool:
    """Tell whether the counts of an import are consistent."""
    lines = report.parsed + report.quarantined + sum(report.ignored.values())
    return report.lines == lines and report.records == report.stored + report.duplicates


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_session_imports_once_and_answers(sessions: Path, tmp_path: Path, name: str) -> None:
    path = sessions / f"{name}.jsonl"
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        first, second = store.import_session(path), store.import_session(path)
        assert adds_up(first)
        assert adds_up(second)
        assert first.lines == path.read_bytes().count(b"\n") + (not path.read_bytes().endswith(b"\n"))
        assert (second.stored, second.duplicates) == (0, first.records)
        for budget in (2000, 4000, 8000):
            assert store.view(first.mission, budget=budget).tokens <= budget
        assert store.closeout(first.mission).verdict in ("proven", "unproven", "contradicted", "nothing_claimed")
        assert store.verify(store.head()).clean


@pytest.mark.parametrize("name", [NAMES[0], NAMES[6]])
def test_a_rebuild_gives_the_same_graph_in_a_process_with_another_hash_seed(
    sessions: Path, tmp_path: Path, name: str
) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        mission = store.import_session(sessions / f"{name}.jsonl").mission
        digest = store.graph_digest(mission)
        view = store.view(mission).text
        assert [built.digest for built in store.rebuild()] == [digest]
    (tmp_path / "s" / "fold.sqlite").unlink()
    script = (
        "import sys; from muniment import EvidenceStore\n"
        "with EvidenceStore.open(sys.argv[1]) as s:\n"
        "    m = s.missions()[0].mission; print(s.graph_digest(m)); sys.stdout.write(s.view(m).text)"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "s")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        )
        assert done.stdout == f"{digest}\n{view}"


def test_glued_objects_are_both_kept_and_text_inside_strings_is_not_looked_at(tmp_path: Path) -> None:
    lines = Transcript().user("one").user('a line in a string: {"type":"user"}\n{"broken').user("three").lines
    path = tmp_path / "s.jsonl"
    path.write_text(f"{lines[0]}{lines[1]}\n{lines[2]}\n", encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(path)
        assert (report.lines, report.parsed, report.records) == (2, 2, 3)
        texts = [store.snapshot(report.mission).text(m.text) for m in store.snapshot(report.mission).of_kind(Message)]
    assert texts == ["one", 'a line in a string: {"type":"user"}\n{"broken', "three"]


def test_a_broken_line_costs_itself_alone_and_is_told(tmp_path: Path) -> None:
    lines = Transcript().user("one").user("two").user("three").lines
    path = tmp_path / "s.jsonl"
    path.write_bytes(f"{lines[0]}\n{lines[1][:40]}\n".encode() + b"\0" * 50 + f"\n\n[1]\n{lines[2]}\n".encode())
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(path)
        assert (report.lines, report.parsed, report.quarantined, report.ignored) == (6, 2, 3, {"blank": 1})
        told = store.reports(report.mission)[0]
        assert told.code == "lines_quarantined"
        assert [detail.split(":")[0] for detail in told.detail] == ["line 2", "line 3", "line 5"]
        assert store.import_session(path).stored == 0


def test_a_file_that_grows_byte_by_byte_gives_the_graph_of_the_whole(tmp_path: Path) -> None:
    data = "".join(f"{line}\n" for line in Transcript().user("go").runs("toolu_1", "make").says("done").lines).encode()
    path = tmp_path / "growing.jsonl"
    with EvidenceStore.open(tmp_path / "whole", create=True) as store:
        path.write_bytes(data)
        whole = store.import_session(path)
        digest = store.graph_digest(whole.mission)
    with EvidenceStore.open(tmp_path / "pieces", create=True) as store:
        importing = store.importing()
        for end in range(1, len(data), 97):
            path.write_bytes(data[:end])
            importing.path(path, final=False)
            assert importing.report().quarantined == 0
        path.write_bytes(data)
        importing.path(path, final=False)
        report = importing.report()
        assert adds_up(report)
        assert (report.lines, report.stored, report.unfinished) == (whole.lines, whole.stored, 0)
        assert store.graph_digest(whole.mission) == digest


def test_a_last_line_without_its_end_counts_only_if_it_is_whole(tmp_path: Path) -> None:
    lines = Transcript().user("one").user("two").lines
    path = tmp_path / "s.jsonl"
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        path.write_text(f"{lines[0]}\n{lines[1][:-9]}", encoding="utf-8")
        first = store.import_session(path)
        assert (first.lines, first.quarantined, first.unfinished) == (1, 0, len(lines[1]) - 9)
        path.write_text(f"{lines[0]}\n{lines[1]}", encoding="utf-8")
        assert store.import_session(path).stored == 1


def test_a_stream_is_imported_like_a_file(tmp_path: Path) -> None:
    data = "".join(f"{line}\n" for line in Transcript().user("hello").lines).encode()
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(io.BytesIO(data))
        assert (report.stored, report.sessions) == (1, (SESSION,))


def test_what_is_no_session_is_refused_and_named(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"hello": 1}) + "\n", encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        with pytest.raises(FormatError, match="--format"):
            store.import_session(other)
        with pytest.raises(FormatError, match="no format 'nonsense'"):
            store.import_session(other, format="nonsense")
        with pytest.raises(UsageError, match="no such file"):
            store.import_session(tmp_path / "nowhere")
        assert store.missions() == []


def test_a_file_of_no_known_format_does_not_keep_the_others_of_a_folder_out(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    Transcript().user("hello").write(folder / "b.jsonl")
    (folder / "a.jsonl").write_text('{"hello": 1}\n', encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        report = store.import_session(folder)
        assert (report.files, report.stored, len(report.refused)) == (1, 1, 1)
        assert report.refused[0].startswith("a: no known session format")
        (folder / "b.jsonl").unlink()
        with pytest.raises(FormatError):
            store.import_session(folder)


def test_a_followed_file_that_is_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Transcript().user("one").user("two").user("three").write(path)
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        importing = store.importing()
        importing.path(path, final=False)
        other = Transcript().user("of another session")
        other.lines = [line.replace(SESSION, SESSION.replace("1", "9")) for line in other.lines]
        other.write(path)
        importing.path(path, final=False)
        report = importing.report()
        assert adds_up(report)
        assert (report.lines, report.stored, len(report.missions)) == (4, 4, 2)
