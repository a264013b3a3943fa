"""Breaches of constraints: what was done after a user forbade it, and controls for each."""

from __future__ import annotations

import pytest

from muniment.closeout.judge import judge
from muniment.closeout.rules.registry import RULES
from muniment.closeout.rules.rule import Options
from muniment.closeout.rules.ruleset import RuleSet
from muniment.closeout.verdict import Finding
from muniment.model import records as r
from tests.support.doings import Doings
from tests.support.graphs import SESSION


def breaches(story: Doings) -> list[tuple[str, list[str]]]:
    """Return the messages of breaches, with the records that they name."""
    return [found for rule, *found in _findings(story, Options()) if rule == "constraint-breached"]  # type: ignore[misc]


def noticed(story: Doings, rule: str, options: Options) -> list[str]:
    return [message for found, message, _ in _findings(story, options) if found == rule]


def _findings(story: Doings, options: Options) -> list[tuple[str, str, list[str]]]:
    snapshot = story.snapshot()
    judged = judge(snapshot, rules=RuleSet(rules=RULES, options=options))
    assert all(f.severity == "error" for f in judged.findings if "constraint" in f.rule)
    return [(f.rule, f.message, _records(snapshot, f)) for f in judged.findings]


def _records(snapshot: object, finding: Finding) -> list[str]:
    nodes = [snapshot.node(each) for each in finding.ids]  # type: ignore[attr-defined]
    return [node.record for node in nodes if node is not None]


def test_a_push_after_never_push_is_a_breach_that_names_both_records() -> None:
    story = Doings()
    said = story.say("Fix the bug. Never push.")
    pushed = story.ran("cd /repo && git push origin topic")
    [(message, records)] = breaches(story)
    assert records == [pushed, said]
    assert "did push" in message
    assert "Never push." in message


@pytest.mark.parametrize(
    "command",
    [
        "echo 'git push'",
        "grep -rn 'git push' docs",
        "git push --dry-run",
        "git log --oneline",
        "git commit -m 'do not git push'",
        "cat > notes.md <<'EOF'\ngit push\nEOF",
    ],
)
def test_a_mention_is_no_push(command: str) -> None:
    story = Doings()
    story.say("Never push.")
    story.ran(command)
    assert breaches(story) == []


def test_a_push_before_the_constraint_one_that_failed_and_one_refused_are_no_breach() -> None:
    story = Doings()
    story.ran("git push")
    story.say("Never push.")
    story.ran("git push", "rejected", exit_code=1)
    story.ran("git push", "denied", status="refused")
    assert breaches(story) == []


def test_only_the_users_own_words_bind() -> None:
    story = Doings()
    story.say("Never push.", by="agent", role="answer")
    story.ran("cat CONTRIBUTING.md", "Never push.")
    story.ran("git push")
    assert breaches(story) == []


def test_a_fact_binds_until_it_is_withdrawn() -> None:
    story = Doings()
    fact = story.fact("never push")
    story.ran("git push")
    assert len(breaches(story)) == 1
    story.add(r.Withdrawal(id="w", by="user", session=SESSION, target=fact, text="done"))
    assert breaches(story) == []


def test_what_the_user_says_of_it_later_lifts_it_from_there_on() -> None:
    story = Doings()
    story.say("Don't push yet.")
    early = story.ran("git push")
    story.say("Looks good, push it now.")
    story.ran("git push")
    assert [records[0] for _, records in breaches(story)] == [early]


def test_saying_it_again_lifts_nothing() -> None:
    story = Doings()
    story.say("Don't push.")
    story.say("I said: don't push.")
    story.ran("git push")
    assert len(breaches(story)) == 2


def test_consent_may_be_any_later_word() -> None:
    story = Doings()
    story.say("Never commit without my approval.")
    first = story.ran("git commit -m one")
    story.say("Yes.")
    story.ran("git commit -m two")
    assert [records[0] for _, records in breaches(story)] == [first]


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("Never force-push.", "git push --force-with-lease"),
        ("Don't amend commits.", "git commit --amend --no-edit"),
        ("Never rebase.", "git -C sub rebase main"),
        ("Don't open a pull request.", "gh pr create --fill"),
        ("Never push to main.", "git push origin HEAD:main"),
        ("Don't install new packages.", "python -m pip install requests"),
        ("Don't run `npm audit fix`.", "npm audit fix --force"),
        ("Never use `sed`.", "sed -i s/a/b/ x.txt"),
    ],
)
def test_each_act_is_recognised(said: str, done: str) -> None:
    story = Doings()
    story.say(said)
    story.ran(done)
    assert len(breaches(story)) == 1


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("Never force-push.", "git push"),
        ("Don't amend commits.", "git commit -m x"),
        ("Never rebase.", "git rebase --abort"),
        ("Don't open a pull request.", "gh pr list"),
        ("Never push to main.", "git push origin topic"),
        ("Don't install new packages.", "pip install -r requirements.txt"),
        ("Don't install new packages.", "pip install -e ."),
        ("Don't run `npm audit fix`.", "npm audit"),
        ("Never use `sed`.", "grep sed x.txt"),
    ],
)
def test_an_act_beside_it_is_none(said: str, done: str) -> None:
    story = Doings()
    story.say(said)
    story.ran(done)
    assert breaches(story) == []


def test_a_user_may_waive_what_was_done_and_nobody_else() -> None:
    story = Doings()
    story.say("Never push.")
    first = story.ran("git push")
    story.add(r.Waiver(id="w1", by="agent", session=SESSION, target=first, text="fine"))
    assert len(breaches(story)) == 1
    story.add(r.Waiver(id="w2", by="user", session=SESSION, target=first, text="fine"))
    assert breaches(story) == []
    second = story.ran("git push")
    assert [records[0] for _, records in breaches(story)] == [second]


def test_a_write_to_a_forbidden_path_is_a_breach_and_a_read_is_none() -> None:
    story = Doings()
    said = story.say("Don't touch vendor/.")
    story.shown("/repo/vendor/lib.py")
    story.ran("cat vendor/lib.py", "line 1\n")
    story.wrote("/repo/src/vendor.py", "x = 1\n")
    assert breaches(story) == []
    edit = story.edited("/repo/vendor/lib.py", 2, ["line 2"], ["changed"])
    assert [records for _, records in breaches(story)] == [[edit, said]]


def test_a_file_that_holds_again_what_it_held_is_no_breach() -> None:
    story = Doings()
    story.wrote("/repo/vendor/lib.py", "one\ntwo\n")
    story.say("Don't touch vendor/.")
    story.wrote("/repo/vendor/lib.py", "other\n")
    assert len(breaches(story)) == 1
    story.wrote("/repo/vendor/lib.py", "one\ntwo\n")
    assert breaches(story) == []


def test_a_change_from_outside_is_not_the_agents() -> None:
    story = Doings()
    story.say("Don't touch vendor/.")
    story.outside("/repo/vendor/lib.py", "other\n")
    assert breaches(story) == []


def test_a_file_that_the_user_names_later_may_be_changed() -> None:
    story = Doings()
    story.say("Don't touch vendor/.")
    story.say("OK, then fix lib.py there.")
    story.wrote("/repo/vendor/lib.py", "other\n")
    assert breaches(story) == []


def test_only_removing_breaks_a_ban_on_deleting() -> None:
    story = Doings()
    story.wrote("/repo/config.yaml", "a: 1\n")
    story.say("Never delete config.yaml.")
    story.wrote("/repo/config.yaml", "a: 2\n")
    assert breaches(story) == []
    story.ran("rm config.yaml")
    assert len(breaches(story)) == 1


def test_a_write_outside_of_what_was_allowed() -> None:
    story = Doings()
    story.shown("/repo/setup.cfg")
    story.say("Only modify files in `src/`.")
    story.edited("/repo/src/a.py", 1, ["line 1"], ["x"])
    story.wrote("/repo/notes.md", "new\n")
    assert breaches(story) == []
    story.edited("/repo/setup.cfg", 1, ["line 1"], ["x"])
    assert len(breaches(story)) == 1


def test_existing_tests_must_stay_and_new_ones_may_come() -> None:
    story = Doings()
    story.shown("/repo/tests/test_a.py")
    story.say("Do not modify the tests.")
    story.wrote("/repo/tests/test_new.py", "def test_x(): ...\n")
    story.edited("/repo/src/a.py", 1, ["line 1"], ["x"])
    assert breaches(story) == []
    story.edited("/repo/tests/test_a.py", 1, ["line 1"], ["x"])
    assert len(breaches(story)) == 1


def test_generated_files_may_be_generated_and_not_edited() -> None:
    story = Doings()
    head = "# Code generated by protoc. DO NOT EDIT.\nx = 1\n"
    story.wrote("/repo/a.py", head)
    story.say("Never edit generated files.")
    story.wrote("/repo/b.py", "x = 1\n")
    assert breaches(story) == []
    story.edited("/repo/a.py", 2, ["x = 1"], ["x = 2"])
    assert len(breaches(story)) == 1


def test_what_a_command_may_write_an_edit_may_not() -> None:
    story = Doings()
    story.say("Don't edit `schema.graphql` by hand.")
    story.ran("printf 'type Query\\n' > schema.graphql")
    assert breaches(story) == []
    edit = story.wrote("/repo/schema.graphql", "type Other\n")
    assert [records[0] for _, records in breaches(story)] == [edit]


def test_a_required_command_has_to_be_run_after_the_last_change() -> None:
    story = Doings()
    said = story.say("You must run `make lint` before you are done.")
    assert breaches(story) == []
    story.wrote("/repo/a.py", "x = 1\n")
    assert [(records, "was not run" in message) for message, records in breaches(story)] == [([said], True)]
    run = story.ran("make lint", effect="none")
    assert breaches(story) == []
    change = story.wrote("/repo/a.py", "x = 2\n")
    [(message, records)] = breaches(story)
    assert records == [run, change, said]
    assert "files changed" in message


def test_a_required_command_that_failed_is_not_enough() -> None:
    story = Doings()
    story.say("You must run `make lint` before you are done.")
    story.wrote("/repo/a.py", "x = 1\n")
    story.ran("make lint", exit_code=2, effect="none")
    [(message, _)] = breaches(story)
    assert "failed" in message


def test_a_required_command_comes_before_each_commit() -> None:
    story = Doings()
    story.say("Before committing, always run `make lint`.")
    story.wrote("/repo/a.py", "x = 1\n")
    commit = story.ran("git commit -am one", effect="none")
    assert [records[0] for _, records in breaches(story)] == [commit]
    story.wrote("/repo/a.py", "x = 2\n")
    story.ran("make lint && git commit -am two", effect="none")
    assert [records[0] for _, records in breaches(story)] == [commit]


def test_the_settings_forbid_paths() -> None:
    options = Options(forbidden_paths=("*.lock", "infra/"))
    story = Doings()
    story.wrote("/repo/src/a.py", "x = 1\n")
    story.shown("/repo/uv.lock")
    assert noticed(story, "forbidden-path", options) == []
    story.wrote("/repo/uv.lock", "x\n")
    story.wrote("/repo/infra/deep/main.tf", "x\n")
    assert len(noticed(story, "forbidden-path", options)) == 2
    assert noticed(story, "forbidden-path", Options()) == []


def test_the_settings_require_commands() -> None:
    options = Options(required_commands=("make lint",))
    story = Doings()
    assert noticed(story, "required-command", options) == []
    story.wrote("/repo/a.py", "x = 1\n")
    assert len(noticed(story, "required-command", options)) == 1
    story.ran("make lint | tail -1", effect="none", own_status=False)
    [message] = noticed(story, "required-command", options)
    assert "not known" in message
    story.ran("make lint", effect="none")
    assert noticed(story, "required-command", options) == []
