"""To-do lists of agents, given whole each time, as tasks and their moves: the forms that runtimes other than Codex use.

A list is brought to Codex's form (`step`, `status`); `codex_plan` says what changed. A step that is given as cancelled
is left out, which cancels it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from muniment.importers.codex_plan import plan_moves
from muniment.importers.codex_state import Line, Step
from muniment.importers.lenient import string
from muniment.importers.plain_records import Spot
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Record

_STATES = {"done": "completed", "todo": "pending", "open": "pending", "active": "in_progress"}
_BOX = re.compile(r"\s*[-*]\s+\[(?P<mark>[ xX~>-])\]\s+(?P<text>.+)")


def todo_moves(plan: dict[str, Step], spot: Spot, items: Iterable[JSON_OBJECT], call: str) -> list[Record]:
    """Return what a list says of the tasks, and bring `plan` up to it. Items have a text and a status."""
    steps: list[JSON_OBJECT] = []
    for item in items:
        text = next((found for key in ("content", "description", "title", "step") if (found := string(item, key))), "")
        status = string(item, "status")
        if text and status != "cancelled":
            steps.append({"step": text, "status": _STATES.get(status, status)})
    return plan_moves(plan, Line(spot.entry, spot.clock, spot.turn), steps, call)


def boxes_in(text: str) -> list[JSON_OBJECT]:
    """Return the items of a list that is written as text with boxes: `- [x] text`."""
    found: list[JSON_OBJECT] = []
    for line in text.split("\n"):
        match = _BOX.match(line)
        if match is not None:
            status = {"x": "completed", " ": "pending"}.get(match["mark"].lower(), "in_progress")
            found.append({"content": match["text"].strip(), "status": status})
    return found
