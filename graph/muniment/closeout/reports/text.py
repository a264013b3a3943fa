"""The report for people: the sum, a block for each claim, what else was noticed, the journal's head.

* Whoever prints it says how a word is coloured; the text says the same without.
* Logs of builds are read by forges for commands of theirs: there are none in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from muniment.closeout.reports.cleaning import harmless
from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.verdict import CONTRADICTED, REASONS, ClaimVerdict, Finding
from muniment.describing import one_line
from muniment.drawing.statuses import mark_of

Paint = Callable[[str, str], str]
"""A word and what it means (proven, unproven, ..., error, warning, note) → the word in its colour."""

STATUSES = ("contradicted", "unproven", "proven")
SOURCES = ("said in", "asked for in")
LABEL = 14
"""Columns of the labels under a claim."""
CLAIM, TOLD, ABOUT = 100, 100, 60
"""Characters of a claim, of what a thing says, and of what a finding is about."""


def plainly(word: str, _meaning: str) -> str:
    """Paint nothing."""
    return word


def text(dossier: Dossier, paint: Paint = plainly) -> str:
    """Return a closeout for people, without a line end at its end."""
    closeout = dossier.closeout
    word, counted = closeout.verdict.replace("_", " "), sums(dossier)
    lines = [f"verdict: {paint(word, closeout.verdict)}" + (f"  ({counted})" if counted else ""), ""]
    for claim in in_order(closeout.claims):
        lines += [*_claim_lines(dossier, claim, paint), ""]
    noticed = [_finding_line(dossier, finding, paint) for finding in beside_claims(dossier)]
    told = [*lines, *noticed, *([""] if noticed else []), f"journal head {closeout.head}"]
    return "\n".join(harmless(line) for line in told)


def in_order(claims: Iterable[ClaimVerdict]) -> list[ClaimVerdict]:
    """Return claims as people want them: what is wrong first."""
    return sorted(claims, key=lambda claim: STATUSES.index(claim.status))


def beside_claims(dossier: Dossier) -> list[Finding]:
    """Return the findings that say more than the claims' own verdicts do."""
    said = {(claim.id, claim.reason or CONTRADICTED) for claim in dossier.closeout.claims}
    return [f for f in dossier.closeout.findings if (f.ids[0] if f.ids else "", f.code) not in said]


def why(claim: ClaimVerdict) -> str:
    """Return why a claim is not proven, with the file that is concerned; "" where it is, or is contradicted."""
    if not claim.reason:
        return ""
    return REASONS.get(claim.reason, claim.reason) + (f" ({claim.path})" if claim.path else "")


def reasons(dossier: Dossier, claim: ClaimVerdict, labels: str = "{}: {}") -> list[str]:
    """Return what a verdict rests on, a line each: where it was said, why, by which receipts, who waived it, what would
    prove it.
    """
    words = {step.id: step.words for step in claim.evidence}
    found = [(role, thing.handle) for role in SOURCES for thing in dossier.linked(claim.id, role)]
    found += [("why", why(claim))] if claim.reason else []
    for label, ids in (
        ("receipt", (claim.receipt,) if claim.receipt and claim.receipt not in claim.by else ()),
        ("by", claim.by),
        ("via", claim.via),
        ("because of", claim.because),
    ):
        found += [(label, _told(dossier, wanted, words)) for wanted in dict.fromkeys(ids)]
    if claim.waived is not None:
        found.append(("waived by", f"{dossier.handle(claim.waived)}  {one_line(claim.waiver, TOLD)}"))
    found += [("next", claim.next_step)] if claim.next_step else []
    return [labels.format(label, " ".join(line.splitlines())) for label, line in found]


def sums(dossier: Dossier) -> str:
    """Return how many claims have which verdict, "" where there are none."""
    claims = dossier.closeout.claims
    counts = Counter(claim.status for claim in claims)
    waived = sum(claim.waived is not None for claim in claims)
    told = [f"{counts[status]} {status}" for status in STATUSES if counts[status]]
    return ", ".join(told) + (f"; {waived} waived by a user" if waived else "")


def _told(dossier: Dossier, wanted: str, words: dict[str, str]) -> str:
    """Return a thing in a line: its handle and what it says."""
    thing = dossier.things.get(wanted)
    return wanted if thing is None else f"{thing.handle}  {one_line(words.get(wanted, thing.text), TOLD)}"


def _claim_lines(dossier: Dossier, claim: ClaimVerdict, paint: Paint) -> Iterator[str]:
    mark = paint(f"{mark_of(claim.status)} {claim.status:<12}", claim.status)
    yield f"{mark}  {claim.handle:<5} {claim.type:<14} {one_line(claim.text, CLAIM)}".rstrip()
    yield from reasons(dossier, claim, f"{{:>{LABEL}}}: {{}}")


def _finding_line(dossier: Dossier, finding: Finding, paint: Paint) -> str:
    thing = dossier.things.get(finding.ids[0]) if len(finding.ids) == 1 else None
    about = f" · {one_line(thing.text, ABOUT)}" if thing is not None and thing.kind == "task" else ""
    return f"{paint(finding.severity, finding.severity)}: {' '.join(finding.message.splitlines())}{about}"
