"""Overwrites: lines that an agent wrote over without having seen them as they were.

* Looked at are writes of a whole file. Who edits some lines names them, and so knows them.
* What the model saw counts, as of the moment when it wrote the call: results that came later, in the same answer, do
  not.
* `stale_base`: the lines had been changed, by somebody else, after the agent last saw the file: that change may be
  lost. `unseen_overwrite`: the agent had never seen them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from muniment.closeout.rules.rule import WARNING, Inquiry, Noticed, Rule
from muniment.derive.carrying import Interval, Segments, intervals
from muniment.derive.coverage import LOST, Moment, lineage, moments
from muniment.model.ledger import LedgerState
from muniment.model.nodes import TOLD, WRITTEN, Call, Excerpt, File, FileVersion, Node, Receipt
from muniment.snapshot import Snapshot


class Overwrite(NamedTuple):
    """Lines (of the file as it was; () where they are not known) that `receipt` wrote over; `change` made them so."""

    file: File
    receipt: Receipt
    lines: tuple[Interval, ...]
    change: Node | None


def _overwrites(inquiry: Inquiry) -> Iterator[Noticed]:
    """Yield each write of a whole file over lines that its agent had not seen."""
    for found in overwritten_unseen(inquiry.snapshot):
        lines = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found.lines)
        what = f"lines {lines} of {found.file.path}" if lines else found.file.path
        if found.change is None:
            message = f"{found.receipt.handle} wrote over {what}, which its agent had not seen"
            yield Noticed(message=message, ids=(found.receipt.id,))
            continue
        message = (
            f"{found.receipt.handle} wrote over {what}, which {found.change.handle} had changed after its agent last "
            "saw the file"
        )
        yield Noticed(code="stale_base", message=message, ids=(found.receipt.id, found.change.id))


def overwritten_unseen(snapshot: Snapshot) -> Iterator[Overwrite]:
    """Yield the writes of whole files over unseen lines, by file, then in order."""
    writes: dict[str, list[Excerpt]] = {}
    owner: dict[str, tuple[str, str]] = {}
    mixed: set[str] = set()
    for node in snapshot.of_kind(Excerpt):
        file = node.file
        if file is None:
            continue
        if node.how == WRITTEN:
            writes.setdefault(file, []).append(node)
        own = (node.session, node.agent)
        if node.cut or node.how == TOLD or owner.setdefault(file, own) != own:
            mixed.add(file)
    for each in snapshot.of_kind(File):
        made = writes.get(each.id)
        if made and not _is_plain(snapshot, snapshot.observations(each.id), made, alone=each.id not in mixed):
            yield from _in_file(snapshot, each)


def _is_plain(snapshot: Snapshot, states: list[tuple[int, LedgerState]], writes: list[Excerpt], *, alone: bool) -> bool:
    """Tell whether each write of a file came when its own agent knew every line, from its own sights and writes: then
    nothing has to be followed through the versions. `alone`: nobody else ever saw or wrote any of it.
    """
    before = {after: (since, before) for (since, before), (after, _) in pairwise(states)}
    if len(before) < len(states) - 1:  # several steps at one ordinal
        return False
    for wrote in writes:
        known = before.get(wrote.ordinal)
        if known is None:
            continue
        began = _began(snapshot, wrote)
        if alone and known[0] < began:  # all that it holds came before the model wrote the call
            if not known[1].complete:
                return False
        elif not _knew(snapshot, known[1], wrote, began):
            return False
    return True


def _began(snapshot: Snapshot, wrote: Excerpt) -> int:
    receipt = snapshot.node(wrote.receipt)
    call = snapshot.node(receipt.call) if isinstance(receipt, Receipt) and receipt.call is not None else None
    return call.began if isinstance(call, Call) else wrote.ordinal


def _knew(snapshot: Snapshot, before: LedgerState, wrote: Excerpt, began: int) -> bool:
    sources = [snapshot.node(each) for each in dict.fromkeys(segment.excerpt for segment in before.segments)]
    return before.complete and all(
        isinstance(node, Excerpt)
        and (node.session, node.agent) == (wrote.session, wrote.agent)
        and node.ordinal < began
        and node.how != TOLD
        and not node.cut
        for node in sources
    )


def _in_file(snapshot: Snapshot, file: File) -> Iterator[Overwrite]:
    told: list[Moment] = []
    for moment in moments(snapshot, file.id):
        receipt = snapshot.node(moment.cause)
        if moment.how == WRITTEN and moment.changed and isinstance(receipt, Receipt):
            found = _overwrite(snapshot, file, told, moment, receipt)
            if found is not None:
                yield found
        told.append(moment)


def _overwrite(
    snapshot: Snapshot, file: File, told: list[Moment], moment: Moment, receipt: Receipt
) -> Overwrite | None:
    version = snapshot.node(moment.before.version)
    if not isinstance(version, FileVersion) or version.grade == "absent":
        return None
    call = snapshot.node(receipt.call) if receipt.call is not None else None
    began = call.began if isinstance(call, Call) else receipt.ordinal
    known = _seen_before(snapshot, moment.seen_before.get(moment.agent, ()), began)
    change = _change(snapshot, told, moment.agent, began)
    if told[-1].how == LOST:
        own = told[-1].agent == moment.agent
        return None if own or (change is None and not known) else Overwrite(file, receipt, (), change)
    last = moment.before.total or max((segment.stop - 1 for segment in moment.before.segments), default=0)
    gone = set(range(1, last + 1)) - _numbers(known)
    for run in moment.runs:
        gone -= set(range(run.old, min(run.old + run.size, last + 1)))
    return Overwrite(file, receipt, _runs(gone), change) if gone else None


def _seen_before(snapshot: Snapshot, segments: Segments, began: int) -> Segments:
    """Return the lines whose source the model had seen when its answer began."""
    nodes = ((segment, snapshot.node(segment.excerpt)) for segment in segments)
    return tuple(segment for segment, node in nodes if node is not None and node.ordinal < began)


def _change(snapshot: Snapshot, told: list[Moment], agent: str, began: int) -> Node | None:
    """Return the newest change by somebody else since an agent last saw a file; None where it never saw it."""
    ancestors = lineage(snapshot, agent)
    seen = [
        each.ordinal
        for each in told
        if each.how != LOST and each.ordinal < began and each.ordinal <= ancestors.get(each.agent, 0)
    ]
    others = [each for each in told if each.changed and each.agent != agent and seen and each.ordinal > max(seen)]
    return snapshot.node(others[-1].cause) if others else None


def _numbers(segments: Segments) -> set[int]:
    return {number for first, last in intervals(segments) for number in range(first, last + 1)}


def _runs(numbers: set[int]) -> tuple[Interval, ...]:
    found: list[Interval] = []
    for number in sorted(numbers):
        if found and found[-1][1] + 1 == number:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


WRITE_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="unseen-overwrite",
        severity=WARNING,
        title="lines were written over that the agent had not seen",
        why="Who writes a whole file without having seen it as it is may throw away what somebody else wrote.",
        fix="Compare the file with what it was (`muniment coverage`), and put back what should have stayed.",
        check=_overwrites,
        tags=("files",),
        codes=("stale_base",),
    ),
)
