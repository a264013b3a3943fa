"""What hooks told while a session ran and what its transcript tells: the same graph, and nothing twice."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Boundary, Call, Delegation, Event, File, Message, Receipt, Task
from muniment.model.records import DecisionMade, EnvironmentChanged
from muniment.snapshot import Snapshot
from tests.support.claude_lines import CHILD, SESSION, Transcript
from tests.support.hook_payloads import ROOT, BothForms, a_session
from tests.support.hooking import payload_folder

Row = tuple[object, ...]


def calls(snapshot: Snapshot) -> list[Row]:
    return [
        (c.id, c.tool, c.name, snapshot.text(c.command) if c.command else None, c.path) for c in snapshot.of_kind(Call)
    ]


def receipts(snapshot: Snapshot) -> list[Row]:
    return [(r.id, r.call, r.tool, r.status, r.exit_code, r.effect, r.path) for r in snapshot.of_kind(Receipt)]


def said(snapshot: Snapshot) -> list[Row]:
    """What the user was told to have said and the agent answered; hooks tell nothing else."""
    return [
        (m.by, snapshot.text(m.text))
        for m in snapshot.of_kind(Message)
        if (m.by, m.role) == ("user", "prompt") or (m.role == "answer" and m.final)
    ]


def tasks(snapshot: Snapshot) -> list[Row]:
    return [(t.id, snapshot.text(t.text), snapshot.state(t.id)) for t in snapshot.of_kind(Task)]


def current(snapshot: Snapshot) -> list[Row]:
    """Which lines stand in which file."""
    found: list[Row] = []
    for file in snapshot.of_kind(File):
        ledger = snapshot.ledger(file.id)
        found.append((file.id, ledger and [(s.start, s.stop) for s in ledger.segments]))
    return found


WHAT = (calls, receipts, said, tasks, current)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    forms = a_session()
    return {
        "transcript": forms.transcript.write(tmp_path / f"{SESSION}.jsonl"),
        "hooks": forms.write_hooks(tmp_path / "hooks.jsonl"),
    }


def graph(folder: Path, *files: Path, looked_between: bool = False) -> tuple[list[list[Row]], str]:
    with EvidenceStore.open(folder, create=True) as store:
        for file in files:
            mission = store.import_session(file).mission
            if looked_between:
                store.view(mission)
                store.save_fold()
        snapshot = store.snapshot(mission)
        return [tell(snapshot) for tell in WHAT], store.closeout(mission).verdict


def test_hooks_tell_the_graph_that_the_transcript_tells(files: dict[str, Path], tmp_path: Path) -> None:
    hooked, live_verdict = graph(tmp_path / "hooked", files["hooks"])
    read, verdict = graph(tmp_path / "read", files["transcript"])
    for told, expected in zip(hooked, read, strict=True):
        assert told == expected
    assert (len(read[0]), len(read[1])) == (7, 7)
    assert live_verdict == verdict == "proven"


@pytest.mark.parametrize("order", list(permutations(["transcript", "hooks"])))
@pytest.mark.parametrize("looked_between", [False, True])
def test_nothing_counts_twice_where_both_arrive(
    files: dict[str, Path], tmp_path: Path, order: tuple[str, ...], looked_between: bool
) -> None:
    both, verdict = graph(tmp_path / "both", *(files[name] for name in order), looked_between=looked_between)
    assert both == graph(tmp_path / "read", files["transcript"])[0]
    assert verdict == "proven"


def test_a_call_that_the_transcript_does_not_hold_yet_is_there_and_moves_when_it_does(tmp_path: Path) -> None:
    forms = a_session()
    whole = forms.transcript.lines
    hooks = forms.write_hooks(tmp_path / "hooks.jsonl")
    behind = Transcript()
    behind.lines = whole[:5]
    path = behind.write(tmp_path / f"{SESSION}.jsonl")
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        store.import_session(hooks)
        mission = store.import_session(path).mission
        assert len(store.snapshot(mission).of_kind(Receipt)) == 7
        behind.lines = whole
        store.import_session(behind.write(path))
        snapshot = store.snapshot(mission)
        assert [tell(snapshot) for tell in WHAT] == graph(tmp_path / "read", path)[0]


def test_what_only_a_hook_saw_stands_between_the_calls_between_which_it_was_seen(tmp_path: Path) -> None:
    forms = BothForms().prompt("Run the tests").runs("toolu_1", "pytest -q", "3 passed in 0.1s")
    forms.hook("FileChanged", file_path=f"{ROOT}/a.py", event="change")
    forms.stops("All tests pass.")
    hooks, transcript = forms.write_hooks(tmp_path / "h.jsonl"), forms.transcript.write(tmp_path / f"{SESSION}.jsonl")
    for order in ((hooks, transcript), (transcript, hooks)):
        with EvidenceStore.open(tmp_path / order[0].stem, create=True) as store:
            for file in order:
                mission = store.import_session(file).mission
            snapshot = store.snapshot(mission)
            changed = next(each for each in snapshot.of_kind(Event) if each.what.startswith("file"))
            answer = snapshot.of_kind(Message)[-1]
            assert snapshot.of_kind(Receipt)[0].ordinal < changed.ordinal < answer.ordinal
            assert store.closeout(mission).verdict == "unproven"


def test_what_a_caller_recorded_beside_keeps_its_place(tmp_path: Path) -> None:
    forms = a_session()
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    lines = [json.dumps(payload) for payload in forms.payloads]
    first.write_text("".join(f"{line}\n" for line in lines[:9]), encoding="utf-8")
    second.write_text("".join(f"{line}\n" for line in lines[9:]), encoding="utf-8")
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        mission = store.import_session(first).mission
        store.record([DecisionMade(id="d1", by="agent", session=SESSION, choice="edit in place")])
        store.record([EnvironmentChanged(id="e1", by="harness", session=SESSION, what="python")])
        store.import_session(second)
        ordinals = [(node.record, node.ordinal) for node in store.snapshot(mission).of_kind(Receipt)]
        store.import_session(forms.transcript.write(tmp_path / f"{SESSION}.jsonl"))
        snapshot = store.snapshot(mission)
        receipts_now = {node.record: node.ordinal for node in snapshot.of_kind(Receipt)}
        event = next(each.ordinal for each in snapshot.of_kind(Event) if each.what.startswith("environment"))
        before = [name for name, ordinal in receipts_now.items() if ordinal < event]
        assert before == ["toolu_1:result", "toolu_2:result"]
        assert [name for name, _ in ordinals] == list(receipts_now)
        assert snapshot.named("d1")


def test_a_child_is_told_by_its_hooks_and_by_its_transcript_once(tmp_path: Path) -> None:
    forms = BothForms().prompt("Find the cause")
    given: dict[str, object] = {"description": "look", "prompt": "Look at b.py", "subagent_type": "Explore"}
    use = {"tool_name": "Task", "tool_input": given, "tool_use_id": "toolu_task"}
    forms.transcript.calls("toolu_task", "Task", **given)
    forms.hook("PreToolUse", **use).hook("SubagentStart", agent_id=CHILD, agent_type="Explore")
    child = Transcript(CHILD).user("Look at b.py").runs("toolu_c1", "ls")
    look = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_c1", "agent_id": CHILD}
    forms.hook("PreToolUse", **look)
    forms.hook("PostToolUse", **look, tool_response={"stdout": "ok", "stderr": "", "interrupted": False})
    forms.hook("SubagentStop", agent_id=CHILD, agent_type="Explore", last_assistant_message="found it")
    forms.hook("SubagentStop", agent_id="other", agent_type="", last_assistant_message="a summary")
    result = {"status": "completed", "agentId": CHILD, "content": [{"type": "text", "text": "found it"}]}
    forms.transcript.returns("toolu_task", "found it", result)
    forms.hook("PostToolUse", **use, tool_response=result).stops("Done.")
    hooks = forms.write_hooks(tmp_path / "hooks.jsonl")
    root = forms.transcript.write(tmp_path / f"{SESSION}.jsonl")
    own = child.write(tmp_path / SESSION / "subagents" / f"agent-{CHILD}.jsonl")
    expected = ["toolu_c1:result", "toolu_task:result"]
    for number, order in enumerate([[hooks], *map(list, permutations([hooks, root, own]))]):
        with EvidenceStore.open(tmp_path / f"store{number}", create=True) as store:
            for file in order:
                mission = store.import_session(file).mission
                store.view(mission)
            snapshot = store.snapshot(mission)
            assert [receipt.record for receipt in snapshot.of_kind(Receipt)] == expected
            assert [call.agent for call in snapshot.of_kind(Call)] == ["", CHILD]
            assert [snapshot.state(each.id) for each in snapshot.of_kind(Delegation)] == ["done"]


CAPTURED = [
    ("codex-0.171.0-hooks-stdin.jsonl", "codex-0.171.0-rollout-0.jsonl"),
    ("codex-0.171.0-hooks-stdin-applypatch.jsonl", "codex-0.171.0-rollout-3-applypatch.jsonl"),
]


@pytest.mark.parametrize(("hooks", "rollout"), CAPTURED)
def test_captured_hooks_of_codex_tell_what_the_rollout_tells(tmp_path: Path, hooks: str, rollout: str) -> None:
    """What no hook can know: exit codes of commands, and calls for which no hook runs."""
    payloads = payload_folder()
    told, _ = graph(tmp_path / "hooks", payloads / hooks)
    read, _ = graph(tmp_path / "rollout", payloads / rollout)
    both, _ = graph(tmp_path / "both", payloads / hooks, payloads / rollout)
    assert both == read
    seen = {row[0] for row in told[0]}
    assert told[0] == [row for row in read[0] if row[0] in seen]
    unseen = [row[2] for row in read[0] if row[0] not in seen]
    assert unseen in (["apply_patch", "update_plan"], ["update_plan"])
    answered = {row[0] for row in told[1]}
    same = [row for row in read[1] if row[0] in answered]
    assert [(*row[:3], *row[5:]) for row in told[1]] == [(*row[:3], *row[5:]) for row in same]
    statuses = [(row[2], row[3], row[4]) for row in told[1]]
    assert all(status == ("command", "unknown", None) or status[0] == "write" for status in statuses)
    assert told[2] == read[2]


def test_captured_hooks_of_claude_code_make_one_receipt_for_each_call(tmp_path: Path) -> None:
    folder = payload_folder()
    names = ("claude-code-2.1.332-hooks-stdin.jsonl", "claude-code-2.1.332-hooks-stdin-compact.jsonl")
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        mission = {store.import_session(folder / name).mission for name in names}.pop()
        snapshot = store.snapshot(mission)
        found = [(receipt.name, receipt.status, receipt.exit_code) for receipt in snapshot.of_kind(Receipt)]
        assert found == [
            ("Read", "ok", None),
            ("Bash", "ok", 0),
            ("Edit", "ok", None),
            ("Bash", "failed", 3),
            ("Grep", "failed", None),
            ("Write", "ok", None),
            ("Glob", "failed", None),
            ("Read", "failed", None),
            ("TodoWrite", "failed", None),
            ("TaskCreate", "ok", None),
        ]
        assert len(snapshot.of_kind(Call)) == len(found)
        assert [snapshot.text(task.text) for task in snapshot.of_kind(Task)] == ["run tests\nrun pytest"]
        assert len(snapshot.of_kind(Boundary)) == 1
        assert said(snapshot)[0] == ("user", "Change x to 2 in a.py and run the tests")
