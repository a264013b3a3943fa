"""Payloads of hooks: what each makes, and that odd ones make nothing worse than less."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment import EvidenceStore
from muniment.importers import sniff
from muniment.importers.claude_code_hooks import CLAUDE_CODE_HOOK
from muniment.importers.codex_hooks import CODEX_HOOK
from muniment.importers.protocol import SessionFormat
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.nodes import Boundary, Call, Message, Receipt
from muniment.model.records import (
    ContextBoundary,
    DelegationEnded,
    FileChangedOutside,
    InstructionsLoaded,
    Record,
    SessionClosed,
    SessionOpened,
    SessionResumed,
    TaskMoved,
    TaskStated,
    ToolCalled,
    ToolReturned,
    WorkspaceSeen,
)
from muniment.model.records import Message as Said
from tests.support.codex_rollout import call, completed, exited, line, meta, output, patch_call, said

Kind = TypeVar("Kind", bound=Record)
FORMATS = (CLAUDE_CODE_HOOK, CODEX_HOOK)


def hook(event: str, /, **fields: object) -> JSON_OBJECT:
    return {"session_id": "s", "cwd": "/w", "hook_event_name": event, **fields}


def records(payloads: Iterable[JSON_OBJECT], form: SessionFormat = CLAUDE_CODE_HOOK) -> list[Record]:
    """Return the records of payloads; before each the state goes through its bytes."""
    reader, state = form.reader("hooks.jsonl"), None
    found: list[Record] = []
    for number, body in enumerate(payloads, 1):
        where = reader.describe(body)
        normaliser = form.normaliser(state)
        entry = Entry(
            position=number,
            number=number,
            mission="mission:1",
            project="",
            session=where.session,
            stream=where.stream,
            source_id=where.source_id or f"line-{number}",
            actor=where.actor,
            recorded_at="",
            format=form.name,
            body=body,
            hash=b"",
        )
        made = normaliser.feed(entry)
        assert len({(record.id, type(record)) for record in made}) == len(made)
        found += made
        state = msgspec.msgpack.encode(normaliser.state)
    return found


def only(kind: type[Kind], found: Sequence[Record]) -> list[Kind]:
    return [record for record in found if isinstance(record, kind)]


BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}
DONE = {"stdout": "ok", "stderr": "", "interrupted": False}


@pytest.mark.parametrize("form", FORMATS)
def test_any_first_payload_opens_the_session_once(form: SessionFormat) -> None:
    found = records([hook("Stop", last_assistant_message="x"), hook("SessionStart", source="startup")], form)
    assert [opened.root for opened in only(SessionOpened, found)] == ["/w"]
    assert only(SessionResumed, records([hook("SessionStart", source="resume")], form))
    assert only(SessionClosed, records([hook("SessionEnd", reason="other")], form))


def test_a_result_whose_call_was_not_seen_brings_the_call_with_it() -> None:
    found = records([hook("PostToolUse", **BASH, tool_response=DONE)])
    assert [record.id for record in found[1:]] == ["t1", "t1:result"]
    assert records([hook("PreToolUse", **BASH)])[-1].id == "t1"


def test_a_result_is_told_once_however_often_it_comes() -> None:
    after = hook("PostToolUse", **BASH, tool_response=DONE)
    batch = hook("PostToolBatch", tool_calls=[{**BASH, "tool_response": "ok"}])
    found = records([hook("PreToolUse", **BASH), after, batch, after, batch])
    assert [len(only(ToolCalled, found)), len(only(ToolReturned, found))] == [1, 1]


def test_an_interrupted_command_has_no_known_end() -> None:
    failed = hook("PostToolUseFailure", **BASH, error="Interrupted", is_interrupt=True)
    assert only(ToolReturned, records([failed]))[0].status == "unknown"
    failed = hook("PostToolUseFailure", **BASH, error="Exit code 2\nno rule", is_interrupt=False)
    result = only(ToolReturned, records([failed]))[0]
    assert (result.status, result.exit_code, result.output) == ("failed", 2, "no rule")


def test_a_call_that_was_refused_is_told_by_the_batch() -> None:
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    found = records([hook("PreToolUse", **BASH), hook("PostToolBatch", tool_calls=[{**BASH, "tool_response": text}])])
    assert only(ToolReturned, found)[0].status == "refused"


def test_calls_up_to_a_batch_are_one_response() -> None:
    other, third = {**BASH, "tool_use_id": "t2"}, {**BASH, "tool_use_id": "t3"}
    batch = hook("PostToolBatch", tool_calls=[{**BASH, "tool_response": "ok"}])
    found = records([hook("PreToolUse", **BASH), hook("PreToolUse", **other), batch, hook("PreToolUse", **third)])
    turns = [called.turn for called in only(ToolCalled, found)]
    assert turns[0] == turns[1] != turns[2]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("order", [("PostCompact", "SessionStart"), ("SessionStart", "PostCompact")])
def test_a_boundary_is_told_once_in_either_order(form: SessionFormat, order: tuple[str, str]) -> None:
    payloads = [hook("PreCompact", trigger="auto"), *(hook(event, source="compact", trigger="auto") for event in order)]
    assert [boundary.trigger for boundary in only(ContextBoundary, records(payloads * 2, form))] == ["auto", "auto"]
    assert only(ContextBoundary, records([hook("SessionStart", source="startup")], form)) == []


def test_the_summary_is_the_compactors() -> None:
    found = records([hook("PreCompact", trigger="manual"), hook("PostCompact", trigger="manual", compact_summary="so")])
    assert [(message.by, message.role, message.text) for message in only(Said, found)] == [
        ("compactor", "summary", "so")
    ]


def test_only_people_are_the_user() -> None:
    found = only(
        Said, records([hook("UserPromptSubmit", prompt="a"), hook("UserPromptSubmit", prompt="b", source="system")])
    )
    assert [message.by for message in found] == ["user", "harness"]


def test_a_task_counts_once_whoever_tells_of_it() -> None:
    use = {"tool_name": "TaskCreate", "tool_input": {"subject": "fix"}, "tool_use_id": "t1"}
    created = hook("TaskCreated", task_id="1", task_subject="fix")
    answer = hook("PostToolUse", **use, tool_response={"task": {"id": "1", "subject": "fix"}})
    assert [task.id for task in only(TaskStated, records([hook("PreToolUse", **use), created, answer]))] == ["task:1"]
    alone = records([created, hook("TaskCompleted", task_id="1", task_subject="fix")])
    assert [task.id for task in only(TaskStated, alone)] == ["task:1"]
    assert [(moved.task, moved.to) for moved in only(TaskMoved, alone)] == [("task:1", "settled")]


def test_what_the_agent_wrote_itself_has_not_changed_outside() -> None:
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    response = {"filePath": "/w/a", "oldString": "a", "newString": "b", "structuredPatch": patch}
    use = {"tool_name": "Edit", "tool_input": {"file_path": "/w/a"}, "tool_use_id": "t1"}
    changed = hook("FileChanged", file_path="/w/a", event="change")
    found = records([hook("PostToolUse", **use, tool_response=response), changed])
    assert only(FileChangedOutside, found) == []
    again = records([hook("PostToolUse", **use, tool_response=response), changed, changed])
    assert len(only(FileChangedOutside, again)) == 1
    gone = records([hook("FileChanged", file_path="/w/b", event="unlink")])
    assert [record.change for record in only(FileChangedOutside, gone)] == ["deleted"]


def test_an_instruction_file_that_is_loaded_is_told_by_its_path() -> None:
    found = only(InstructionsLoaded, records([hook("InstructionsLoaded", file_path="/w/CLAUDE.md")]))
    assert [(record.path, record.content, record.by) for record in found] == [("/w/CLAUDE.md", None, "harness")]
    assert only(InstructionsLoaded, records([hook("InstructionsLoaded")])) == []


def test_a_child_in_the_background_ends_when_it_stops_and_the_summariser_is_none() -> None:
    use = {"tool_name": "Agent", "tool_input": {"prompt": "look"}, "tool_use_id": "t1"}
    launched = hook("PostToolUse", **use, tool_response={"status": "async_launched", "agentId": "c1"})
    ended = hook("SubagentStop", agent_id="c1", agent_type="Explore", last_assistant_message="found")
    found = only(DelegationEnded, records([hook("PreToolUse", **use), launched, ended, ended]))
    assert [(end.child, end.text) for end in found] == [("c1", "found")]
    nobody = hook("SubagentStop", agent_id="c1", agent_type="", last_assistant_message="summary")
    assert only(DelegationEnded, records([hook("PreToolUse", **use), launched, nobody])) == []


def test_what_the_client_adds_is_kept_beside() -> None:
    beside = {"delivery": "d1", "at": "2026-01-01T00:00:00Z", "workspace": {"digest": "ab", "dirty": {"a": "1"}}}
    body = hook("Stop", last_assistant_message="x", muniment=beside)
    assert CLAUDE_CODE_HOOK.reader("").describe(body).source_id == "hook:d1"
    seen = only(WorkspaceSeen, records([body]))
    assert [(record.digest, record.dirty, record.clock) for record in seen] == [("ab", {"a": "1"}, beside["at"])]


def test_a_file_of_payloads_is_known_by_its_form() -> None:
    assert sniff([hook("SessionStart", source="startup")]) is CLAUDE_CODE_HOOK
    assert sniff([hook("PreToolUse", turn_id="1", tool_name="Bash")]) is CODEX_HOOK
    assert sniff([hook("SessionStart", transcript_path="/x/rollout-1.jsonl")]) is CODEX_HOOK


def test_codex_in_both_forms_differs_in_what_no_hook_tells(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    change = {"/repo/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x = 1\n+x = 2\n"}}
    rollout = [
        meta(),
        line("turn_context", cwd="/repo", model="m"),
        said("user", "Change x"),
        call("c1", "exec_command", cmd="cat a.py"),
        output("c1", exited(0, "x = 1\n")),
        patch_call("c2", patch),
        completed("FileChange", id="c2", changes=change, status="completed"),
        output("c2", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM a.py\n"),
        call("c3", "exec_command", cmd="pytest -q"),
        output("c3", exited(1, "1 failed in 0.1s\n")),
        said("assistant", "One test fails.", phase="final_answer"),
    ]
    common = {"session_id": "root-1", "cwd": "/repo", "turn_id": "t", "model": "m"}
    bash = [{"tool_name": "Bash", "tool_input": {"command": text}} for text in ("cat a.py", "pytest -q")]
    given = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "c2"}
    response = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM a.py\n"
    payloads = [
        hook("UserPromptSubmit", prompt="Change x"),
        hook("PreToolUse", **bash[0], tool_use_id="c1"),
        hook("PostToolUse", **bash[0], tool_use_id="c1", tool_response="x = 1\n"),
        hook("PreToolUse", **given),
        hook("PostToolUse", **given, tool_response=response),
        hook("PreToolUse", **bash[1], tool_use_id="c3"),
        hook("PostToolUse", **bash[1], tool_use_id="c3", tool_response="1 failed in 0.1s\n"),
        hook("Stop", last_assistant_message="One test fails."),
    ]
    told = []
    for name, lines in (("rollout", rollout), ("hooks", [{**payload, **common} for payload in payloads])):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(body) + "\n" for body in lines))
        with EvidenceStore.open(tmp_path / name, create=True) as store:
            snapshot = store.snapshot(store.import_session(path).mission)
            calls = [(node.id, node.tool, node.turn) for node in snapshot.of_kind(Call)]
            results = [(node.id, node.effect, node.path) for node in snapshot.of_kind(Receipt)]
            words = [(node.by, snapshot.text(node.text)) for node in snapshot.of_kind(Message)]
            statuses = [(node.status, node.exit_code) for node in snapshot.of_kind(Receipt)]
            told.append((calls, results, words, snapshot.of_kind(Boundary), statuses))
    assert told[0][:4] == told[1][:4]
    assert told[0][4] == [("ok", 0), ("ok", 0), ("failed", 1)]
    assert told[1][4] == [("unknown", None), ("ok", 0), ("unknown", None)]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["s", "t1", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        *("session_id", "cwd", "prompt", "prompt_id", "turn_id", "source", "model", "tool_name", "tool_input"),
        *("tool_response", "tool_use_id", "tool_calls", "error", "is_interrupt", "last_assistant_message", "trigger"),
        *("compact_summary", "task_id", "task_subject", "file_path", "event", "agent_id", "agent_type", "muniment"),
    ]
)
EVENTS = st.sampled_from(
    [
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"),
        *("Stop", "SubagentStop", "PreCompact", "PostCompact", "TaskCreated", "TaskCompleted", "FileChanged", "Other"),
    ]
)
PAYLOADS = st.builds(lambda event, fields: {"hook_event_name": event, **fields}, EVENTS, st.dictionaries(FIELDS, ODD))


@given(payloads=st.lists(PAYLOADS, max_size=6), form=st.sampled_from(FORMATS))
def test_odd_payloads_never_raise(payloads: list[JSON_OBJECT], form: SessionFormat) -> None:
    records(payloads, form)
