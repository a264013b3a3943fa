"""The real clients, offline, with the hooks that `muniment install` writes."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Boundary, Call, Message, Receipt, Task
from muniment.snapshot import Snapshot
from muniment_api.hook_client import RUNTIMES
from tests.clients.driving import Client, Step, found_client
from tests.support.hooking import serving

HEAD = "Muniment, the evidence store of this session"
PROMPT = "Change x to 2 in a.py and run the tests"
TESTS = f"{sys.executable} -m pytest -q -p no:cacheprovider"
SUMMARISING = ("CONTEXT CHECKPOINT", "detailed summary of the conversation")


@pytest.fixture(params=RUNTIMES)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    found = found_client(request.param, tmp_path)
    found.prepare()
    return found


def work(client: Client, prompt: str = PROMPT, *, steps: list[Step], tokens: int = 1500) -> None:
    client.run(steps, *(["-p", prompt] if client.runtime == "claude-code" else [prompt]), tokens=tokens)


def says(text: str) -> Step:
    return [{"text": text}]


def calls_of(client: Client) -> list[tuple[str, str | None]]:
    with client.open() as store:
        snapshot = store.snapshot(store.missions()[-1].mission)
        answered = {receipt.call for receipt in snapshot.of_kind(Receipt)}
        calls = snapshot.of_kind(Call)
        assert {call.id for call in calls} == answered
        return [(call.tool, snapshot.text(call.command) if call.command else None) for call in calls]


def test_a_stop_without_proof_is_held_back_and_one_with_proof_is_not(client: Client) -> None:
    read, edit, run = client.tool("read"), client.tool("edit"), client.tool("run", TESTS)
    steps = [[read], [edit], says("Changed it. All tests pass."), [run], says("All tests pass."), says("too far")]
    work(client, steps=steps)
    assert [HEAD in given for given in client.requests] == [True] * 5
    held = [place for place, given in enumerate(client.requests) if "Not proven: 1 of 1 claims" in given]
    assert held == [3, 4]
    assert "- unproven: All tests pass. (nothing on record shows it)" in client.requests[3]
    assert "Cheapest next step: run the tests" in client.requests[3]
    tools = [("write", None), ("command", TESTS)]
    first = ("read", None) if client.runtime == "claude-code" else ("command", "cat a.py")
    assert calls_of(client) == [first, *tools]
    with client.open() as store:
        assert store.closeout(store.missions()[-1].mission).verdict == "proven"


def test_a_stop_with_proof_is_not_held_back(client: Client) -> None:
    read, edit, run = client.tool("read"), client.tool("edit"), client.tool("run", TESTS)
    work(client, steps=[[read], [edit], [run], says("All tests pass."), says("too far")])
    assert len(client.requests) == 4
    assert not any("Not proven" in given for given in client.requests)


def test_a_claim_that_a_failed_run_contradicts_is_held_back_with_the_run(client: Client) -> None:
    work(client, steps=[[client.tool("run", TESTS)], says("All tests pass."), says("One test fails.")])
    assert len(client.requests) == 3
    assert "- contradicted: All tests pass." in client.requests[2]
    assert "exit 1" in client.requests[2]


def test_a_task_of_claude_code_is_settled_only_when_what_it_says_is_proven(tmp_path: Path) -> None:
    client = found_client("claude-code", tmp_path)
    client.prepare()
    given = {"subject": "Fix x", "description": "x is 2. All tests pass."}
    create: Step = [{"tool": "TaskCreate", "input": given}]
    settle: Step = [{"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}]
    read, edit, run = client.tool("read"), client.tool("edit"), client.tool("run", TESTS)
    work(client, steps=[create, [read], [edit], settle, [run], settle, says("It is done."), says("too far")])
    feedback = "TaskCompleted hook feedback:\nNot proven: 1 of 1 claims.\n- unproven: All tests pass."
    assert [feedback in given for given in client.requests] == [False] * 4 + [True] * 3
    with client.open() as store:
        snapshot = store.snapshot(store.missions()[-1].mission)
        assert [snapshot.state(task.id) for task in snapshot.of_kind(Task)] == ["settled"]
        moves = [edge for task in snapshot.of_kind(Task) for edge in snapshot.edges_to(task.id, {EdgeKind.MOVED})]
        assert len(moves) == 1


def test_claude_code_has_the_view_after_a_resumption_and_after_a_compaction(tmp_path: Path) -> None:
    client = found_client("claude-code", tmp_path)
    client.prepare()
    work(client, steps=[[client.tool("edit")], says("Done.")])
    session = client.session()
    client.run([says("Yes.")], "-p", "Is it done?", "--resume", session)
    assert f"{HEAD}, has on record:" in client.requests[0]
    assert "# The user said\nU3: Change x to 2 in a.py" in client.requests[0]
    client.run([says("-")], "-p", "/compact", "--resume", session)
    client.run([says("Good.")], "-p", "Go on", "--resume", session)
    last = client.requests[0]
    assert "Work so far was summarised." in last
    assert last.count(f"{HEAD}, has on record:\n\nPacket of mission:") == 1  # compacted
    assert "# What binds\n- U3: Change x to 2 in a.py" in last
    assert last.count(f"{HEAD}, has on record:\n\n# Mission\n") == 1  # resumed
    assert last.count("\n\n# The user said\nU3: Change x to 2 in a.py") == 1
    with client.open() as store:
        mission = store.missions()[-1].mission
        assert len(store.snapshot(mission).of_kind(Boundary)) == 1
        (packet,) = store.packets(mission)
        assert packet.in_force
        assert [boundary.packet for boundary in store.boundaries(mission)] == [packet.id]
        assert len(store.missions()) == 1


def test_codex_has_the_view_in_the_very_next_request_after_each_compaction(tmp_path: Path) -> None:
    client = found_client("codex", tmp_path)
    client.prepare()
    steps = [[client.tool("read")], [client.tool("edit")], [client.tool("run", TESTS)], says("All tests pass.")]
    work(client, steps=steps, tokens=9000)
    summaries = [place for place, given in enumerate(client.requests) if SUMMARISING[0] in given]
    assert len(summaries) >= 2
    for place in summaries:
        after = client.requests[place + 1]
        assert after.count(f"{HEAD}, has on record:\n\nPacket of mission:") == 1
        assert f": {PROMPT}" in after
    assert [command for _, command in calls_of(client)] == ["cat a.py", None, TESTS]


def test_hooks_and_the_clients_own_transcript_tell_the_same(client: Client, tmp_path: Path) -> None:
    read, edit, run = client.tool("read"), client.tool("edit"), client.tool("run", TESTS)
    failing = client.tool("run", "sh -c 'echo no; exit 3'")
    steps = [[read], [edit], [failing], [run, client.tool("run", "cat test_a.py")], says("All tests pass.")]
    work(client, steps=steps)
    transcript = next(
        (tmp_path / "home").rglob("rollout-*.jsonl" if client.runtime == "codex" else "projects/*/*.jsonl")
    )
    graphs = []
    for name, source in (("transcript", transcript), ("hooks", hook_lines(client))):
        with EvidenceStore.open(tmp_path / name, create=True) as store:
            mission = store.import_session(source).mission
            graphs.append(graph_of(store.snapshot(mission), statuses=client.runtime != "codex"))
            if name == "hooks":
                store.import_session(transcript)
                both = graph_of(store.snapshot(mission), statuses=client.runtime != "codex")
    for told, hooked, merged in zip(*graphs, both, strict=True):
        assert sorted(hooked, key=str) == sorted(told, key=str)  # calls of one response run beside one another
        assert merged == told
    assert len(graphs[0][0]) == 5


def hook_lines(client: Client) -> BytesIO:
    """Return the payloads as the journal has them, one a line."""
    with client.open() as store:
        entries = store.entries(limit=10_000).entries
        bodies = [entry.body for entry in entries if entry.format == f"{client.runtime}-hook/1"]
        return BytesIO("".join(json.dumps(body) + "\n" for body in bodies).encode())


def graph_of(snapshot: Snapshot, *, statuses: bool) -> list[list[object]]:
    calls: list[object] = [
        (call.id, call.tool, call.name, call.path, snapshot.text(call.command) if call.command else None)
        for call in snapshot.of_kind(Call)
    ]
    receipts: list[object] = [
        (
            receipt.id,
            receipt.tool,
            receipt.effect,
            receipt.path,
            (receipt.status, receipt.exit_code) if statuses else None,
        )
        for receipt in snapshot.of_kind(Receipt)
    ]
    said: list[object] = [
        (message.by, snapshot.text(message.text))
        for message in snapshot.of_kind(Message)
        if (message.by, message.role) in (("user", "prompt"), ("agent", "answer"))
    ]
    return [calls, receipts, said]


def test_with_a_server_everything_goes_through_its_socket(client: Client) -> None:
    read, edit, run = client.tool("read"), client.tool("edit"), client.tool("run", TESTS)
    with serving(client.store):
        work(client, steps=[[read], [edit], says("All tests pass."), [run], says("All tests pass."), says("too far")])
        assert list((client.store / "spool").glob("*")) == []
    assert len(client.requests) == 5
    assert "- unproven: All tests pass." in client.requests[3]
    assert len(calls_of(client)) == 3
    with client.open() as store:
        assert store.closeout(store.missions()[-1].mission).verdict == "proven"
        bodies = [entry.body or {} for entry in store.entries(limit=10_000).entries if "-hook/" in entry.format]
        events = [body["hook_event_name"] for body in bodies]
    assert events[0] == "SessionStart"
    assert events[-1] == "SessionEnd"
    assert events.count("Stop") == 2
