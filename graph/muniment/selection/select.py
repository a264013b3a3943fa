"""Select: make the view for a task.

* What binds comes first and whole; the rest of the budget is for evidence.
* The count that matters is that of the final text. Where the parts cost more together than alone, the evidence chosen
  last goes, until the text fits.
* The same reads, request and counter give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.packing import writable
from muniment.selection.bind import bind
from muniment.selection.evidence import Evidence
from muniment.selection.focus import focus_of
from muniment.selection.layout import HEADING_TOKENS, arranged, compose, placed
from muniment.selection.pieces import SHORTENED, Desk, Piece, omission
from muniment.selection.view import OMITTED_KEPT, Omitted, View, ViewRequest
from muniment.snapshot import LiveReads
from muniment.tokens import TokenCounter

_EVIDENCE_SECTIONS = 4


def select(live: LiveReads, request: ViewRequest, counter: TokenCounter, *, listed: int = OMITTED_KEPT) -> View:
    """Return the view that a request asks for; `listed` is how many omitted things it may list.

    Raises:
        BudgetInfeasibleError: what binds does not fit the budget; the error tells how many tokens would do.
        UnknownIdError: the request names a task or session that the mission does not have.
    """
    desk = Desk(live, counter, request.budget)
    focus = focus_of(live, request)
    bound = bind(desk, focus)
    taken = counter.count(compose(bound))
    evidence = Evidence(desk, focus, request.budget - taken - _EVIDENCE_SECTIONS * HEADING_TOKENS, bound)
    evidence.fill()
    while True:
        pieces = arranged([*bound, *evidence.pieces()])
        text = compose(pieces)
        tokens = counter.count(text)
        if tokens <= request.budget or not evidence.drop(tokens - request.budget):
            break
    omitted = [*_cut(bound), *evidence.omitted()]
    view = View(
        mission=live.mission,
        text=text,
        tokens=tokens,
        items=tuple(piece.item(at) for piece, at in placed(pieces, text)),
        omitted=_newest(omitted, live, listed),
        ordinal=live.ordinal,
        budget=request.budget,
        estimator=counter.name,
        left_out=len(omitted),
        session=focus.session,
        agent=focus.agent,
    )
    return writable(view)


def _cut(bound: list[Piece]) -> Iterable[Omitted]:
    return (omission(piece.node, SHORTENED, piece.left_out) for piece in bound if piece.left_out)


def _newest(omitted: list[Omitted], live: LiveReads, most: int) -> tuple[Omitted, ...]:
    def age(entry: Omitted) -> tuple[int, str]:
        node = live.node(entry.id)
        return (-node.ordinal if node is not None else 0, entry.id)

    return tuple(sorted(omitted, key=age)[:most])
