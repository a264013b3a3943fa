"""States: a packet gives everything the state that the graph gives it, and orders only what is to be done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.packet import WORKED_ON, Problem
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Decision, Delegation, Fact, Message, Node, Question, Task, Timer
from muniment.snapshot import ENDED_STATES

OPEN: Final = "open"
BLOCKED: Final = "blocked"
WITHDRAWN: Final = "withdrawn"


def tasks(inquiry: Inquiry) -> Iterable[Problem]:
    """A task's state is that of the graph; `open` may stand for any that has not ended."""
    wrong = []
    for reference, state in inquiry.said.tasks.items():
        task = inquiry.of_kinds(reference, (Task,))
        if task is not None and not _same(state, state_of(inquiry, task.id)):
            wrong.append(reference)
    for reference in inquiry.said.settled:
        task = inquiry.of_kinds(reference, (Task,))
        if task is not None and state_of(inquiry, task.id) not in ENDED_STATES:
            wrong.append(reference)
    if wrong:
        yield Problem(code="task_state_mismatch", ids=tuple(dict.fromkeys(wrong)))


def next_actions(inquiry: Inquiry) -> Iterable[Problem]:
    """A next action is for a task that is open; to begin or go on with one, nothing may stand before it."""
    told = [(reference, True) for reference in inquiry.said.next_actions]
    if inquiry.whole is not None:
        told = [(each.task, each.action in WORKED_ON) for each in inquiry.whole.next_actions if each.task]
    wrong = [reference for reference, works in told if not _may_be_done(inquiry, reference, works=works)]
    if wrong:
        yield Problem(code="next_action_not_open", ids=tuple(dict.fromkeys(wrong)))


def current(inquiry: Inquiry) -> Iterable[Problem]:
    """What is listed as in force, running, armed or open has not ended."""
    said = inquiry.said
    listed: list[tuple[tuple[type[Node], ...], Iterable[str]]] = [
        ((Fact, Message), said.facts),
        ((Decision,), said.decisions),
        ((Question,), said.questions or ()),
        ((Timer,), said.timers or ()),
        ((Delegation,), said.delegations),
    ]
    over = [each for kinds, named in listed for each in named if _is_over(inquiry, each, kinds)]
    if over:
        yield Problem(code="superseded_listed", ids=tuple(dict.fromkeys(over)))
    if inquiry.proposal.node and inquiry.snapshot.ended(inquiry.proposal.node) == WITHDRAWN:
        yield Problem(code="superseded_listed", ids=(inquiry.name,), message="the packet itself was withdrawn")


def _is_over(inquiry: Inquiry, reference: str, kinds: tuple[type[Node], ...]) -> bool:
    node = inquiry.of_kinds(reference, kinds)
    ended = node is not None and inquiry.snapshot.ended(node.id)
    return bool(ended) or (node is not None and state_of(inquiry, node.id) in ENDED_STATES)


def state_of(inquiry: Inquiry, node: str) -> str:
    """Return the state of a thing, `open` where nothing has moved it; how it ceased to hold, where it did."""
    return inquiry.snapshot.ended(node) or inquiry.snapshot.state(node) or OPEN


def _same(said: str, state: str) -> bool:
    return said == state or (said == OPEN and state in (OPEN, "active", BLOCKED))


def _may_be_done(inquiry: Inquiry, reference: str, *, works: bool) -> bool:
    task = inquiry.of_kinds(reference, (Task,))
    if task is None:
        return False
    state = state_of(inquiry, task.id)
    if state in ENDED_STATES or inquiry.snapshot.ended(task.id):
        return False
    return not works or (state != BLOCKED and not _waits(inquiry, task.id))


def _waits(inquiry: Inquiry, task: str) -> bool:
    needed = inquiry.snapshot.edges_from(task, {EdgeKind.DEPENDS_ON})
    return any(_is_unended(inquiry, edge.target) for edge in needed)


def _is_unended(inquiry: Inquiry, task: str) -> bool:
    return state_of(inquiry, task) in (OPEN, "active", BLOCKED)
