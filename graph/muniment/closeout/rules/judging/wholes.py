"""Claims about what the mission is made of: a task is done, a criterion is met, a fact or decision is still current.

* A criterion whose words can be checked is met if what they say is proven. One whose words cannot is met by claims that
  name it as their target and are proven, all of them.
* A task is done if it was settled, all that it depends on was too, its criteria are met, what is claimed of it is
  proven, and something shows it: a claim of it, a criterion, or a receipt that holds and did not fail.
* A fact or decision is current while it is in force and nothing in force contradicts it. A fact that only an agent
  stated is its own word, and proves nothing. A fact about the surroundings is as old as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.closeout.claims import asked_by, criteria_of, criterion_claim, said_in
from muniment.closeout.evidence import PROOF_AUTHORS, Citation, Evidence
from muniment.closeout.holding import HOLDS, STALE, holding
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.model.edges import EdgeKind
from muniment.model.nodes import AnyNode, Claim, Decision, Event, Fact, Receipt, Task
from muniment.snapshot import ENDED_STATES

WHOLE: Final = "task_done"


def criterion_met(evidence: Evidence, claim: Claim) -> Ruling:
    """What the criterion asks for is proven."""
    criterion = evidence.find(claim.target or "")
    step = "claim what meets it, with the criterion as its target, and let that be proven; or ask the user to waive it"
    if not isinstance(criterion, Fact):
        return Ruling(status=UNPROVEN, reason="support_unresolved" if claim.target else "no_receipt", next_step=step)
    asked = asked_by(evidence.snapshot, criterion)
    given = [each for each in _about(evidence, criterion) if each.id != claim.id]
    found = _all(evidence, asked or given)
    if found is None:
        return Ruling(status=UNPROVEN, reason="criterion_unmet", next_step=step)
    return found if asked else msgspec.structs.replace(found, via=(*(part.id for part in given), *found.via))


def task_done(evidence: Evidence, claim: Claim) -> Ruling:
    """The task was settled, and what shows it holds."""
    task = evidence.find(claim.target or "")
    if not isinstance(task, Task):
        reason = "support_unresolved" if claim.target else "no_receipt"
        return Ruling(status=UNPROVEN, reason=reason, next_step="name the task as the claim's target")
    unsettled = _unsettled(evidence, task)
    if unsettled is not None:
        return unsettled
    snapshot = evidence.snapshot
    criteria = [criterion_claim(snapshot, fact) for fact in criteria_of(snapshot, task)]
    said = [each for each in _about(evidence, task) if each.type != WHOLE]
    found = _all(evidence, [*criteria, *said, *said_in(snapshot, task)])
    if found is not None and found.status != PROVEN:
        return found
    cited = _cited(evidence, claim, task)
    bad = next((ruling for ruling in cited if ruling.status != PROVEN), None)
    if bad is not None:
        return bad
    good = [*([found] if found is not None else []), *cited]
    by = dict.fromkeys(proof for ruling in good for proof in ruling.by)
    if not by:
        step = f"settle {task.handle} with a receipt or a proven claim as its proof"
        return Ruling(status=UNPROVEN, reason="no_receipt", next_step=step)
    return Ruling(status=PROVEN, by=tuple(by), via=found.via if found is not None else ())


def fact_current(evidence: Evidence, claim: Claim) -> Ruling:
    """The fact or decision is in force, and nothing in force contradicts it."""
    node = evidence.find(claim.target or "") or next((c.node for c in evidence.citations(claim) if c.node), None)
    step = "name the fact or decision as the claim's target"
    if not isinstance(node, Fact | Decision):
        return Ruling(status=UNPROVEN, reason="support_unresolved" if claim.target else "no_receipt", next_step=step)
    snapshot = evidence.snapshot
    if snapshot.ended(node.id) or evidence.is_withdrawn(node.id):
        edges = snapshot.edges_to(node.id, {EdgeKind.SUPERSEDES, EdgeKind.WITHDRAWS})
        by = tuple(edge.source for edge in edges[-1:])
        return Ruling(status=CONTRADICTED, by=by, next_step="go by what took its place")
    if not evidence.stands(node):
        return Ruling(status=UNPROVEN, reason="support_purged", next_step="state it anew")
    if isinstance(node, Fact) and node.by not in ("user", *PROOF_AUTHORS):
        step = "cite what shows it, or let the user state it"
        return Ruling(status=UNPROVEN, reason="support_not_a_receipt", receipt=node.id, next_step=step)
    if node.id in snapshot.conflicts():
        step = "ask the user which of them holds"
        return Ruling(status=UNPROVEN, reason="facts_conflict", because=(node.id,), next_step=step)
    later = _surroundings_since(evidence, node)
    if later is not None:
        step = "look again, and state what is so now"
        return Ruling(status=UNPROVEN, reason="subject_changed", because=(later.id,), next_step=step)
    return Ruling(status=PROVEN, by=(node.id,))


def _surroundings_since(evidence: Evidence, node: Fact | Decision) -> Event | None:
    if not isinstance(node, Fact) or node.class_ != "environment":
        return None
    events = [e for e in evidence.snapshot.of_kind(Event) if e.what.startswith(("environment", "deployment"))]
    return next((event for event in reversed(events) if event.ordinal > node.ordinal), None)


def _unsettled(evidence: Evidence, task: Task) -> Ruling | None:
    """Return why a task is not settled, or was settled too early; None where it was in time."""
    snapshot = evidence.snapshot
    state = snapshot.state(task.id)
    if snapshot.ended(task.id) or state == "cancelled":
        step = "claim no task that was dropped"
        return Ruling(status=CONTRADICTED, by=_movers(evidence, task), next_step=step)
    if state != "settled":
        return Ruling(status=UNPROVEN, reason="not_settled", because=(task.id,), next_step=f"settle {task.handle}")
    for edge in snapshot.edges_from(task.id, {EdgeKind.DEPENDS_ON}):
        other = snapshot.node(edge.target)
        if other is not None and snapshot.state(other.id) not in ENDED_STATES and not snapshot.ended(other.id):
            step = f"settle {other.handle} first"
            return Ruling(status=UNPROVEN, reason="dependency_open", because=(other.id,), next_step=step)
    return None


def _movers(evidence: Evidence, task: Task) -> tuple[str, ...]:
    moves = evidence.snapshot.edges_to(task.id, {EdgeKind.MOVED, EdgeKind.WITHDRAWS})
    return tuple(edge.source for edge in moves[-1:])


def _about(evidence: Evidence, node: Fact | Task) -> list[Claim]:
    """Return the stated claims that name a criterion or task as their target."""
    snapshot = evidence.snapshot
    made = (snapshot.node(edge.source) for edge in snapshot.edges_to(node.id, {EdgeKind.ABOUT}))
    return [each for each in made if isinstance(each, Claim) and not snapshot.ended(each.id)]


def _all(evidence: Evidence, parts: Iterable[Claim]) -> Ruling | None:
    """Return one ruling on several claims: the first that is contradicted, else that is unproven, else all proofs; None
    where there is no claim.
    """
    rulings = [evidence.ruling(part) for part in parts]
    worst = [ruling for status in (CONTRADICTED, UNPROVEN) for ruling in rulings if ruling.status == status]
    if worst:
        return worst[0]
    if not rulings:
        return None
    return Ruling(
        status=PROVEN,
        by=tuple(dict.fromkeys(proof for ruling in rulings for proof in ruling.by)),
        via=tuple(dict.fromkeys(proof for ruling in rulings for proof in ruling.via)),
    )


def _cited(evidence: Evidence, claim: Claim, task: Task) -> list[Ruling]:
    """Return a ruling on each thing that the claim cites, or that the task cites as its proof."""
    settled = [edge.target for edge in evidence.snapshot.edges_from(task.id, {EdgeKind.CITES})]
    wanted = msgspec.structs.replace(claim, cites=tuple(dict.fromkeys([*claim.cites, *settled])))
    return [_on(evidence, citation) for citation in evidence.citations(wanted) if citation.node != task]


def _on(evidence: Evidence, citation: Citation) -> Ruling:
    node: AnyNode | None = citation.node
    step = "cite a receipt that holds"
    if citation.fault or node is None:
        return Ruling(status=UNPROVEN, reason=citation.fault or "support_unresolved", next_step=step)
    if not (isinstance(node, Receipt) and evidence.shows_content(node)):
        return Ruling(status=UNPROVEN, reason="support_not_a_receipt", next_step=step)
    if node.status != "ok":
        reason = "not_executed" if node.status == "refused" else "status_unknown"
        return Ruling(status=UNPROVEN, reason=reason, receipt=node.id, next_step=step)
    held = holding(evidence, node)
    if held.status != HOLDS:
        reason = "subject_changed" if held.status == STALE else "effect_unknown"
        because = (held.because_id,) if held.because_id else ()
        return Ruling(
            status=UNPROVEN,
            reason=reason,
            receipt=node.id,
            because=because,
            path=held.path,
            next_step=f"do {node.handle} again",
        )
    return Ruling(status=PROVEN, by=(node.id,))
