"""The collapse plan: which outputs may give way to a marker, since another output of the same context shows the same.

* Only a receipt that shows nothing but lines of files may go, and only as a whole: all that it shows must be shown by
  one other receipt, the same lines at the same numbers, character for character, whole.
* The newer one stays, unless it is narrower. What stays must be in the context of the same agent: a wider read from
  before a compaction is not any more.
* What is itself replaced, purged or withdrawn is never what another points to.
"""

from __future__ import annotations

import re
from collections import defaultdict

import msgspec

from muniment.derive.repeats import COVERS
from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.nodes import SHOWN, Boundary, Call, Excerpt, Receipt
from muniment.snapshot import Snapshot

_GUTTER = re.compile(r" *\d+ *(?:\t|→|\| ?|: ?| )")
"""What stands in front of a line that is shown with its number."""


class Collapse(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt whose body may give way to `marker`, since `into` shows the same lines, unchanged.

    `record` and `call` are the ids of the result and of the call that it answers, as the runtime knows them ("" where
    there is none); `into_record` and `into_call` those of what stays.
    """

    receipt: str
    record: str
    call: str
    into: str
    into_record: str
    into_call: str
    marker: str


def collapse_plan(snapshot: Snapshot) -> list[Collapse]:
    """Return which receipts of reads may be replaced by a marker, and by which, oldest first."""
    shows = _shown_by(snapshot)
    covered = _covered(snapshot)
    into: dict[str, str] = {}
    for gone in sorted(shows, key=lambda receipt: _ordinal(snapshot, receipt)):
        if not shows_only_lines(snapshot, gone, shows[gone]):
            continue
        kept = [k for k in _covering(covered, shows[gone]) if _may_stay(snapshot, gone, k) and _last(into, k) != gone]
        if kept:
            into[gone] = max(kept, key=lambda receipt: _ordinal(snapshot, receipt))
    plan = []
    for gone in into:
        stays = _last(into, gone)
        if _may_stay(snapshot, gone, stays):
            plan.append(_collapse(snapshot, gone, stays))
    return plan


def _shown_by(snapshot: Snapshot) -> dict[str, list[Excerpt]]:
    """Return the lines of files that each receipt showed."""
    found: dict[str, list[Excerpt]] = defaultdict(list)
    for excerpt in snapshot.of_kind(Excerpt):
        if excerpt.file is not None and excerpt.how == SHOWN:
            found[excerpt.receipt].append(excerpt)
    return found


def _covered(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return, for each excerpt, the receipts that show all of its lines, whole."""
    found: dict[str, set[str]] = defaultdict(set)
    for excerpt in snapshot.of_kind(Excerpt):
        for edge in snapshot.edges_from(excerpt.id, {EdgeKind.REPEATS}):
            ends = edge.target, edge.source
            gone, kept = map(snapshot.node, ends if edge.state == COVERS else reversed(ends))
            if not isinstance(gone, Excerpt) or not isinstance(kept, Excerpt) or kept.receipt == gone.receipt:
                continue
            if not any(gone.first <= line <= gone.last for line in kept.cut):
                found[gone.id].add(kept.receipt)
    return found


def _covering(covered: dict[str, set[str]], excerpts: list[Excerpt]) -> set[str]:
    """Return the receipts that show all lines of some excerpts."""
    each = [covered.get(excerpt.id, set()) for excerpt in excerpts]
    return set.intersection(*each) if each else set()


def shows_only_lines(snapshot: Snapshot, receipt: str, excerpts: list[Excerpt]) -> bool:
    """Tell whether an output is nothing but the lines that its excerpts hold, with their numbers or without."""
    node = snapshot.node(receipt)
    if not isinstance(node, Receipt):
        return False
    if node.tool == "read":
        return len(excerpts) == 1
    output = snapshot.text(node.output).rstrip("\n") if node.output is not None else ""
    printed = split_lines(output)
    lines = [line for excerpt in excerpts for line in split_lines(snapshot.text(excerpt.text))]
    while lines and not lines[-1] and len(lines) > len(printed):
        lines.pop()
    return len(printed) == len(lines) and all(map(_is_line, printed, lines))


def _is_line(printed: str, line: str) -> bool:
    return printed == line or (
        printed.endswith(line) and _GUTTER.fullmatch(printed[: len(printed) - len(line)]) is not None
    )


def _may_stay(snapshot: Snapshot, gone: str, kept: str) -> bool:
    """Tell whether a receipt is still in the context in which another stands."""
    old, new = snapshot.node(kept), snapshot.node(gone)
    if not isinstance(old, Receipt) or not isinstance(new, Receipt) or "purged" in old.flags:
        return False
    if snapshot.ended(kept):
        return False
    return old.ordinal > new.ordinal or not any(
        old.ordinal < boundary.ordinal < new.ordinal
        for boundary in snapshot.of_kind(Boundary)
        if (boundary.session, boundary.agent) == (new.session, new.agent) and boundary.outcome == "done"
    )


def _last(into: dict[str, str], receipt: str) -> str:
    while receipt in into:
        receipt = into[receipt]
    return receipt


def _ordinal(snapshot: Snapshot, node: str) -> int:
    found = snapshot.node(node)
    return found.ordinal if found is not None else 0


def _collapse(snapshot: Snapshot, gone: str, kept: str) -> Collapse:
    old, new = snapshot.node(gone), snapshot.node(kept)
    assert isinstance(old, Receipt)
    assert isinstance(new, Receipt)
    return Collapse(
        receipt=old.id,
        record=old.record,
        call=call_of(snapshot, old),
        into=new.id,
        into_record=new.record,
        into_call=call_of(snapshot, new),
        marker=f"[truncated: superseded by output {new.handle}]",
    )


def call_of(snapshot: Snapshot, receipt: Receipt) -> str:
    """Return the record's id of the call that a receipt answers, "" where there is none."""
    node = snapshot.node(receipt.call) if receipt.call is not None else None
    return node.record if isinstance(node, Call) else ""
