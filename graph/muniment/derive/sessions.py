"""Sessions, workspaces and agents: who worked where.

* The first record of a session makes its Session node; the first of the mission its Mission node. A record without a
  session
  belongs to the session "" of its mission.
* A workspace is known by its root (or by its name, where no root is told); two sessions on one root share it.
* An agent is known by (session, name): "" is the root agent, `user` stands for the people who speak in the session.
"""

from __future__ import annotations

from muniment.derive.builder import Builder
from muniment.derive.paths import Rules
from muniment.derive.state import Rooted
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Agent, Event, Mission, Session, Workspace
from muniment.model.records import ModelChanged, Record, SessionForked, SessionOpened


def session_of(builder: Builder, record: Record) -> Rooted:
    """Return the session that a record belongs to, opening it where nothing has."""
    known = builder.state.sessions.get(record.session)
    return known if known is not None else _open(builder, record)


def agent_of(builder: Builder, record: Record) -> str:
    """Return the node of the agent (or the user) that a record is of."""
    session_of(builder, record)
    name = "user" if record.by == "user" else record.agent
    key = f"{record.session}\n{name}"
    known = builder.state.agents.get(key)
    if known is None:
        known = builder.node_id(Agent, key)
        builder.state.agents[key] = known
        builder.add(
            Agent(
                id=known,
                ordinal=builder.ordinal,
                handle=builder.handle(Agent),
                record=record.id,
                session=record.session,
                agent=name,
            )
        )
        builder.edge(EdgeKind.PART_OF, known, builder.state.sessions[record.session].node)
    return known


def session_opened(builder: Builder, record: SessionOpened | SessionForked) -> None:
    """A session opened, or forked off another. Opening a known session again tells nothing new."""
    if record.session not in builder.state.sessions:
        _open(builder, record)
        agent_of(builder, record)


def model_changed(builder: Builder, record: ModelChanged) -> None:
    """Another model goes on."""
    session_of(builder, record).model = record.to
    happened(builder, record, "model", record.to, record.source)


def happened(builder: Builder, record: Record, what: str, now: str | None, was: str | None) -> Event:
    """Add an event node."""
    session_of(builder, record)
    base = builder.base(Event, record)
    event = Event(**base, session=record.session, agent=record.agent, what=what, now=now, was=was)
    builder.add(event)
    return event


def rules_of(session: Rooted) -> Rules:
    """Return the rules of the file system that a session works on."""
    return Rules(
        style=session.fs_style,
        case_sensitive=session.case_sensitive,
        normalization_sensitive=session.normalization_sensitive,
    )


def _open(builder: Builder, record: Record) -> Rooted:
    given = record if isinstance(record, SessionOpened | SessionForked) else SessionOpened(id=record.id)
    mission = _mission(builder, record)
    workspace = _workspace(builder, given)
    parent = given.parent if isinstance(given, SessionForked) else None
    model = given.model if isinstance(given, SessionOpened) else None
    node = Session(
        id=builder.node_id(Session, record.session),
        ordinal=builder.ordinal,
        handle=builder.handle(Session),
        record=record.id if given is record else record.session,
        session=record.session,
        parent=parent,
        model=model,
        version=given.version if isinstance(given, SessionOpened) else None,
    )
    builder.add(node)
    builder.edge(EdgeKind.PART_OF, node.id, mission)
    builder.edge(EdgeKind.PART_OF, node.id, workspace)
    if parent is not None:
        builder.link(EdgeKind.PRECEDES, node.id, parent, forward=False)
    opened = Rooted(
        node=node.id,
        workspace=workspace,
        root=given.root,
        fs_style=given.fs_style,
        case_sensitive=given.case_sensitive,
        normalization_sensitive=given.normalization_sensitive,
        model=model,
    )
    builder.state.sessions[record.session] = opened
    return opened


def _mission(builder: Builder, record: Record) -> str:
    state = builder.state
    node = builder.node_id(Mission, state.mission)
    if not state.sessions:
        builder.add(
            Mission(
                id=node,
                ordinal=builder.ordinal,
                handle=builder.handle(Mission),
                record=state.mission,
                project=state.project,
                format=state.format,
                root_session=record.session,
            )
        )
    return node


def _workspace(builder: Builder, given: SessionOpened | SessionForked) -> str:
    name = given.root or given.workspace
    node = builder.node_id(Workspace, name)
    if all(session.workspace != node for session in builder.state.sessions.values()):
        builder.add(
            Workspace(
                id=node,
                ordinal=builder.ordinal,
                handle=builder.handle(Workspace),
                record=f"workspace:{name}",
                name=given.workspace or name,
                root=given.root,
                fs_style=given.fs_style,
                case_sensitive=given.case_sensitive,
                normalization_sensitive=given.normalization_sensitive,
            )
        )
    return node
