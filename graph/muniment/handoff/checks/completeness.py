"""Completeness: whatever binds, is open, runs or is armed now is in the packet or in the tail that it carries.

Both what was there as of `covers_to` and what came since: so nothing that binds can fall between two contexts.
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.packet import Problem


def binding(inquiry: Inquiry) -> Iterable[Problem]:
    """Facts in force and users' own messages."""
    yield from _absent("binding_missing", inquiry.missing(inquiry.snapshot.binding(), inquiry.ids(inquiry.said.facts)))


def tasks(inquiry: Inquiry) -> Iterable[Problem]:
    """Open tasks. Settled and cancelled ones may be left out."""
    yield from _absent(
        "open_task_missing", inquiry.missing(inquiry.snapshot.open_tasks(), inquiry.ids(inquiry.said.tasks))
    )


def delegations(inquiry: Inquiry) -> Iterable[Problem]:
    """Delegations that run."""
    carried = inquiry.ids(inquiry.said.delegations)
    yield from _absent("delegation_missing", inquiry.missing(inquiry.snapshot.running(), carried))


def timers(inquiry: Inquiry) -> Iterable[Problem]:
    """Timers that are armed."""
    yield from _absent(
        "timer_missing", inquiry.missing(inquiry.snapshot.armed(), inquiry.ids(inquiry.said.timers or ()))
    )


def questions(inquiry: Inquiry) -> Iterable[Problem]:
    """Questions, risks and gaps that are open."""
    carried = inquiry.ids(inquiry.said.questions or ())
    yield from _absent("question_missing", inquiry.missing(inquiry.snapshot.open_questions(), carried))


def _absent(code: str, ids: tuple[str, ...]) -> Iterable[Problem]:
    if ids:
        yield Problem(code=code, ids=ids)
