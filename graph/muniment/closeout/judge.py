"""The judge: which rule judges which claim, and the verdict on all of them.

* Pure: the same snapshot gives the same closeout, byte for byte.
* A claim of a type that no rule knows is unproven: an unknown word proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muniment.closeout.claims import CRITERION, claims_of
from muniment.closeout.evidence import Evidence
from muniment.closeout.rules.judging.absences import absent_in_file, file_absent
from muniment.closeout.rules.judging.artifacts import artifact_exists
from muniment.closeout.rules.judging.files import file_written, present_in_file, unchanged
from muniment.closeout.rules.judging.observed import observed
from muniment.closeout.rules.judging.only import only_changed
from muniment.closeout.rules.judging.others import delegation_done, matches_reference, stated
from muniment.closeout.rules.judging.runs import FAMILIES, rule_for
from muniment.closeout.rules.judging.wholes import criterion_met, fact_current, task_done
from muniment.closeout.rules.registry import DEFAULT
from muniment.closeout.rules.rule import Inquiry
from muniment.closeout.rules.ruleset import RuleSet
from muniment.closeout.rules.running import findings_of
from muniment.closeout.support import in_words, steps_of
from muniment.closeout.verdict import UNPROVEN, ClaimVerdict, Closeout, Ruling, overall
from muniment.closeout.waivers import waiver_of
from muniment.model.nodes import Claim
from muniment.model.packing import writable
from muniment.snapshot import Snapshot

Rule = Callable[[Evidence, Claim], Ruling]

RULES: Final[dict[str, Rule]] = {
    **{kind: rule_for(family) for kind, family in FAMILIES.items()},
    "file_written": file_written,
    "present_in_file": present_in_file,
    "absent_in_file": absent_in_file,
    "file_absent": file_absent,
    "unchanged": unchanged,
    "stated": stated,
    "delegation_done": delegation_done,
    "matches_reference": matches_reference,
    "artifact_exists": artifact_exists,
    "only_changed": only_changed,
    "observed": observed,
    "task_done": task_done,
    "fact_current": fact_current,
    CRITERION: criterion_met,
}
"""Type of claim → the rule that judges it."""


def judge(snapshot: Snapshot, *, task: str | None = None, head: str = "", rules: RuleSet = DEFAULT) -> Closeout:
    """Return the verdict on a mission's claims, or on those of one task, as of the snapshot, and what `rules` notice.

    Raises:
        UnknownIdError: no task of the mission has the id `task`.
    """
    evidence = Evidence(snapshot, ruling_on)
    claims = claims_of(snapshot, task)
    verdicts = [verdict_on(evidence, claim) for claim in claims]
    inquiry = Inquiry(evidence=evidence, claims=tuple(claims), verdicts=tuple(verdicts), options=rules.options)
    closeout = Closeout(
        mission=snapshot.mission,
        verdict=overall(verdicts),
        claims=tuple(verdicts),
        findings=tuple(findings_of(inquiry, rules)),
        head=head,
        ordinal=snapshot.ordinal,
    )
    return writable(closeout)


def ruling_on(evidence: Evidence, claim: Claim) -> Ruling:
    """Return what the rule of a claim's type says of it."""
    return RULES.get(claim.type, _unknown_type)(evidence, claim)


def verdict_on(evidence: Evidence, claim: Claim) -> ClaimVerdict:
    """Return the verdict on one claim, with the way to what shows it."""
    ruling = evidence.ruling(claim)
    waiver = waiver_of(evidence, claim, ruling)
    return ClaimVerdict(
        id=claim.id,
        record=claim.record,
        handle=claim.handle,
        type=claim.type,
        text=evidence.text(claim.text) or in_words(claim),
        status=ruling.status,
        reason=ruling.reason,
        by=ruling.by,
        via=ruling.via,
        receipt=ruling.receipt,
        because=ruling.because,
        path=ruling.path,
        names=ruling.names,
        covered=ruling.covered,
        total=ruling.total,
        next_step=ruling.next_step,
        inferred=claim.inferred,
        waived=waiver.id if waiver is not None else None,
        waiver=evidence.text(waiver.text) if waiver is not None else "",
        evidence=steps_of(evidence, claim, ruling, waiver),
    )


def _unknown_type(_: Evidence, claim: Claim) -> Ruling:
    known = ", ".join(sorted(RULES))
    return Ruling(status=UNPROVEN, reason="no_receipt", next_step=f"claim one of {known}: {claim.type!r} is not known")
