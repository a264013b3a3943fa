"""Waivers: what a user accepts without proof.

* Only a user waives: a waiver of anybody else is refused when it is recorded, and is none.
* It is of a claim, of a criterion, or of a task with all that is claimed of it; by a node's id, a record's or a handle.
* It covers what was known when it was given: what a later receipt contradicts is not waived any more.
"""

from __future__ import annotations

from muniment.closeout.evidence import Evidence
from muniment.closeout.verdict import CONTRADICTED, PROVEN, Ruling
from muniment.model.nodes import WAIVER, Claim, Fact, Task


def waivers_of(evidence: Evidence) -> list[Fact]:
    """Return the waivers in force, oldest first."""
    snapshot = evidence.snapshot
    facts = (fact for fact in snapshot.of_kind(Fact) if fact.class_ == WAIVER and fact.by == "user")
    return [fact for fact in facts if evidence.stands(fact) and not snapshot.ended(fact.id)]


def waiver_of(evidence: Evidence, claim: Claim, ruling: Ruling) -> Fact | None:
    """Return the newest waiver of a claim that is not proven, None where there is none."""
    if ruling.status == PROVEN:
        return None
    against = [node.ordinal for proof in ruling.by if (node := evidence.snapshot.node(proof)) is not None]
    since = max(against, default=0) if ruling.status == CONTRADICTED else 0
    names = _names(evidence, claim)
    found = [fact for fact in waivers_of(evidence) if fact.target in names and fact.ordinal >= since]
    return found[-1] if found else None


def _names(evidence: Evidence, claim: Claim) -> frozenset[str]:
    """Return all by which a claim may be waived: its own names, its criterion's and its task's."""
    names = {claim.id, claim.record, claim.handle}
    for wanted in (claim.target, claim.task):
        node = evidence.find(wanted) if wanted is not None else None
        if isinstance(node, Fact | Task):
            names |= {node.id, node.record, node.handle}
    return frozenset(names)
