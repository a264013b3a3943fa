"""Next valid actions: computed from the graph, never summarised.

* For open tasks: go on with what is in progress, begin what waits for nothing, settle what is proven.
* Beside them: prove what was concluded and is not proven, by the step that the closeout names; wait for work that was
  given away; answer what is open; look again at a file that changed since it was seen.
* What waits for another task, and what has ended, is never among them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from muniment.closeout.verdict import PROVEN, REASONS
from muniment.derive.texts import readable
from muniment.handoff.packet import NextAction, PacketItem
from muniment.handoff.parts import Part, Sources, ranked
from muniment.handoff.sections.binding import OPEN
from muniment.handoff.sections.claims import Judged
from muniment.model.edges import EdgeKind
from muniment.model.nodes import INSTRUCTIONS, Event, File, Message, Receipt
from muniment.selection.focus import IN_PROGRESS

MOST: Final = 12
"""Actions that a packet names."""
AGAIN: Final = "run again: "
"""Stands before the command in a step that a closeout names, where a run would prove the claim."""
MOST_EACH: Final = 4
"""Of what is for no task: questions, files and claims, each."""


def next_actions(sources: Sources, parts: Sequence[Part], verdicts: Sequence[Judged]) -> list[Part]:
    """Return the next actions, given the other parts of the packet and the verdicts on claims."""
    items = {section: _items(parts, section) for section in ("tasks", "delegations", "questions")}
    given = {each for delegation in items["delegations"] for each in delegation.cites}
    found = [
        *_unanswered(sources),
        *_of_tasks(items["tasks"], verdicts, given),
        *_proofs(sources, verdicts)[:MOST_EACH],
        *(_waiting(sources, delegation) for delegation in items["delegations"]),
        *list(_rereads(sources))[:MOST_EACH],
        *(_answer(question) for question in items["questions"][:MOST_EACH]),
    ]
    return ranked(Part(section="next_actions", item=action) for action in found[:MOST])


def _items(parts: Sequence[Part], section: str) -> list[PacketItem]:
    return [part.item for part in parts if part.section == section and isinstance(part.item, PacketItem)]


def _of_tasks(tasks: Sequence[PacketItem], verdicts: Sequence[Judged], given: set[str]) -> Iterable[NextAction]:
    open_now = [task for task in tasks if task.id not in given and task.record not in given]
    for task in open_now:
        asked = [each.verdict for each in verdicts if each.claim.task in (task.id, task.record)]
        if asked and all(verdict.status == PROVEN for verdict in asked):
            proof = tuple(dict.fromkeys(each for verdict in asked for each in verdict.by))
            yield _action("settle", task, "all that it asks for is proven", cites=proof[:MOST_EACH])
        elif task.state == IN_PROGRESS:
            yield _action("continue", task, "in progress")
    ready = [task for task in open_now if task.state == OPEN and not task.after]
    for task in ready[: MOST_EACH + 2]:
        yield _action("start", task, "waits for nothing")


def _action(action: str, task: PacketItem, why: str, cites: tuple[str, ...] = ()) -> NextAction:
    return NextAction(task=task.id, about=task.id, handle=task.handle, action=action, why=why, cites=cites)


def _proofs(sources: Sources, verdicts: Sequence[Judged]) -> list[NextAction]:
    """What would prove what is not proven, each step once, the newest claim first."""
    steps: dict[str, NextAction] = {}
    for verdict in (each.verdict for each in reversed(verdicts)):
        if verdict.status == PROVEN or verdict.waived or not verdict.next_step:
            continue
        step, again, command = sources.shown(verdict.next_step).partition(AGAIN)
        action = NextAction(
            task="",
            about=verdict.id,
            handle=verdict.handle,
            action="prove",
            why=step.removesuffix(", and ") or REASONS.get(verdict.reason, verdict.status),
            command=command if again else "",
        )
        steps.setdefault(verdict.next_step, action)
    return list(steps.values())


def _waiting(sources: Sources, delegation: PacketItem) -> NextAction:
    task = next((each for each in delegation.cites if sources.live.node(each) is not None), "")
    return NextAction(
        task=task,
        about=delegation.id,
        handle=delegation.handle,
        action="wait",
        why=f"{delegation.what} has not ended".strip(),
    )


def _unanswered(sources: Sources) -> Iterable[NextAction]:
    """What a user said last, if the agent has not ended a turn since: said something, and then done nothing."""
    acts = sorted(receipt.ordinal for receipt in sources.live.newest([Receipt]) if sources.focus.covers(receipt))
    until = sources.live.ordinal + 1
    for message in sources.live.newest([Message]):
        if not sources.focus.covers(message) or sources.live.ended(message.id):
            continue
        at_work = bisect_left(acts, until) > bisect_left(acts, message.ordinal)
        until = message.ordinal
        if message.role == "answer" and (message.final or not at_work):
            return
        if message.binding and message.role != INSTRUCTIONS:
            yield NextAction(
                task="", about=message.id, handle=message.handle, action="answer", why="said last, and not answered yet"
            )
            return


def _answer(question: PacketItem) -> NextAction:
    return NextAction(task="", about=question.id, handle=question.handle, action="answer", why=f"open {question.what}")


def _rereads(sources: Sources) -> Iterable[NextAction]:
    """Files of which the newest that is known is that something other than a tool of the mission changed them."""
    live = sources.live
    for event in live.newest([Event]):
        if not event.what.startswith("file "):
            continue
        for edge in sources.snapshot.edges_from(event.id, {EdgeKind.ABOUT}):
            file = live.node(edge.target)
            if isinstance(file, File) and live.touched(file.id) <= event.ordinal:
                yield NextAction(
                    task="",
                    about=file.id,
                    handle=file.handle,
                    action="reread",
                    why=f"{readable(file.path)} changed since it was seen",
                    cites=(event.id,),
                )
