"""Purge takes the echoes of a text: entries that no id leads to, and that say it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Call, Message
from tests.support.claude_lines import SESSION, Transcript
from tests.support.damaged_files import holds

SECRET = "the launch code is zq-7781"
OTHER = "please keep the old names"


def item(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def says(role: str, text: str) -> dict[str, object]:
    phase = {"phase": "final_answer"} if role == "assistant" else {}
    part = "output_text" if role == "assistant" else "input_text"
    return item("response_item", type="message", role=role, content=[{"type": part, "text": text}], **phase)


ROLLOUT = [
    item("session_meta", id="s-1", cwd="/w", cli_version="0.142.0"),
    says("user", SECRET),
    item("event_msg", type="user_message", message=SECRET),
    says("user", OTHER),
    item("event_msg", type="user_message", message=OTHER),
    says("assistant", f"I noted that {SECRET}."),
    item("event_msg", type="agent_message", message=f"I noted that {SECRET}."),
    item("event_msg", type="task_complete", last_agent_message=f"I noted that {SECRET}."),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    source = tmp_path / "rollout-1.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in ROLLOUT), encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        opened.import_session(source)
        yield opened


def messages(store: EvidenceStore) -> list[str]:
    (info,) = store.missions()
    snapshot = store.snapshot(info.mission)
    return [snapshot.text(message.text) for message in snapshot.of_kind(Message)]


def handle(store: EvidenceStore, text: str) -> str:
    (info,) = store.missions()
    snapshot = store.snapshot(info.mission)
    return next(one.handle for one in snapshot.of_kind(Message) if snapshot.text(one.text) == text)


def test_a_purged_message_does_not_come_back_from_its_echo(store: EvidenceStore, tmp_path: Path) -> None:
    done = store.purge(handle(store, SECRET), "a secret")
    assert done.report.purged == (2, 3, 7, 8)
    assert messages(store) == [OTHER, f"I noted that {SECRET}."]
    assert store.verify().problems == ()
    store.purge(handle(store, f"I noted that {SECRET}."), "quotes it")
    store.close()
    assert holds(tmp_path / "s", SECRET.encode()) == []


def test_what_says_something_else_stays(store: EvidenceStore) -> None:
    done = store.purge(handle(store, OTHER), "control")
    assert done.report.purged == (4, 5)
    assert messages(store) == [SECRET, f"I noted that {SECRET}."]


def test_what_a_running_command_printed_goes_with_its_result(tmp_path: Path) -> None:
    printed = "zq-first line of it\nzq-second line of it"
    script = Transcript().user("run it").runs("toolu_1", "make it", f"{printed}\nzq-last line")
    progress = {
        "type": "progress",
        "uuid": "progress-1",
        "sessionId": SESSION,
        "data": {"type": "bash_progress", "fullOutput": printed, "output": printed},
    }
    script.lines.insert(2, json.dumps(progress))
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        mission = store.import_session(script.write(tmp_path / "one.jsonl")).mission
        store.purge("toolu_1:result", "a secret")
        assert store.verify().problems == ()
        assert [call.record for call in store.snapshot(mission).of_kind(Call)] == ["toolu_1"]
    assert holds(tmp_path / "s", b"zq-first") == []


def test_of_two_equal_sayings_each_has_its_own_echo(tmp_path: Path) -> None:
    lines = [*ROLLOUT[:5], says("assistant", "Fine."), *ROLLOUT[1:3]]
    source = tmp_path / "rollout-1.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        mission = store.import_session(source).mission
        first, second = (m for m in store.snapshot(mission).of_kind(Message) if m.by == "user" and m.handle != "U4")
        assert (first.handle, second.handle) == ("U2", "U7")
        assert store.purge(first.id, "the first time only").report.purged == (2, 3)
        assert messages(store) == [OTHER, "Fine.", SECRET]
