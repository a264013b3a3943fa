"""Claims of a mission: what was stated as a claim, and what the final answer and completed tasks say.

* A claim that was withdrawn is none. A claim that is inferred and was also stated is judged once, as stated.
* Inferred claims are read when a closeout is asked for, not stored: from the last answer of the newest session's root
  agent, and from
  the texts of settled tasks. Their ids are derived from the message or task, so they stay the same.
* A settled task is no claim by itself, whatever proof it cites.
* Asked for one task: the claims that name it, and what its own text says, settled or about to be: whether it may be is
  what is asked then.
"""

from __future__ import annotations

from muniment.closeout.inference import TYPE_OF_FAMILY, InferredClaim, inferred_claims
from muniment.derive.run_words import SUITE
from muniment.errors import UnknownIdError
from muniment.model import ids
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Claim, Message, Task, Text
from muniment.snapshot import ENDED_STATES, Snapshot


def claims_of(snapshot: Snapshot, task: str | None = None) -> list[Claim]:
    """Return the claims that stand, by ordinal: all of the mission, or those of one task.

    Raises:
        UnknownIdError: no task of the mission has this id, record id or handle.
    """
    wanted = None if task is None else task_named(snapshot, task)
    stated = [claim for claim in snapshot.of_kind(Claim) if not snapshot.ended(claim.id)]
    found = [*stated, *_inferred(snapshot, wanted)]
    if wanted is not None:
        found = [claim for claim in found if _is_about(snapshot, claim, wanted)]
    known = {_sense(claim) for claim in found if not claim.inferred}
    kept: dict[object, Claim] = {}
    for claim in found:
        if not claim.inferred:
            kept[claim.id] = claim
        elif _sense(claim) not in known:
            kept[_sense(claim)] = claim
    return sorted(kept.values(), key=lambda claim: (claim.ordinal, claim.id))


def task_named(snapshot: Snapshot, wanted: str) -> Task:
    """Return the task with this id, record id or handle.

    Raises:
        UnknownIdError: there is none.
    """
    found = [node for node in snapshot.named(wanted) if isinstance(node, Task)]
    if not found:
        raise UnknownIdError(wanted, "no task of this mission has it")
    return found[0]


def final_answer(snapshot: Snapshot) -> Message | None:
    """Return the last answer of the newest session's root agent, None where it gave none."""
    sessions = snapshot.sessions()
    newest = sessions[-1].session if sessions else None
    for message in snapshot.newest([Message]):
        if message.by == "agent" and not message.agent and message.role == "answer" and message.session == newest:
            return message
    return None


def _inferred(snapshot: Snapshot, wanted: Task | None) -> list[Claim]:
    found: list[Claim] = []
    for task in snapshot.of_kind(Task):
        state = snapshot.state(task.id)
        judged = state == "settled" or (task == wanted and state not in ENDED_STATES)
        if judged and not snapshot.ended(task.id):
            found += _claims_in(snapshot, task)
    answer = final_answer(snapshot)
    if answer is not None and not snapshot.ended(answer.id):
        found += _claims_in(snapshot, answer)
    return found


def _claims_in(snapshot: Snapshot, source: Task | Message) -> list[Claim]:
    made = inferred_claims(snapshot.text(source.text))
    return [_claim(snapshot, source, claim, place) for place, claim in enumerate(made)]


def _claim(snapshot: Snapshot, source: Task | Message, claim: InferredClaim, place: int) -> Claim:
    scope = claim.scope if isinstance(claim.scope, str) or claim.scope is None else "\n".join(claim.scope)
    role = "\n".join(["inferred", claim.type, scope or "", claim.path or "", claim.what or ""])
    return Claim(
        id=ids.node_id("claim", snapshot.mission, source.record, role),
        ordinal=source.ordinal,
        handle=ids.handle(Claim.letter, ids.entry_number(source.handle) or 0, place),
        record=source.record,
        by=source.by,
        session=source.session,
        type=claim.type,
        scope=claim.scope,
        path=claim.path,
        what=claim.what,
        text=Text(inline=claim.quote, lines=1, size=len(claim.quote)),
        inferred=True,
        task=source.id if isinstance(source, Task) else None,
    )


def _sense(claim: Claim) -> tuple[object, ...]:
    """What a claim says, for telling whether an inferred one was said already."""
    return (claim.type, claim.scope or (SUITE if claim.type in TYPE_OF_FAMILY.values() else None), claim.path)


def _is_about(snapshot: Snapshot, claim: Claim, task: Task) -> bool:
    if claim.task in (task.id, task.record):
        return True
    edges = snapshot.edges_from(claim.id, {EdgeKind.ABOUT})
    return any(edge.target == task.id for edge in edges)
