"""Recorded Codex sessions: what must hold on each of them. No text of theirs is kept here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from muniment.importers import sniff
from muniment.importers.codex_messages import fingerprint
from muniment.model.records import Message, Record, ToolCalled, ToolReturned
from tests.support.codex_rollout import Line, only, records_of

pytestmark = pytest.mark.sessions


def rollouts(folder: Path) -> list[list[Line]]:
    """The recorded rollouts, and those captured beside them where they are."""
    captured = folder.parent / "reference" / "runtime-payloads"
    paths = [*sorted((folder / "codex").glob("*.jsonl")), *sorted(captured.glob("codex-*rollout*.jsonl"))]
    assert paths, f"no rollouts in {folder}"
    return [[json.loads(text) for text in path.read_bytes().splitlines() if text.strip()] for path in paths]


def payloads(lines: list[Line], kind: str) -> list[Line]:
    found = [body["payload"] for body in lines if body["type"] == kind]
    return [payload for payload in found if isinstance(payload, dict)]


def typed_prompts(lines: list[Line]) -> Counter[str]:
    """What the runtime itself shows as typed by the user."""
    shown: Counter[str] = Counter()
    for payload in payloads(lines, "event_msg"):
        if payload["type"] == "user_message":
            shown[fingerprint(str(payload["message"]))] += 1
        item = payload.get("item")
        if isinstance(item, dict) and item["type"] == "UserMessage":
            shown[fingerprint("".join(part["text"] for part in item["content"]))] += 1
    return shown


def test_each_prompt_that_the_runtime_shows_is_the_users_once_and_nothing_else_is(sessions: Path) -> None:
    for lines in rollouts(sessions):
        assert sniff(lines[:20]) is not None
        messages = only(Message, records_of(lines))
        assert Counter(fingerprint(m.text) for m in messages if m.by == "user") == typed_prompts(lines)


def test_each_call_has_one_result_where_the_rollout_has_one_and_no_id_is_given_twice(sessions: Path) -> None:
    for lines in rollouts(sessions):
        records = records_of(lines)
        items = payloads(lines, "response_item")
        answered = {str(item["call_id"]) for item in items if str(item["type"]).endswith("_output")}
        results = Counter(returned.call for returned in only(ToolReturned, records))
        calls = {called.id for called in only(ToolCalled, records)}
        assert answered <= set(results)
        assert set(results) <= calls
        assert set(results.values()) <= {1}
        assert max(Counter(record.id for record in records).values()) == 1


def test_an_exit_code_is_the_one_that_the_runtime_gave(sessions: Path) -> None:
    for lines in rollouts(sessions):
        returned = {result.call: result for result in only(ToolReturned, records_of(lines))}
        for item in payloads(lines, "response_item"):
            text = item.get("output")
            if not isinstance(text, str) or not text.startswith("Chunk ID:"):
                continue
            third = text.split("\n", 3)[2]
            code = int(third.rsplit(" ", 1)[1]) if third.startswith("Process exited") else None
            result = returned[str(item["call_id"])]
            assert result.exit_code == code
            assert result.status == ("unknown" if code is None else "ok" if code == 0 else "failed")
            assert result.command


def test_each_applied_patch_has_the_lines_that_the_runtime_reported(sessions: Path) -> None:
    for lines in rollouts(sessions):
        returned = {result.call: result for result in only(ToolReturned, records_of(lines))}
        for payload in payloads(lines, "event_msg"):
            if payload["type"] != "patch_apply_end":
                continue
            result, told = returned[str(payload["call_id"])], payload["changes"]
            assert isinstance(told, dict)
            assert [change.path for change in result.changes] == list(told)
            for change, (_, reported) in zip(result.changes, told.items(), strict=True):
                diff = str(reported.get("unified_diff") or "")
                assert [line for hunk in change.hunks for line in hunk.lines] == diff_lines(diff)
                assert all(hunk.old_start > 0 for hunk in change.hunks)


def diff_lines(diff: str) -> list[str]:
    return [line for line in diff.split("\n") if line[:1] in (" ", "+", "-")]


def test_a_state_that_was_saved_between_lines_gives_the_same_records(sessions: Path) -> None:
    for lines in rollouts(sessions):
        whole: list[Record] = records_of(lines)
        assert records_of(lines, save=True) == whole
