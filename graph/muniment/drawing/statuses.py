"""How verdicts look: a mark that says the same without colour, and a colour."""

from __future__ import annotations

from typing import Final

UNKNOWN_MARK: Final = "?"
MARKS: Final[dict[str, str]] = {"proven": "✓", "unproven": UNKNOWN_MARK, "contradicted": "✗"}
COLORS: Final[dict[str, str]] = {"proven": "#1a7f37", "unproven": "#9a6700", "contradicted": "#cf222e"}


def mark_of(status: str) -> str:
    """Return the mark of a verdict on a claim."""
    return MARKS.get(status, UNKNOWN_MARK)


def color_of(status: str) -> str:
    """Return the colour of a verdict on a claim."""
    return COLORS.get(status, COLORS["unproven"])
