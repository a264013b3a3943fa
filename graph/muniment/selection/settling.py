"""Settling: which head a view has now."""

from __future__ import annotations

from typing import Final

from muniment.derive.live import mark_before
from muniment.errors import BudgetInfeasibleError, UnknownIdError
from muniment.selection.bind import bind
from muniment.selection.evidence import Evidence
from muniment.selection.focus import focus_of
from muniment.selection.head import NO_HEAD, Head
from muniment.selection.layout import EVIDENCE_HEADINGS, compose
from muniment.selection.pieces import Desk
from muniment.selection.view import ViewRequest

SHARE: Final = (1, 2)
"""The part of the room as of the mark that the head may fill."""
MOST: Final = (3, 4)
"""The part of the room of now above which there is no head: the newest must have its place, though more binds."""


def head_of(desk: Desk, request: ViewRequest, room: int) -> Head:
    """Return the head of a view whose evidence has `room` tokens."""
    mark = mark_before(desk.live.ordinal)
    if not mark:
        return NO_HEAD
    then = Desk(desk.live.upto(mark), desk.counter, desk.budget)
    try:
        focus = focus_of(then.live, request)
        bound = bind(then, focus)
    except (UnknownIdError, BudgetInfeasibleError):
        return NO_HEAD
    share, of = SHARE
    left = (request.budget - desk.counter.count(compose(bound)) - EVIDENCE_HEADINGS) * share // of
    head = Evidence(then, focus, left, bound).settled(desk)
    most, of = MOST
    return head if head.tokens * of <= room * most else NO_HEAD
