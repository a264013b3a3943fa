"""What reports tell of the rules behind findings: those that a store goes by, with their severities there.

A finding of a rule that is in no list is of a rule that is known by its id alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.closeout.reports.cleaning import cleaned
from muniment.closeout.rules.listing import MUNIMENT, OFF, ListedRule, listed
from muniment.closeout.rules.registry import DEFAULT, RULES
from muniment.closeout.rules.rulebook import Rulebook
from muniment.closeout.verdict import Finding


def told_rules(rules: Sequence[ListedRule] | None) -> tuple[ListedRule, ...]:
    """Return rules as reports may tell them; None: those that come with Muniment, as they come."""
    if rules is None:
        return tuple(listed(Rulebook(rules=DEFAULT, known=RULES)))
    return tuple(rule if rule.origin == MUNIMENT else cleaned(rule) for rule in rules)


def rule_of(finding: Finding, rules: Sequence[ListedRule]) -> ListedRule:
    """Return the rule that made a finding."""
    named = [rule for rule in rules if rule.id == finding.rule]
    coded = [rule for rule in rules if not finding.rule and finding.code in rule.codes]
    name = finding.rule or finding.code
    alone = ListedRule(id=name, severity=finding.severity, title=name.replace("_", " ").replace("-", " "), origin="")
    return next(iter((*named, *coded)), alone)


def off(rules: Sequence[ListedRule]) -> list[str]:
    """Return the ids of the rules that do not look."""
    return [rule.id for rule in rules if rule.severity == OFF]
