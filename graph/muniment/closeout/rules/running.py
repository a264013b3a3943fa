"""Running rules: what a set of rules notices, as findings in their order.

* No rule at all is an error of its own: a closeout that looks at nothing proves nothing.
* Order: errors, warnings, notes; within them by code, then by ids.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.closeout.rules.cypher import FAILED
from muniment.closeout.rules.rule import ERROR, SEVERITIES, Inquiry, Noticed, Rule
from muniment.closeout.rules.ruleset import RuleSet
from muniment.closeout.verdict import Closeout, Finding

NO_RULES = "no_rules"
_NOTHING_LOOKED_AT = "no rule is selected, so nothing was looked at: select some, or leave `select` out for all"


def findings_of(inquiry: Inquiry, rules: RuleSet) -> list[Finding]:
    """Return what the rules notice, in order."""
    if not rules.rules:
        return [Finding(code=NO_RULES, severity=ERROR, message=_NOTHING_LOOKED_AT, rule="no-rules")]
    found = [_finding(rule, noticed, rules) for rule in rules.rules for noticed in rule.check(inquiry)]
    return _ordered([*found, *rules.faults])


def with_findings(closeout: Closeout, more: Iterable[Finding]) -> Closeout:
    """Return a closeout with further findings in their places."""
    return msgspec.structs.replace(closeout, findings=tuple(_ordered([*closeout.findings, *more])))


def _finding(rule: Rule, noticed: Noticed, rules: RuleSet) -> Finding:
    code = noticed.code or rule.code
    severity = rules.severities.get(rule.id) or noticed.severity or rule.severity
    if code == FAILED:  # a rule that failed has looked at nothing: that is never a pass
        severity = ERROR
    return Finding(code=code, severity=severity, message=noticed.message, ids=noticed.ids, rule=rule.id)


def _ordered(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.code, finding.ids))
