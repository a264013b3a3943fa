"""Select: make the view for a task.

* What binds comes first and whole; the rest of the budget is for evidence.
* Then comes the head (`head`), which stays the same over many steps, and what else serves best now.
* The count that matters is that of the final text. Where the parts cost more together than alone, the evidence chosen
  last goes, until the text fits; where that is not enough, the head.
* The same reads, request and counter give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from muniment.model.packing import writable
from muniment.selection.bind import FRAME, bind
from muniment.selection.evidence import Evidence, Lacking
from muniment.selection.focus import focus_of
from muniment.selection.head import NO_HEAD
from muniment.selection.layout import EVIDENCE_HEADINGS, arranged, compose, placed
from muniment.selection.pieces import SHORTENED, Desk, Needed, Piece, any_step, omission
from muniment.selection.settling import head_of
from muniment.selection.view import OMITTED_KEPT, Omitted, View, ViewRequest
from muniment.snapshot import LiveReads
from muniment.tokens import TokenCounter

CUT: Final = frozenset({"settled", "earlier", "text"})
"""Sections beside those of what binds whose parts say themselves that something is left out of them."""


def select(
    live: LiveReads,
    request: ViewRequest,
    counter: TokenCounter,
    *,
    listed: int = OMITTED_KEPT,
    needed: Needed = any_step,
) -> View:
    """Return the view that a request asks for; `listed` is how many omitted things it may list, `needed` tells which
    steps may be shown.

    Raises:
        BudgetInfeasibleError: what binds does not fit the budget; the error tells how many tokens would do.
        UnknownIdError: the request names a task or session that the mission does not have.
    """
    desk = Desk(live, counter, request.budget, needed, dict(request.beside))
    focus = focus_of(live, request)
    bound = bind(desk, focus)
    taken = counter.count(compose(piece for piece in bound if piece.section != FRAME))
    room = request.budget - taken - EVIDENCE_HEADINGS
    head = head_of(desk, request, room, focus, bound)
    evidence = Evidence(desk, focus, room - head.tokens, bound, head)
    pieces, text = _filled(evidence, request.budget)
    if head is not NO_HEAD and counter.count(text) > request.budget:
        head = NO_HEAD
        evidence = Evidence(desk, focus, room, bound)
        pieces, text = _filled(evidence, request.budget)
    cut = [*bound, *(piece for piece in pieces if piece.section in CUT)]
    lacking = [*_cut(cut), *evidence.omitted()]
    view = View(
        mission=live.mission,
        text=text,
        tokens=counter.count(text),
        items=tuple(piece.item(at) for piece, at in placed(pieces, text)),
        omitted=_newest(lacking, listed),
        ordinal=live.ordinal,
        budget=request.budget,
        estimator=counter.name,
        left_out=len(lacking),
        session=focus.session,
        agent=focus.agent,
    )
    return writable(view)


def _filled(evidence: Evidence, budget: int) -> tuple[list[Piece], str]:
    """Choose evidence; return all pieces, without what was chosen last where they are above the budget together, and
    their text.
    """
    evidence.fill()
    while True:
        pieces = arranged(evidence.pieces())
        text = compose(pieces)
        over = evidence.tokens_of(text) - budget
        if over <= 0 or not evidence.drop(over):
            return pieces, text


def _cut(bound: list[Piece]) -> Iterable[Lacking]:
    return ((p.node, partial(omission, p.node, SHORTENED, p.left_out)) for p in bound if p.left_out)


def _newest(lacking: list[Lacking], most: int) -> tuple[Omitted, ...]:
    lacking.sort(key=lambda each: (-each[0].ordinal, each[0].id))
    return tuple(note() for _, note in lacking[:most])
