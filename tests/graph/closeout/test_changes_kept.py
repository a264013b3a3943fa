"""What old receipts told of changes is kept with the graph, and says what a fresh reading says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment import EvidenceStore
from muniment.closeout.changes import Changes

BASE = {"by": "agent", "session": "s"}


def _ran(name: str, command: str) -> Iterator[dict[str, object]]:
    tool = {"session": "s", "tool": "command", "command": command}
    yield {**tool, "kind": "tool_called", "id": f"call-{name}", "by": "agent", "turn": name}
    yield {**tool, "kind": "tool_returned", "id": name, "by": "tool", "call": f"call-{name}", "exit_code": 0}


def _steps() -> Iterator[list[dict[str, object]]]:
    """Yield what is recorded between two closeouts."""
    yield [{"kind": "session_opened", "id": "open", "by": "harness", "session": "s", "root": "/w", "workspace": "w"}]
    for number in range(3):
        yield [
            {**BASE, "kind": "tool_returned", "id": f"w{number}", "tool": "write", "path": f"a{number}.py",
             "content": "x = 1\n", "status": "ok", "effect": "writes"},
            *_ran(f"r{number}", "./unknown.sh"),
        ]  # fmt: skip
    yield list(_ran("server", "npm run dev &"))
    yield list(_ran("install", "pip install requests"))
    orphan = {
        "kind": "tool_returned",
        "id": "late",
        "by": "tool",
        "session": "s",
        "tool": "command",
        "call": "call-late",
    }
    yield [{**orphan, "command": "./other.sh", "exit_code": 0}]
    yield [{"kind": "session_opened", "id": "open2", "by": "harness", "session": "t", "root": "/v", "workspace": "v"}]
    yield list(_ran("last", "rm -rf build"))


def test_kept_changes_are_those_that_a_fresh_reading_finds(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        for records in _steps():
            store.record(records)
            mission = store.missions()[0].mission
            kept = Changes(store.snapshot(mission)).all
            with EvidenceStore.open(tmp_path / "store") as other:
                assert kept == Changes(other.snapshot(mission)).all
        assert len(kept) >= 8


def test_an_earlier_moment_is_told_without_what_came_later(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        for records in _steps():
            store.record(records)
        snapshot = store.snapshot(store.missions()[0].mission)
        whole = Changes(snapshot).all
        for ordinal in range(snapshot.ordinal + 1):
            then = Changes(snapshot.upto(ordinal)).all
            assert all(change.ordinal <= ordinal for change in then)
        assert Changes(snapshot).all == whole


def test_the_next_closeout_does_not_read_old_receipts_again(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        steps = list(_steps())
        for records in steps[:-2]:
            store.record(records)
        mission = store.missions()[0].mission
        first = {change.cause: change for change in Changes(store.snapshot(mission)).all}
        store.record(steps[-1])
        again = {change.cause: change for change in Changes(store.snapshot(mission)).all}
        same = [cause for cause in first if first[cause] is again[cause]]
        assert len(same) >= 6
        assert len(again) > len(first)
