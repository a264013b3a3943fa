"""Findings: what a closeout notices beside its verdict.

* An error says why the verdict is not `proven`, once per claim, or that nothing is claimed. Warnings and notes fail
  nothing.
* Order: errors, warnings, notes; within them by code, then by ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from muniment.closeout.evidence import Evidence
from muniment.closeout.overwrites import overwrites
from muniment.closeout.verdict import CONTRADICTED, PROVEN, REASONS, ClaimVerdict, Finding
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Claim, Gap, Task
from muniment.snapshot import Snapshot

_SEVERITIES = ("error", "warning", "note")
SOME = 5
"""Losses of a kind that a finding names."""


def findings_of(evidence: Evidence, claims: list[Claim], verdicts: list[ClaimVerdict]) -> list[Finding]:
    """Return all findings, in their order."""
    snapshot = evidence.snapshot
    found = [
        *_of_verdicts(verdicts),
        *_dangling(evidence, claims, verdicts),
        *_of_tasks(snapshot),
        *_of_open_things(snapshot),
        *_of_gaps(snapshot),
        *overwrites(evidence),
    ]
    return sorted(found, key=lambda f: (_SEVERITIES.index(f.severity), f.code, f.ids))


def _of_verdicts(verdicts: list[ClaimVerdict]) -> Iterator[Finding]:
    if not verdicts:
        message = "no claim was stated or found in the final answer: state what was reached, so that it can be judged"
        yield Finding(code="nothing_claimed", severity="error", message=message)
    for verdict in verdicts:
        if verdict.status == PROVEN:
            continue
        code = CONTRADICTED if verdict.status == CONTRADICTED else verdict.reason
        why = "the record says otherwise" if code == CONTRADICTED else REASONS.get(code, code)
        yield Finding(code=code, severity="error", message=f"{verdict.handle}: {why}", ids=(verdict.id,))


def _dangling(evidence: Evidence, claims: list[Claim], verdicts: list[ClaimVerdict]) -> Iterator[Finding]:
    """Citations that lead nowhere: an error only where they fail their claim."""
    proven = {verdict.id for verdict in verdicts if verdict.status == PROVEN}
    for claim in claims:
        lost = [citation.wanted for citation in evidence.citations(claim) if citation.node is None and citation.fault]
        if lost:
            severity = "warning" if claim.id in proven else "error"
            message = f"{claim.handle} cites what is not on record: {', '.join(lost)}"
            yield Finding(code="dangling_citation", severity=severity, message=message, ids=(claim.id,))


def _of_tasks(snapshot: Snapshot) -> Iterator[Finding]:
    for task in snapshot.of_kind(Task):
        state = snapshot.state(task.id)
        if state != "settled" or snapshot.ended(task.id):
            continue
        cited = snapshot.edges_from(task.id, {EdgeKind.CITES})
        if not cited and not snapshot.edges_to(task.id, {EdgeKind.SUPPORTS}):
            message = f"{task.handle} was settled, and nothing is cited that shows it"
            yield Finding(code="task_without_proof", severity="note", message=message, ids=(task.id,))


def _of_open_things(snapshot: Snapshot) -> Iterator[Finding]:
    for task in snapshot.open_tasks():
        yield Finding(code="task_open", severity="warning", message=f"{task.handle} is not settled", ids=(task.id,))
    for delegation in snapshot.running():
        message = f"{delegation.handle}: the work given to {delegation.child} has not ended"
        yield Finding(code="delegation_running", severity="warning", message=message, ids=(delegation.id,))
    for question in snapshot.open_questions():
        message = f"{question.handle}: a {question.what} is open"
        yield Finding(code=f"{question.what}_open", severity="warning", message=message, ids=(question.id,))
    for timer in snapshot.armed():
        yield Finding(code="timer_armed", severity="note", message=f"{timer.handle} has not fired", ids=(timer.id,))
    conflicting = tuple(snapshot.conflicts())
    if conflicting:
        message = f"{len(conflicting)} facts or decisions contradict one another"
        yield Finding(code="conflict", severity="warning", message=message, ids=conflicting)


def _of_gaps(snapshot: Snapshot) -> Iterator[Finding]:
    """Losses that are known, one finding per kind."""
    by_code: dict[str, list[Gap]] = defaultdict(list)
    for gap in snapshot.gaps():
        by_code[gap.code].append(gap)
    for code, gaps in sorted(by_code.items()):
        severity = "note" if code == "purged" else "warning"
        what = f"{len(gaps)} known {'loss' if len(gaps) == 1 else 'losses'}"
        message = f"{what} ({code.replace('_', ' ')}): {_handles(gaps)}"
        yield Finding(code=code, severity=severity, message=message, ids=tuple(gap.id for gap in gaps))


def _handles(gaps: list[Gap]) -> str:
    named = ", ".join(gap.handle for gap in gaps[:SOME])
    return f"{named}, …" if len(gaps) > SOME else named
