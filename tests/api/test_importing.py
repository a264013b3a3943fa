"""`muniment import`: files, folders, streams, sessions that grow, and what cannot be read."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from tests.api.conftest import Answer, Ask, Run


def report_of(answer: Answer) -> Answer:
    reports = answer["imports"]
    assert isinstance(reports, list)
    assert len(reports) == 1
    report: Answer = reports[0]
    return report


def counts(report: Answer) -> tuple[object, object]:
    return report["stored"], report["duplicates"]


@pytest.fixture
def empty(tmp_path: Path) -> str:
    """Where there is no store yet."""
    return str(tmp_path / "empty")


def test_the_first_import_stores_every_record_and_the_second_none(ask: Ask, example: Path, empty: str) -> None:
    first = report_of(ask("import", str(example), "--store", empty))
    assert first["lines"] == first["records"] == first["stored"]
    assert counts(report_of(ask("import", str(example), "--store", empty))) == (0, first["stored"])


def test_a_folder_and_stdin_give_the_same_entries_as_the_file(ask: Ask, example: Path, empty: str) -> None:
    stored = report_of(ask("import", str(example.parent), "--store", empty))["stored"]
    assert counts(report_of(ask("import", "-", "--store", empty, stdin=example.read_bytes()))) == (0, stored)


def test_the_counts_add_up_and_a_broken_line_costs_only_itself(
    ask: Ask, run: Run, example: Path, tmp_path: Path, empty: str
) -> None:
    lines = example.read_bytes().splitlines()
    lines[10:10] = [b'{"type": "user", "broken', b""]
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\n".join(lines) + b"\n")
    report = report_of(ask("import", str(broken), "--store", empty))
    ignored = report["ignored"]
    assert isinstance(ignored, dict)
    assert report["quarantined"] == 1
    assert report["lines"] == len(lines)
    assert report["lines"] == report["parsed"] + report["quarantined"] + sum(ignored.values())  # type: ignore[operator]
    assert report["records"] == len(lines) - 2
    assert "1 quarantined" in run("import", str(broken), "--store", empty).stdout


def test_several_paths_give_a_report_each(ask: Ask, example: Path, empty: str) -> None:
    reports = ask("import", str(example), str(example.parent), "--store", empty)["imports"]
    assert isinstance(reports, list)
    assert [report["duplicates"] for report in reports] == [0, reports[0]["stored"]]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["import", "nowhere.jsonl"], "nowhere.jsonl"),
        (["import", "a", "b", "--follow"], "--follow takes one"),
        (["import", "-", "--follow"], "--follow takes one"),
        (["import"], "PATH"),
    ],
)
def test_wrong_use_exits_with_2(run: Run, args: list[str], told: str) -> None:
    done = run(*args)
    assert done.exit_code == 2
    assert told in done.stderr


def test_an_unknown_format_is_refused_and_a_known_one_may_be_named(run: Run, example: Path, tmp_path: Path) -> None:
    noise = tmp_path / "noise.jsonl"
    noise.write_text('{"a": 1}\n{"b": 2}\n', encoding="utf-8")
    assert run("import", str(noise)).exit_code == 2
    assert run("import", str(example), "--format", "nonsense").exit_code == 2
    assert run("import", str(example), "--format", "claude-code").exit_code == 0


def test_a_file_that_the_system_does_not_let_us_read_is_told_in_a_line(run: Run, ask: Ask) -> None:
    done = run("import", "/proc/self/mem")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("muniment: /proc/self/mem: ")
    assert len(done.stderr.splitlines()) == 1
    assert ask("import", "/proc/self/mem", code=1).keys() == {"error"}


def test_follow_reads_what_a_growing_session_gains(ask: Ask, example: Path, tmp_path: Path, empty: str) -> None:
    data = example.read_bytes()
    growing = tmp_path / "growing.jsonl"
    growing.write_bytes(data[:9000])

    def grow() -> None:
        time.sleep(0.3)
        with growing.open("ab") as file:
            file.write(data[9000:20_000])
            file.flush()
            time.sleep(0.7)
            file.write(data[20_000:])

    writer = threading.Thread(target=grow)
    writer.start()
    followed = report_of(ask("import", "--follow", "--idle", "2", str(growing), "--store", empty))
    writer.join()
    assert followed["quarantined"] == followed["unfinished"] == 0
    assert counts(report_of(ask("import", str(example), "--store", empty))) == (0, followed["stored"])


def test_several_paths_are_told_apart_in_the_answer(run: Run, example: Path) -> None:
    done = run("import", str(example), str(example.parent))
    assert [line for line in done.stdout.splitlines() if line in (str(example), str(example.parent))] == [
        str(example),
        str(example.parent),
    ]
    assert str(example) not in run("import", str(example)).stdout
