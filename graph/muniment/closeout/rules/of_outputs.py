"""Rules about outputs: large ones of which nobody has said what matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muniment.closeout.outputs import PENDING, pending
from muniment.closeout.rules.of_record import SOME
from muniment.closeout.rules.rule import NOTE, Inquiry, Noticed, Rule


def _pending(inquiry: Inquiry) -> Iterator[Noticed]:
    waiting = pending(inquiry.snapshot)
    if waiting:
        named = ", ".join(output.handle for output in waiting[:SOME]) + (", …" if len(waiting) > SOME else "")
        what = "a large output" if len(waiting) == 1 else f"{len(waiting)} large outputs"
        message = f"{what}, and nobody has said which lines matter: {named}"
        yield Noticed(message=message, ids=tuple(output.receipt for output in waiting), code=PENDING)


OUTPUT_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="large-output",
        severity=NOTE,
        title="a large output is not distilled",
        why="Views show a few lines of a large output. Whether the decisive ones are there, only its readers can say. "
        "`closeout --require-distillations` makes each of them an error.",
        fix="Record which lines matter (`distillation_made`, or the tool `distill` of the MCP server).",
        check=_pending,
        tags=("outputs",),
        codes=(PENDING,),
    ),
)
