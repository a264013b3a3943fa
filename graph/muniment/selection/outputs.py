"""Outputs: what a tool printed, cut to size by what of it matters.

* A distilled output is shown by its distillation: the lines that an agent named first, then those of the store's own
  choice that are worth most for the room there is. A larger room than the distillation had is filled from the output.
* Any other output, and one of which nothing but its ends was chosen, keeps its head and, larger, its tail, which is
  where results stand.
* Both say how much is left out, of how much, and the handle that gives it.
"""

from __future__ import annotations

from muniment.derive.distil import PLACES, Distillation, Run, distil, narrowed
from muniment.derive.distillations import status_of
from muniment.derive.texts import split_lines
from muniment.model.nodes import Excerpt, Receipt, Text
from muniment.selection.pieces import Desk, excerpted, pointed
from muniment.tokens import USUAL_TOKEN

SMALLEST_DISTILLED = 1_000
"""Characters below which nothing is looked up: head and tail of such an output are most of it."""
POINTER_TOKENS = 20
"""What `[… 1,234 of 12,345 lines omitted: R12]` costs."""
ROOMY = 1_000
"""Tokens above which the whole output is distilled again: the store's own distillation holds no more."""


def shown_output(desk: Desk, receipt: Receipt, output: Text, tokens: int) -> tuple[str, int]:
    """Return an output in about `tokens`, and about how many tokens of it are not shown."""
    chosen = desk.live.distilled(receipt.id) if output.size > SMALLEST_DISTILLED else []
    if not any(excerpt.by or _says_something(excerpt) for excerpt in chosen):
        chosen = []
    if not chosen or (output.size <= tokens * USUAL_TOKEN and desk.counter.fits(desk.text(output), tokens)):
        return excerpted(desk, output, tokens, receipt.handle)
    made = _distillation(desk, receipt, output, chosen, max(tokens - POINTER_TOKENS, 0))
    missing = sum(last - first + 1 for first, last in made.omitted)
    where = pointed(desk, receipt.handle, output, made.omitted, as_stored=True)
    pointer = f"[… {missing:,} of {made.lines:,} lines omitted: {where}]"
    return f"{made.text}\n{pointer}".lstrip("\n"), max((output.size - len(made.text)) // 4, 1)


def named_by_agents(desk: Desk, receipt: Receipt) -> bool:
    """Tell whether agents named lines of an output as those that matter."""
    is_large = receipt.output is not None and receipt.output.size > SMALLEST_DISTILLED
    return is_large and any(excerpt.by for excerpt in desk.live.distilled(receipt.id))


def _says_something(excerpt: Excerpt) -> bool:
    return excerpt.states not in PLACES


def _distillation(desk: Desk, receipt: Receipt, output: Text, chosen: list[Excerpt], tokens: int) -> Distillation:
    command = desk.text(receipt.command) if receipt.command is not None else None
    run = Run(command, status_of(receipt), filled=False)
    named = {number for excerpt in chosen if excerpt.by for number in range(excerpt.first, excerpt.last + 1)}
    if tokens > ROOMY and not named:
        return distil(
            desk.live.text(output), command=run.command, status=run.status, budget=tokens, counter=desk.counter
        )
    lines: dict[int, str] = {}
    for excerpt in sorted(chosen, key=lambda excerpt: excerpt.columns is not None):
        text = split_lines(desk.live.text(excerpt.text)) or [""]
        lines |= {excerpt.first + place: line for place, line in enumerate(text)}
    return narrowed(lines, output.lines, first=named, run=run, budget=tokens, counter=desk.counter)
