"""Focus: for which tasks, which session and which agent a view is made.

* Without a task in the request, all tasks in progress are in focus. Without a session, it is the newest; without an
  agent, the session's root agent.
* A session that was forked or resumed from another has that one's history as well.
"""

from __future__ import annotations

import msgspec

from muniment.errors import UnknownIdError
from muniment.model.nodes import Agent, Message, Receipt, Session, Task
from muniment.selection.view import ViewRequest
from muniment.snapshot import LiveReads

IN_PROGRESS = "active"


class Focus(msgspec.Struct, frozen=True):
    """What a view is for. `sessions` are the session and those that it grew out of; None: sessions are not known."""

    tasks: tuple[Task, ...]
    sessions: frozenset[str] | None
    agent: str

    def covers(self, node: Message | Receipt) -> bool:
        """Tell whether the focused agent said or did this."""
        return node.agent == self.agent and (self.sessions is None or node.session in self.sessions)


def focus_of(live: LiveReads, request: ViewRequest) -> Focus:
    """Return what a request is about.

    Raises:
        UnknownIdError: no task, session or agent has the id that the request names.
    """
    sessions = _lineage(live.sessions(), request.session)
    if request.agent and all(request.agent != agent.agent for agent in live.newest([Agent])):
        raise UnknownIdError(request.agent, "no agent of this mission")
    return Focus(_tasks(live, request.task), sessions, request.agent or "")


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


def _lineage(sessions: list[Session], wanted: str | None) -> frozenset[str] | None:
    named = {name: session for session in sessions for name in _names(session)}
    if wanted is not None and wanted not in named:
        raise UnknownIdError(wanted, "no session of this mission")
    if not sessions:
        return None
    found: list[str] = []
    session: Session | None = named[wanted] if wanted is not None else sessions[-1]
    while session is not None and session.session not in found:
        found.append(session.session)
        session = named.get(session.parent) if session.parent else None
    return frozenset(found)


def _names(session: Session) -> tuple[str, ...]:
    return (session.id, session.handle, session.record, session.session)
