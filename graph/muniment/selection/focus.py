"""Focus: for which tasks, which session and which agent a view is made.

* Without a task in the request, all tasks in progress are in focus. Without a session, it is the newest; without an
  agent, the session's root agent.
* A delegation in focus is the child's task: the view is for the child, and for the task that was given to it.
* A session that was forked or resumed from another has that one's history as well.
"""

from __future__ import annotations

import msgspec

from muniment.errors import UnknownIdError
from muniment.model.nodes import Agent, Delegation, Message, Receipt, Session, Task
from muniment.selection.view import ViewRequest
from muniment.snapshot import LiveReads

IN_PROGRESS = "active"


class Focus(msgspec.Struct, frozen=True):
    """What a view is for. `session` is the source's id of the session, "" where none is known; `sessions` are it and
    those that it grew out of; None: sessions are not known. `delegation` is the one for whose child it is.
    """

    tasks: tuple[Task, ...]
    sessions: frozenset[str] | None
    agent: str
    delegation: Delegation | None = None
    session: str = ""

    def covers(self, node: Message | Receipt) -> bool:
        """Tell whether the focused agent said or did this."""
        return node.agent == self.agent and (self.sessions is None or node.session in self.sessions)


def focus_of(live: LiveReads, request: ViewRequest) -> Focus:
    """Return what a request is about.

    Raises:
        UnknownIdError: no task, session, agent or delegation has the id that the request names.
    """
    if request.delegate is not None:
        return _for_child(live, request)
    lineage = _lineage(live.sessions(), request.session)
    if request.agent and all(request.agent != agent.agent for agent in live.newest([Agent])):
        raise UnknownIdError(request.agent, "no agent of this mission")
    return _focus(_tasks(live, request.task), lineage, request.agent or "")


def _focus(tasks: tuple[Task, ...], lineage: list[str], agent: str, delegation: Delegation | None = None) -> Focus:
    return Focus(tasks, frozenset(lineage) if lineage else None, agent, delegation, lineage[0] if lineage else "")


def _for_child(live: LiveReads, request: ViewRequest) -> Focus:
    delegation = _delegation(live, request.delegate or "")
    wanted = request.task or delegation.task
    task = live.node(wanted) if wanted is not None else None
    tasks = (task,) if isinstance(task, Task) else () if wanted is None else _tasks(live, wanted)
    lineage = _lineage(live.sessions(), request.session or delegation.session or None)
    return _focus(tasks, lineage, request.agent or delegation.child, delegation)


def _delegation(live: LiveReads, wanted: str) -> Delegation:
    known = [*live.running(), *live.newest([Delegation])]
    for delegation in known:
        if wanted in (delegation.id, delegation.record, delegation.handle, delegation.child):
            return delegation
    raise UnknownIdError(wanted, "no delegation of this mission")


def _tasks(live: LiveReads, wanted: str | None) -> tuple[Task, ...]:
    if wanted is None:
        return tuple(task for task in live.open_tasks() if live.state(task.id) == IN_PROGRESS)
    node = live.node(wanted)
    if isinstance(node, Task):
        return (node,)
    for task in [*live.open_tasks(), *live.newest([Task])]:
        if wanted in (task.record, task.handle):
            return (task,)
    raise UnknownIdError(wanted, "no task of this mission")


def _lineage(sessions: list[Session], wanted: str | None) -> list[str]:
    """Return the source's ids of a session and of those that it grew out of; none where no session is known."""
    named = {name: session for session in sessions for name in _names(session)}
    if wanted is not None and wanted not in named:
        raise UnknownIdError(wanted, "no session of this mission")
    if not sessions:
        return []
    found: list[str] = []
    session: Session | None = named[wanted] if wanted is not None else sessions[-1]
    while session is not None and session.session not in found:
        found.append(session.session)
        session = named.get(session.parent) if session.parent else None
    return found


def _names(session: Session) -> tuple[str, ...]:
    return (session.id, session.handle, session.record, session.session)
