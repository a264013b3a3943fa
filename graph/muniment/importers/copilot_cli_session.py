"""What Copilot CLI tells of the session itself: compactions, and the user's answers to the agent's questions."""

from __future__ import annotations

from muniment.importers.lenient import integer, string
from muniment.importers.plain_records import OpenCall, Spot, said
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import ContextBoundary, DecisionMade, Record

_ANSWERS = ("User responded: ", "User selected: ")


def compacted(spot: Spot, data: JSON_OBJECT) -> list[Record]:
    """Return the boundary that a compaction is, done or failed."""
    done = data.get("success") is not False
    return [
        ContextBoundary(
            id=spot.ident("boundary"),
            by="compactor",
            outcome="done" if done else "failed",
            trigger="auto",
            text=string(data, "summaryContent") or None,
            tokens_before=integer(data, "preCompactionTokens"),
            tokens_after=integer(data, "postCompactionTokens"),
            **spot.place,
        )
    ]


def answered(spot: Spot, call: OpenCall, text: str) -> list[Record]:
    """Return the user's answer to a question of the agent, as message and decision."""
    answer = next((text.removeprefix(start) for start in _ANSWERS if text.startswith(start)), "")
    asked = f"asked: {call.kept.get('question', '')}"
    if not answer.strip():
        return []
    told = said(spot, f"{call.ident}:said", f"{answer}\n({asked})", by="user", role="prompt")
    ident = f"{call.ident}:decision"
    return [*told, DecisionMade(id=ident, by="user", choice=answer, reason=asked, **spot.place)]
