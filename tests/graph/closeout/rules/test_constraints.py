"""Constraints read out of texts: plain imperatives of acts and paths, and nothing that only sounds like one."""

from __future__ import annotations

import pytest

from muniment.closeout.rules.constraints import constraints_in

STATED = [
    ("Never push.", "act", ("push",)),
    ("never push to the remote", "act", ("push",)),
    ("Please don't commit or push anything", "act", ("commit", "push")),
    ("Fix it, but don't commit yet.", "act", ("commit",)),
    ("You must never force-push.", "act", ("force-push",)),
    ("Never force-push, use snake_case, and say so when you are done.", "act", ("force-push",)),
    ("Don't open a PR.", "act", ("pull-request",)),
    ("Do not install any package as you are in a container.", "act", ("install",)),
    ("Don't touch vendor/ or `src/gen.py`.", "path", ("vendor/", "src/gen.py")),
    ("Do not edit the files under `legacy/old`.", "path", ("legacy/old",)),
    ("Don't delete config.yaml", "path", ("config.yaml",)),
    ("Don't change the contents of the dist folder.", "path", ("dist",)),
    ("Do not edit generated files.", "generated", ()),
    ("- Do not modify the existing tests", "tests", ()),
    ("DO NOT MODIFY: tests, configuration files", "tests", ()),
    ("Do not change anything outside of `src/app`.", "outside", ("src/app",)),
    ("Only modify files in `src/`.", "outside", ("src/",)),
    ("Never run `npm install`.", "command", ("npm install",)),
    ("Never `git stash`!", "command", ("git stash",)),
    ("must run make lint before done", "run", ("make lint",)),
    ("You must run `make lint` before you finish.", "run", ("make lint",)),
    ("Before committing, always run `make lint`.", "run", ("make lint",)),
]


@pytest.mark.parametrize(("text", "kind", "what"), STATED)
def test_a_plain_imperative_is_a_constraint(text: str, kind: str, what: tuple[str, ...]) -> None:
    assert [(found.kind, found.what) for found in constraints_in(text)] == [(kind, what)]


NONE = [
    "You don't have to push.",
    "If the tests fail, don't push.",
    "Don't push if the tests fail.",
    "Why don't you push?",
    "Should I never push?",
    'He said "never push".',
    "> never push",
    "```\nnever push\n```",
    "The function should not modify `foo.py`.",
    "Don't modify `foo.py` to add X.",
    "Don't push values onto the stack.",
    "Don't commit secrets.",
    "Do not commit the transaction twice.",
    "Never use `any` here.",
    "Don't use `utils.py` as a model.",
    "This means you DON'T have to modify the testing logic or any of the tests in any way!",
    "Do not use `git reset --hard` on shared checkouts.",
    "I don't push on Fridays.",
    "We never edit vendor/ files, do we?",
    "Run `make lint`.",
    "Don't change the names of existing functions.",
    "Don't read and/or write more than needed.",
]


@pytest.mark.parametrize("text", NONE)
def test_what_only_sounds_like_one_is_none(text: str) -> None:
    assert constraints_in(text) == ()


@pytest.mark.parametrize(
    ("text", "consent"),
    [("Never push.", False), ("Never push unless I ask you to.", True), ("Don't commit without my approval.", True)],
)
def test_what_holds_until_the_user_agrees_is_marked(text: str, consent: bool) -> None:
    assert [found.consent for found in constraints_in(text)] == [consent]


def test_a_limit_that_is_no_consent_makes_no_constraint() -> None:
    assert constraints_in("Never push until the build is green.") == ()


def test_a_branch_that_must_not_be_pushed_to_is_named() -> None:
    assert [(found.what, found.to) for found in constraints_in("Never push directly to `main`.")] == [
        (("push",), "main")
    ]
    assert constraints_in("Never push directly to `topic`.") == ()


def test_by_hand_and_removal_are_told() -> None:
    [by_hand] = constraints_in("Don't edit `schema.graphql` by hand.")
    [removal] = constraints_in("Never delete or rename `schema.graphql`.")
    assert (by_hand.by_hand, by_hand.removal) == (True, False)
    assert (removal.by_hand, removal.removal) == (False, True)


def test_the_sentence_is_quoted_as_it_was_written() -> None:
    [found] = constraints_in("Some words first.\nDon't touch `a/b.py`. More words.")
    assert found.quote == "Don't touch `a/b.py`."


@pytest.mark.parametrize(
    "text", ["never " * 50_000, "don't touch " + "a/" * 50_000, "`" * 100_000, "do not edit " * 9000]
)
def test_any_text_is_read_in_little_time(text: str) -> None:
    constraints_in(text)
