"""Closeouts on the wire."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import strawberry
from strawberry.scalars import JSON

from muniment.closeout.explaining import Explanation as DomainExplanation
from muniment.closeout.impact import Impact as DomainImpact
from muniment.closeout.verdict import ClaimVerdict as DomainVerdict
from muniment.closeout.verdict import Closeout as DomainCloseout
from muniment.closeout.verdict import Step as DomainStep
from muniment_api.schema.declare import made, said, typed
from muniment_api.schema.enums import Verdict


@typed
class EvidenceStep:
    """One step on the way from a claim to what shows it."""

    relation: str = said("How it is joined to what it hangs on.")
    id: strawberry.ID = said("What it is.")
    handle: str = said("Its short name; empty where it is not on record.")
    words: str = said("What it says, in one line.")
    depth: int = said("1: it hangs on the claim; 2: on the step of depth 1 before it; and so on.")


@typed
class ClaimVerdict:
    """The verdict on one claim."""

    id: strawberry.ID = said("The claim's node.")
    record: strawberry.ID = said("The record that made it.")
    handle: str = said("Its short name.")
    type: str = said("What is claimed.")
    text: str = said("What was said.")
    status: Verdict = said("PROVEN, UNPROVEN or CONTRADICTED.")
    reason: str = said("Why it is not proven; empty if it is.")
    by: list[strawberry.ID] = said("What proves or contradicts it.")
    via: list[strawberry.ID] = said("The replay that pointed there.")
    receipt: strawberry.ID | None = said("The receipt that falls short.")
    because: list[strawberry.ID] = said("What made it fall short.")
    path: str | None = said("The file that is concerned.")
    names: list[str] = said("What of the claim is concerned.")
    covered: JSON | None = said("How much of it was looked at: a count, or intervals of lines.")
    total: int | None = said("Of how much.")
    next_step: str = said("The cheapest step that would prove it.")
    inferred: bool = said("Whether it was read out of an answer, and not stated as a claim.")
    waived: strawberry.ID | None = said("The waiver of a user who accepts it without proof.")
    waiver: str = said("What the waiver says.")
    evidence: list[EvidenceStep] = said("The way from the claim to what shows it.")


@typed
class Finding:
    """Something that a closeout noticed."""

    code: str = said("A stable word for machines.")
    severity: str = said("error (it fails the verdict), warning or note.")
    rule: str = said("The rule that noticed it.")
    message: str = said("What was noticed.")
    ids: list[strawberry.ID] = said("What it is about.")


@typed
class Rule:
    """What a closeout looks at."""

    id: str = said("Its stable name.")
    severity: str = said("How severe its findings are here: error (the closeout does not pass), warning, note, or off.")
    title: str = said("What it notices, in a few words.")
    origin: str = said("muniment, installed (beside it), or settings (of the store).")
    sound: bool = said("Whether it is about proof: always looked at, always an error.")
    tags: list[str] = said("Words by which rules are selected together.")
    codes: list[str] = said("The codes that its findings may have.")
    why: str = said("Why it is there.")
    fix: str = said("What to do about a finding.")
    page: str = said("All of it, in Markdown.")


@typed
class Closeout:
    """Whether a mission or task may be called done."""

    mission: strawberry.ID = said("The mission.")
    verdict: Verdict = said("The verdict on all of it.")
    passed: bool = said("Whether it may be called done: the verdict is PROVEN.")
    claims: list[ClaimVerdict] = said("The verdict on each claim.")
    findings: list[Finding] = said("What else was noticed.")
    head: str = said("The journal's head; `muniment verify --expected-head` takes it later.")
    ordinal: int = said("The causal place up to which it saw.")


def closeout_of(found: DomainCloseout) -> Closeout:
    """Return a closeout as it goes over the wire."""
    return Closeout(
        mission=strawberry.ID(found.mission),
        verdict=Verdict(found.verdict),
        passed=found.passed,
        claims=[_claim(claim) for claim in found.claims],
        findings=[made(Finding, finding) for finding in found.findings],
        head=found.head,
        ordinal=found.ordinal,
    )


def _claim(found: DomainVerdict) -> ClaimVerdict:
    covered = None if found.covered is None else JSON(msgspec.to_builtins(found.covered))
    return made(ClaimVerdict, found, status=Verdict(found.status), covered=covered, evidence=_steps(found.evidence))


def _steps(found: Iterable[DomainStep]) -> list[EvidenceStep]:
    return [made(EvidenceStep, step) for step in found]


@typed
class ClaimExplanation:
    """The verdict on a claim, and the whole chain behind it."""

    mission: strawberry.ID = said("The mission.")
    claim: ClaimVerdict = said("The verdict on the claim.")
    steps: list[EvidenceStep] = said("The chain, in order; a step of depth n hangs on the last one of depth n - 1.")


@typed
class Affected:
    """A claim, task or artifact whose proof is concerned."""

    id: strawberry.ID = said("What it is.")
    handle: str = said("Its short name.")
    kind: str = said("claim, task, artifact or decision.")
    words: str = said("What it says, in one line.")
    before: str = said("Its verdict as recorded; empty where that is not compared.")
    after: str = said("Its verdict as supposed, or now.")
    reason: str = said("Why it is not proven then.")
    next_step: str = said("The cheapest step that would prove it then.")


@typed
class Impact:
    """What hangs on a file, receipt, claim, fact or decision."""

    mission: strawberry.ID = said("The mission.")
    id: strawberry.ID = said("What is asked about.")
    handle: str = said("Its short name.")
    kind: str = said("Its kind.")
    words: str = said("What it says, in one line.")
    happened: bool = said("Whether it has changed, or no longer holds, already.")
    loses: list[Affected] = said("What would lose its proof.")
    lost: list[Affected] = said("What has lost its proof by it already.")
    rests: list[Affected] = said("What cites it, directly or by way of others.")


def claim_explanation_of(found: DomainExplanation) -> ClaimExplanation:
    """Return an explanation as it goes over the wire."""
    return ClaimExplanation(mission=strawberry.ID(found.mission), claim=_claim(found.claim), steps=_steps(found.steps))


def impact_of(found: DomainImpact) -> Impact:
    """Return an impact as it goes over the wire."""
    return made(
        Impact,
        found,
        loses=[made(Affected, each) for each in found.loses],
        lost=[made(Affected, each) for each in found.lost],
        rests=[made(Affected, each) for each in found.rests],
    )
