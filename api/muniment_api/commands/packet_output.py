"""How packets, and what is wrong with one, are written to the console."""

from __future__ import annotations

import json

from muniment.handoff.messages import PLAIN, messages
from muniment.handoff.packet import PROBLEMS, Packet, Problem
from muniment.handoff.portable import Carried, written
from muniment.handoff.render import render
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from muniment_api.console import Console
from muniment_api.layout import one_line
from muniment_api.opening import plain

IDS = 6
"""Ids that are shown of a problem."""


def show_packet(console: Console, packet: Packet, form: str | None) -> None:
    """Write a packet as text, as JSON, or in a form that other programs read."""
    carried = Carried(packet=packet)
    if form is None:
        console.result(plain(packet), render(packet))
        if not console.json:
            console.say(f"{packet.tokens} of {packet.budget} tokens ({packet.estimator})")
        return
    text = written(carried)
    if form == PLAIN:
        console.result({"text": text}, text)
    else:
        console.out(json.dumps(messages(carried, form), ensure_ascii=True, indent=2))
    if not console.json:
        console.say(f"{o200k().count(text):,} tokens with all ids and digests; {packet.tokens:,} as text (no --form)")


def handle_of(store: EvidenceStore, mission: str, packet: str) -> str:
    """Return the handle of a stored packet; the id itself where none is stored under it."""
    return next((known.handle for known in store.packets(mission) if known.id == packet), packet)


def problem_line(problem: Problem) -> str:
    """Return a problem on one line: its code, what it means, and the ids."""
    ids = ", ".join(problem.ids[:IDS]) + (f" and {len(problem.ids) - IDS} more" if len(problem.ids) > IDS else "")
    said = f" ({one_line(problem.message)})" if problem.message else ""
    return f"- {problem.code}: {PROBLEMS.get(problem.code, problem.code)}{said}: {ids}"
