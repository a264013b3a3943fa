"""Payloads that real clients sent, replayed through the program; skipped where the captured ones are not at hand."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from muniment import EvidenceStore
from muniment.model.nodes import Call, Receipt
from muniment_api import spool
from muniment_api.hooks import answer
from tests.support.hooking import hook, payload_folder

CAPTURED = [
    ("codex-0.171.0-hooks-stdin.jsonl", "codex-0.171.0-rollout-0.jsonl"),
    ("codex-0.171.0-hooks-stdin-applypatch.jsonl", "codex-0.171.0-rollout-3-applypatch.jsonl"),
]


def test_answers_to_codex_are_of_the_form_that_it_demands(tmp_path: Path) -> None:
    schemas = json.loads((payload_folder() / "codex_hook_schemas_0.171.0.json").read_text())
    common = {"session_id": "s", "cwd": "/repo", "turn_id": "t", "model": "m"}
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        started = answer(store, "codex", "SessionStart", {**common, "source": "startup"})
        held = answer(store, "codex", "Stop", {**common, "last_assistant_message": "All tests pass."})
    assert held["decision"] == "block"
    jsonschema.validate(started, schemas["session-start.command.output"])
    jsonschema.validate(held, schemas["stop.command.output"])


@pytest.mark.parametrize(("hooks", "rollout"), CAPTURED)
def test_captured_payloads_of_codex_replayed_through_the_program_tell_what_the_rollout_tells(
    tmp_path: Path, hooks: str, rollout: str
) -> None:
    folder, live = payload_folder(), tmp_path / "live"
    for line in (folder / hooks).read_text().splitlines():
        hook(live, json.loads(line), runtime="codex")
    seen: list[list[object]] = []
    with EvidenceStore.open(live) as store:
        spool.drain(live, lambda _: store)
        mission = store.missions()[0].mission
        calls = {call.id for call in store.snapshot(mission).of_kind(Call)}
        seen.append([(call.id, call.tool) for call in store.snapshot(mission).of_kind(Call)])
        store.import_session(folder / rollout)
        seen.append([(call.id, call.tool) for call in store.snapshot(mission).of_kind(Call)])
        seen.append([(each.id, each.status, each.exit_code) for each in store.snapshot(mission).of_kind(Receipt)])
    with EvidenceStore.open(tmp_path / "read", create=True) as store:
        snapshot = store.snapshot(store.import_session(folder / rollout).mission)
        read = [(call.id, call.tool) for call in snapshot.of_kind(Call)]
        receipts = [(each.id, each.status, each.exit_code) for each in snapshot.of_kind(Receipt)]
    assert seen[0] == [row for row in read if row[0] in calls]
    assert seen[1:] == [read, receipts]
