"""Odd records and ids: refused where they come in, so that nothing fails later; an empty id names nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, FieldError, UnknownIdError
from muniment.model.records import Message, Record, ToolReturned


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


HUGE = 2**63
REFUSED = {
    "exit code": {"kind": "tool_returned", "id": "r", "by": "tool", "exit_code": HUGE},
    "duration": {"kind": "tool_returned", "id": "r", "by": "tool", "duration_ms": -HUGE - 1},
    "lines": {"kind": "tool_returned", "id": "r", "by": "tool", "lines": [1, HUGE]},
    "hunk": {"kind": "tool_returned", "id": "r", "changes": [{"path": "a", "hunks": [[HUGE, 1, ["+x"]]]}]},
    "counts": {"kind": "tool_returned", "id": "r", "by": "tool", "counts": {"passed": HUGE}},
    "record of ours": ToolReturned(id="r", by="tool", exit_code=HUGE),
    "author of ours": Message(id="r", by="god", text="x"),
    "number": 5,
    "text": "record",
}


@pytest.mark.parametrize("record", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_record_is_refused_before_anything_is_stored(store: EvidenceStore, record: Record) -> None:
    head = store.head()
    with pytest.raises(FieldError):
        store.record([Message(id="m", by="user", text="x"), record])
    assert store.head() == head


def test_numbers_in_what_stays_json_may_be_of_any_size_and_the_fold_is_saved(store: EvidenceStore) -> None:
    largest = {"kind": "tool_returned", "id": "r", "by": "tool", "exit_code": HUGE - 1, "what": [HUGE]}
    called = {"kind": "tool_called", "id": "c", "by": "agent", "arguments": {"n": HUGE * HUGE}}
    ours = ToolReturned(id="h", by="tool", duration_ms=1)
    assert store.record([largest, called, ours]).stored == 3
    (mission,) = store.missions()
    before = store.view(mission.mission).text
    store.save_fold()
    assert store.view(mission.mission).text == before


def test_an_empty_id_names_nothing(store: EvidenceStore) -> None:
    store.record([Message(id="m", by="user", text="keep me")])
    for ask in (store.rehydrate, lambda one: store.purge(one, "x"), lambda one: store.withdraw(one, "x")):
        with pytest.raises(UnknownIdError):
            ask("")
    (mission,) = store.missions()
    assert "keep me" in store.view(mission.mission).text
    store.purge("m", "x")
    assert "keep me" not in store.view(mission.mission).text
