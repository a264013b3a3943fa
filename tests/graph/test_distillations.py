"""Large outputs in a store: distilled as they come, by agents too; what is pending, and what a gate says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, UsageError
from muniment.model.edges import EdgeKind
from muniment.model.nodes import DISTILLED, Excerpt, Receipt
from muniment.settings import FILE_NAME

CAUSE = "src/limit.c:88:3: error: 'top' undeclared"
LARGE = "".join(f"compiling part {number} of the tree\n" for number in range(600)) + f"{CAUSE}\n"
LARGE += "".join(f"compiling part {number} of the tree\n" for number in range(600, 900)) + "build finished: 1 error\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    """An empty store."""
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


def built(name: str = "R", output: str = LARGE, **more: object) -> dict[str, object]:
    """Return the result of a build that failed."""
    told = {"tool": "command", "command": "make", "exit_code": 2, "output": output, "effect": "none"}
    return {"kind": "tool_returned", "id": name, "session": "S", "by": "tool", **told, **more}


def named(of: str = "R", *spans: dict[str, object], name: str = "D", **more: object) -> dict[str, object]:
    """Return an agent's distillation."""
    told = {"of": of, "spans": list(spans) or [{"lines": [601, 601]}], "states": "top is not declared"}
    return {"kind": "distillation_made", "id": name, "session": "S", "by": "agent", **told, **more}


def recorded(store: EvidenceStore, *records: dict[str, object]) -> str:
    """Record; return the mission."""
    store.record(list(records))
    return store.missions()[0].mission


def excerpts(store: EvidenceStore, mission: str) -> list[Excerpt]:
    return [node for node in store.snapshot(mission).of_kind(Excerpt) if node.how == DISTILLED]


def gaps(store: EvidenceStore, mission: str) -> set[str]:
    return {gap.code for gap in store.snapshot(mission).gaps()}


def test_a_large_output_is_distilled_at_once_and_a_small_one_is_not(store: EvidenceStore) -> None:
    mission = recorded(store, built(), built("small", "all is well\n" * 20, exit_code=0))
    snapshot = store.snapshot(mission)
    found = excerpts(store, mission)
    receipt = next(node for node in snapshot.of_kind(Receipt) if node.record == "R")
    assert {excerpt.receipt for excerpt in found} == {receipt.id}
    decisive = next(excerpt for excerpt in found if excerpt.first <= 601 <= excerpt.last)
    assert "diagnostic" in (decisive.states or "")
    assert CAUSE in snapshot.text(decisive.text)
    edges = snapshot.edges_from(decisive.id, {EdgeKind.EXCERPT_OF})
    assert [edge.target for edge in edges] == [receipt.id]
    assert found == snapshot.distilled(receipt.id)


def test_what_a_read_showed_stands_in_the_ledger_and_is_not_distilled(store: EvidenceStore) -> None:
    read: dict[str, object] = {
        "kind": "tool_returned",
        "id": "R",
        "session": "S",
        "by": "tool",
        "tool": "read",
        "path": "a.c",
    }
    assert excerpts(store, recorded(store, {**read, "content": LARGE, "status": "ok"})) == []


def test_each_excerpt_and_each_range_left_out_can_be_had_by_id(store: EvidenceStore) -> None:
    mission = recorded(store, built())
    lines = LARGE.split("\n")
    output = store.distillations(mission)[0]
    for kept in output.kept:
        assert store.rehydrate(kept.excerpt, mission=mission).text == "\n".join(lines[kept.first - 1 : kept.last])
    for first, last in output.omitted:
        got = store.rehydrate(output.handle, lines=(first, last), mission=mission)
        assert got.text == "\n".join(lines[first - 1 : last])
    shown = {line for kept in output.kept for line in range(kept.first, kept.last + 1)}
    left = {line for first, last in output.omitted for line in range(first, last + 1)}
    assert shown.isdisjoint(left)
    assert shown | left == set(range(1, output.lines + 1))


def test_an_output_is_pending_until_an_agent_has_said_what_matters(store: EvidenceStore) -> None:
    mission = recorded(store, built(), built("other"))
    assert [output.record for output in store.pending_distillations(mission)] == ["R", "other"]
    recorded(store, named(leaves_open="why it is gone", omissions_matter=False))
    assert [output.record for output in store.pending_distillations(mission)] == ["other"]
    told = next(output for output in store.distillations(mission) if output.record == "R")
    kept = next(kept for kept in told.kept if kept.by)
    assert (kept.first, kept.last, kept.by, kept.states) == (601, 601, "agent", "top is not declared")
    assert (kept.leaves_open, kept.omissions_matter) == ("why it is gone", False)
    assert any(not kept.by for kept in told.kept)


def test_each_span_may_have_words_of_its_own(store: EvidenceStore) -> None:
    mission = recorded(store, built(), named("R", {"lines": [1, 1]}, {"lines": [601, 601]}, states=["begins", "ends"]))
    assert [node.states for node in excerpts(store, mission) if node.by] == ["begins", "ends"]


@pytest.mark.parametrize(
    "span", [{"lines": [900, 9_000]}, {"lines": [0, 1]}, {"lines": [5, 3]}, {"lines": [601, 601], "columns": [1, 999]}]
)
def test_lines_that_are_not_there_are_refused_and_the_others_count(
    store: EvidenceStore, span: dict[str, object]
) -> None:
    mission = recorded(store, built(), named("R", span, {"lines": [601, 601], "columns": [19, 23]}))
    assert "distillation_outside" in gaps(store, mission)
    kept = [node for node in excerpts(store, mission) if node.by]
    assert [store.snapshot(mission).text(node.text) for node in kept] == ["error"]


def test_a_distillation_of_what_nobody_has_seen_is_a_gap(store: EvidenceStore) -> None:
    mission = recorded(store, built(), named("nothing"))
    assert "distillation_of_nothing" in gaps(store, mission)
    assert len(store.pending_distillations(mission)) == 1


def test_a_view_shows_what_an_agent_named_first_and_then_what_the_store_chose(store: EvidenceStore) -> None:
    mission = recorded(store, built())
    told = store.view(mission, budget=400).text
    assert CAUSE in told
    assert "exit 2" in told
    assert "of 902 lines omitted" in told
    recorded(store, named("R", {"lines": [300, 300]}))
    told = store.view(mission, budget=400).text
    assert "compiling part 299 of" in told
    assert CAUSE in told


def test_a_gate_that_is_asked_to_waits_for_an_agents_word(store: EvidenceStore) -> None:
    claim = {"kind": "claim_made", "id": "C", "session": "S", "by": "agent", "type": "build_ok"}
    mission = recorded(store, built(exit_code=0, output=LARGE.replace("error", "part")), {**claim, "cites": ["R"]})
    assert store.closeout(mission).passed
    held = store.closeout(mission, require_distillations=True)
    assert held.verdict == "proven"
    assert not held.passed
    assert [finding.code for finding in held.findings if finding.severity == "error"] == ["distillation_pending"]
    recorded(store, named())
    assert store.closeout(mission, require_distillations=True).passed


def test_a_gate_for_one_task_waits_for_the_outputs_of_that_task_only(store: EvidenceStore) -> None:
    tasks: list[dict[str, object]] = [
        {"kind": "task_stated", "id": name, "session": "S", "by": "user", "text": f"do {name}"} for name in ("T1", "T2")
    ]
    mission = recorded(store, *tasks, {**built(), "task": "T1"})
    assert [output.record for output in store.pending_distillations(mission, task="T1")] == ["R"]
    assert store.pending_distillations(mission, task="T2") == []
    waits = [
        [
            finding.severity
            for finding in store.closeout(mission, task=task, require_distillations=True).findings
            if finding.code == "distillation_pending"
        ]
        for task in ("T1", "T2")
    ]
    assert ["error" in severities for severities in waits] == [True, False]


def test_how_much_is_large_is_a_setting_of_the_store(tmp_path: Path) -> None:
    output = "error: price is missing\n" + "all is well here\n" * 60
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        mission = recorded(store, built(output=output))
        assert store.distillations(mission) == []
    with EvidenceStore.open(tmp_path / "s", large_output=200) as store:
        assert [one.record for one in store.distillations(mission)] == ["R"]
    with EvidenceStore.open(tmp_path / "s") as store:
        assert [one.record for one in store.distillations(mission)] == ["R"]
        assert [one.record for one in store.distillations(mission)] == ["R"]
    with pytest.raises(UsageError, match="at least 100"):
        EvidenceStore.open(tmp_path / "s", large_output=5)
    (tmp_path / "s" / FILE_NAME).write_bytes(b"{broken")
    with EvidenceStore.open(tmp_path / "s") as store:
        assert store.distillations(mission) == []


def test_what_was_purged_is_in_no_distillation(store: EvidenceStore) -> None:
    mission = recorded(store, built(), named(), built("other", LARGE.replace("limit.c", "other.c")))
    store.purge("R", "a secret")
    assert [output.record for output in store.distillations(mission)] == ["other"]
    assert CAUSE not in store.view(mission, budget=2_000).text


def test_the_same_records_give_the_same_excerpts_in_a_rebuild(store: EvidenceStore) -> None:
    mission = recorded(store, built(), named())
    before, digest = excerpts(store, mission), store.graph_digest(mission)
    store.rebuild(mission)
    assert excerpts(store, mission) == before
    assert store.graph_digest(mission) == digest
