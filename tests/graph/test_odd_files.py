"""Odd session files: a line that cannot be stored costs that line, and what begins strangely is still recognised."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, FormatError
from muniment.capture.lines import MOST_NESTED, Broken, objects_in
from tests.support.claude_lines import SESSION, Transcript

_HEAD = f'{{"type": "user", "uuid": "odd", "sessionId": "{SESSION}", "odd": '
UNSTORABLE = {
    "not a number": "NaN",
    "infinite": "-Infinity",
    "out of range": "1e999",
    "out of range beside a lone surrogate": '[1e999, "\\ud800"]',
    "deep lists": "[" * 500 + "]" * 500,
    "deep objects": '{"a":' * 500 + "1" + "}" * 500,
    "deep objects with a secret": '[{"password":' * 300 + '"Zx81kqLmw93hT7"' + "}]" * 300,
    "deeper than any parser": "[" * 100_000 + "]" * 100_000,
    "more digits than any number": "9" * 5000,
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("odd", UNSTORABLE.values(), ids=UNSTORABLE.keys())
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_a_line_that_cannot_be_stored_costs_that_line_alone(
    store: EvidenceStore, tmp_path: Path, odd: str, *, first: bool
) -> None:
    lines = [*Transcript().user("hello").says("hi").lines]
    lines.insert(0 if first else len(lines), f"{_HEAD}{odd}}}")
    report = store.import_session(written(tmp_path / "odd.jsonl", *lines))
    assert (report.lines, report.parsed, report.quarantined, report.stored) == (3, 2, 1, 2)
    assert "hello" in store.view(report.mission).text
    assert store.verify().clean


def test_a_line_is_nested_as_deep_as_can_be_stored() -> None:
    def line(levels: int) -> bytes:
        return b'{"a": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"

    assert isinstance(objects_in(line(MOST_NESTED), first=False), list)
    assert objects_in(line(MOST_NESTED + 1), first=False) == Broken("nested too deeply")
    assert isinstance(objects_in(json.dumps({"a": "[" * 999}).encode(), first=False), list)
    assert isinstance(objects_in(json.dumps({"a": [{}] * 999}).encode(), first=False), list)
    assert objects_in(b'{"a": 1} ' + line(MOST_NESTED + 1), first=False) == Broken("nested too deeply")


def test_a_file_of_blank_lines_is_counted_and_is_no_fault(store: EvidenceStore, tmp_path: Path) -> None:
    report = store.import_session(written(tmp_path / "blank.jsonl", "", "  ", "\r"))
    assert (report.lines, report.ignored, report.records) == (3, {"blank": 3}, 0)
    with pytest.raises(FormatError):
        store.import_session(written(tmp_path / "other.jsonl", "", '{"some": "thing"}'))


def test_a_format_is_recognised_behind_lines_that_no_format_knows(store: EvidenceStore, tmp_path: Path) -> None:
    lines = ['{"type": "of-tomorrow"}'] * 3 + Transcript().user("hello").lines
    report = store.import_session(written(tmp_path / "s.jsonl", *lines))
    assert (report.lines, report.records, report.stored) == (4, 4, 4)
    assert "hello" in store.view(report.mission).text
