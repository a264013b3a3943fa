"""Profiles and policies: what they say of models, tasks and providers, and how a store's own files come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.errors import UsageError
from muniment.profiles import built_in, built_in_policy, policy_of, profiles_of
from muniment.selection import ViewRequest, policy, profile, select
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import Story

OWN = """
[[model]]
name = "mine"
models = ["my-model*"]
window = 3000
factor = 2.0
budget = 5000
source = "measured here"
"""


def test_each_profile_says_where_its_figures_are_from() -> None:
    known = built_in()
    assert all(len(source) > 20 for source in [m.source for m in known.model] + [t.source for t in known.task])
    assert {"claude", "gpt", "other"} <= {entry.name for entry in known.model}


@pytest.mark.parametrize(
    ("model", "factor"),
    [("claude-opus-4-5", 1.2), ("litellm_proxy/anthropic/Claude-Sonnet-4", 1.2), ("gpt-5.1-codex", 1.0), ("x", 1.2)],
)
def test_a_model_is_found_by_its_name(model: str, factor: float) -> None:
    found = built_in().of_model(model)
    assert found is not None
    assert found.factor == factor


def test_without_a_model_tokens_are_those_of_the_counter() -> None:
    assert built_in().counter(None, o200k()) is o200k()
    assert built_in().budget(None, None) == profile.BUDGET


def test_a_kind_of_task_takes_its_share_and_an_unknown_one_is_refused() -> None:
    assert built_in().budget("claude-opus-4-5", "delegate") * 2 == built_in().budget("claude-opus-4-5", "edit")
    with pytest.raises(UsageError, match="delegate"):
        built_in().budget(None, "cooking")


def test_no_budget_is_above_the_models_window() -> None:
    own = profile.parsed(OWN, "own").before(built_in())
    assert [own.budget("my-model-1", kind) for kind in (None, "review", "delegate")] == [3000, 3000, 1500]


def test_a_stores_own_file_comes_first(tmp_path: Path) -> None:
    assert profiles_of(tmp_path).of_model("my-model-1") == built_in().of_model("my-model-1")
    (tmp_path / "profiles.toml").write_text(OWN)
    found = profiles_of(tmp_path).of_model("my-model-1")
    assert found is not None
    assert (found.name, found.factor) == ("mine", 2.0)
    assert profiles_of(tmp_path).of_model("gpt-5") == built_in().of_model("gpt-5")


@pytest.mark.parametrize("text", ["[[model", "[[model]]\nname = 1", OWN + "sauce = 1", OWN.replace("2.0", "0.0")])
def test_a_file_that_is_no_profile_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "profiles.toml").write_text(text)
    with pytest.raises(UsageError, match=r"profiles\.toml"):
        profiles_of(tmp_path)


@pytest.mark.parametrize("text", ["[[sensitive]]\nlevel = 'odd'", "[[sensitive]]\nlevel = 'secret'\nwords = ['(']"])
def test_a_file_that_is_no_policy_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(UsageError, match=r"policy\.toml"):
        policy_of(tmp_path)


def test_a_view_keeps_within_the_models_own_tokens() -> None:
    story = Story()
    story.run("make", "".join(f"line {i} of the output\n" for i in range(900)))
    counter = built_in().counter("claude-opus-4-5", o200k())
    view = select(story.snapshot(), ViewRequest(budget=2000), counter)
    assert view.estimator == "o200k_base*1.2"
    assert view.tokens == -(-o200k().count(view.text) * 1200 // 1000) <= 2000
    assert len(view.text) < len(select(story.snapshot(), ViewRequest(budget=2000), o200k()).text)


def test_the_store_counts_for_the_model_that_is_named(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        opened = {"kind": "session_opened", "id": "o", "session": "s", "by": "harness"}
        store.record([opened, {"kind": "message", "id": "m", "session": "s", "by": "user", "text": "hello"}])
        mission = store.missions()[0].mission
        plain, dear = store.view(mission), store.view(mission, model="claude-x", kind="question")
    assert (plain.budget, plain.estimator) == (8000, "o200k_base")
    assert (dear.budget, dear.estimator) == (4000, "o200k_base*1.2")


@pytest.mark.parametrize("path", [".env", "app/.env.local", "deploy/key.pem", "/home/u/.ssh/config", "id_rsa"])
def test_files_of_keys_are_withheld_from_most_and_shown_to_a_local_model(path: str) -> None:
    assert built_in_policy().clearance("openai").path(path) == "secret"
    assert built_in_policy().clearance("local").path(path) == ""


@pytest.mark.parametrize("path", ["src/environment.py", "docs/keys.md", "env.py"])
def test_ordinary_files_are_shown_to_all(path: str) -> None:
    assert built_in_policy().clearance("").path(path) == ""


def test_the_first_rule_that_matches_decides() -> None:
    own = policy.parsed("[[sensitive]]\nlevel = 'public'\npaths = ['*/.env.example']", "own").before(built_in_policy())
    assert own.clearance("x").path("a/.env.example") == ""
    assert own.clearance("x").path("a/.env") == "secret"


def test_words_are_replaced_and_lines_stay_as_many() -> None:
    own = policy.parsed("[[sensitive]]\nlevel = 'internal'\nwords = ['(?s)BEGIN.*END']", "own")
    assert own.clearance("x").text("a\nBEGIN\nkey\nEND\nb") == "a\n[withheld: internal]\n\n\nb"
