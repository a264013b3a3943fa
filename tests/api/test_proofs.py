"""Explain, impact and waive: on the command line, over GraphQL, and who may waive."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.errors import ScopeError
from muniment.scope import READ, RECORD
from muniment.store import EvidenceStore
from muniment_api.access import Policy
from tests.api.conftest import Ask, Run
from tests.api.service import asking, mission_ids

PRICES = "pricelist/prices.py"


def test_explain_tells_the_chain_and_exits_by_the_verdict(ask: Ask, run: Run) -> None:
    found = ask("explain", "L37", code=1)
    steps = found["steps"]
    assert isinstance(steps, list)
    assert ("falls short", "R27") in [(step["relation"], step["handle"]) for step in steps]
    assert ask("explain", "L37a")["claim"]["status"] == "proven"  # type: ignore[index]
    told = run("explain", "L37").stdout
    assert "├─ falls short R27" in told
    assert "    └─ since then R32" in told
    assert ask("explain", "L999", code=2)["error"]


def test_impact_tells_what_loses_its_proof(ask: Ask, run: Run) -> None:
    found = ask("impact", PRICES)
    lost, loses = found["lost"], found["loses"]
    assert isinstance(lost, list)
    assert isinstance(loses, list)
    assert ([each["handle"] for each in lost], [each["handle"] for each in loses]) == (["L37"], ["L37a"])
    assert "would lose its proof" in run("impact", PRICES).stdout
    assert "nothing hangs on it" in run("impact", "R5").stdout
    assert ask("impact", "nowhere.py", code=2)["error"]
    assert ask("impact", "U2", code=2)["error"]


def test_a_waiver_lets_the_closeout_pass_until_it_is_withdrawn(ask: Ask) -> None:
    assert ask("closeout", code=1)["verdict"] == "unproven"
    waived = ask("waive", "L37", "--why", "checked by hand")
    assert waived["stored"] == 1
    closeout = ask("closeout")
    assert closeout["verdict"] == "proven"
    claims = closeout["claims"]
    assert isinstance(claims, list)
    assert [claim["waiver"] for claim in claims if claim["status"] == "unproven"] == ["checked by hand"]
    waiver = next(claim["waived"] for claim in claims if claim["status"] == "unproven")
    ask("withdraw", waiver, "--why", "a mistake")
    assert ask("closeout", code=1)["verdict"] == "unproven"
    assert ask("waive", "L999", "--why", "x", code=2)["error"]


def test_nobody_waives_without_the_verb(store: Path) -> None:
    with EvidenceStore.open(store) as opened:
        mission = opened.missions()[0].mission
        narrow = opened.scoped(mission=mission, actors={"agent", "user"}, verbs={READ, RECORD})
        with pytest.raises(ScopeError):
            narrow.waive("L37", "x", mission=mission)
        assert opened.waive("L37", "x", mission=mission).stored == 1


def test_graphql_answers_the_same(store: Path) -> None:
    with asking(store, Policy(project="/projects/pricelist")) as served:
        (home,) = mission_ids(served)
        found = served.data(
            """query($m: ID!, $p: String!) {
              impact(mission: $m, of: $p) { happened loses { handle reason } lost { handle nextStep } rests { id } }
              claimExplanation(mission: $m, claim: "L37") { claim { status waived evidence { relation handle } }
                steps { relation handle words depth } }
            }""",
            m=home,
            p=PRICES,
        )
        lacking = 'query($m: ID!) { claimExplanation(mission: $m, claim: "L999") { mission } }'
        assert served.code(lacking, m=home) == "unknown_id"
    impact, explained = (dict(found[name]) for name in ("impact", "claimExplanation"))  # type: ignore[call-overload]
    assert impact["loses"] == [{"handle": "L37a", "reason": "subject_changed"}]
    assert impact["lost"] == [{"handle": "L37", "nextStep": "run again: python -m pytest -q"}]
    assert explained["claim"]["evidence"][1] == {"relation": "falls short", "handle": "R27"}
    assert {step["depth"] for step in explained["steps"]} == {1, 2}
