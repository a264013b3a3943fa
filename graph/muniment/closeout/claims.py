"""Claims of a mission: what was stated as a claim, what criteria ask for, and what answers and completed tasks say.

* A claim that was withdrawn is none. A claim that is inferred and was also stated is judged once, as stated.
* Inferred claims are read when a closeout is asked for, not stored: from the answers that handed something over, and
  from the texts of settled tasks. Their ids are derived from the message or task, so they stay the same.
* A later answer takes the place of an earlier one in what it says: of the tests, of the build, of one file.
* Acceptance criteria are claims to be met, whether anybody says that they are or not.
* A settled task is no claim by itself, whatever proof it cites.
* Asked for one task: the claims that name it, its criteria, and what its own text says, settled or about to be: whether
  it may be is what is asked then.
"""

from __future__ import annotations

from muniment.closeout.answers import handed_over
from muniment.closeout.inference import TYPE_OF_FAMILY, InferredClaim, criterion_claims, inferred_claims
from muniment.derive.run_words import SUITE
from muniment.errors import UnknownIdError
from muniment.model import ids
from muniment.model.edges import EdgeKind
from muniment.model.nodes import CANCELLED_BY_USER, Claim, Event, Fact, Message, Task, Text
from muniment.snapshot import ENDED_STATES, Snapshot

ACCEPTANCE = "acceptance"
"""Class of the facts that are criteria."""
CRITERION = "criterion_met"
"""Type of the claims that criteria are."""


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
    known = {_sense(snapshot, claim) for claim in found if not claim.inferred}
    kept: dict[object, Claim] = {}
    for claim in found:
        if not claim.inferred:
            kept[claim.id] = claim
        elif (sense := _sense(snapshot, claim)) not in known:
            kept[sense] = claim
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


def criteria_of(snapshot: Snapshot, task: Task | None = None) -> list[Fact]:
    """Return the acceptance criteria in force: all, or those of one task. Those of a cancelled task ask for nothing,
    but a user's only if a user cancelled it.
    """
    found = []
    for fact in snapshot.of_kind(Fact):
        if fact.class_ != ACCEPTANCE or snapshot.ended(fact.id):
            continue
        about = next((node for node in snapshot.named(fact.target or "") if isinstance(node, Task)), None)
        dropped = about is not None and _is_dropped(snapshot, about, fact)
        if about == task if task is not None else not dropped:
            found.append(fact)
    return found


def _is_dropped(snapshot: Snapshot, task: Task, criterion: Fact) -> bool:
    """Tell whether a task was dropped by somebody who may drop its criterion with it."""
    if not (snapshot.state(task.id) == "cancelled" or snapshot.ended(task.id)):
        return False
    if criterion.by != "user":
        return True
    if snapshot.ended(task.id) and task.by == "user":  # nobody else can have ended it
        return True
    return any(event.what == CANCELLED_BY_USER and event.now == task.id for event in snapshot.of_kind(Event))


def asked_by(snapshot: Snapshot, criterion: Fact) -> list[Claim]:
    """Return what a criterion asks for, as claims; none where its words cannot tell."""
    made = criterion_claims(snapshot.text(criterion.text))
    return [_claim(snapshot, criterion, claim, place + 1) for place, claim in enumerate(made)]


def said_in(snapshot: Snapshot, source: Task | Message) -> list[Claim]:
    """Return the claims that a message makes, or the text of a task."""
    made = inferred_claims(snapshot.text(source.text))
    return [_claim(snapshot, source, claim, place) for place, claim in enumerate(made)]


def _inferred(snapshot: Snapshot, wanted: Task | None) -> list[Claim]:
    found: list[Claim] = [criterion_claim(snapshot, fact) for fact in criteria_of(snapshot)]
    for task in snapshot.of_kind(Task):
        state = snapshot.state(task.id)
        judged = state == "settled" or (task == wanted and state not in ENDED_STATES)
        if judged and not snapshot.ended(task.id):
            found += said_in(snapshot, task)
    told: dict[tuple[str, str | None], str] = {}
    for answer in handed_over(snapshot):
        for claim in said_in(snapshot, answer):
            thing = (claim.type, claim.path)
            if told.setdefault(thing, answer.id) == answer.id:
                found.append(claim)
    return found


def criterion_claim(snapshot: Snapshot, fact: Fact) -> Claim:
    """Return the claim that a criterion is: that it is met."""
    task = next((node for node in snapshot.named(fact.target or "") if isinstance(node, Task)), None)
    return Claim(
        id=ids.node_id("claim", snapshot.mission, fact.record, "criterion"),
        ordinal=fact.ordinal,
        handle=ids.handle(Claim.letter, ids.entry_number(fact.handle) or 0, 0),
        record=fact.record,
        by=fact.by,
        session=fact.session,
        type=CRITERION,
        text=fact.text,
        inferred=True,
        task=task.id if task is not None else None,
        target=fact.id,
    )


def _claim(snapshot: Snapshot, source: Task | Message | Fact, claim: InferredClaim, place: int) -> Claim:
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
        target=source.id if isinstance(source, Fact) else None,
    )


def _sense(snapshot: Snapshot, claim: Claim) -> tuple[object, ...]:
    """What a claim says, for telling whether an inferred one was said already."""
    if claim.type == CRITERION:
        return (CRITERION, next((node.id for node in snapshot.named(claim.target or "")), claim.target))
    return (
        claim.what if claim.type == "absent_in_file" else None,
        claim.type,
        claim.scope or (SUITE if claim.type in TYPE_OF_FAMILY.values() else None),
        claim.path,
    )


def _is_about(snapshot: Snapshot, claim: Claim, task: Task) -> bool:
    if claim.task in (task.id, task.record) or claim.target in (task.id, task.record):
        return True
    edges = snapshot.edges_from(claim.id, {EdgeKind.ABOUT})
    return any(edge.target == task.id for edge in edges)
