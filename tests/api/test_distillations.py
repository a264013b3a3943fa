"""Distillations on the command line: what is listed, what is pending, and what a gate makes of it."""

from __future__ import annotations

import json
from pathlib import Path

from muniment_api.access import Policy
from tests.api.conftest import Ask, Run
from tests.api.service import asking, mission_ids

CAUSE = "src/limit.c:88:3: error: 'top' undeclared"
OUTPUT = "".join(f"compiling part {number} of the tree\n" for number in range(900)) + f"{CAUSE}\n"


def recorded(run: Run, *records: dict[str, object]) -> None:
    lines = "".join(json.dumps({"session": "S", **record}) + "\n" for record in records)
    assert run("import", "-", "--format", "ndjson-records", stdin=lines.encode()).exit_code == 0


def built(**more: object) -> dict[str, object]:
    told = {"tool": "command", "command": "make", "exit_code": 2, "output": OUTPUT, "effect": "none", "by": "tool"}
    return {"kind": "tool_returned", "id": "R", **told, **more}


NAMED: dict[str, object] = {"kind": "distillation_made", "id": "D", "by": "agent", "of": "R"}
SPANS: dict[str, object] = {"spans": [{"lines": [901, 901]}], "states": "top is not declared"}


def test_large_outputs_are_listed_with_what_each_part_establishes(ask: Ask, run: Run) -> None:
    recorded(run, built())
    found = ask("distillations", "--pending")["distillations"]
    assert [output["record"] for output in found] == ["R"]  # type: ignore[attr-defined]
    told = run("distillations")
    assert "→ exit 2  901 lines  pending" in told.stdout
    assert "diagnostic" in told.stdout
    recorded(run, {**NAMED, **SPANS, "omissions_matter": False})
    assert ask("distillations", "--pending")["distillations"] == []
    assert "top is not declared  (agent; nothing left out matters)" in run("distillations").stdout


def test_closeout_waits_for_an_agents_word_where_it_is_asked_to(ask: Ask, run: Run) -> None:
    claim: dict[str, object] = {"kind": "claim_made", "id": "C", "by": "agent", "type": "build_ok", "cites": ["R"]}
    recorded(run, built(exit_code=0), claim)
    assert ask("closeout")["passed"] is True
    held = ask("closeout", "--require-distillations", code=1)
    assert (held["verdict"], held["passed"]) == ("proven", False)
    recorded(run, {**NAMED, **SPANS})
    assert ask("closeout", "--require-distillations")["passed"] is True


def test_from_how_many_tokens_on_an_output_is_large_is_set_by_a_rebuild(ask: Ask, run: Run) -> None:
    recorded(run, built(output="error: no price\n" + "all is well here\n" * 60))
    assert ask("distillations")["distillations"] == []
    assert run("rebuild", "--large-output", "200").exit_code == 0
    assert len(ask("distillations")["distillations"]) == 1  # type: ignore[arg-type]
    assert run("rebuild", "--large-output", "5").exit_code == 2


def test_graphql_lists_them_with_what_nobody_has_judged(ask: Ask, run: Run, store: Path) -> None:
    assert run("rebuild", "--large-output", "100").exit_code == 0
    known = ask("distillations", "--pending")["distillations"]
    query = """query($m: ID!, $n: Int!) {
      distillations(mission: $m, pending: true, first: $n) { handle lines pending kept { first last by } omitted }
    }"""
    with asking(store, Policy(project="/projects/pricelist")) as served:
        (home,) = mission_ids(served)
        found = served.data(query, m=home, n=50)["distillations"]
        assert found
        assert [output["handle"] for output in found] == [output["handle"] for output in known]  # type: ignore[attr-defined]
        assert all(output["pending"] and output["kept"] for output in found)  # type: ignore[attr-defined]
        assert len(served.data(query, m=home, n=1)["distillations"]) == 1  # type: ignore[arg-type]
        refused = 'query($m: ID!) { distillations(mission: $m, task: "T") { record } }'
        assert served.code(refused, m=home) == "usage"
