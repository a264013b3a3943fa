"""Impact: which claims, tasks and artifacts lose their proof if something is no more as it was.

* Asked is about a file that changes, or a receipt, claim, fact or decision that no longer holds. Everything is judged
  twice, as recorded and as supposed; what was proven and would not be *loses* its proof.
* What has lost its proof by it already is told too: the file did change, the receipt was withdrawn.
* What merely cites it *rests on it*, whether it is judged by that or not.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.closeout.claims import claims_of
from muniment.closeout.evidence import Evidence, Supposed
from muniment.closeout.judge import ruling_on
from muniment.closeout.support import words_of
from muniment.closeout.verdict import PROVEN, Ruling
from muniment.errors import AmbiguousIdError, UnknownIdError, UsageError
from muniment.model import ids
from muniment.model.edges import EdgeKind
from muniment.model.nodes import (
    AnyNode,
    Artifact,
    Call,
    Claim,
    Decision,
    Excerpt,
    Fact,
    File,
    FileVersion,
    Receipt,
    Task,
    kind_of,
)
from muniment.snapshot import Snapshot


class Affected(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A claim, task or artifact, with its verdict as recorded (`before`) and as supposed (`after`), and the reason."""

    id: str
    handle: str
    kind: str
    words: str
    before: str = ""
    after: str = ""
    reason: str = ""
    next_step: str = ""


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What hangs on a file, receipt, claim, fact or decision. `happened`: it is so already; then `lost` are those that
    lost their proof by it, and `loses` what would still lose it.
    """

    mission: str
    id: str
    handle: str
    kind: str
    words: str
    happened: bool
    loses: tuple[Affected, ...]
    lost: tuple[Affected, ...]
    rests: tuple[Affected, ...]


def impact(snapshot: Snapshot, wanted: str) -> Impact:
    """Return what loses its proof if the thing with this id, handle or path is no more as it was.

    Raises:
        UnknownIdError: the mission has no such thing.
        AmbiguousIdError: several of its files have this name.
        UsageError: nothing can hang on such a thing.
    """
    recorded = Evidence(snapshot, ruling_on)
    node = _named(recorded, wanted)
    supposed, before_it = _supposed(node)
    judged = list(_judged(snapshot))
    after, earlier = Evidence(snapshot, ruling_on, supposed), Evidence(snapshot, ruling_on, before_it)
    loses = [_affected(one, recorded, after) for one in judged if _fell(one, recorded, after)]
    if isinstance(node, File):
        lost = [_affected(one, None, recorded) for one in judged if _by_file(one.ruling(recorded), node)]
    else:
        lost = [_affected(one, earlier, recorded) for one in judged if _fell(one, earlier, recorded)]
    return Impact(
        mission=snapshot.mission,
        id=node.id,
        handle=node.handle,
        kind=kind_of(node),
        words=words_of(recorded, node),
        happened=bool(lost) if isinstance(node, File) else bool(snapshot.ended(node.id)),
        loses=tuple(loses),
        lost=tuple(lost),
        rests=tuple(_resting(recorded, node)),
    )


class _Judged(msgspec.Struct, frozen=True):
    """A thing whose proof is looked at, and the claim that it makes."""

    node: AnyNode
    claim: Claim

    def ruling(self, evidence: Evidence) -> Ruling:
        return evidence.ruling(self.claim)


def _judged(snapshot: Snapshot) -> Iterator[_Judged]:
    for claim in claims_of(snapshot):
        yield _Judged(claim, claim)
    for task in snapshot.of_kind(Task):
        if snapshot.state(task.id) == "settled" and not snapshot.ended(task.id):
            yield _Judged(task, _of(snapshot, task, "task_done"))
    for artifact in snapshot.of_kind(Artifact):
        if not snapshot.ended(artifact.id):
            yield _Judged(artifact, _of(snapshot, artifact, "artifact_exists"))


def _of(snapshot: Snapshot, node: Task | Artifact, type_: str) -> Claim:
    """Return the claim that a task or artifact makes by being there."""
    return Claim(
        id=ids.node_id("claim", snapshot.mission, node.record, type_),
        ordinal=node.ordinal,
        handle=node.handle,
        record=node.record,
        by=node.by,
        session=node.session if isinstance(node, Task) else "",
        type=type_,
        path=node.path if isinstance(node, Artifact) else None,
        target=node.id,
        inferred=True,
    )


def _named(evidence: Evidence, wanted: str) -> AnyNode:
    snapshot = evidence.snapshot
    named = snapshot.named(wanted)
    files = [] if named else evidence.files_named(wanted, "")
    if len(files) > 1:
        raise AmbiguousIdError(wanted, tuple(file.path for file in files))
    main = [node for node in named if isinstance(node, Receipt | Claim | Fact | Decision | Task)]
    found = next(iter([*main, *named, *files]), None)
    if found is None:
        raise UnknownIdError(wanted, "neither an id of this mission nor the path of a file that it knows")
    return _hanging_on(snapshot, found, wanted)


def _hanging_on(snapshot: Snapshot, node: AnyNode, wanted: str) -> AnyNode:
    """Return what things hang on: of a version or artifact its file, of an excerpt or call its receipt."""
    via: str | None = None
    if isinstance(node, FileVersion | Artifact):
        via = node.file
    elif isinstance(node, Excerpt):
        via = node.receipt
    elif isinstance(node, Call):
        produced = snapshot.edges_from(node.id, {EdgeKind.PRODUCED})
        via = produced[0].target if produced else None
    found = snapshot.node(via) if via is not None else node
    if isinstance(found, File | Receipt | Claim | Fact | Decision | Task):
        return found
    raise UsageError(f"{wanted} is of kind {kind_of(node)}: ask about a file, receipt, claim, task, fact or decision")


def _supposed(node: AnyNode) -> tuple[Supposed, Supposed]:
    """Return what is asked about, and the opposite: that it still were as it was."""
    if isinstance(node, File):
        return Supposed(changed=frozenset({node.id})), Supposed()
    names = frozenset({node.id})
    return Supposed(withdrawn=names), Supposed(restored=names)


def _fell(one: _Judged, before: Evidence, after: Evidence) -> bool:
    return one.ruling(before).status == PROVEN and one.ruling(after).status != PROVEN


def _by_file(ruling: Ruling, file: File) -> bool:
    return ruling.reason in ("subject_changed", "subject_set_changed") and ruling.path == file.path


def _affected(one: _Judged, before: Evidence | None, after: Evidence) -> Affected:
    ruling = one.ruling(after)
    return Affected(
        id=one.node.id,
        handle=one.node.handle,
        kind=kind_of(one.node),
        words=words_of(after, one.node),
        before=one.ruling(before).status if before is not None else "",
        after=ruling.status,
        reason=ruling.reason,
        next_step=ruling.next_step,
    )


def _resting(evidence: Evidence, node: AnyNode) -> Iterator[Affected]:
    """Yield what cites a thing, and what cites that, nearest first."""
    snapshot = evidence.snapshot
    met, todo = {node.id}, [node.id]
    while todo:
        for edge in snapshot.edges_to(todo.pop(0), {EdgeKind.CITES}):
            each = snapshot.node(edge.source)
            if each is not None and each.id not in met and not snapshot.ended(each.id):
                met.add(each.id)
                todo.append(each.id)
                yield Affected(id=each.id, handle=each.handle, kind=kind_of(each), words=words_of(evidence, each))
