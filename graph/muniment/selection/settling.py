"""Settling: which head a view has now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from muniment.derive.live import mark_before
from muniment.errors import BudgetInfeasibleError, UnknownIdError
from muniment.selection.bind import bind
from muniment.selection.evidence import Evidence
from muniment.selection.focus import Focus, focus_of
from muniment.selection.head import NO_HEAD, Head
from muniment.selection.layout import EVIDENCE_HEADINGS, compose
from muniment.selection.pieces import Desk, Piece
from muniment.selection.view import ViewRequest
from muniment.snapshot import LiveReads

SHARE: Final = (1, 2)
"""The part of the room as of the mark that the head may fill."""
MOST: Final = (3, 4)
"""The part of the room of now above which there is no head: the newest must have its place, though more binds."""


def head_of(desk: Desk, request: ViewRequest, room: int, focus: Focus, bound: Sequence[Piece]) -> Head:
    """Return the head of a view that shows `bound` for `focus`, and whose evidence has `room` tokens."""
    mark = mark_before(desk.live.ordinal)
    if not mark:
        return NO_HEAD
    then = Desk(desk.live.upto(mark), desk.counter, desk.budget)
    try:
        focus_then = focus_of(then.live, _of_the_same_work(then.live, request, focus))
        bound_then = bind(then, focus_then)
    except (UnknownIdError, BudgetInfeasibleError):
        return NO_HEAD
    share, of = SHARE
    left = (request.budget - desk.counter.count(compose(bound_then)) - EVIDENCE_HEADINGS) * share // of
    head = Evidence(then, focus_then, left, bound_then).settled(desk, bound)
    most, of = MOST
    return head if head.tokens * of <= room * most else NO_HEAD


def _of_the_same_work(then: LiveReads, request: ViewRequest, focus: Focus) -> ViewRequest:
    """Return the request for the sessions in focus now, as far as they were known then: another one may have been the
    newest.

    Raises:
        UnknownIdError: none was.
    """
    if focus.sessions is None:
        return request
    known = [session.session for session in then.sessions() if session.session in focus.sessions]
    if not known:
        raise UnknownIdError(focus.session, "not known as of the mark")
    return replace(request, session=known[-1])
