"""The registry: each rule is whole, has a name of its own, and every shortcoming of a claim is of some rule."""

from __future__ import annotations

import re

import pytest

from muniment.closeout.judge import judge
from muniment.closeout.rules.registry import BY_CODE, DEFAULT, RULES
from muniment.closeout.rules.rule import SEVERITIES, Rule
from muniment.closeout.rules.ruleset import RuleSet, chosen
from muniment.closeout.verdict import CONTRADICTED, REASONS
from muniment.errors import UsageError
from tests.support.claims import Case


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_says_why_it_is_there_and_how_to_fix_what_it_finds(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", rule.id)
    assert rule.severity in SEVERITIES
    assert rule.tags
    assert rule.title
    assert not rule.title.endswith(".")
    assert all(text.endswith(".") and len(text) > 20 for text in (rule.why, rule.fix))
    assert not rule.sound or rule.severity == "error"


def test_no_id_tag_or_code_means_two_rules() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
    assert not set(ids) & {tag for rule in RULES for tag in rule.tags}
    codes = [code for rule in RULES for code in {rule.code, *rule.codes}]
    assert len(codes) == len(set(codes))


def test_every_reason_of_an_unproven_claim_is_a_code_of_a_rule_about_proof() -> None:
    assert [reason for reason in (*REASONS, CONTRADICTED) if reason not in BY_CODE] == []
    assert all(BY_CODE[reason].sound for reason in (*REASONS, CONTRADICTED))


def test_a_finding_names_its_rule() -> None:
    case = Case()
    case.claim("tests_pass")
    case.task("Open")
    assert {(found.rule, found.code) for found in case.closeout().findings} == {
        ("unsupported-claim", "no_receipt"),
        ("task-open", "task_open"),
    }


def test_an_empty_set_of_rules_fails_and_the_usual_one_passes() -> None:
    case = Case()
    case.claim("tests_pass", case.tests())
    empty = judge(case.snapshot(), rules=RuleSet(rules=()))
    assert (empty.verdict, empty.passed) == ("proven", False)
    assert [(found.code, found.severity) for found in empty.findings] == [("no_rules", "error")]
    assert judge(case.snapshot(), rules=DEFAULT).passed


def test_selecting_nothing_is_an_empty_set() -> None:
    assert chosen(RULES, select=[]).rules == ()
    assert chosen(RULES).rules == RULES


def test_rules_are_chosen_by_id_tag_and_all() -> None:
    def ids(**given: list[str]) -> set[str]:
        return {rule.id for rule in chosen(RULES, **given).rules if not rule.sound}  # type: ignore[arg-type]

    everything = {rule.id for rule in RULES if not rule.sound}
    assert ids(select=["all"]) == everything
    assert ids(select=["task-open"]) == {"task-open"}
    assert ids(select=["record"]) == {"known-loss", "conflict"}
    assert ids(ignore=["task-open"]) == everything - {"task-open"}
    assert ids(select=["work"], ignore=["task-open"]) == ids(select=["work"]) - {"task-open"}


def test_what_is_about_proof_is_always_looked_at() -> None:
    sound = {rule.id for rule in RULES if rule.sound}
    for rules in (chosen(RULES, select=["task-open"]), chosen(RULES, ignore=["all"]), chosen(RULES, ignore=["proof"])):
        assert sound <= {rule.id for rule in rules.rules}


def test_a_rule_about_proof_cannot_be_ignored_or_made_milder() -> None:
    with pytest.raises(UsageError, match="stale-receipt is about proof and cannot be ignored"):
        chosen(RULES, ignore=["stale-receipt"])
    with pytest.raises(UsageError, match="stale-receipt is about proof and stays an error"):
        chosen(RULES, severities={"stale-receipt": "note"})
    assert chosen(RULES, severities={"stale-receipt": "error"}).severities == {"stale-receipt": "error"}


def test_what_is_not_known_is_refused_with_what_there_is() -> None:
    with pytest.raises(UsageError, match="no rule 'task-opn'; did you mean task-open"):
        chosen(RULES, select=["task-opn"])
    with pytest.raises(UsageError, match="no rule 'x'"):
        chosen(RULES, ignore=["x"])
    with pytest.raises(UsageError, match="severity 'fatal' of task-open: there are error, warning, note"):
        chosen(RULES, severities={"task-open": "fatal"})
    with pytest.raises(UsageError, match="no rule 'nope'"):
        chosen(RULES, severities={"nope": "note"})


def test_the_severity_that_is_set_decides_whether_a_finding_blocks() -> None:
    case = Case()
    case.claim("tests_pass", case.tests())
    case.task("Open")
    assert judge(case.snapshot()).passed
    strict = judge(case.snapshot(), rules=chosen(RULES, severities={"task-open": "error"}))
    assert not strict.passed
    assert [(found.rule, found.severity) for found in strict.findings] == [("task-open", "error")]
    assert judge(case.snapshot(), rules=chosen(RULES, severities={"task-open": "note"})).passed
    assert judge(case.snapshot(), rules=chosen(RULES, ignore=["task-open"])).findings == ()
