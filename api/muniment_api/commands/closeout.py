"""`muniment closeout`: what is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import click

from muniment.closeout.outputs import requiring
from muniment.closeout.verdict import CONTRADICTED, REASONS, ClaimVerdict, Closeout, Finding
from muniment.describing import described
from muniment.model.nodes import Message, Task
from muniment.snapshot import Snapshot
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import one_line
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.owner import ask_owner

SIGNS = {"proven": "✓", "unproven": "?", "contradicted": "✗"}
STATUSES = ("contradicted", "unproven", "proven")
LABEL = 14
"""Columns of the labels under a claim."""


@command(
    "closeout",
    examples=[
        "muniment closeout",
        "muniment closeout --json",
        "muniment closeout --require-distillations && git push",
    ],
)
@mission_argument
@click.option("--task", help="Judge this task alone: a record id, a handle or a node id.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.option("--require-distillations", is_flag=True, help="Not proven while no agent has looked at a large output.")
@click.pass_context
def closeout(
    ctx: click.Context, mission: str | None, task: str | None, as_of: int | None, require_distillations: bool
) -> None:
    """Say which claims of MISSION are proven, unproven or contradicted, and by what.

    Claims are those that were stated as such, and what the final answer and settled tasks say in plain words.
    Exits with 0 only if everything that was claimed is proven, else with 1. With --require-distillations it also needs
    an agent's word, for each large output, on which of its lines matter.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        judged = ask_owner(console, store, chosen, lambda asked: asked.closeout(chosen, task=task, as_of=as_of))
        if require_distillations:
            judged = requiring(judged, store.pending_distillations(chosen, as_of=as_of))
        text = "" if console.json else verdict_text(console, judged, store.snapshot(chosen, as_of=as_of))
    console.result({**plain(judged), "passed": judged.passed}, text)
    ctx.exit(Exit.OK if judged.passed else Exit.NOT_PROVEN)


def verdict_text(console: Console, judged: Closeout, snapshot: Snapshot) -> str:
    """Return a verdict for people: the sum, a block for each claim, what else was noticed, the journal's head."""
    counts = Counter(claim.status for claim in judged.claims)
    sums = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    word = judged.verdict.replace("_", " ")
    lines = [f"verdict: {console.styled(word, judged.verdict)}" + (f"  ({sums})" if sums else ""), ""]
    for claim in sorted(judged.claims, key=lambda claim: STATUSES.index(claim.status)):
        lines += [*_claim_lines(console, claim, snapshot), ""]
    noticed = [_finding_line(console, finding, snapshot) for finding in _beside_claims(judged)]
    return "\n".join([*lines, *noticed, *([""] if noticed else []), f"journal head {judged.head}"])


def _claim_lines(console: Console, claim: ClaimVerdict, snapshot: Snapshot) -> Iterator[str]:
    mark = console.styled(f"{SIGNS[claim.status]} {claim.status:<12}", claim.status)
    yield f"{mark}  {claim.handle:<5} {claim.type:<14} {one_line(claim.text)}".rstrip()
    yield from (f"{'said in':>{LABEL}}: {handle}" for handle in _source(snapshot, claim))
    if claim.reason:
        where = f" ({claim.path})" if claim.path else ""
        yield f"{'why':>{LABEL}}: {REASONS.get(claim.reason, claim.reason)}{where}"
    for label, ids in (
        ("receipt", (claim.receipt,) if claim.receipt and claim.receipt not in claim.by else ()),
        ("by", claim.by),
        ("via", claim.via),
        ("because of", claim.because),
    ):
        yield from (f"{label:>{LABEL}}: {line}" for line in _told(snapshot, ids))
    if claim.next_step:
        yield f"{'next':>{LABEL}}: {claim.next_step}"


def _source(snapshot: Snapshot, claim: ClaimVerdict) -> Iterator[str]:
    """Yield the handle of the text that a claim was read out of."""
    if claim.inferred:
        yield from (node.handle for node in snapshot.named(claim.record) if isinstance(node, Message | Task))


def _told(snapshot: Snapshot, ids: Iterable[str]) -> Iterator[str]:
    for wanted in dict.fromkeys(ids):
        node = snapshot.node(wanted)
        yield wanted if node is None else f"{node.handle}  {one_line(described(snapshot, node), 80)}"


def _beside_claims(judged: Closeout) -> list[Finding]:
    """Return the findings that say more than the claims' own lines do."""
    said = {(claim.id, claim.reason or CONTRADICTED) for claim in judged.claims}
    return [finding for finding in judged.findings if (finding.ids[0] if finding.ids else "", finding.code) not in said]


def _finding_line(console: Console, finding: Finding, snapshot: Snapshot) -> str:
    node = snapshot.node(finding.ids[0]) if len(finding.ids) == 1 else None
    about = f" · {one_line(snapshot.text(node.text), 60)}" if isinstance(node, Task) else ""
    return f"{console.styled(finding.severity, finding.severity)}: {finding.message}{about}"


COMMAND = closeout
