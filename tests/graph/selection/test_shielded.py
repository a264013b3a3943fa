"""Why a view is as it is tells no more than the view: words, files and outputs that are withheld stay so."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from muniment.model import records as r
from muniment.selection import ViewRequest, policy, select
from muniment.selection.explaining import Explanation, explain
from muniment.selection.shielded import shielded
from muniment.selection.slices import sliced, with_left_out
from muniment.selection.whether import WhyAnswer, why
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

RULES = (
    "[[sensitive]]\nlevel = 'secret'\npaths = ['**/vault/**']\nwords = ['hunter\\d']\n"
    "[[provider]]\nproviders = ['local']\nmost = 'secret'\n"
)
SECRETS = policy.parsed(RULES, "test")


def story() -> Story:
    told = Story()
    told.say("Mend compute_rate and hunter2_login in app.py")
    told.read("app.py", "def compute_rate():\n    return hunter2_login()\n")
    told.read("/repo/vault/master_key.py", "def hunter2_login():\n    return compute_rate\n")
    told.run("cat vault/master_key.py", "def hunter2_login():\n    return compute_rate\n")
    told.run("grep -rn compute_rate", "app.py:1: compute_rate hunter2_login\n")
    told.add(r.DecisionMade(id="d1", by="agent", session=SESSION, choice="Keep hunter2_login in app.py"))
    return told


def asked(told: Story, provider: str) -> tuple[Explanation, dict[str, WhyAnswer]]:
    request = ViewRequest(provider=provider)
    snapshot = told.snapshot()
    reads = sliced(snapshot, request, SECRETS)
    assert reads is not None
    seen = with_left_out(select(reads, request, o200k(), listed=1000), reads, 1000)
    shield = shielded(snapshot, request, SECRETS)
    ids = [record.id for record in told.records[1:]]
    paths = ["/repo/vault/master_key.py", "app.py"]
    assert provider == "local" or "master_key" not in msgspec.json.encode(seen).decode()
    return explain(shield, seen, request, o200k()), {each: why(shield, seen, request, each) for each in [*ids, *paths]}


def test_an_explanation_names_nothing_that_is_withheld() -> None:
    explanation, answers = asked(story(), "cloud")
    told = msgspec.json.encode([explanation, list(answers.values())]).decode()
    assert "hunter2" not in told
    assert "master_key" not in told


def test_with_clearance_all_of_it_is_named() -> None:
    explanation, answers = asked(story(), "local")
    told = msgspec.json.encode([explanation, list(answers.values())]).decode()
    assert "hunter2" in told
    assert "master_key" in told


def test_who_asks_for_a_withheld_thing_is_told_that_it_is_withheld() -> None:
    _, answers = asked(story(), "cloud")
    withheld = {wanted for wanted, found in answers.items() if found.answer == "withheld"}
    assert withheld == {"r3", "c4", "/repo/vault/master_key.py"}
    assert answers["/repo/vault/master_key.py"].path is None
    assert answers["app.py"].answer in ("shown", "shortened")
    assert answers["app.py"].path == "app.py"


def test_what_a_slice_does_without_is_not_needed() -> None:
    told = Story()
    told.say("Mend compute_rate()")
    apart = told.run("git log --oneline", "abc first\n")
    request = ViewRequest(slice=True)
    snapshot = told.snapshot()
    reads = sliced(snapshot, request, SECRETS)
    assert reads is not None
    seen = with_left_out(select(reads, request, o200k(), listed=1000, needed=reads.needs), reads, 1000)
    assert why(shielded(snapshot, request, SECRETS), seen, request, apart).answer == "not_needed"


@pytest.mark.parametrize("provider", ["cloud", "local"])
def test_the_stores_verbs_obey_its_policy(tmp_path: Path, provider: str) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        (tmp_path / "store" / "policy.toml").write_text(RULES, encoding="utf-8")
        store.record(story().records)
        mission = store.missions()[0].mission
        told = msgspec.json.encode(
            [store.explain(mission, provider=provider), store.why("app.py", mission=mission, provider=provider)]
        ).decode()
        assert ("hunter2" in told) == (provider == "local")
        assert (store.why("/repo/vault/master_key.py", mission=mission, provider=provider).answer == "withheld") == (
            provider == "cloud"
        )
