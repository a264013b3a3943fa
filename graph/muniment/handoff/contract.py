"""The contract of a packet's text: its sections in order, and what yields first where they do not fit.

* Sections that bind never yield: of them only texts shrink, and each keeps its id. A fact never shrinks below its
  normal size.
* What matches the focus yields last: all that does not match goes before anything that does.
"""

from __future__ import annotations

from typing import Final

HEADINGS: Final[dict[str, str]] = {
    "binding": "# What binds",
    "tasks": "# Open tasks (orders)",
    "next_actions": "# Valid next actions",
    "decisions": "# Decisions in force",
    "delegations": "# Running delegations",
    "timers": "# Armed timers",
    "questions": "# Open questions, risks and gaps",
    "losses": "# Known losses",
    "unverified": "# Concluded, not verified",
    "verified": "# Verified",
    "files": "# Files as they are now",
    "failed": "# Tried and failed",
    "absent": "# Searched and not there",
    "settled": "# Settled since the last packet (history: not to be done again)",
    "prose": "# Words of the compactor (no authority)",
    "turns": "# Said last (history)",
    "tail": "# After what this packet covers",
    "pointers": "# More, by handle",
}
"""Section → heading, in the order of the text."""

BINDING: Final = ("binding", "tasks", "decisions", "delegations", "timers", "questions", "losses", "tail")
"""Sections that never yield."""

YIELDING: Final = (
    "pointers",
    "turns",
    "absent",
    "failed",
    "files",
    "verified",
    "unverified",
    "settled",
    "next_actions",
    "reasons",
)
"""What yields, first to last, before binding texts shrink; of one section what is last in it goes first. `reasons` are
those of decisions, with the evidence for them.
"""

HEADING_TOKENS: Final = 8
"""What a heading and the empty line before it cost, about."""

WHOLE: Final = 400
SMALL: Final = 96
SMALLEST: Final = 16
SIZES: Final[dict[str, tuple[int, ...]]] = {
    "fact": (WHOLE,),
    "message": (WHOLE, SMALL, SMALLEST),
    "decision": (WHOLE, SMALL, SMALLEST),
    "task": (160, 48, SMALLEST),
    "question": (160, 48, SMALLEST),
    "delegation": (160, 48, SMALLEST),
    "timer": (160, 48, SMALLEST),
    "gap": (48, SMALLEST),
}
"""Kind → the sizes, in tokens, that its text may take, largest first: those of a view."""
