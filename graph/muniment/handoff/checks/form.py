"""Form: that it says what it covers, that it keeps to its budget, and that it goes beyond the packet in force."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.derive.texts import readable
from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.contract import SIZES, SMALLEST
from muniment.handoff.packet import BUDGET, Problem
from muniment.handoff.render import render
from muniment.model import nodes
from muniment.model.edges import EdgeKind

LARGEST: Final = 100_000
"""Tokens that no packet may exceed, whatever budget it names, unless what must be in it takes half of them."""
LINE: Final = 4
"""Tokens that a line costs at least."""
YIELDING: Final = ("files", "claims", "failed", "absent", "settled", "pointers", "turns")
"""What a packet may leave out, so that no length of it is excused."""
BINDING: Final = ("facts", "tasks", "delegations", "timers", "questions")
KEPT: Final = ("decisions", "tail")
"""What never yields where a packet is shown: what must be in it, and what else."""
LONG: Final = 4
"""Characters for each token of the head of a text that is looked at."""


def fields(inquiry: Inquiry) -> Iterable[Problem]:
    """It says up to where it speaks; an error text, or words alone, are no packet."""
    said = inquiry.said
    if said.covers_to is None or said.covers_to == "":
        yield Problem(code="schema", ids=(inquiry.name,), message="it does not say what it covers (`covers_to`)")
    elif not inquiry.covers:
        yield Problem(code="id_unknown", ids=(str(said.covers_to),), message="`covers_to` leads nowhere")


def mission(inquiry: Inquiry) -> Iterable[Problem]:
    """It is of this mission, and of a session of it."""
    whole = inquiry.whole
    if whole is not None and whole.mission != inquiry.snapshot.mission:
        yield Problem(code="id_unknown", ids=(whole.mission,), message="it is the packet of another mission")
    if inquiry.said.session not in {session.session for session in inquiry.snapshot.sessions()}:
        yield Problem(code="id_unknown", ids=(inquiry.said.session,), message="the mission has no such session")


def size(inquiry: Inquiry) -> Iterable[Problem]:
    """Its text keeps to its budget; and so do its words with the least that will be shown of what it names."""
    budget = inquiry.said.budget or BUDGET
    lines = sum(len(getattr(inquiry.said, field)) for field in YIELDING)
    text = render(inquiry.whole) if inquiry.whole is not None else "\n".join(inquiry.words)
    words = inquiry.words if inquiry.whole is None else ()
    bound = "\n".join(_least(inquiry, BINDING))
    needed = not inquiry.counter.fits(bound, LARGEST // 2)
    limit = max(budget if needed else min(budget, LARGEST), 0)
    least = "\n".join((*words, bound, *_least(inquiry, KEPT)))
    if lines * LINE > limit or not all(inquiry.counter.fits(each, limit) for each in (text, least)):
        yield Problem(code="too_large", ids=(inquiry.name,), message=f"it costs more than {limit:,} tokens")


def _least(inquiry: Inquiry, fields: Iterable[str]) -> Iterable[str]:
    """Yield the least that is shown of each thing that some fields name: handle and smallest size of its text."""
    named = (each for field in fields for each in getattr(inquiry.said, field) or ())
    found = {node.id: node for each in named if (node := inquiry.main(each)) is not None}
    for node in found.values():
        text = nodes.text_of(node)
        shown = text is not None and not (isinstance(node, nodes.Fact) and node.class_ == nodes.INSTRUCTIONS)
        tokens = SIZES.get(nodes.kind_of(node), (SMALLEST,))[-1]
        words = readable(inquiry.snapshot.text(text)[: tokens * LONG]) if shown and text is not None else ""
        yield f"- {node.handle}: {inquiry.counter.cut(words, tokens)}"


def base(inquiry: Inquiry) -> Iterable[Problem]:
    """It was built on the packet that is in force."""
    named, current = inquiry.said.base, inquiry.in_force
    if named is None or _is(inquiry, named, current):
        return
    yield Problem(
        code="base_replaced",
        ids=(current.record if current is not None else named,),
        message="build it again on the packet in force" if current is not None else "no packet is in force",
    )


def progress(inquiry: Inquiry) -> Iterable[Problem]:
    """It covers something that the packet in force does not, beside what the store noted of packets and views."""
    current = inquiry.in_force
    if current is None or not inquiry.covers:
        return
    before = inquiry.covered_by(current.covers_to, current.upto)
    noted = {ordinal for ordinal in _noted(inquiry) if before < ordinal <= inquiry.covers}
    if inquiry.covers - before - len(noted) <= 0:
        yield Problem(
            code="no_progress", ids=(current.record,), message="nothing was recorded since that the packet covers"
        )


def _is(inquiry: Inquiry, named: str, current: nodes.Packet | None) -> bool:
    if not named or current is None:
        return not named and current is None
    return current.id in inquiry.ids([named])


def _noted(inquiry: Inquiry) -> Iterable[int]:
    """Yield the ordinals of records with which no work was done: of packets, boundaries and views."""
    snapshot = inquiry.snapshot
    for kind in (nodes.Packet, nodes.View, nodes.Boundary):
        for node in snapshot.of_kind(kind):
            yield node.ordinal
            if isinstance(node, nodes.Packet):
                yield from (edge.ordinal for edge in snapshot.edges_to(node.id, {EdgeKind.MOVED}))
