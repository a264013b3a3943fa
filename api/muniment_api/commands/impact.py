"""`muniment impact`: what loses its proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from muniment.closeout.impact import Affected, Impact
from muniment.closeout.verdict import REASONS
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import one_line
from muniment_api.opening import open_store, pick_mission, plain

WIDTH = 90


@command("impact", examples=["muniment impact pricelist/prices.py", "muniment impact R27 --json"])
@click.argument("wanted", metavar="ID_OR_PATH")
@click.option("--mission", help="The mission that it is of.  [default: the newest]")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def impact(console: Console, wanted: str, mission: str | None, as_of: int | None) -> None:
    """Say which claims, tasks and artifacts lose their proof, and which have lost it already.

    If a file changes, or if a receipt, claim, fact or decision no longer holds.
    """
    with open_store(console) as store:
        found = store.impact(wanted, mission=pick_mission(console, store, mission), as_of=as_of)
    console.result(plain(found), "" if console.json else "\n".join(_lines(console, found)))


def _lines(console: Console, found: Impact) -> Iterator[str]:
    yield f"{found.handle}  {found.kind.replace('_', ' ')}  {one_line(found.words, WIDTH)}"
    if not (found.loses or found.lost or found.rests):
        yield "  nothing hangs on it"
    yield from _group(console, "has lost its proof by it", found.lost, "contradicted")
    yield from _group(console, "would lose its proof", found.loses, "unproven")
    yield from _group(console, "rests on it", found.rests, "")


def _group(console: Console, title: str, affected: Sequence[Affected], style: str) -> Iterator[str]:
    if affected:
        yield f"  {console.styled(title, style) if style else title}:"
    for each in affected:
        yield f"    {each.handle:<5} {each.kind:<9} {one_line(each.words, WIDTH)}".rstrip()
        if each.reason:
            yield f"          why: {REASONS.get(each.reason, each.reason)}"
        if each.next_step:
            yield f"          next: {each.next_step}"


COMMAND = impact
