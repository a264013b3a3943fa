"""Packets at a runtime's own boundaries: made before it compacts, given to the context that follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.model.ids import mission_id
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from muniment_api import spool
from muniment_api.hooks import answer
from tests.support.claude_lines import SESSION
from tests.support.hook_payloads import ROOT, BothForms
from tests.support.hooking import hook

MISSION = mission_id("claude-code", SESSION)
COMMON = {"session_id": SESSION, "cwd": ROOT}
BEFORE = {**COMMON, "hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "the migration"}
AFTER = {**COMMON, "hook_event_name": "SessionStart", "source": "compact", "model": "claude-sonnet-4-5"}


def worked(store: EvidenceStore, runtime: str = "claude-code", orders: int = 3) -> None:
    forms = BothForms()
    for number in range(orders):
        forms.prompt(f"Order {number}: keep the old names; " + "do it with care; " * 6)
        forms.reads(f"toolu_{number}", f"{ROOT}/f{number}.py", [f"line_{line} = {line * number}" for line in range(40)])
    lines = "".join(json.dumps(payload) + "\n" for payload in forms.payloads).encode()
    spool.import_lines(store, runtime, SESSION, lines)


def context_of(answered: dict[str, object]) -> str:
    told = answered["hookSpecificOutput"]
    assert isinstance(told, dict)
    return str(told["additionalContext"])


def test_a_packet_is_in_force_before_the_runtime_compacts_and_opens_what_follows(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        worked(store)
        assert answer(store, "claude-code", "PreCompact", BEFORE) == {}
        (info,) = store.packets(MISSION)
        assert (info.state, info.in_force, info.session) == ("accepted", True, SESSION)
        assert store.show_packet(info.id).focus == "the migration"
        text = context_of(answer(store, "claude-code", "SessionStart", AFTER))
        assert "Packet of mission:" in text
        assert "Order 0: keep the old names" in text
        (boundary,) = store.boundaries(MISSION)
        assert boundary.packet == info.id
        assert len(boundary.views) == 1


@pytest.mark.parametrize(("runtime", "orders"), [("claude-code", 3), ("claude-code", 25), ("claude-code", 60)])
def test_what_follows_is_never_larger_than_the_runtime_takes(tmp_path: Path, runtime: str, orders: int) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        worked(store, runtime, orders)
        answer(store, runtime, "PreCompact", BEFORE)
        text = context_of(answer(store, runtime, "SessionStart", AFTER))
        assert len(text) <= 10_000
        assert o200k().count(text) <= 2500
        assert text


def test_what_was_said_after_the_packet_is_not_hidden_by_it(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        worked(store)
        answer(store, "claude-code", "PreCompact", BEFORE)
        answer(store, "claude-code", "UserPromptSubmit", {**COMMON, "prompt": "And never push.", "prompt_id": "late"})
        text = context_of(answer(store, "claude-code", "SessionStart", AFTER))
        assert "And never push." in text
        assert "Packet of mission:" not in text


def test_a_start_that_is_no_compaction_has_the_view_alone(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        worked(store)
        answer(store, "claude-code", "PreCompact", BEFORE)
        text = context_of(answer(store, "claude-code", "SessionStart", {**AFTER, "source": "resume"}))
        assert "Packet of mission:" not in text


@pytest.mark.parametrize(("wish", "states"), [("automatic = false", []), ("accept = false", ["proposed"])])
def test_a_store_may_opt_out(tmp_path: Path, wish: str, states: list[str]) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        (tmp_path / "store" / "profiles.toml").write_text(f"[compaction]\n{wish}\n", encoding="utf-8")
        worked(store)
        assert answer(store, "claude-code", "PreCompact", BEFORE) == {}
        assert [info.state for info in store.packets(MISSION)] == states
        assert "Packet of mission:" not in context_of(answer(store, "claude-code", "SessionStart", AFTER))


def test_a_hook_that_cannot_make_a_packet_lets_the_runtime_compact(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        worked(store)
        (tmp_path / "store" / "profiles.toml").write_text("nonsense [", encoding="utf-8")
        assert answer(store, "claude-code", "PreCompact", BEFORE) == {}
        assert store.packets(MISSION) == []


def test_the_program_makes_the_packet_without_a_server(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with EvidenceStore.open(store, create=True) as opened:
        worked(opened)
    assert hook(store, BEFORE).strip() in ("", "{}")
    assert "Packet of mission:" in hook(store, AFTER)
    with EvidenceStore.open(store) as opened:
        assert [info.state for info in opened.packets(MISSION)] == ["accepted"]
