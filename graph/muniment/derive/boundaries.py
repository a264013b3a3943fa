"""Boundaries: where an agent's context was replaced, what stayed of it, what left, and what opened the next one.

* What the source names as kept or forgotten is joined to the boundary; a name that leads nowhere is passed over, since
  runtimes keep lines that are no records (progress, listings).
* A summary is the words of a compactor: it never binds. Where it is a message of its own, the boundary that it came
  with is the newest one since which its agent has done nothing, else the next.
* So are a packet and a view: one that was accepted or given between the agent's last act and its next one opened the
  context. A packet that was accepted long before opened none here.
* A boundary that failed replaced nothing: nothing is joined to it.
"""

from __future__ import annotations

from muniment.derive.builder import Builder
from muniment.derive.sessions import session_of
from muniment.derive.state import Crossing
from muniment.model import records
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Boundary, Packet, View
from muniment.model.records import Record

PRESERVED, SUMMARY, PACKET, VIEW = "preserved", "summary", "packet", "view"
"""What a KEPT edge says of its end."""


def context_boundary(builder: Builder, record: records.ContextBoundary) -> None:
    """The model's context was replaced, or was to be."""
    session_of(builder, record)
    node = Boundary(
        **builder.base(Boundary, record),
        session=record.session,
        agent=record.agent,
        outcome=record.outcome,
        trigger=record.trigger,
        tokens_before=record.tokens_before,
        tokens_after=record.tokens_after,
        by=record.by,
        text=None if record.text is None else builder.refer(record.text),
        model=record.model,
        clock=record.clock,
        cut=record.forgotten is not None,
        segment=record.segment,
        opaque=record.opaque,
    )
    builder.add(node)
    if record.outcome != "done":
        return
    _join(builder, EdgeKind.KEPT, node.id, record.preserved, PRESERVED)
    _join(builder, EdgeKind.FORGOT, node.id, record.forgotten or ())
    before = builder.state.crossings.get(_key(record), Crossing())
    for kept, what in ((before.summary, SUMMARY), (before.packet, PACKET)):
        if kept:
            builder.edge(EdgeKind.KEPT, node.id, kept, what)
    summed = bool(before.summary) or record.text is not None
    builder.state.crossings[_key(record)] = Crossing(boundary=node.id, summed=summed)


def said(builder: Builder, record: records.Message, node: str) -> None:
    """Something was said: a summary belongs to a boundary; what the agent says ends the time between two contexts."""
    if record.role == "summary" and record.by == "compactor":
        crossing = builder.state.crossings.setdefault(_key(record), Crossing())
        if crossing.boundary and not crossing.summed:
            builder.edge(EdgeKind.KEPT, crossing.boundary, node, SUMMARY)
            crossing.summed = True
        elif not crossing.boundary:
            crossing.summary = node
    elif record.by == "agent":
        acted(builder, record)


def acted(builder: Builder, record: Record) -> None:
    """An agent did something: what comes from now on opened no context."""
    builder.state.crossings.pop(_key(record), None)


def packet_accepted(builder: Builder, record: records.PacketAccepted) -> None:
    """A packet was accepted: it opens the context after the boundary at hand, or after the one that comes next."""
    packet = builder.find_kind(Packet, record.packet)
    if packet is None:
        return
    crossing = builder.state.crossings.setdefault(f"{packet.session}\n{packet.agent}", Crossing())
    if not crossing.boundary:
        crossing.packet = packet.id
        return
    builder.edge(EdgeKind.KEPT, crossing.boundary, packet.id, PACKET)
    view = builder.find_kind(View, record.view) if record.view is not None else None
    if view is not None:
        _opened_with(builder, crossing, view.id)


def view_given(builder: Builder, record: records.ViewEmitted, node: str) -> None:
    """A view was given: between a boundary and its agent's next act it opened the context."""
    crossing = builder.state.crossings.get(_key(record))
    if crossing is not None and crossing.boundary:
        _opened_with(builder, crossing, node)


def _opened_with(builder: Builder, crossing: Crossing, view: str) -> None:
    if view not in crossing.views:
        crossing.views.append(view)
        builder.edge(EdgeKind.KEPT, crossing.boundary, view, VIEW)


def _join(builder: Builder, kind: EdgeKind, boundary: str, named: tuple[str, ...], state: str = "") -> None:
    found = (builder.find(each) for each in dict.fromkeys(named))
    for node in dict.fromkeys(node.id for node in found if node is not None and node.id != boundary):
        builder.edge(kind, boundary, node, state)


def _key(record: Record) -> str:
    return f"{record.session}\n{record.agent}"
