"""What reports tell of the rules behind findings: id, title, reason, remedy, severity.

A rule that a user wrote is known by its id alone.
"""

from __future__ import annotations

import msgspec

from muniment.closeout.rules.registry import BY_CODE, BY_ID, RULES
from muniment.closeout.rules.rule import Rule
from muniment.closeout.verdict import Finding


class RuleFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, as reports tell it."""

    id: str
    title: str
    why: str = ""
    fix: str = ""
    severity: str = "error"
    tags: tuple[str, ...] = ()


def all_rules() -> list[RuleFacts]:
    """Return the rules that come with Muniment, in their order."""
    return [_facts(rule) for rule in RULES]


def rule_of(finding: Finding) -> RuleFacts:
    """Return the rule that made a finding."""
    rule = BY_ID.get(finding.rule) or BY_CODE.get(finding.code)
    if rule is not None:
        return _facts(rule)
    name = finding.rule or finding.code
    return RuleFacts(id=name, title=name.replace("_", " ").replace("-", " "))


def _facts(rule: Rule) -> RuleFacts:
    return RuleFacts(
        id=rule.id, title=rule.title, why=rule.why, fix=rule.fix, severity=rule.severity, tags=tuple(rule.tags)
    )
