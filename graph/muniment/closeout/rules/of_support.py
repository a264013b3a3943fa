"""Rules about support: citations that lead nowhere, support in a ring, decisions that no longer hold.

* A bad citation is an error only where it fails its claim, and no user waived that; so is a ring.
* A decision was *acted upon* where a claim, a task or another decision cites it. After it was superseded or withdrawn
  that is an error, before it a warning while what cites it still stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muniment.closeout.rules.of_claims import TAG
from muniment.closeout.rules.rule import ERROR, WARNING, Inquiry, Noticed, Rule
from muniment.closeout.verdict import CONTRADICTED, PROVEN, REASONS
from muniment.model.edges import EdgeKind
from muniment.model.nodes import AnyNode, Claim, Decision, Task
from muniment.snapshot import ENDED_STATES, Snapshot

_UNRESOLVED: Final = ("support_unresolved", "support_purged")
CIRCULAR: Final = "circular_support"
_MOST_STEPS: Final = 1000


def _dangling(inquiry: Inquiry) -> Iterator[Noticed]:
    fine = {verdict.id for verdict in inquiry.verdicts if verdict.status == PROVEN or verdict.waived is not None}
    for verdict in inquiry.verdicts:
        if verdict.id not in fine and verdict.status != CONTRADICTED and verdict.reason in _UNRESOLVED:
            message = f"{verdict.handle}: {REASONS[verdict.reason]}"
            yield Noticed(message=message, ids=(verdict.id,), code=verdict.reason)
    evidence = inquiry.evidence
    for claim in inquiry.claims:
        lost = [citation.wanted for citation in evidence.citations(claim) if citation.node is None and citation.fault]
        if lost:
            severity = WARNING if claim.id in fine else ERROR
            message = f"{claim.handle} cites what is not on record: {', '.join(lost)}"
            yield Noticed(message=message, ids=(claim.id,), severity=severity)


def _circular(inquiry: Inquiry) -> Iterator[Noticed]:
    told = {verdict.id: verdict for verdict in inquiry.verdicts}
    for claim in inquiry.claims:
        ring = _ring(inquiry, claim)
        verdict = told.get(claim.id)
        if ring or (verdict is not None and verdict.reason == CIRCULAR):
            through = ", ".join(node.handle for node in ring)
            message = f"{claim.handle} is its own support" + (f", by way of {through}" if through else "")
            fine = verdict is not None and (verdict.status == PROVEN or verdict.waived is not None)
            severity = WARNING if fine else ERROR
            yield Noticed(message=message, ids=(claim.id, *(node.id for node in ring)), severity=severity)


def _ring(inquiry: Inquiry, claim: Claim) -> list[AnyNode]:
    """Return what lies on a way of citations from a claim back to it, without it; empty where there is none."""
    came: dict[str, str] = {}
    todo = [claim.id]
    while todo and len(came) < _MOST_STEPS:
        at = todo.pop()
        for target in _cited(inquiry, at):
            if target == claim.id:
                return _way_back(inquiry.snapshot, came, at, claim.id) or [claim]
            if target not in came:
                came[target] = at
                todo.append(target)
    return []


def _way_back(snapshot: Snapshot, came: dict[str, str], end: str, begin: str) -> list[AnyNode]:
    found = []
    while end != begin:
        node = snapshot.node(end)
        if node is not None:
            found.append(node)
        end = came[end]
    return found[::-1]


def _cited(inquiry: Inquiry, node: str) -> list[str]:
    """Return the claims, decisions and tasks that one of them cites, also by a record's id or before they were made."""
    snapshot = inquiry.snapshot
    found = [edge.target for edge in snapshot.edges_from(node, {EdgeKind.CITES})]
    claim = snapshot.node(node)
    if isinstance(claim, Claim):
        found += [each.node.id for each in inquiry.evidence.citations(claim) if each.node is not None]
    return [each for each in dict.fromkeys(found) if isinstance(snapshot.node(each), Claim | Decision | Task)]


def _acted_upon(inquiry: Inquiry) -> Iterator[Noticed]:
    snapshot = inquiry.snapshot
    for decision in snapshot.of_kind(Decision):
        how = snapshot.ended(decision.id)
        if not how:
            continue
        kinds = {EdgeKind.SUPERSEDES, EdgeKind.WITHDRAWS}
        ended = max((edge.ordinal for edge in snapshot.edges_to(decision.id, kinds)), default=0)
        for edge in snapshot.edges_to(decision.id, {EdgeKind.CITES}):
            node = snapshot.node(edge.source)
            if node is not None and _still_counts(snapshot, node):
                late = edge.ordinal > ended
                when = f"after it was {how}" if late else f"which was {how} since"
                message = f"{node.handle} rests on decision {decision.handle}, {when}"
                yield Noticed(message=message, ids=(node.id, decision.id), severity=ERROR if late else WARNING)


def _still_counts(snapshot: Snapshot, node: AnyNode) -> bool:
    return not snapshot.ended(node.id) and snapshot.state(node.id) not in (ENDED_STATES - {"settled"})


SUPPORT_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="dangling-citation",
        severity=ERROR,
        title="a citation leads nowhere",
        why="What is not on record, was withdrawn or was purged cannot be looked at, and shows nothing.",
        fix="Cite a receipt that is on record (`muniment log` lists them), or leave the citation out.",
        check=_dangling,
        tags=(TAG,),
        codes=_UNRESOLVED,
        sound=True,
    ),
    Rule(
        id="circular-support",
        severity=ERROR,
        title="a claim supports itself",
        why="Claims that cite one another in a ring show nothing, however many they are.",
        fix="Cite the receipt that shows one of them.",
        check=_circular,
        tags=(TAG,),
        sound=True,
    ),
    Rule(
        id="superseded-decision",
        severity=WARNING,
        title="a decision that no longer holds was acted upon",
        why="What was built upon a decision has to be looked at again once the decision is replaced.",
        fix="Check the work against the decision in force, and cite that one.",
        check=_acted_upon,
        tags=("decisions",),
    ),
)
