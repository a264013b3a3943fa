"""Explaining: the whole chain behind a claim, from where it was said to what its receipts are about.

* The verdict is the one of a closeout; the steps go deeper: below each receipt stand the call that asked for it, the
  files that it is about, and what has changed since; below a whole the claims that it is made of.
"""

from __future__ import annotations

import msgspec

from muniment.closeout.claims import asked_by, claims_of
from muniment.closeout.evidence import Evidence
from muniment.closeout.judge import ruling_on, verdict_on
from muniment.closeout.support import steps_of
from muniment.closeout.verdict import ClaimVerdict, Step
from muniment.closeout.waivers import waiver_of
from muniment.errors import AmbiguousIdError, UnknownIdError
from muniment.model.nodes import Claim, Fact
from muniment.snapshot import Snapshot


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a claim, and the chain behind it; a step of depth n hangs on the last one of depth n - 1."""

    mission: str
    claim: ClaimVerdict
    steps: tuple[Step, ...]


def explain(snapshot: Snapshot, wanted: str) -> Explanation:
    """Return the whole chain behind a claim: by a node's id, a record's id or a handle, stated or inferred.

    Raises:
        UnknownIdError: the mission makes no such claim.
        AmbiguousIdError: one record makes several; their ids are told.
    """
    claim = claim_named(snapshot, wanted)
    evidence = Evidence(snapshot, ruling_on)
    verdict = verdict_on(evidence, claim)
    ruling = evidence.ruling(claim)
    steps = list(steps_of(evidence, claim, ruling, waiver_of(evidence, claim, ruling), deep=True))
    for part in _parts(evidence, claim):
        of_part = verdict_on(evidence, part)
        words = f"{of_part.type.replace('_', ' ')}: {of_part.status}"
        steps.append(Step(relation="needs", id=part.id, handle=part.handle, words=words))
        below = steps_of(evidence, part, evidence.ruling(part), None)
        steps += [msgspec.structs.replace(step, depth=step.depth + 1) for step in below]
    return Explanation(mission=snapshot.mission, claim=verdict, steps=tuple(steps))


def claim_named(snapshot: Snapshot, wanted: str) -> Claim:
    """Return the claim with this id, record id or handle.

    Raises:
        UnknownIdError: the mission makes no such claim.
        AmbiguousIdError: one record makes several.
    """
    claims = claims_of(snapshot)
    found = [claim for claim in claims if wanted in (claim.id, claim.handle)]
    found = found or [claim for claim in claims if wanted == claim.record]
    found = found or [claim for claim in claims if wanted in _sources(snapshot, claim)]
    if not found:
        raise UnknownIdError(wanted, "no claim of this mission has it; `muniment closeout` lists them")
    if len(found) > 1:
        raise AmbiguousIdError(wanted, tuple(claim.handle for claim in found))
    return found[0]


def _sources(snapshot: Snapshot, claim: Claim) -> list[str]:
    """Return the handles of what a claim was read out of, and its target."""
    named = [*snapshot.named(claim.record), *(snapshot.named(claim.target) if claim.target else ())]
    return [name for node in named for name in (node.id, node.handle)]


def _parts(evidence: Evidence, claim: Claim) -> list[Claim]:
    node = evidence.find(claim.target or "")
    return asked_by(evidence.snapshot, node) if isinstance(node, Fact) and claim.type == "criterion_met" else []
