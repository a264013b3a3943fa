"""`muniment explain`: the whole chain behind a claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import click

from muniment.closeout.explaining import Explanation
from muniment.closeout.verdict import PROVEN, REASONS, Step
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import one_line
from muniment_api.opening import open_store, pick_mission, plain

WIDTH = 100
SIGNS = {"proven": "✓", "unproven": "?", "contradicted": "✗"}


@command("explain", examples=["muniment explain L37", "muniment explain L37 --json"])
@click.argument("claim")
@click.option("--mission", help="The mission that the claim is of.  [default: the newest]")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_context
def explain(ctx: click.Context, claim: str, mission: str | None, as_of: int | None) -> None:
    """Tell why CLAIM (L37, a record's id) is proven or not: the receipts, what they are about, what came since.

    Exits with 0 if it is proven, else with 1.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        found = store.explain_claim(claim, mission=pick_mission(console, store, mission), as_of=as_of)
    console.result(plain(found), "" if console.json else "\n".join(_lines(console, found)))
    ctx.exit(Exit.OK if found.claim.status == PROVEN else Exit.NOT_PROVEN)


def _lines(console: Console, found: Explanation) -> Iterator[str]:
    claim = found.claim
    mark = console.styled(f"{SIGNS[claim.status]} {claim.status}", claim.status)
    yield f"{mark}  {claim.handle}  {claim.type}  {one_line(claim.text, WIDTH)}"
    if claim.reason:
        where = f" ({claim.path})" if claim.path else ""
        yield f"  why: {REASONS.get(claim.reason, claim.reason)}{where}"
    for place, step in enumerate(found.steps):
        branch = "├─" if _goes_on(found.steps[place:]) else "└─"
        yield f"{'  ' * step.depth}{branch} {step.relation} {step.handle}  {one_line(step.words, WIDTH)}".rstrip()
    if claim.waived:
        yield f"  waived by the user: {claim.waiver}"
    if claim.next_step:
        yield f"  next: {claim.next_step}"


def _goes_on(steps: Sequence[Step]) -> bool:
    """Tell whether another step hangs on what the first of some hangs on."""
    below = takewhile(lambda step: step.depth >= steps[0].depth, steps[1:])
    return any(step.depth == steps[0].depth for step in below)


COMMAND = explain
