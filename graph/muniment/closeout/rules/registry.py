"""The registry: all rules that come with Muniment, in the order in which people read them."""

from __future__ import annotations

from typing import Final

from muniment.closeout.rules.of_artifacts import ARTIFACT_RULES
from muniment.closeout.rules.of_claims import CLAIM_RULES
from muniment.closeout.rules.of_constraints import CONSTRAINT_RULES
from muniment.closeout.rules.of_outputs import OUTPUT_RULES
from muniment.closeout.rules.of_record import RECORD_RULES
from muniment.closeout.rules.of_support import SUPPORT_RULES
from muniment.closeout.rules.of_tasks import WORK_RULES
from muniment.closeout.rules.of_writes import WRITE_RULES
from muniment.closeout.rules.rule import Rule
from muniment.closeout.rules.ruleset import RuleSet

RULES: Final[tuple[Rule, ...]] = (
    *CLAIM_RULES,
    *SUPPORT_RULES,
    *ARTIFACT_RULES,
    *CONSTRAINT_RULES,
    *WORK_RULES,
    *WRITE_RULES,
    *OUTPUT_RULES,
    *RECORD_RULES,
)
"""All rules."""

BY_ID: Final[dict[str, Rule]] = {rule.id: rule for rule in RULES}
BY_CODE: Final[dict[str, Rule]] = {code: rule for rule in RULES for code in (rule.code, *rule.codes)}
"""Code of a finding → the rule that it is of; codes of losses that no rule lists are of `known-loss`."""

DEFAULT: Final = RuleSet(rules=RULES)
"""What looks where nothing else is set."""
