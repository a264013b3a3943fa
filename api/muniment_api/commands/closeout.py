"""`muniment closeout`: what is proven."""

from __future__ import annotations

from collections import Counter

import click

from muniment.closeout.verdict import ClaimVerdict, Closeout
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import one_line
from muniment_api.opening import open_store, pick_mission, plain

SIGNS = {"proven": "✓", "unproven": "?", "contradicted": "✗"}
STATUSES = ("contradicted", "unproven", "proven")


@command(
    "closeout",
    examples=["muniment closeout", "muniment closeout --json", "muniment closeout && git push"],
)
@mission_argument
@click.option("--task", help="Judge this task alone: a record id, a handle or a node id.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_context
def closeout(ctx: click.Context, mission: str | None, task: str | None, as_of: int | None) -> None:
    """Say which claims of MISSION are proven, unproven or contradicted, and by what.

    Exits with 0 only if everything that was claimed is proven, else with 1.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        judged = store.closeout(pick_mission(console, store, mission), task=task, as_of=as_of)
    console.result({**plain(judged), "passed": judged.passed}, verdict_text(console, judged))
    ctx.exit(Exit.OK if judged.passed else Exit.NOT_PROVEN)


def verdict_text(console: Console, judged: Closeout) -> str:
    """Return a verdict for people: the sum, a block for each claim, the findings, the journal's head."""
    counts = Counter(claim.status for claim in judged.claims)
    sums = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    word = judged.verdict.replace("_", " ")
    lines = [f"verdict: {console.styled(word, judged.verdict)}" + (f"  ({sums})" if sums else ""), ""]
    for claim in sorted(judged.claims, key=lambda claim: STATUSES.index(claim.status)):
        lines += [*_claim_lines(console, claim), ""]
    lines += [f"{console.styled(finding.severity, finding.severity)}: {finding.message}" for finding in judged.findings]
    return "\n".join([*lines, f"journal head {judged.head}"])


def _claim_lines(console: Console, claim: ClaimVerdict) -> list[str]:
    mark = console.styled(f"{SIGNS[claim.status]} {claim.status:<12}", claim.status)
    lines = [f"{mark}  {claim.handle:<6} {claim.type:<16} {one_line(claim.text)}".rstrip()]
    if claim.reason:
        lines.append(f"{'why':>14}: {claim.reason}")
    if claim.receipt or claim.by:
        lines.append(f"{'by':>14}: {', '.join(dict.fromkeys(filter(None, (claim.receipt, *claim.by))))}")
    if claim.next_step:
        lines.append(f"{'next':>14}: {claim.next_step}")
    return lines


COMMAND = closeout
