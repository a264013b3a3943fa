"""The Claude Code importer over the recorded sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from muniment.importers.claude_code import CLAUDE_CODE
from muniment.importers.claude_code_messages import BLOCKS
from muniment.importers.lenient import integer, mapping, objects, string
from muniment.model.codec import parse_record, record_object
from muniment.model.records import Message, Record, TokensUsed, ToolCalled, ToolReturned
from tests.graph.importers.claude_lines import Line, entries, of

pytestmark = pytest.mark.sessions


def files(sessions: Path) -> list[Path]:
    return sorted((sessions / "claude-code").rglob("*.jsonl"))


def lines_of(file: Path) -> Iterator[Line]:
    """The objects of a file; two that are glued on one line are both there."""
    decoder = json.JSONDecoder()
    for row in file.read_text("utf-8").split("\n"):
        at = 0
        while at < len(row.rstrip()):
            body, at = decoder.raw_decode(row, at)
            yield body


def run(file: Path) -> list[Record]:
    normaliser = CLAUDE_CODE.normaliser(None)
    return [record for entry in entries(lines_of(file), file.name) for record in normaliser.feed(entry)]


def test_every_recorded_session_is_known_by_its_first_lines(sessions: Path) -> None:
    for file in files(sessions):
        assert CLAUDE_CODE.sniff(list(lines_of(file))[:20]), file.name


def test_records_are_valid_and_their_ids_differ_within_a_file(sessions: Path) -> None:
    for file in files(sessions):
        records = run(file)
        assert len({record.id for record in records}) == len(records), file.name
        assert all(parse_record(record_object(record)) == record for record in records)


def test_every_call_and_every_result_gives_its_record(sessions: Path) -> None:
    for file in files(sessions):
        blocks = [
            block
            for body in lines_of(file)
            if body.get("type") in ("user", "assistant")
            for block in objects(mapping(body, "message"), "content")
        ]
        records = [record for record in run(file) if "agent-" in file.name or not record.agent]
        calls = [record for record in of(ToolCalled, records) if record.by == "agent"]
        results = [record for record in of(ToolReturned, records) if record.name != "!"]
        assert len(calls) == sum(block["type"] == "tool_use" for block in blocks), file.name
        assert len(results) == sum(block["type"] == "tool_result" for block in blocks), file.name


def test_no_text_of_the_harness_counts_as_the_user(sessions: Path) -> None:
    marks = tuple(f"<{tag}" for tag in BLOCKS)
    for file in files(sessions):
        for message in of(Message, run(file)):
            if message.by == "user":
                assert not message.text.startswith((*marks, "[Request interrupted", "Base directory for", "Caveat:"))
                assert "agent-" not in file.name


def test_what_users_said_in_the_recorded_sessions_is_all_there(sessions: Path) -> None:
    counts = {
        file.name.split("-")[0]: sum(message.by == "user" for message in of(Message, run(file)))
        for file in files(sessions)
        if not file.name.startswith("agent-")
    }
    assert counts == {"cc01": 40, "cc04": 7, "cc05": 6, "cc07": 3, "cc08": 10, "cc12": 2}


def test_changes_of_recorded_edits_lead_from_the_file_before_to_the_file_after(sessions: Path) -> None:
    checked = 0
    for file in files(sessions):
        for result in of(ToolReturned, run(file)):
            for change in result.changes:
                if change.before is None or change.content is None or not change.hunks:
                    continue
                rows = change.before.split("\n")
                for hunk in reversed(change.hunks):
                    old = [row[1:] for row in hunk.lines if row[0] != "+"]
                    start = hunk.old_start - 1 if old else hunk.old_start
                    assert rows[start : start + len(old)] == old
                    rows[start : start + len(old)] = [row[1:] for row in hunk.lines if row[0] != "-"]
                assert "\n".join(rows) == change.content
                checked += 1
    assert checked > 50


def _responses(file: Path) -> Iterator[Line]:
    for body in lines_of(file):
        said = mapping(mapping(body, "data"), "message") if body.get("type") == "progress" else body
        message = mapping(said, "message")
        if "usage" in message and message.get("model") != "<synthetic>":
            yield message


def test_tokens_are_counted_once_per_response(sessions: Path) -> None:
    for file in files(sessions):
        used = of(TokensUsed, run(file))
        last = {string(message, "id"): mapping(message, "usage") for message in _responses(file)}
        assert len({record.id for record in used}) == len(used), file.name
        assert sum(record.output for record in used) == sum(
            integer(usage, "output_tokens") or 0 for usage in last.values()
        ), file.name


def test_a_normaliser_that_is_saved_and_loaded_goes_on_as_if_nothing_had_been(sessions: Path) -> None:
    file = files(sessions)[1]
    state: bytes | None = None
    records: list[Record] = []
    for entry in entries(lines_of(file), file.name):
        normaliser = CLAUDE_CODE.normaliser(state)
        records += normaliser.feed(entry)
        state = msgspec.msgpack.encode(normaliser.state)
    assert records == run(file)
