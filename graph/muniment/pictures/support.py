"""Where a claim's support leads: from the claim to what it rests on, and from there to what that was about.

The first column is the claim with its verdict, the second the receipts that prove, contradict or fall short of it and
what made them fall, further ones what can be reached from there by support, citation and content.
"""

from __future__ import annotations

from muniment.closeout.verdict import PROVEN, REASONS, UNPROVEN, ClaimVerdict
from muniment.drawing.graphs import drawn
from muniment.drawing.layered import Arrow, Box
from muniment.drawing.markup import cut
from muniment.drawing.statuses import color_of, mark_of
from muniment.model.edges import EdgeKind
from muniment.pictures.neighbourhood import arrows_among, nearest
from muniment.pictures.picture import Picture, box_of
from muniment.snapshot import Snapshot, Step

WAYS = frozenset(
    {
        *(EdgeKind.SUPPORTS, EdgeKind.REFUTES, EdgeKind.CITES, EdgeKind.ABOUT, EdgeKind.PRODUCED),
        *(EdgeKind.READS, EdgeKind.WRITES),
    }
)
MOST = 28


def support(snapshot: Snapshot, claim: ClaimVerdict, *, hops: int = 1) -> Picture:
    """Return a picture of what a claim rests on by closeout's verdict; `hops` are counted from the receipts."""
    roles = _roles(claim)
    shown = nearest(_reached(snapshot, claim.id, list(roles), hops), MOST)
    color = color_of(claim.status)
    head = f"{mark_of(claim.status)} {claim.status} · {claim.handle} {claim.type.replace('_', ' ')}"
    root = Box(id=claim.id, column=0, head=head, line=claim.text, color=color, tooltip=f"{head}: {claim.text}")
    boxes = [root, *(box_of(snapshot, step.node, step.hops) for step in shown)]
    leads = [
        Arrow(source=claim.id, target=node, label=label, color=color, strong=True) for node, label in roles.items()
    ]
    stated = snapshot.node(claim.id)
    edges = arrows_among(snapshot, [*([] if stated is None else [stated]), *(step.node for step in shown)], WAYS)
    # Where a lead says what a receipt is to the claim, the edge that says the same is left out.
    others = [
        edge
        for edge in edges
        if claim.id not in (edge.source, edge.target) or not {edge.source, edge.target} & {*roles}
    ]
    return Picture(drawn(boxes, [*others, *leads], f"Where the support of {claim.handle} leads", _notes(claim)))


def _reached(snapshot: Snapshot, claim: str, receipts: list[str], hops: int) -> list[Step]:
    """Return what is reached from a claim and its receipts, which stand one step behind it."""
    steps = [step for step in snapshot.walk([*receipts, claim], WAYS, hops) if step.node.id != claim]
    return [
        Step(
            step.node,
            1 if step.edge is not None and claim in (step.edge.source, step.edge.target) else step.hops + 1,
            step.edge,
        )
        for step in steps
    ]


def _roles(claim: ClaimVerdict) -> dict[str, str]:
    """Return what the verdict names, with the part that each plays; of two parts the first."""
    if claim.status == UNPROVEN:
        found = [(node, "rests on") for node in filter(None, (claim.receipt, *claim.by))]
    else:
        found = [(node, "proven by" if claim.status == PROVEN else "refuted by") for node in claim.by]
    found += [(node, "by way of") for node in claim.via] + [(node, "undone by") for node in claim.because]
    return dict(reversed(found))


def _notes(claim: ClaimVerdict) -> list[str]:
    notes = [f"“{cut(claim.text, 110)}”"]
    if claim.reason:
        what = f" ({claim.path})" if claim.path else ""
        notes.append(f"why: {REASONS.get(claim.reason, claim.reason)}{what}")
    if claim.next_step:
        notes.append(f"next: {cut(claim.next_step, 110)}")
    return notes
