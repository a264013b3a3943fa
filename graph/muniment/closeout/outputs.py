"""Outputs: what was distilled of each large output, and which of them no agent has looked at.

* An output is large if the store distilled it when it came. What the store chose is a proposal; that it holds what
  matters is for whoever read the output to say. Until an agent has, the output is *pending*.
* A closeout that is asked to require distillations does not pass while one is pending.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from muniment.closeout.claims import task_named
from muniment.closeout.verdict import Closeout, Finding
from muniment.derive.texts import readable
from muniment.model.nodes import DISTILLED, Excerpt, Receipt
from muniment.snapshot import Snapshot

PENDING = "distillation_pending"
COMMAND_CHARACTERS = 200


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of an output that were chosen (from 1, inclusive): what they establish and leave open, and by whom.

    `by` is "" for the store itself. `excerpt` is the handle under which the lines are found.
    """

    excerpt: str
    first: int
    last: int
    columns: tuple[int, int] | None = None
    states: str = ""
    leaves_open: str = ""
    by: str = ""
    omissions_matter: bool | None = None


class DistilledOutput(msgspec.Struct, frozen=True, kw_only=True):
    """A large output. `omitted` are the line ranges that nobody chose; `show <handle> --lines` gives them back."""

    receipt: str
    handle: str
    record: str
    command: str
    status: str
    exit_code: int | None
    lines: int
    characters: int
    kept: tuple[Kept, ...]
    omitted: tuple[tuple[int, int], ...]
    pending: bool


def distillations(snapshot: Snapshot) -> list[DistilledOutput]:
    """Return the outputs of a mission that were distilled, oldest first."""
    excerpts: dict[str, list[Excerpt]] = {}
    for excerpt in snapshot.of_kind(Excerpt):
        if excerpt.how == DISTILLED:
            excerpts.setdefault(excerpt.receipt, []).append(excerpt)
    found = [(snapshot.node(receipt), kept) for receipt, kept in excerpts.items()]
    outputs = [_output(snapshot, node, kept) for node, kept in found if isinstance(node, Receipt)]
    return sorted(outputs, key=lambda output: _order(snapshot, output))


def pending(snapshot: Snapshot, task: str | None = None) -> list[DistilledOutput]:
    """Return the large outputs of a mission, or of one task, of which no agent has named the lines that matter, oldest
    first.

    Raises:
        UnknownIdError: no task of the mission has the id `task`.
    """
    wanted = task_named(snapshot, task).id if task is not None else None
    found = [output for output in distillations(snapshot) if output.pending]
    return [output for output in found if wanted is None or _task_of(snapshot, output) == wanted]


def _task_of(snapshot: Snapshot, output: DistilledOutput) -> str | None:
    node = snapshot.node(output.receipt)
    return node.task if isinstance(node, Receipt) else None


def requiring(closeout: Closeout, waiting: Iterable[DistilledOutput]) -> Closeout:
    """Return a closeout that does not pass while outputs are pending: each is an error among its findings."""
    errors = [*(finding for finding in closeout.findings if finding.severity == "error"), *_findings(waiting)]
    others = [finding for finding in closeout.findings if finding.severity != "error"]
    ordered = sorted(errors, key=lambda finding: (finding.code, finding.ids))
    return msgspec.structs.replace(closeout, findings=(*ordered, *others))


def _findings(waiting: Iterable[DistilledOutput]) -> Iterator[Finding]:
    for output in waiting:
        message = f"{output.handle}: nobody has said which of its {output.lines:,} lines matter"
        yield Finding(code=PENDING, severity="error", message=message, ids=(output.receipt,), rule="large-output")


def _output(snapshot: Snapshot, receipt: Receipt, excerpts: list[Excerpt]) -> DistilledOutput:
    command = readable(snapshot.text(receipt.command)) if receipt.command is not None else receipt.name
    lines = receipt.output.lines if receipt.output is not None else 0
    return DistilledOutput(
        receipt=receipt.id,
        handle=receipt.handle,
        record=receipt.record,
        command=command[:COMMAND_CHARACTERS],
        status=receipt.status,
        exit_code=receipt.exit_code,
        lines=lines,
        characters=receipt.output.size if receipt.output is not None else 0,
        kept=tuple(_kept(excerpt) for excerpt in sorted(excerpts, key=lambda e: (e.first, e.ordinal, e.id))),
        omitted=tuple(_omitted(excerpts, lines)),
        pending=not any(excerpt.by for excerpt in excerpts),
    )


def _kept(excerpt: Excerpt) -> Kept:
    return Kept(
        excerpt=excerpt.handle,
        first=excerpt.first,
        last=excerpt.last,
        columns=excerpt.columns,
        states=excerpt.states or "",
        leaves_open=excerpt.leaves_open or "",
        by=excerpt.by,
        omissions_matter=excerpt.omissions_matter,
    )


def _omitted(excerpts: list[Excerpt], lines: int) -> Iterator[tuple[int, int]]:
    begin = 1
    for first, last in sorted((excerpt.first, excerpt.last) for excerpt in excerpts):
        if first > begin:
            yield begin, first - 1
        begin = max(begin, last + 1)
    if begin <= lines:
        yield begin, lines


def _order(snapshot: Snapshot, output: DistilledOutput) -> tuple[int, str]:
    node = snapshot.node(output.receipt)
    return (node.ordinal if node is not None else 0), output.receipt
