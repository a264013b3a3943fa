"""What is said, stated, decided, claimed and asked: one small rule per record type.

* A user's message binds; nobody else's does.
* A fact or decision is ended only by an explicit `supersedes` or a withdrawal, and what a user stated only by a user.
* A task's, question's, delegation's or timer's state is the newest MOVED edge that points to it.
"""

from __future__ import annotations

from muniment.derive import boundaries
from muniment.derive.builder import Builder
from muniment.derive.files import file_for
from muniment.derive.sessions import agent_of, happened, session_of
from muniment.derive.texts import needs_repair
from muniment.derive.versions import whole_digest
from muniment.model import records
from muniment.model.edges import EdgeKind
from muniment.model.nodes import (
    CANCELLED_BY_USER,
    REPORTED,
    WAIVER,
    Artifact,
    Call,
    Claim,
    Decision,
    Delegation,
    Fact,
    Message,
    Question,
    Task,
    Text,
    Timer,
    View,
)

_OPEN = frozenset({"open", "active", "blocked"})


def message(builder: Builder, record: records.Message) -> None:
    """Something was said."""
    speaker = agent_of(builder, record)
    node = Message(
        **builder.base(Message, record),
        by=record.by,
        session=record.session,
        agent=record.agent,
        role=record.role,
        text=builder.refer(record.text),
        turn=record.turn,
        clock=record.clock,
        binding=record.by == "user",
        final=record.final,
        parent=record.parent,
        repaired=needs_repair(record.text),
    )
    builder.add(node)
    builder.edge(EdgeKind.PART_OF, node.id, speaker)
    if record.parent is not None and record.parent != record.id:
        builder.link(EdgeKind.PRECEDES, node.id, record.parent, forward=False)
    if record.role == "summary" or builder.state.crossings:
        boundaries.said(builder, record, node.id)


def fact_stated(builder: Builder, record: records.FactStated) -> None:
    """A fact was stated."""
    session_of(builder, record)
    node = Fact(
        **builder.base(Fact, record),
        by=record.by,
        session=record.session,
        class_=record.class_,
        text=builder.refer(record.text),
        slot=record.slot,
        multi=record.multi,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        clock=record.clock,
        target=record.target,
    )
    builder.add(node)
    if record.target is not None:
        builder.link(EdgeKind.ABOUT, node.id, record.target)
    for older in record.supersedes:
        builder.end(EdgeKind.SUPERSEDES, node.id, record.by, older)


def waiver(builder: Builder, record: records.Waiver) -> None:
    """A user accepts something without proof; nobody else can."""
    session_of(builder, record)
    if record.by != "user":
        builder.refuse("no_authority", record.target)
        return
    builder.add(
        Fact(
            **builder.base(Fact, record),
            by=record.by,
            session=record.session,
            class_=WAIVER,
            text=builder.refer(record.text or f"{record.target} is accepted without proof"),
            clock=record.clock,
            target=record.target,
        )
    )


def decision_made(builder: Builder, record: records.DecisionMade) -> None:
    """Something was decided."""
    session_of(builder, record)
    node = Decision(
        **builder.base(Decision, record),
        by=record.by,
        session=record.session,
        choice=builder.refer(record.choice),
        reason=_refer(builder, record.reason),
        rejected=record.rejected,
    )
    builder.add(node)
    for older in record.supersedes:
        builder.end(EdgeKind.SUPERSEDES, node.id, record.by, older)


def withdrawal(builder: Builder, record: records.Withdrawal) -> None:
    """Something no longer applies."""
    builder.end(EdgeKind.WITHDRAWS, agent_of(builder, record), record.by, record.target)


def task_stated(builder: Builder, record: records.TaskStated) -> None:
    """A task was given."""
    session_of(builder, record)
    node = Task(
        **builder.base(Task, record),
        by=record.by,
        session=record.session,
        agent=record.agent,
        text=builder.refer(record.text),
    )
    builder.add(node)
    for needed in record.depends_on:
        builder.link(EdgeKind.DEPENDS_ON, node.id, needed)


def task_moved(builder: Builder, record: records.TaskMoved) -> None:
    """A task's state changed; while it is active, what its agent does is about it."""
    mover = agent_of(builder, record)
    builder.link(EdgeKind.MOVED, mover, record.task, state=record.to)
    task = builder.find_kind(Task, record.task)
    if task is None:
        return
    if record.to == "cancelled" and record.by == "user":
        happened(builder, record, CANCELLED_BY_USER, task.id, None)
    if record.proof is not None:
        builder.link(EdgeKind.CITES, task.id, record.proof)
    key = f"{record.session}\n{record.agent}"
    if record.to == "active":
        builder.state.active[key] = task.id
    elif builder.state.active.get(key) == task.id:
        del builder.state.active[key]


def claim_made(builder: Builder, record: records.ClaimMade) -> None:
    """Somebody claims something."""
    session = session_of(builder, record)
    node = Claim(
        **builder.base(Claim, record),
        by=record.by,
        session=record.session,
        type=record.type,
        cites=record.cites,
        scope=record.scope,
        path=record.path,
        what=record.what,
        delegation=record.delegation,
        text=_refer(builder, record.text),
        inferred=record.inferred,
        target=record.target,
        digest=record.digest,
    )
    builder.add(node)
    if record.target is not None:
        builder.link(EdgeKind.ABOUT, node.id, record.target)
    for cited in record.cites:
        builder.link(EdgeKind.CITES, node.id, cited)
    if record.path is not None and not record.path.endswith("/"):
        builder.edge(EdgeKind.ABOUT, node.id, file_for(builder, session, record.path).node)


def question_opened(builder: Builder, record: records.QuestionOpened) -> None:
    """A question, risk or gap was opened."""
    session_of(builder, record)
    builder.add(
        Question(
            **builder.base(Question, record),
            by=record.by,
            session=record.session,
            what=record.what,
            text=builder.refer(record.text),
        )
    )


def question_settled(builder: Builder, record: records.QuestionSettled) -> None:
    """A question, risk or gap was settled."""
    builder.link(EdgeKind.MOVED, agent_of(builder, record), record.question, state="settled")


def artifact_produced(builder: Builder, record: records.ArtifactProduced) -> None:
    """A file was produced as a result of the work."""
    session = session_of(builder, record)
    node = Artifact(
        **builder.base(Artifact, record),
        by=record.by,
        path=record.path,
        file=file_for(builder, session, record.path).node,
        digest=None if record.content is None else whole_digest(record.content),
    )
    builder.add(node)
    if record.generated_by is not None:
        builder.link(EdgeKind.PRODUCED, node.id, record.generated_by, forward=False)


def delegation_started(builder: Builder, record: records.DelegationStarted) -> None:
    """Work was given to a child agent."""
    giver = agent_of(builder, record)
    node = Delegation(
        **builder.base(Delegation, record),
        session=record.session,
        child=record.child,
        text=_refer(builder, record.text),
        task=record.task,
        call=record.call,
    )
    builder.add(node)
    builder.edge(EdgeKind.DELEGATED, giver, node.id)
    if record.call is not None:
        builder.link(EdgeKind.DELEGATED, node.id, record.call, forward=False)


def delegation_ended(builder: Builder, record: records.DelegationEnded) -> None:
    """A child agent's work ended; what it said at the end is its own word, no more.

    Where the same entry holds the result of the call that started it, the words stand in that receipt. What a child
    did that is not recorded may have changed anything: that is an event of its own.
    """
    # who gave the work away may say that it is over, but not how it ended: that is for the runtime, or the child
    outcome = REPORTED if record.by == "agent" else record.outcome
    builder.link(EdgeKind.MOVED, agent_of(builder, record), record.delegation, state=outcome)
    delegation = builder.find_kind(Delegation, record.delegation)
    child = record.child or (delegation.child if delegation is not None else record.delegation)
    if record.text is not None and not _answered_here(builder, delegation):
        builder.add(
            Message(
                **builder.base(Message, record),
                by=f"{records.CHILD_AUTHOR}{child}",
                session=record.session,
                agent=child,
                role="answer",
                text=builder.refer(record.text),
                final=True,
                clock=record.clock,
            )
        )
    if record.child is not None and f"{record.session}\n{child}" not in builder.state.agents:
        happened(builder, record, "environment: a child's work that is not recorded", child, None)


def _answered_here(builder: Builder, delegation: Delegation | None) -> bool:
    """Tell whether the entry at hand holds the receipt of the call that started a delegation."""
    call = builder.find_kind(Call, delegation.call) if delegation is not None and delegation.call else None
    produced = (edge.source for edge in builder.added.edges if edge.kind is EdgeKind.PRODUCED)
    return call is not None and call.id in produced


def timer_armed(builder: Builder, record: records.TimerArmed) -> None:
    """Something is to happen later."""
    session_of(builder, record)
    builder.add(
        Timer(**builder.base(Timer, record), session=record.session, text=builder.refer(record.text), due=record.due)
    )


def timer_fired(builder: Builder, record: records.TimerFired) -> None:
    """It happened."""
    builder.link(EdgeKind.MOVED, agent_of(builder, record), record.timer, state="fired")


def view_emitted(builder: Builder, record: records.ViewEmitted) -> None:
    """A view was given to an agent."""
    session_of(builder, record)
    node = View(
        **builder.base(View, record),
        session=record.session,
        agent=record.agent,
        task=record.task,
        items=record.ids,
        lines=record.lines,
        as_of=record.ordinal,
    )
    builder.add(node)
    boundaries.view_given(builder, record, node.id)


def _refer(builder: Builder, text: str | None) -> Text | None:
    return None if text is None else builder.refer(text)
