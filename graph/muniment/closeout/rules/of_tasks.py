"""Rules about work: tasks, what they depend on, and what is still running or open.

* A task that is open, a child that runs and a question that nobody settled are warnings: the claims decide.
* A task that was settled while one that it depends on was not is an error: it cannot have been done in that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muniment.closeout.rules.rule import ERROR, NOTE, WARNING, Inquiry, Noticed, Rule
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Task
from muniment.snapshot import ENDED_STATES

_TAG: Final = "work"


def _open_tasks(inquiry: Inquiry) -> Iterator[Noticed]:
    for task in inquiry.snapshot.open_tasks():
        yield Noticed(message=f"{task.handle} is not settled", ids=(task.id,))


def _without_proof(inquiry: Inquiry) -> Iterator[Noticed]:
    snapshot = inquiry.snapshot
    for task in _settled(inquiry):
        cited = snapshot.edges_from(task.id, {EdgeKind.CITES})
        if not cited and not snapshot.edges_to(task.id, {EdgeKind.SUPPORTS}):
            message = f"{task.handle} was settled, and nothing is cited that shows it"
            yield Noticed(message=message, ids=(task.id,))


def _open_dependencies(inquiry: Inquiry) -> Iterator[Noticed]:
    snapshot = inquiry.snapshot
    for task in _settled(inquiry):
        for edge in snapshot.edges_from(task.id, {EdgeKind.DEPENDS_ON}):
            other = snapshot.node(edge.target)
            if isinstance(other, Task) and not _over(inquiry, other):
                message = f"{task.handle} was settled, and {other.handle}, on which it depends, is not"
                yield Noticed(message=message, ids=(task.id, other.id))


def _over(inquiry: Inquiry, task: Task) -> bool:
    return inquiry.snapshot.state(task.id) in ENDED_STATES or bool(inquiry.snapshot.ended(task.id))


def _settled(inquiry: Inquiry) -> Iterator[Task]:
    snapshot = inquiry.snapshot
    for task in snapshot.of_kind(Task):
        if snapshot.state(task.id) == "settled" and not snapshot.ended(task.id):
            yield task


def _running(inquiry: Inquiry) -> Iterator[Noticed]:
    for delegation in inquiry.snapshot.running():
        message = f"{delegation.handle}: the work given to {delegation.child} has not ended"
        yield Noticed(message=message, ids=(delegation.id,))


def _questions(inquiry: Inquiry) -> Iterator[Noticed]:
    for question in inquiry.snapshot.open_questions():
        message = f"{question.handle}: a {question.what} is open"
        yield Noticed(message=message, ids=(question.id,), code=f"{question.what}_open")


def _timers(inquiry: Inquiry) -> Iterator[Noticed]:
    for timer in inquiry.snapshot.armed():
        yield Noticed(message=f"{timer.handle} has not fired", ids=(timer.id,))


WORK_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="task-open",
        severity=WARNING,
        title="a task is not settled",
        why="Who calls the work done while a task is open has forgotten it, or forgot to settle it.",
        fix="Finish the task, or settle or cancel it.",
        check=_open_tasks,
        tags=(_TAG,),
    ),
    Rule(
        id="task-without-proof",
        severity=NOTE,
        title="a task was settled without proof",
        why="That a task was ticked off says only that somebody ticked it off.",
        fix="Settle it with the receipt that shows it (`proof`).",
        check=_without_proof,
        tags=(_TAG,),
    ),
    Rule(
        id="open-dependency",
        severity=ERROR,
        title="a settled task depends on one that is not",
        why="What can only be done after something else is not done before it.",
        fix="Finish or cancel what it depends on, or state the task anew without the dependency.",
        check=_open_dependencies,
        tags=(_TAG,),
    ),
    Rule(
        id="delegation-running",
        severity=WARNING,
        title="work that was given away has not ended",
        why="A child that still runs may change what was proven, and its result is not known.",
        fix="Wait for its end, or stop it.",
        check=_running,
        tags=(_TAG,),
    ),
    Rule(
        id="open-question",
        severity=WARNING,
        title="a question, risk or gap is open",
        why="Somebody wrote down that something is not known. It still is not.",
        fix="Answer it and settle it, or say in the answer that it is left open.",
        check=_questions,
        tags=(_TAG,),
        codes=("question_open", "risk_open", "gap_open"),
    ),
    Rule(
        id="timer-armed",
        severity=NOTE,
        title="a timer has not fired",
        why="Something is still to happen later.",
        fix="Wait for it, or cancel it.",
        check=_timers,
        tags=(_TAG,),
    ),
)
