"""The child sessions of opencode: a `task` call runs one, and its result names it."""

from __future__ import annotations

from muniment.importers.lenient import mapping, string
from muniment.importers.plain_records import OpenCall, Spot
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import DelegationEnded, DelegationStarted, Record


def delegated(spot: Spot, call: OpenCall, state: JSON_OBJECT, given: JSON_OBJECT) -> list[Record]:
    """Return start and end of the child session that a `task` call ran."""
    metadata = mapping(state, "metadata")
    child = string(metadata, "sessionId") or string(metadata, "sessionID")
    if not child:
        return []
    ident = f"{call.ident}:delegation"
    text = string(given, "prompt") or string(given, "description") or None
    outcome = "done" if string(state, "status") == "completed" else "failed"
    told = string(state, "output") or string(state, "error") or None
    return [
        DelegationStarted(id=ident, by="agent", child=child, text=text, call=call.ident, **spot.place),
        DelegationEnded(
            id=f"{ident}:end", by="tool", delegation=ident, outcome=outcome, text=told, child=child, **spot.place
        ),
    ]
