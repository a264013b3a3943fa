"""Everything that binds is in every view of six recorded sessions, by a list that was made by reading them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.errors import BudgetInfeasibleError
from muniment.model.nodes import Message
from muniment.selection import View, ViewRequest, select
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment.tokens import o200k

LIST = json.loads((Path(__file__).parent / "binding.json").read_text(encoding="utf-8"))["sessions"]
BUDGETS = (1000, 2500, 8000)
BINDING = frozenset({"facts", "user", "decisions", "open", "focus"})
MOMENTS = 8

pytestmark = [pytest.mark.sessions, pytest.mark.parametrize("listed", LIST, ids=[each["file"] for each in LIST])]


def shown(view: View) -> set[str]:
    return {item.record for item in view.items if item.section in BINDING}


def view_of(snapshot: Snapshot, budget: int) -> View:
    """Return a view, in as many tokens as what binds takes where the budget is below that."""
    try:
        return select(snapshot, ViewRequest(budget=budget), o200k())
    except BudgetInfeasibleError as refused:
        return select(snapshot, ViewRequest(budget=refused.needed), o200k())


def test_what_binds_is_in_each_view_and_nothing_else_of_the_users_role(
    listed: dict[str, object], sessions: Path, tmp_path: Path
) -> None:
    binds, others = records(listed, "binds"), records(listed, "not")
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        mission = store.import_session(sessions / str(listed["file"])).mission
        for budget in BUDGETS:
            seen = shown(view_of(store.snapshot(mission), budget))
            assert binds == seen
            assert not others & seen


def test_users_words_are_in_each_view_from_the_moment_that_they_were_said(
    listed: dict[str, object], sessions: Path, tmp_path: Path
) -> None:
    binds = records(listed, "binds")
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        whole = store.snapshot(store.import_session(sessions / str(listed["file"])).mission)
        said = [m for m in whole.of_kind(Message) if m.record in binds]
        assert said
        for moment in range(1, MOMENTS + 1):
            snapshot = whole.upto(whole.ordinal * moment // MOMENTS)
            due = {message.record for message in said if message.ordinal <= snapshot.ordinal}
            assert due <= shown(view_of(snapshot, 8000))


def records(listed: dict[str, object], key: str) -> set[str]:
    entries = listed[key]
    assert isinstance(entries, list)
    return {str(entry["record"]) for entry in entries}
