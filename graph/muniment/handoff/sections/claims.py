"""What was concluded: verified, or not.

* Verdicts are those of the closeout, as of what the packet covers.
* Judged are what is new since the base, what the base carried, and the newest of the rest; so the cost follows the
  packet, not the history.
* A claim that is read out of an answer or a task has no node of its own: its source is cited first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.closeout.claims import claims_of
from muniment.closeout.judge import verdict_on
from muniment.closeout.verdict import PROVEN, REASONS, ClaimVerdict
from muniment.handoff.packet import PacketItem
from muniment.handoff.parts import Part, Sources
from muniment.model.nodes import Claim

MOST_JUDGED: Final = 48
"""Claims that are judged for one packet."""
MOST_CITED: Final = 4
SIZES: Final = (64, 16)
_SOURCES: Final = ("said in", "asked for in")


class Judged(msgspec.Struct, frozen=True):
    """A claim and the verdict on it."""

    claim: Claim
    verdict: ClaimVerdict


def judged(sources: Sources) -> list[Judged]:
    """Return the verdicts on the claims that matter to a packet, by ordinal of the claim."""
    carried = sources.base.claims or {} if sources.base is not None else {}

    def matters(claim: Claim) -> tuple[bool, bool, int, str]:
        return claim.ordinal <= sources.since, claim.id not in carried, -claim.ordinal, claim.id

    chosen = sorted(claims_of(sources.snapshot), key=matters)[:MOST_JUDGED]
    if sources.request.provider is not None:
        chosen = [claim for claim in chosen if _may_be_shown(sources, claim)]
    chosen.sort(key=lambda claim: (claim.ordinal, claim.id))
    return [Judged(claim, verdict_on(sources.evidence, claim)) for claim in chosen]


def _may_be_shown(sources: Sources, claim: Claim) -> bool:
    """Tell whether the file that a claim is about, if it is on record, is among those that the reads show."""
    file = sources.evidence.file_of(claim)
    return file is None or any(shown.id == file.id for shown in sources.live.files())


def concluded(sources: Sources, verdicts: Sequence[Judged]) -> list[Part]:
    """Return verified and unverified claims, each newest first; those as old as the base come last."""
    parts: dict[str, list[Part]] = {"verified": [], "unverified": []}
    for each in reversed(verdicts):
        section = "verified" if each.verdict.status == PROVEN else "unverified"
        parts[section].append(_part(sources, section, each, len(parts[section])))
    return [*parts["unverified"], *parts["verified"]]


def _part(sources: Sources, section: str, each: Judged, rank: int) -> Part:
    verdict = each.verdict
    source = next((step.id for step in verdict.evidence if step.relation in _SOURCES), "")
    supports = verdict.by if section == "verified" else (*verdict.by, verdict.receipt or "", *verdict.because)
    cites = tuple(dict.fromkeys(each for each in (source, *supports) if each))[:MOST_CITED]
    waived = f"waived: {sources.shown(verdict.waiver)}" if verdict.waived else ""
    item = PacketItem(
        id=verdict.id,
        handle=verdict.handle,
        kind="claim",
        record=verdict.record,
        what=verdict.type,
        state=verdict.status,
        why="" if section == "verified" else waived or REASONS.get(verdict.reason, verdict.reason),
        cites=cites,
        next_step="" if section == "verified" else sources.shown(verdict.next_step),
    )
    return Part(
        section=section,
        item=item,
        text=sources.shown(verdict.text).strip(),
        sizes=SIZES,
        ordinal=each.claim.ordinal,
        rank=rank,
    )
