"""What binds, and all that is still open: facts, users' messages, tasks, decisions, delegations, timers, questions,
losses. It is whatever the reads give, in their order; nothing here is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.derive.texts import readable
from muniment.handoff.contract import SMALLEST
from muniment.handoff.parts import Part, Sources, part_of
from muniment.model.edges import EdgeKind
from muniment.model.ids import entry_number
from muniment.model.nodes import INSTRUCTIONS, SIDE_KINDS, Fact, Gap, Message, Task
from muniment.snapshot import ENDED_STATES

CONFLICT = "conflict"
OPEN = "open"


def binding(sources: Sources) -> Iterable[Part]:
    """Yield the facts in force and the users' messages."""
    clashing = frozenset(sources.live.conflicts())
    for node in sources.live.binding():
        state = CONFLICT if node.id in clashing else ""
        if isinstance(node, Fact) and node.class_ == INSTRUCTIONS:
            version = f"{node.text.lines} lines" if node.digest else "version not known"
            yield part_of(
                "binding",
                node,
                version,
                by=node.by,
                what=node.class_,
                state=state,
                path=_shown(node.path),
                digest=node.digest,
            )
        elif isinstance(node, Fact):
            what = readable(node.class_) + (f" {readable(node.slot)}" if node.slot and state else "")
            text = sources.desk.text(node.text)
            held, about = _held(node), _target(sources, node)
            yield part_of("binding", node, text, by=node.by, what=what, state=state, why=held, cites=about)
        else:
            what = "" if node.role == "prompt" else node.role
            yield part_of("binding", node, sources.desk.text(node.text), by=node.by, what=what)


def tasks(sources: Sources) -> Iterable[Part]:
    """Yield the open tasks, each with the open tasks that it waits for."""
    live, unended = sources.live, sources.live.open_tasks()
    for task in unended:
        yield part_of(
            "tasks",
            task,
            sources.desk.text(task.text),
            by=task.by,
            state=readable(live.state(task.id)) or OPEN,
            after=waits_for(sources, task),
        )


def waits_for(sources: Sources, task: Task) -> tuple[str, ...]:
    """Return the tasks on which one depends and that have not ended."""
    edges = sources.snapshot.edges_from(task.id, {EdgeKind.DEPENDS_ON})
    snapshot = sources.snapshot  # of what has ended, only the whole graph knows
    unended = (edge.target for edge in edges if snapshot.state(edge.target) not in ENDED_STATES)
    return tuple(target for target in unended if not snapshot.ended(target))


def decisions(sources: Sources) -> Iterable[Part]:
    """Yield the decisions in force: why, on what evidence, and what was turned down."""
    clashing = frozenset(sources.live.conflicts())
    said = {entry_number(node.handle) for node in sources.live.binding() if isinstance(node, Message)}
    for node in sources.live.decisions():
        cites = sources.snapshot.edges_from(node.id, {EdgeKind.CITES})
        part = part_of(
            "decisions",
            node,
            sources.desk.text(node.choice),
            by=node.by,
            state=CONFLICT if node.id in clashing else "",
            why=sources.desk.text(node.reason),
            cites=tuple(dict.fromkeys(edge.target for edge in cites)),
            rejected=tuple(readable(option) for option in node.rejected),
        )
        # A plan that the user approved is in the user's message of the same entry: said once is enough.
        yield msgspec.structs.replace(part, sizes=(SMALLEST,)) if entry_number(node.handle) in said else part


def delegations(sources: Sources) -> Iterable[Part]:
    """Yield the delegations that run."""
    for node in sources.live.running():
        state = readable(sources.live.state(node.id)) or "running"
        after = (node.task,) if node.task else ()
        yield part_of(
            "delegations", node, sources.desk.text(node.text), what=readable(node.child), state=state, cites=after
        )


def timers(sources: Sources) -> Iterable[Part]:
    """Yield the timers that are armed."""
    for node in sources.live.armed():
        yield part_of("timers", node, sources.desk.text(node.text), what=readable(node.due or ""), state="armed")


def questions(sources: Sources) -> Iterable[Part]:
    """Yield the questions, risks and gaps that are open."""
    for node in sources.live.open_questions():
        yield part_of("questions", node, sources.desk.text(node.text), by=node.by, what=readable(node.what), state=OPEN)


def losses(sources: Sources) -> Iterable[Part]:
    """Yield the known losses, one for each kind: a damaged file can have thousands."""
    kinds: dict[str, list[Gap]] = {}
    for gap in sources.live.gaps():
        kinds.setdefault(gap.code, []).append(gap)
    for code, found in kinds.items():
        detail = readable(found[-1].detail)
        many = f"{len(found):,} times{', last' if detail else ''}" if len(found) > 1 else ""
        yield part_of("losses", found[-1], f"{many} {detail}".strip(), what=readable(code))


def _held(fact: Fact) -> str:
    """Return from when until when a fact holds, where that was said."""
    told = (("from", fact.valid_from), ("until", fact.valid_to))
    return " ".join(f"{word} {readable(when)}" for word, when in told if when)


def _target(sources: Sources, fact: Fact) -> tuple[str, ...]:
    """Return the task of which a fact is a criterion, or what it waives."""
    made = [node for node in sources.snapshot.named(fact.target or "") if not isinstance(node, SIDE_KINDS)]
    return (made[0].id,) if made else ()


def _shown(path: str | None) -> str | None:
    return readable(path) if path is not None else None
