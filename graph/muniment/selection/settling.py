"""Settling: which head a view has now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from muniment.derive.live import mark_before
from muniment.errors import BudgetInfeasibleError, UnknownIdError
from muniment.selection.bind import bind
from muniment.selection.draft import Draft, kept_draft
from muniment.selection.evidence import Evidence
from muniment.selection.excerpts import Doubts, Shelf, doubt_pieces, standing
from muniment.selection.focus import Focus, focus_of
from muniment.selection.head import NO_HEAD, Head, Lines
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
    then = Desk(desk.live.upto(mark), desk.counter, desk.budget, desk.needed, desk.beside)
    try:
        wanted = _of_the_same_work(then.live, request, focus)
        draft = kept_draft(desk, ("draft", mark, wanted, desk.counter.name), lambda: _draft(then, wanted))
    except (UnknownIdError, BudgetInfeasibleError):
        return NO_HEAD
    head = _standing(desk, draft, bound)
    most, of = MOST
    return head if head.tokens * of <= room * most else NO_HEAD


def _draft(then: Desk, request: ViewRequest) -> Draft:
    """Return what is chosen for a head as of a mark; raises what `focus_of` and `bind` do."""
    focus = focus_of(then.live, request)
    bound = bind(then, focus)
    share, of = SHARE
    room = (request.budget - then.counter.count(compose(bound)) - EVIDENCE_HEADINGS) * share // of
    return Evidence(then, focus, room, bound).drafted()


def _standing(now: Desk, draft: Draft, bound: Sequence[Piece]) -> Head:
    """Return what of a draft holds now, where the view shows `bound` beside; doubts about its files stand below it."""
    doubts = Doubts(now)
    lines: dict[str, tuple[Lines, ...]] = {}
    text: list[Piece] = []
    doubted: list[Piece] = []
    for kept in draft.files:
        shelf = Shelf(now, kept.file)
        names = {chunk.first: names for chunk, names in zip(kept.chunks, kept.names, strict=True)}
        for chunk in standing(now, shelf.state, kept.state, kept.chunks):
            shelf.choose(chunk, names[chunk.first])
        if shelf.chosen():
            lines[kept.file.id] = tuple((chunk.first, chunk.last) for chunk in shelf.chosen())
            text += shelf.pieces("settled")
            doubted += doubt_pieces(now, shelf, doubts.of(kept.file.id))
    changed = {piece.node.id for piece in bound if draft.above.get(piece.node.id) != piece.text}
    steps = [p for p in draft.steps if p.node.id not in changed and not now.live.ended(p.node.id)]
    return Head((*text, *steps, *doubted), lines, frozenset(piece.node.id for piece in steps))


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
