"""What the next context begins with: the packet's text, and a first view of what its next tasks touch.

* The packet comes first and whole; the view has what room is left, and does not tell again what the packet tells.
* Where another model goes on than the one that worked so far, the view is half as large again: it has seen nothing.
* Lines that had to be fetched again after the last boundary go along, as far as a share of the view's room lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.handoff.packet import Packet
from muniment.handoff.render import render
from muniment.handoff.scoring import Target
from muniment.selection.view import View
from muniment.tokens import TokenCounter

RICHER: Final = 1.5
"""How much larger the first view is where another model goes on."""
LEAST_VIEW: Final = 200
"""Tokens below which a view is not worth its headings."""
SPANS_SHARE: Final = 0.2
MOST_SPANS: Final = 6
ACTIVE: Final = "active"
JOINT: Final = "\n\n"
FETCHED: Final = "# Fetched again after the last boundary"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a first view is made of: the packet and its text, tokens of the view and of spans, the task in focus."""

    packet: str
    text: str
    view: int
    spans: int
    task: str | None
    beside: tuple[tuple[str, str], ...] = ()


class FirstView(msgspec.Struct, frozen=True, kw_only=True):
    """What the next context begins with. `packet` "": none covers all; `view` None: there was no room for one."""

    text: str
    tokens: int
    packet: str
    view: View | None
    spans: tuple[Target, ...] = ()


def planned(packet: Packet | None, model: str | None, usual: int, room: int | None, counter: TokenCounter) -> Plan:
    """Return how the room is shared. `usual`: tokens of a view for this model; `room` None: as much as that takes."""
    text = "" if packet is None else render(packet)
    other = packet is not None and bool(model) and bool(packet.owner.model) and packet.owner.model != model
    wanted = int(usual * RICHER) if other else usual
    left = wanted if room is None else min(wanted, room - (counter.count(text + JOINT) if text else 0))
    spans = int(left * SPANS_SHARE) if packet is not None and left > LEAST_VIEW else 0
    return Plan(
        packet="" if packet is None else packet.id,
        text=text,
        view=max(left, 1),
        spans=spans,
        task=_task(packet),
        beside=() if packet is None else told_by(packet),
    )


def told_by(packet: Packet) -> tuple[tuple[str, str], ...]:
    """Return what a packet tells and a view would tell too, as (node's id, text)."""
    sections = (
        packet.binding,
        packet.tasks,
        packet.decisions,
        packet.delegations,
        packet.timers,
        packet.questions,
        packet.losses,
        packet.turns,
    )
    return tuple((item.id, item.text) for section in sections for item in section)


def opening(plan: Plan, view: View | None, found: Sequence[tuple[Target, str]], counter: TokenCounter) -> FirstView:
    """Return the whole text, with as many of the lines that were found as have room."""
    shown = view if view is not None and view.text.strip() else None
    parts = [part for part in (plan.text, shown.text if shown is not None else "") if part]
    taken: list[Target] = []
    left = plan.spans if shown is None else min(plan.spans, plan.view - shown.tokens)
    lines = [FETCHED]
    for target, text in found:
        block = f"{target.handle}{_place(target)}\n{_inside(text)}"
        if text and counter.fits(JOINT.join([*lines, block]), max(left, 0)):
            lines.append(block)
            taken.append(target)
    parts += ["\n".join(lines)] if taken else []
    whole = JOINT.join(parts)
    return FirstView(text=whole, tokens=counter.count(whole), packet=plan.packet, view=shown, spans=tuple(taken))


def _task(packet: Packet | None) -> str | None:
    """Return the task that a view should be about, where none is in progress."""
    if packet is None or any(task.state == ACTIVE for task in packet.tasks):
        return None
    known = {task.id for task in packet.tasks}
    return next((action.task for action in packet.next_actions if action.task in known), None)


def _place(target: Target) -> str:
    where = f" {target.path}" if target.path else ""
    return f"{where}:{target.lines[0]}-{target.lines[1]}" if target.path and target.lines else where


def _inside(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
