"""The product's codes and names, and the cases' words for them. What stands in no table has one name on both sides."""

from __future__ import annotations

from typing import Final

STATES: Final[dict[tuple[str, str], str]] = {
    ("task", ""): "open",
    ("task", "active"): "open",
    ("task", "blocked"): "open",
    ("task", "cancelled"): "ended",
    ("question", ""): "open",
    ("delegation", ""): "running",
    ("delegation", "done"): "ended",
    ("delegation", "lost"): "failed",
    ("timer", ""): "running",
    ("timer", "fired"): "ended",
    ("boundary", "done"): "ended",
    ("packet", "refused"): "failed",
}
"""(kind of node, its state) → state."""

STATE_FIELDS: Final = {"boundary": "outcome", "receipt": "status"}
"""Kinds of nodes whose state is a field of their own, never moved."""

REFUSALS: Final[dict[str, str]] = {}
"""Code of an error → code of a refusal."""

REPORTS: Final[dict[str, str]] = {}
"""Code of a report → code of a report."""

REASONS: Final[dict[str, str]] = {}
"""Why a claim is not proven → reason."""

COLLAPSED_BY: Final = "replaced"
ENDED_STATES: Final = frozenset({"settled", "cancelled", "done", "failed", "lost", "fired", "refused"})
"""States of nodes that are over; an ended thing no longer stands."""


def state_word(kind: str, state: str, fields: dict[str, object]) -> str:
    """Return the cases' word for the state of a node."""
    told = state or str(fields.get(STATE_FIELDS.get(kind, ""), ""))
    return STATES.get((kind, told), told)


def refusal_word(code: str) -> str:
    """Return the cases' word for an error's code."""
    return REFUSALS.get(code, code)


def report_word(code: str) -> str:
    """Return the cases' word for a report's code."""
    return REPORTS.get(code, code)


def reason_word(reason: str) -> str:
    """Return the cases' word for why a claim is not proven."""
    return REASONS.get(reason, reason)
