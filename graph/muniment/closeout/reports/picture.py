"""The report as a picture: claims on the left, what they rest on in the middle, files on the right, as static SVG.

Proven is green, unproven amber, contradicted red; pointing at a box tells its id. What does not fit is left out, and
the picture says how much: claims that are wrong come first.
"""

from __future__ import annotations

from typing import Final

from muniment.closeout.reports.dossier import Dossier, Link, Thing
from muniment.closeout.reports.text import in_order
from muniment.closeout.verdict import ClaimVerdict
from muniment.drawing.graphs import drawn
from muniment.drawing.layered import Arrow, Box
from muniment.drawing.markup import cut_front
from muniment.drawing.statuses import color_of, mark_of

MOST: Final = (24, 24, 24)
"""Claims, receipts and other things that speak for or against them, and files that are shown at most."""
COLORS: Final = {"receipt": "#0969da", "file": "#1a7f37", "message": "#8250df", "task": "#9a6700"}
OTHER: Final = "#6e7781"
PATH_ROOM: Final = 28


def svg(dossier: Dossier) -> str:
    """Return the support graph of a closeout as an SVG document, without a line end at its end."""
    closeout = dossier.closeout
    claims = in_order(closeout.claims)
    boxes = [_claim_box(claim) for claim in claims[: MOST[0]]]
    shown = {box.id: color_of(claim.status) for box, claim in zip(boxes, claims, strict=False)}
    leads = [link for link in dossier.links if link.source in shown]
    middle = _things(dossier, [link.target for link in leads])
    boxes += [_thing_box(dossier, thing, 1) for thing in middle[: MOST[1]]]
    abouts = _abouts(dossier, {thing.id for thing in middle[: MOST[1]]})
    files = [thing for thing in _things(dossier, [link.target for link in abouts]) if thing.kind == "file"]
    boxes += [_thing_box(dossier, thing, 2) for thing in files[: MOST[2]]]
    arrows = [
        Arrow(source=link.source, target=link.target, label=link.role, color=shown[link.source], strong=True)
        for link in leads
    ]
    arrows += [Arrow(source=link.source, target=link.target, label=link.role) for link in abouts]
    found = (len(claims), len(middle), len(files))
    left = [max(0, count - most) for count, most in zip(found, MOST, strict=True)]
    notes = [f"{len(closeout.claims)} claims; journal head {closeout.head or 'not given'}"]
    if any(left):
        notes.append(f"left out: {left[0]} claims, {left[1]} of what they rest on, {left[2]} files")
    return drawn(boxes, arrows, f"Verdict: {closeout.verdict.replace('_', ' ')}", notes)


def _claim_box(claim: ClaimVerdict) -> Box:
    head = f"{mark_of(claim.status)} {claim.status} · {claim.handle}{' · waived' if claim.waived is not None else ''}"
    told = f"{claim.id} · {claim.type} · {claim.status}: {claim.text}"
    return Box(id=claim.id, column=0, head=head, line=claim.text, color=color_of(claim.status), tooltip=told)


def _thing_box(dossier: Dossier, thing: Thing, column: int) -> Box:
    ending = "" if thing.exit_code is None else f" → exit {thing.exit_code}"
    line = cut_front(dossier.relative(thing.path), PATH_ROOM) if thing.kind == "file" and thing.path else thing.text
    return Box(
        id=thing.id,
        column=column,
        head=f"{thing.handle} {thing.kind.replace('_', ' ')}{ending}",
        line=line,
        color=COLORS.get(thing.kind, OTHER),
        tooltip=f"{thing.id} · {thing.text}",
    )


def _things(dossier: Dossier, ids: list[str]) -> list[Thing]:
    return [dossier.things[each] for each in dict.fromkeys(ids) if each in dossier.things]


def _abouts(dossier: Dossier, receipts: set[str]) -> list[Link]:
    """Return how receipts are joined to files, directly or by a version: one line for each of the pair's roles."""
    files = {link.source: link.target for link in dossier.links if link.role == "version of"}
    found = [
        Link(role=link.role, source=link.source, target=files.get(link.target, link.target))
        for link in dossier.links
        if link.source in receipts and link.role in ("reads", "writes", "about")
    ]
    told = {(link.source, link.target) for link in found if link.role != "about"}
    return [link for link in dict.fromkeys(found) if link.role != "about" or (link.source, link.target) not in told]
