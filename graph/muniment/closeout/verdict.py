"""Verdicts: what a closeout says of each claim and of a mission, as values.

* Three verdicts on a claim: proven, unproven (with a reason), contradicted (with what contradicts it). Unproven is
  never shown as false.
* A mission is proven only if it claims something and all of it is proven. No claim at all is `nothing_claimed`, which
  does not pass.
* What a user waived keeps its status and its reason, and fails nothing. A mission of which nothing but waived claims
  remains unproven is proven in the rest; one where all was waived is `waived`: it passes, and is not called proven.
* Reasons are a closed vocabulary, explained in `REASONS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.drawing.bars import Part, stacked_bar
from muniment.drawing.cards import badge, card, code, lines, small, table
from muniment.drawing.markup import cut
from muniment.drawing.statuses import COLORS, color_of, mark_of

PROVEN: Final = "proven"
UNPROVEN: Final = "unproven"
CONTRADICTED: Final = "contradicted"
NOTHING_CLAIMED: Final = "nothing_claimed"
WAIVED: Final = "waived"

Covered = int | tuple[tuple[int, int], ...]
"""What was covered: a count, or intervals of lines (1-based, inclusive)."""

REASONS: Final[dict[str, str]] = {
    "no_receipt": "nothing on record shows it",
    "support_not_a_receipt": "what is cited is no receipt of a tool, or of the wrong author",
    "support_unresolved": "what is cited is not on record, or was withdrawn",
    "support_purged": "what is cited was purged",
    "nothing_executed": "the run executed nothing",
    "not_executed": "the result was replayed or refused, and no run on record stands behind it",
    "subject_skipped": "part of what is claimed was skipped",
    "scope_narrower": "the run was narrower than the claim",
    "subject_changed": "what was looked at has changed since",
    "subject_set_changed": "files were added to what was looked at",
    "origin_subject_differs": "the run was about other content: of another folder, or replayed from there",
    "no_machine_report": "no runner's own report says what was executed",
    "not_final": "the work that was given away has not ended",
    "coverage_incomplete": "not all of it was looked at",
    "coverage_split": "it was looked at in parts, on different versions",
    "effect_unknown": "since then something ran that may have changed it",
    "status_unknown": "whether it succeeded is not known",
    "support_unproven": "what is cited is a claim that is not proven itself",
    "circular_support": "it is its own support",
    "criterion_unmet": "nothing on record shows that the criterion is met",
    "not_settled": "the task has not been settled",
    "dependency_open": "a task that it depends on has not been settled",
    "artifact_empty": "the file is there, and empty",
    "facts_conflict": "other facts in force contradict it",
}
"""Reason of an unproven claim → what it says, in words."""


MOST_RECEIPTS = 8
"""Receipts of a claim that its row in a table names."""


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule says of a claim. Ids are node ids.

    `by` proves or contradicts; `via` is the replay that pointed there; `receipt` is the one that falls short, `because`
    what made it
    fall; `path` and `names` tell what of the claim is concerned; `covered` of `total` how much of it was looked at.
    """

    status: str
    reason: str = ""
    by: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    receipt: str | None = None
    because: tuple[str, ...] = ()
    path: str | None = None
    names: tuple[str, ...] = ()
    covered: Covered | None = None
    total: int | None = None
    next_step: str = ""


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step on the way from a claim to what shows it: how it is joined to what it hangs on, and what it says.

    `depth` 1 hangs on the claim itself, 2 on the step of depth 1 before it, and so on.
    """

    relation: str
    id: str
    handle: str
    words: str
    depth: int = 1


class ClaimVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict on one claim. Ids are node ids; the other fields are as in :class:`Ruling`.

    `inferred`: read out of an answer or a task that was settled, and not stated as a claim. `waived`: the waiver of a
    user who accepts it without proof, and `waiver` what it says. `evidence` is the way from the claim to its receipts.
    """

    id: str
    record: str
    handle: str
    type: str
    text: str
    status: str
    reason: str = ""
    by: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    receipt: str | None = None
    because: tuple[str, ...] = ()
    path: str | None = None
    names: tuple[str, ...] = ()
    covered: Covered | None = None
    total: int | None = None
    next_step: str = ""
    inferred: bool = False
    waived: str | None = None
    waiver: str = ""
    evidence: tuple[Step, ...] = ()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a closeout noticed. `severity`: error (it does not pass), warning or note; `rule` noticed it."""

    code: str
    severity: str
    message: str
    ids: tuple[str, ...] = ()
    rule: str = ""


class Closeout(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a mission or task, as of `ordinal`; `head` is the journal's head that it was given with."""

    mission: str
    verdict: str
    claims: tuple[ClaimVerdict, ...]
    findings: tuple[Finding, ...]
    head: str
    ordinal: int

    @property
    def passed(self) -> bool:
        """Whether it may be called done."""
        return self.verdict in (PROVEN, WAIVED) and not any(finding.severity == "error" for finding in self.findings)

    def _repr_svg_(self) -> str:
        """Return a bar of the claims, by verdict."""
        counts = {status: sum(claim.status == status for claim in self.claims) for status in COLORS}
        parts = [Part(f"{mark_of(status)} {status}", count, color_of(status)) for status, count in counts.items()]
        return stacked_bar(parts, len(self.claims), f"Verdict: {self.verdict.replace('_', ' ')}", unit="claims")

    def _repr_html_(self) -> str:
        """Return the claims and findings as tables, for notebooks."""
        claims = [_claim_row(claim) for claim in self.claims]
        findings = [(finding.severity, finding.code, finding.message) for finding in self.findings]
        tables = [table(("verdict", "claim", "why", "receipts", "next step"), claims)] if claims else []
        tables += [table(("severity", "finding", "what"), findings)] if findings else []
        under = f"{len(self.claims)} claims, as of ordinal {self.ordinal}; journal head {self.head or 'not given'}"
        return card(f"Closeout of {self.mission}: {self.verdict.replace('_', ' ')}", under, *tables)


def _claim_row(claim: ClaimVerdict) -> tuple[str, ...]:
    status = badge(f"{mark_of(claim.status)} {claim.status}", color_of(claim.status))
    told = lines([cut(claim.text, 300), small(f"{claim.handle} · {claim.type}{' · inferred' * claim.inferred}")])
    about = " ".join(filter(None, (claim.path, *claim.names[:5])))
    why = lines([REASONS.get(claim.reason, claim.reason), small(about)]) if claim.reason else ""
    why += small(f"waived: {cut(claim.waiver, 200)}") if claim.waived else ""
    receipts = (*claim.by, *claim.via, *filter(None, (claim.receipt,)), *claim.because)
    ids = lines([code(each) for each in dict.fromkeys(receipts)][:MOST_RECEIPTS])
    return status, told, why, ids, code(cut(claim.next_step, 300)) if claim.next_step else ""


def overall(verdicts: Sequence[ClaimVerdict]) -> str:
    """Return the verdict on all of some claims, given the verdict on each."""
    if not verdicts:
        return NOTHING_CLAIMED
    statuses = [verdict.status for verdict in verdicts if verdict.waived is None or verdict.status == PROVEN]
    if not statuses:
        return WAIVED
    if CONTRADICTED in statuses:
        return CONTRADICTED
    return PROVEN if all(status == PROVEN for status in statuses) else UNPROVEN
