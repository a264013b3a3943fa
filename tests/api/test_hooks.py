"""Hooks, called as a runtime calls them: nothing is lost, order is kept, and they never stand in the way."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.ids import mission_id
from muniment.model.nodes import Call, Message, Receipt
from muniment.tokens import o200k
from muniment_api import spool
from muniment_api.hooks import Rollouts, answer
from tests.api.conftest import Ask, Run
from tests.support.claude_lines import SESSION
from tests.support.codex_rollout import call, exited, meta, output, said
from tests.support.hook_payloads import ROOT, BothForms, a_session
from tests.support.hooking import BIN, hook, serving

MISSION = mission_id("claude-code", SESSION)
START_SECONDS = 0.060


def told(store: EvidenceStore) -> list[list[object]]:
    """Return what was called, what came back and what was said, in order."""
    snapshot = store.snapshot(MISSION)
    calls: list[object] = [call.id for call in snapshot.of_kind(Call)]
    receipts: list[object] = [(receipt.id, receipt.status, receipt.exit_code) for receipt in snapshot.of_kind(Receipt)]
    said: list[object] = [snapshot.text(message.text) for message in snapshot.of_kind(Message)]
    return [calls, receipts, said]


def expected(folder: Path) -> list[list[object]]:
    with EvidenceStore.open(folder / "expected", create=True) as store:
        store.import_session(a_session().transcript.write(folder / f"{SESSION}.jsonl"))
        return told(store)


def test_with_the_server_down_nothing_is_lost_and_the_order_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for payload in a_session().payloads:
        hook(store, payload)
    with EvidenceStore.open(store) as opened:
        assert told(opened) == expected(tmp_path)
        assert spool.waiting(store) == []


def test_a_server_that_comes_and_goes_loses_nothing(tmp_path: Path) -> None:
    store, payloads = tmp_path / "store", a_session().payloads
    for payload in payloads[1:5]:
        assert hook(store, payload) == ""
    assert len(spool.waiting(store)) == 4
    with serving(store) as (process, _):
        for payload in payloads[5:12]:
            hook(store, payload)
        assert spool.waiting(store) == []
        process.kill()
        process.wait()
        for payload in payloads[12:15]:
            hook(store, payload)
    assert len(spool.waiting(store)) == 3
    with serving(store):
        for payload in payloads[15:-1]:
            hook(store, payload)
        assert json.loads(hook(store, {**payloads[-1], "last_assistant_message": "The build passes."}))["decision"]
        hook(store, payloads[-1])
    with EvidenceStore.open(store) as opened:
        calls, receipts, said = told(opened)
        assert [calls, receipts] == expected(tmp_path)[:2]
        assert said[1:] == ["The build passes.", "All tests pass."]


def test_what_arrives_twice_is_kept_once(store: Path, run: Run) -> None:
    hook(store, {"session_id": SESSION, "cwd": ROOT, "hook_event_name": "UserPromptSubmit", "prompt": "once"})
    only = spool.waiting(store)[0]
    shutil.copy(only, only.with_name("1" + only.name[1:]))
    assert run("missions").exit_code == 0
    with EvidenceStore.open(store) as opened:
        assert [message for message in told(opened)[2] if message == "once"] == ["once"]


@pytest.mark.parametrize("payload", [b"", b"no json", b"[1]", b"{}", b'{"session_id": 3', b'{"session_id": 3}'])
def test_a_payload_that_cannot_be_read_fails_open_and_doctor_says_so(store: Path, ask: Ask, payload: bytes) -> None:
    assert hook(store, payload) == ""
    checks = ask("doctor")["checks"]
    assert isinstance(checks, list)
    assert {check["status"] for check in checks if check["name"] in ("hooks", "spool")} == {"warning"}
    assert "failed open; last claude-code Stop" in str(checks)


def test_a_store_that_cannot_be_written_fails_open(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file is in the way")
    for payload in a_session().payloads[:3]:
        assert hook(tmp_path / "store", payload) == ""


def test_a_damaged_file_in_the_spool_is_set_aside_and_the_others_are_taken_in(store: Path, ask: Ask) -> None:
    payload = {"session_id": SESSION, "cwd": ROOT, "hook_event_name": "UserPromptSubmit"}
    for text in ("first", "second", "third"):
        hook(store, {**payload, "prompt": text})
    spool.waiting(store)[1].write_bytes(b'{"session_id": "cut')
    checks = ask("doctor")["checks"]
    assert "2 payloads of hooks taken in" in str(checks)
    assert "1 payload set aside" in str(checks)
    with EvidenceStore.open(store) as opened:
        assert told(opened)[2] == ["first", "third"]


def test_the_spool_is_for_its_owner_alone(store: Path) -> None:
    hook(store, a_session().payloads[1])
    assert spool.waiting(store)[0].stat().st_mode & 0o777 == 0o600
    assert (store / "spool").stat().st_mode & 0o777 == 0o700


def test_the_client_starts_fast_and_loads_next_to_nothing(tmp_path: Path) -> None:
    listing = "import sys, muniment_api.hook_client; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True).stdout.split()
    bare = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, check=True)
    more = set(loaded) - set(bare.stdout.decode().split())
    assert not more & {"json", "re", "socket", "subprocess", "pathlib", "click", "muniment", "typing", "enum"}
    assert len(more) <= 10
    payload = json.dumps(a_session().payloads[1]).encode()
    command = [str(BIN / "muniment"), "hook", "claude-code", "UserPromptSubmit", "--store", str(tmp_path)]
    spent = []
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=payload, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(spent) <= START_SECONDS


def stop(store: EvidenceStore, text: str, **more: object) -> dict[str, object]:
    payload = {"session_id": SESSION, "cwd": ROOT, "last_assistant_message": text, **more}
    return answer(store, "claude-code", "Stop", payload)


def prompt(store: EvidenceStore, text: str) -> None:
    answer(store, "claude-code", "UserPromptSubmit", {"session_id": SESSION, "cwd": ROOT, "prompt": text})


@pytest.fixture
def empty(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore.open(tmp_path / "new", create=True)


def test_a_stop_is_held_back_once_and_only_for_what_this_turn_claimed(empty: EvidenceStore) -> None:
    with empty as store:
        prompt(store, "Fix it")
        held = stop(store, "Fixed. All tests pass.")
        assert held["decision"] == "block"
        assert "unproven: All tests pass." in str(held["reason"])
        assert "Cheapest next step: run the tests" in str(held["reason"])
        assert stop(store, "All tests pass.", stop_hook_active=True) == {}
        prompt(store, "What is two and two?")
        assert stop(store, "Four.") == {}
        prompt(store, "And are you sure about the build?")
        assert "The build passes" in str(stop(store, "The build passes.")["reason"])


def test_that_nothing_was_claimed_holds_back_in_strict_mode_only(empty: EvidenceStore) -> None:
    with empty as store:
        prompt(store, "Look around")
        assert stop(store, "I looked around.") == {}
        strict = stop(store, "I looked around.", muniment={"strict": True})
        assert strict["decision"] == "block"
        assert stop(store, "I looked.", muniment={"strict": True}, stop_hook_active=True) == {}


def test_a_stop_is_held_back_for_what_this_turn_broke(empty: EvidenceStore) -> None:
    with empty as store:
        prompt(store, "Fix it. Never push.")
        for payload in BothForms().runs("toolu_1", "git push", "done").payloads:
            answer(store, "claude-code", str(payload["hook_event_name"]), dict(payload))
        held = stop(store, "Done.")
        assert held["decision"] == "block"
        assert "(constraint-breached)" in str(held["reason"])
        prompt(store, "What is two and two?")
        assert stop(store, "Four.") == {}


def test_a_stop_is_held_back_for_a_command_that_the_settings_require(empty: EvidenceStore, tmp_path: Path) -> None:
    (tmp_path / "new" / "muniment.toml").write_text("[closeout]\nrequired-commands = ['make lint']\n")
    with empty as store:
        prompt(store, "Fix it")
        assert stop(store, "Nothing was changed.") == {}
        written = {
            "kind": "tool_returned", "id": "w", "session": SESSION, "by": "tool", "tool": "write", "path": "a.py",
            "content": "x = 1\n", "effect": "writes", "status": "ok",
        }  # fmt: skip
        store.record([written], mission=MISSION)
        assert "`make lint` is required" in str(stop(store, "Changed.")["reason"])


def test_a_stop_with_proof_is_let_through(empty: EvidenceStore) -> None:
    forms = (
        BothForms().prompt("Run the tests").runs("toolu_1", "pytest -q", "3 passed in 0.1s").stops("All tests pass.")
    )
    with empty as store:
        for payload in forms.payloads:
            last = answer(store, "claude-code", str(payload["hook_event_name"]), payload)
        assert last == {}
        assert store.closeout(MISSION).verdict == "proven"


def settles(store: EvidenceStore, forms: BothForms, call: str, **more: object) -> dict[str, object]:
    """Let the agent settle its task; return what the hook answers before the tool does."""
    use = {"tool_name": "TaskUpdate", "tool_input": {"taskId": "1", "status": "completed"}, "tool_use_id": call}
    forms.hook("PreToolUse", **use).hook("TaskCompleted", task_id="1", task_subject="Fix it", **more)
    answered = [answer(store, "claude-code", str(each["hook_event_name"]), each) for each in forms.payloads][-1]
    error = f"TaskCompleted hook feedback:\n{answered['reason']}" if answered else ""
    forms.payloads.clear()
    forms.hook("PostToolUse", **use, tool_response={"success": not error, "taskId": "1", "error": error})
    return answered


def with_a_task() -> BothForms:
    given = {"subject": "Fix it", "description": "x is 2. All tests pass."}
    return BothForms().prompt("Fix it").tool("toolu_1", "TaskCreate", given, {"task": {"id": "1", **given}}, "Task #1")


def test_a_task_is_held_back_once_for_what_its_own_text_says(empty: EvidenceStore) -> None:
    forms = with_a_task()
    with empty as store:
        held = settles(store, forms, "toolu_2")
        assert held["decision"] == "block"
        assert "unproven: All tests pass. (nothing on record shows it)" in str(held["reason"])
        assert settles(store, forms, "toolu_3") == {}
        forms.prompt("And now?").failure("toolu_4", "Bash", {"command": "pytest -q"}, "Exit code 1\n1 failed in 0.1s")
        assert "contradicted: All tests pass." in str(settles(store, forms, "toolu_5")["reason"])


def test_a_task_with_proof_or_a_teammates_is_let_through(empty: EvidenceStore) -> None:
    with empty as store:
        forms = with_a_task()
        assert settles(store, forms, "toolu_2", teammate_name="reviewer") == {}
        assert settles(store, forms.runs("toolu_3", "pytest -q", "3 passed in 0.1s"), "toolu_4") == {}
        assert store.closeout(MISSION, task="task:1").verdict == "proven"


@pytest.mark.parametrize("runtime", ["claude-code", "codex"])
def test_a_long_session_begins_with_a_view_within_what_the_runtime_lets_through(tmp_path: Path, runtime: str) -> None:
    forms = BothForms()
    for number in range(40):
        forms.prompt(f"Order {number}: " + "do it with great care; " * 8)
        forms.reads(f"toolu_{number}", f"{ROOT}/f{number}.py", [f"line_{line} = {line * number}" for line in range(60)])
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        lines = "".join(json.dumps(payload) + "\n" for payload in forms.payloads).encode()
        spool.import_lines(store, runtime, SESSION, lines)
        started = {"session_id": SESSION, "cwd": ROOT, "source": "compact"}
        told = answer(store, runtime, "SessionStart", started)["hookSpecificOutput"]
        assert isinstance(told, dict)
        assert set(told) == {"hookEventName", "additionalContext"}
        text = told["additionalContext"]
        assert len(text) <= 10_000 or runtime == "codex"
        assert o200k().count(text) <= 2500
        assert "Order 39: do it with great care" in text


def test_the_rollout_of_codex_tells_how_commands_exited_and_is_read_on_where_it_ended(
    tmp_path: Path, empty: EvidenceStore
) -> None:
    rollout = tmp_path / "rollout-root-1.jsonl"
    common = {"session_id": "root-1", "cwd": "/repo", "model": "m", "turn_id": "t", "transcript_path": str(rollout)}
    use = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "c1"}
    text = "2 passed in 0.1s\n"
    lines = [
        meta(),
        said("user", "Run the tests"),
        call("c1", "exec_command", cmd="pytest -q"),
        output("c1", exited(0, text)),
    ]
    rollouts = Rollouts()
    with empty as store:
        for event, more in (
            ("SessionStart", {"source": "startup"}),
            ("UserPromptSubmit", {"prompt": "Run the tests"}),
            ("PreToolUse", use),
            ("PostToolUse", {**use, "tool_response": text}),
        ):
            answer(store, "codex", event, {**common, **more}, rollouts)
        ending = {**common, "last_assistant_message": "All tests pass."}
        held = answer(store, "codex", "Stop", {**ending, "muniment": {"delivery": "1"}}, rollouts)
        assert "whether it succeeded is not known" in str(held["reason"])
        for upto in (2, len(lines)):
            rollout.write_text("".join(json.dumps(line) + "\n" for line in lines[:upto]))
            last = answer(store, "codex", "Stop", {**ending, "muniment": {"delivery": f"2{upto}"}}, rollouts)
        assert last == {}
        mission = mission_id("codex", "root-1")
        assert [receipt.exit_code for receipt in store.snapshot(mission).of_kind(Receipt)] == [0]
        assert store.closeout(mission).verdict == "proven"
