"""Why views are as they are, on the command line, over GraphQL and for models; what is new; slices; needless reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.model.packing import writable
from muniment_api.client_direct import in_process
from muniment_api.schema.build import build
from muniment_api.schema.context import Operation
from tests.api.conftest import Answer, Ask, Run
from tests.api.test_reading import MISSION, objects


def query(store: EvidenceStore, text: str) -> Answer:
    done = build().execute_sync(text, variable_values={"m": MISSION}, context_value=Operation(store, None))
    assert done.errors is None, done.errors
    assert done.data is not None
    return writable(done.data)


def test_explain_tells_for_each_part_of_the_view_why_it_is_there(run: Run, ask: Ask) -> None:
    items = objects(ask("view", "--explain"), "items")
    shown = objects(ask("view"), "items")
    assert [item["handle"] for item in items] == [item["handle"] for item in shown]
    assert all(item["why"] for item in items)
    assert any(item["path"] for item in items)
    told = run("view", "--explain").stdout
    assert "the walk begins at" in told
    assert str(items[0]["handle"]) in told


def test_since_prints_what_is_new_and_its_size(run: Run, ask: Ask) -> None:
    done = run("view", "--since", "8")
    assert "added" in done.stderr
    delta = ask("view", "--since", "8")
    assert objects(delta, "added")
    assert str(delta["appendix"]).splitlines()[0] in done.stdout
    assert objects(ask("view", "--since", "100000"), "added") == []


def test_explain_and_since_exclude_one_another(run: Run) -> None:
    assert run("view", "--explain", "--since", "3").exit_code == 2


@pytest.mark.parametrize("named", ["pricelist.py", "prices.py"])
def test_why_answers_for_a_path_or_says_that_there_is_none(ask: Ask, named: str) -> None:
    path = next(str(item["path"]) for item in objects(ask("view"), "items") if item["kind"] == "excerpt")
    assert ask("why", path)["answer"] in ("shown", "shortened")
    error = ask("why", "no-such-" + named, code=2)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "unknown_id"


def test_why_tells_what_is_shown_and_what_was_left_out(run: Run, ask: Ask) -> None:
    view = ask("view", "--budget", "900")
    shown = next(item for item in objects(view, "items") if item["kind"] == "message")
    assert ask("why", str(shown["handle"]), "--budget", "900")["answer"] in ("shown", "shortened")
    left = next(each for each in objects(view, "omitted") if each["reason"] == "budget")
    answer = ask("why", str(left["handle"]), "--budget", "900")
    assert answer["answer"] in ("budget", "pointer")
    assert "muniment show" in run("why", str(left["handle"]), "--budget", "900").stdout


def test_a_model_of_dearer_tokens_gets_a_shorter_text(ask: Ask) -> None:
    plain, dear = ask("view", "--budget", "900"), ask("view", "--budget", "900", "--model", "claude-opus-4-5")
    assert dear["estimator"] == "o200k_base*1.2"
    assert len(str(dear["text"])) < len(str(plain["text"]))
    assert int(str(dear["tokens"])) <= 900


def test_graphql_explains_asks_why_and_gives_deltas(store: Path) -> None:
    with EvidenceStore.open(store) as opened:
        answer = query(
            opened,
            """query($m: ID!) {
              explanation(mission: $m, focus: {budget: 900}) {
                seeds sections { name count } items { handle path { edge } } }
              why(mission: $m, id: "R5") { answer text by }
              viewDelta(mission: $m, since: 8) { added { handle } tokens hunks { start stop text } base }
              rereads(mission: $m) { handle needless places { path first last } }
            }""",
        )
        explained = opened.explain(MISSION, budget=900)
        delta = opened.view(MISSION).delta(opened.view(MISSION, as_of=8))
    explanation = answer["explanation"]
    assert isinstance(explanation, dict)
    assert explanation["seeds"] == list(explained.seeds)
    assert [item["handle"] for item in explanation["items"]] == [item.handle for item in explained.items]
    got = answer["viewDelta"]
    assert isinstance(got, dict)
    assert (got["base"], got["tokens"]) == (delta.base, delta.tokens)
    why = answer["why"]
    assert isinstance(why, dict)
    assert why["text"]


def test_the_client_gives_the_same_view_with_all_that_is_said_of_it(store: Path) -> None:
    with EvidenceStore.open(store) as opened, in_process(opened) as client:
        assert client.view(MISSION) == opened.view(MISSION)
        assert client.view(MISSION, model="claude-x", kind="delegate") == opened.view(
            MISSION, model="claude-x", kind="delegate"
        )
        assert client.view(MISSION, slice=True) == opened.view(MISSION, slice=True)


def record(**fields: object) -> dict[str, object]:
    return {"session": "s", "by": "tool", **fields}


def read(number: int, content: str, lines: tuple[int, int] | None = None) -> list[dict[str, object]]:
    part = {} if lines is None else {"lines": list(lines), "total_lines": 9}
    call = record(kind="tool_called", id=f"c{number}", by="agent", tool="read", name="Read", path="/r/a.py")
    result = record(
        kind="tool_returned", id=f"r{number}", tool="read", name="Read", path="/r/a.py", content=content,
        status="ok", effect="none", call=f"c{number}", **part,
    )  # fmt: skip
    return [call, result]


@pytest.mark.parametrize("given", [True, False])
def test_a_read_gives_way_to_the_view_that_holds_it_and_only_to_one_of_its_agents_context(
    tmp_path: Path, given: bool
) -> None:
    whole = "".join(f"line {number}\n" for number in range(1, 10))
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record([record(kind="session_opened", id="o", by="harness", root="/r"), *read(1, whole)])
        mission = store.missions()[0].mission
        if not given:
            store.view(mission, emit=True)
        store.record([record(kind="context_boundary", id="b", by="harness")])
        if given:
            store.view(mission, emit=True)
        store.record(read(2, "line 3\nline 4\n", (3, 4)))
        plan = [(each.call, each.marker[:24]) for each in store.collapse_plan(mission)]
        assert plan == ([("c2", "[truncated: held in view")] if given else [])


def test_a_needless_read_is_known_once_the_view_was_given(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record([record(kind="session_opened", id="o", by="harness", root="/r"), *read(1, "x = 1\ny = 2\n")])
        mission = store.missions()[0].mission
        store.record(read(2, "x = 1\ny = 2\n"))
        assert [each.needless for each in store.rereads(mission)] == [False]
        store.view(mission, emit=True)
        store.record(read(3, "x = 1\ny = 2\n"))
        assert [each.needless for each in store.rereads(mission)] == [False, True]
        store.record(read(4, "x = 9\ny = 2\n"))
        assert [each.record for each in store.rereads(mission)] == ["r2", "r3"]
        store.record([record(kind="context_boundary", id="b", by="harness")])
        store.record(read(5, "x = 9\ny = 2\n"))
        assert [each.needless for each in store.rereads(mission)] == [False, True, False]
