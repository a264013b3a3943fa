"""The recorded sessions of the other runtimes: counts hold, nothing comes twice, authors are those of the raw file.

What the raw file holds is counted here by other means than the importers use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Boundary, Call, Message, Receipt
from tests.graph.test_importing import adds_up

Expected = dict[str, int]
"""How many entries, calls, results, messages of the user, and boundaries a raw file holds."""


def mini(path: Path) -> Expected:
    messages = json.loads(path.read_bytes())["messages"]
    calls = sum(len(message.get("tool_calls") or []) for message in messages)
    return {"entries": len(messages) + 1, "calls": calls, "results": calls, "users": 1, "boundaries": 0}


def swe(path: Path) -> Expected:
    value = json.loads(path.read_bytes())
    steps = len(value["trajectory"])
    return {"entries": steps + len(value["history"]) + 1, "calls": steps, "results": steps, "users": 1, "boundaries": 0}


def openhands(path: Path) -> Expected:
    kinds = [json.loads(file.read_bytes())["kind"] for file in (path / "events").iterdir()]
    return {
        "entries": len(kinds) + 1,
        "calls": kinds.count("ActionEvent"),
        "results": kinds.count("ObservationEvent"),
        "users": kinds.count("MessageEvent"),
        "boundaries": kinds.count("Condensation"),
    }


def legacy(path: Path) -> Expected:
    value = json.loads(path.read_bytes())
    events = value["history"] if isinstance(value, dict) else value
    tools = [event for event in events if event.get("action") in ("run", "read", "edit")]
    prompts = [event for event in events if event.get("action") == "message" and event["source"] == "user"]
    entries = len(events) + isinstance(value, dict)
    return {"entries": entries, "calls": len(tools), "results": len(tools), "users": len(prompts), "boundaries": 0}


def chat(path: Path) -> Expected:
    value = json.loads(path.read_bytes())
    tools = sum(message["role"] == "tool" for message in value["messages"])
    last = value["response"]["choices"][0]["message"].get("tool_calls") or []
    return {
        "entries": len(value["messages"]) + 2,
        "calls": tools + len(last),
        "results": tools,
        "users": 1,
        "boundaries": 0,
    }


def opencode(path: Path) -> Expected:
    messages = json.loads(path.read_bytes())["messages"]
    tools = sum(part["type"] == "tool" for message in messages for part in message["parts"])
    users = sum(message["info"]["role"] == "user" for message in messages)
    return {"entries": len(messages) + 1, "calls": tools, "results": tools, "users": users, "boundaries": 0}


def copilot(path: Path) -> Expected:
    text = path.read_text(encoding="utf-8")
    answers = text.count('"content":"User responded: ') + text.count('"content":"User selected: ')
    ends = len(re.findall(r'^\{"type":"tool\.execution_complete"', text, re.MULTILINE))
    users = len(re.findall(r'^\{"type":"user\.message"', text, re.MULTILINE))
    return {"entries": text.count("\n"), "calls": ends, "results": ends, "users": users + answers, "boundaries": 0}


def gemini(path: Path) -> Expected:
    messages = json.loads(path.read_bytes())["messages"]
    tools = sum(len(message.get("toolCalls", [])) for message in messages)
    users = sum(message["type"] == "user" for message in messages)
    return {"entries": len(messages) + 1, "calls": tools, "results": tools, "users": users, "boundaries": 0}


def aider(path: Path) -> Expected:
    """Runs of lines that begin alike, told apart by their first word; questions of the program are not the user's."""
    text = path.read_text(encoding="utf-8")
    typed = re.findall(r"(?:^####.*  \n)+", text, re.MULTILINE)
    asked = [run for run in typed if re.sub(r"[#\s]", "", run) and not re.search(r"\(Y\)es/\(N\)o|^#### /", run)]
    begins = min(text.index("\n#### "), text.index("\n> Git working dir"))
    starts = text.count("# aider chat started at", begins)
    blocks = len(re.findall(r"^>{7} REPLACE", text, re.MULTILINE))
    repeated = len(re.findall(r"^## SearchReplaceNoExactMatch", text, re.MULTILINE))
    return {"calls": blocks - repeated, "results": blocks - repeated, "users": len(asked), "boundaries": starts}


SESSIONS: dict[str, Callable[[Path], Expected]] = {
    "mini-swe-agent/ms*.traj.json": mini,
    "swe-agent/*.traj": swe,
    "openhands/*-v1-*": openhands,
    "openhands/*-legacy-*.json": legacy,
    "openhands/*-llm-*.json": chat,
    "opencode/*.json": opencode,
    "copilot-cli/*.jsonl": copilot,
    "gemini-cli/*.json": gemini,
    "aider/*.md": aider,
}


@pytest.mark.sessions
@pytest.mark.parametrize("pattern", SESSIONS)
def test_recorded_sessions_hold_what_their_raw_files_hold(sessions: Path, tmp_path: Path, pattern: str) -> None:
    paths = sorted(sessions.glob(pattern))
    assert paths
    for path in paths:
        expected = SESSIONS[pattern](path)
        with EvidenceStore.open(tmp_path / path.name, create=True) as store:
            first, second = store.import_session(path), store.import_session(path)
            assert adds_up(first)
            assert (first.quarantined, second.stored, second.duplicates) == (0, 0, first.records)
            snapshot = store.snapshot(first.mission)
            found = {
                "entries": first.lines,
                "calls": len(list(snapshot.of_kind(Call))),
                "results": len(list(snapshot.of_kind(Receipt))),
                "users": sum(message.by == "user" for message in snapshot.of_kind(Message)),
                "boundaries": len(list(snapshot.of_kind(Boundary))),
            }
            assert {name: found[name] for name in expected} == expected, path.name
            for budget in (2000, 4000, 8000):
                assert store.view(first.mission, budget=budget).tokens <= budget
            assert store.closeout(first.mission).verdict in ("proven", "unproven", "contradicted", "nothing_claimed")
            assert store.verify(store.head()).clean
