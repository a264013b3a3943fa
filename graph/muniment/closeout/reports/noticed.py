"""What a closeout noticed, as forges and analysers show it: a title, a message, and where in the code it is.

One for each finding, in the closeout's order. Where a finding is the verdict on a claim, it tells the claim, why, by
what, and the next step.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.rule_facts import rule_of
from muniment.closeout.reports.text import reasons
from muniment.closeout.rules.listing import ListedRule
from muniment.closeout.verdict import CONTRADICTED, PROVEN, ClaimVerdict, Finding
from muniment.describing import one_line

TITLE = 80
CLAIM = 300


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, told in full. `path` is relative to its workspace; `lines` (first, last) are current ones;
    `ids` what it is about; `next_step` what would help.
    """

    rule: ListedRule
    code: str
    severity: str
    title: str
    message: str
    ids: tuple[str, ...]
    path: str | None = None
    lines: tuple[int, int] | None = None
    claim: ClaimVerdict | None = None


def noticed(dossier: Dossier) -> Iterator[Noticed]:
    """Yield what a closeout noticed."""
    claims = {claim.id: claim for claim in dossier.closeout.claims}
    for finding in dossier.closeout.findings:
        claim = claims.get(finding.ids[0]) if finding.ids else None
        if claim is not None and claim.status != PROVEN and finding.code == (claim.reason or CONTRADICTED):
            yield _of_claim(dossier, finding, claim)
        else:
            yield _of_finding(dossier, finding)


def _of_claim(dossier: Dossier, finding: Finding, claim: ClaimVerdict) -> Noticed:
    said = f"{claim.handle} {claim.type}, {claim.status}: {one_line(claim.text, CLAIM)}"
    causes = [dossier.things[each] for each in claim.because if each in dossier.things]
    path = claim.path or next((thing.path for thing in causes if thing.path), None)
    return Noticed(
        rule=rule_of(finding, dossier.rules),
        code=finding.code,
        severity=finding.severity,
        title=f"{claim.status} claim {claim.handle}",
        message="\n".join([said, *reasons(dossier, claim)]),
        ids=finding.ids,
        path=None if path is None else dossier.relative(path),
        lines=dossier.places.get(claim.id) if path == claim.path else None,
        claim=claim,
    )


def _of_finding(dossier: Dossier, finding: Finding) -> Noticed:
    things = [dossier.things[each] for each in finding.ids if each in dossier.things]
    path = next((thing.path for thing in things if thing.path), None)
    return Noticed(
        rule=rule_of(finding, dossier.rules),
        code=finding.code,
        severity=finding.severity,
        title=one_line(rule_of(finding, dossier.rules).title, TITLE),
        message=finding.message,
        ids=finding.ids,
        path=None if path is None else dossier.relative(path),
    )
