"""Large outputs on the wire: which lines of them matter, by whom, and which nobody has judged yet."""

from __future__ import annotations

import strawberry

from muniment.closeout.outputs import DistilledOutput as DomainOutput
from muniment.closeout.outputs import Kept as DomainKept
from muniment_api.schema.declare import said, typed


@typed
class KeptLines:
    """Lines of an output that were chosen, counted from 1, both ends included."""

    excerpt: str = said("The short name under which they are found.")
    first: int = said("The first line.")
    last: int = said("The last line.")
    states: str = said("What they establish.")
    leaves_open: str = said("What they leave open.")
    by: str = said("Who chose them; empty is the store itself.")
    omissions_matter: bool | None = said("Whether what was left out could change the conclusion; null if not said.")


@typed
class DistilledOutput:
    """A large output, and what was chosen of it."""

    receipt: strawberry.ID = said("The receipt that has it.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")
    command: str = said("The beginning of its command, or the name of the tool.")
    status: str = said("How it ended: ok, failed, refused or unknown.")
    exit_code: int | None = said("Its exit status; null where there is none.")
    lines: int = said("How many lines it has.")
    characters: int = said("How many characters it has.")
    kept: list[KeptLines] = said("What was chosen, ascending.")
    omitted: list[list[int]] = said("First and last line of what nobody chose; `rehydrate` gives it.")
    pending: bool = said("Whether no agent has said yet which of its lines matter.")


def distilled_of(output: DomainOutput) -> DistilledOutput:
    """Return an output as it goes over the wire."""
    return DistilledOutput(
        receipt=strawberry.ID(output.receipt),
        handle=output.handle,
        record=strawberry.ID(output.record),
        command=output.command,
        status=output.status,
        exit_code=output.exit_code,
        lines=output.lines,
        characters=output.characters,
        kept=[_kept(each) for each in output.kept],
        omitted=[list(each) for each in output.omitted],
        pending=output.pending,
    )


def _kept(kept: DomainKept) -> KeptLines:
    return KeptLines(
        excerpt=kept.excerpt,
        first=kept.first,
        last=kept.last,
        states=kept.states,
        leaves_open=kept.leaves_open,
        by=kept.by,
        omissions_matter=kept.omissions_matter,
    )
