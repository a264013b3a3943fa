"""Packets at the boundaries of a runtime: made right before it compacts, given to the context that follows.

* Before (`PreCompact`): a packet is built with the user's own words as focus, checked, and put in force, unless the
  store's profiles say otherwise. Whatever goes wrong, the runtime compacts as it would have.
* After (`SessionStart`, `compact`): the next context is given the packet's text, if it covers all that was said and
  done, and a view with the room that is left. Where there is no such packet it is given the view, as at any start.
* A packet is made as small as what fits the hook of that runtime, larger only if what binds needs it.
"""

from __future__ import annotations

from typing import NamedTuple

from muniment.errors import BudgetInfeasibleError, EvidenceError
from muniment.handoff.packet import BUDGET, Packet
from muniment.importers.lenient import string
from muniment.model.entries import JSON_OBJECT
from muniment.model.ids import MissionId
from muniment.store import EvidenceStore

SHARE = 0.6
"""Of what a hook may say, what a packet takes of it."""
TRIES = 4


class Limit(NamedTuple):
    """What a runtime lets a hook say: tokens to ask for, and characters (units of UTF-16) that must not be passed."""

    tokens: int
    characters: int


def before_compaction(store: EvidenceStore, mission: MissionId, payload: JSON_OBJECT, limit: Limit) -> str:
    """Put a packet in force before a runtime compacts; return its id, "" where there is none."""
    try:
        wishes = store.profiles().compaction
        if wishes.automatic is False or string(payload, "agent_id"):
            return ""
        packet = _built(store, mission, payload, limit)
        if wishes.accept is False:
            return store.propose_packet(packet, mission=mission)
        done = store.accept_packet(packet, mission=mission, reason=f"PreCompact {string(payload, 'trigger')}".strip())
    except EvidenceError:
        return ""
    return done.packet if done.accepted else ""


def after_compaction(store: EvidenceStore, mission: MissionId, payload: JSON_OBJECT, limit: Limit) -> str:
    """Return the text with which the context after a compaction begins; "" where no packet covers all."""
    if string(payload, "source") != "compact":
        return ""
    room, session = limit.tokens, string(payload, "session_id")
    try:
        for _ in range(TRIES):
            found = store.first_view(mission, room=room, session=session)
            if not found.packet:
                return ""
            size = units(found.text)
            if size <= limit.characters and found.tokens <= limit.tokens:
                if found.view is not None:
                    store.first_view(mission, room=room, session=session, emit=True)
                return found.text
            if found.view is None:
                return ""
            room = int(room * min(limit.characters / size, limit.tokens / found.tokens) * 0.95)
    except EvidenceError:
        return ""
    return ""


def units(text: str) -> int:
    """Return the length of a text as the runtimes count it: in units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def _built(store: EvidenceStore, mission: MissionId, payload: JSON_OBJECT, limit: Limit) -> Packet:
    """Build a packet that fits the runtime's hook; a larger one, if what binds needs it.

    Raises:
        BudgetInfeasibleError: what binds needs more than any packet may have.
    """
    session, focus = string(payload, "session_id"), string(payload, "custom_instructions")
    budget = min(int(limit.tokens * SHARE), BUDGET)
    try:
        return store.packet(mission, budget=budget, focus=focus, session=session)
    except BudgetInfeasibleError as error:
        return store.packet(mission, budget=max(BUDGET, error.needed), focus=focus, session=session)
