"""`muniment compaction`: when to compact, and how past compactions went."""

from __future__ import annotations

import click

from muniment.handoff.told import report_lines
from muniment_api.command import command, group
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.opening import open_store, pick_mission, plain


@command(
    "report",
    examples=[
        "muniment compaction report",
        "muniment compaction report --mission MISSION --json",
        "muniment compaction report --svg > scores.svg",
    ],
    short="Say how past compactions went, with a score.",
)
@click.option("--mission", help="Only of this mission.  [default: all in the store]")
@click.option("--svg", is_flag=True, help="Print a picture of the scores.")
@click.pass_obj
def report(console: Console, mission: str | None, *, svg: bool) -> None:
    """Say what came after context boundaries (re-reads, repeats, plans made again), with a score for each compactor."""
    with open_store(console) as store:
        found = store.compaction_report(None if mission is None else pick_mission(console, store, mission))
    console.result(plain(found), found._repr_svg_() if svg else "\n".join(report_lines(found)))


@command(
    "advise",
    examples=[
        "muniment compaction advise --model claude-opus-4-5 --tokens 120000",
        "muniment compaction advise --model gpt-5 --tokens 250000 --kind review --json",
    ],
    short="Say whether a context is full.",
)
@click.option("--model", required=True, help="The model whose context it is.")
@click.option("--tokens", required=True, type=click.IntRange(min=0), help="How many of its tokens are in use.")
@click.option("--kind", help="The kind of task.")
@click.option("--mission", help="The mission in which drift was measured.  [default: none]")
@click.pass_context
def advise(ctx: click.Context, model: str, tokens: int, kind: str | None, mission: str | None) -> None:
    """Say whether a context should be compacted now, and why. Exits with 0 if there is room, with 1 if it is full.

    A model of which nobody knows how much its context holds is never told to compact, nor anybody where the store's
    profiles.toml has opted out.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        home = None if mission is None else pick_mission(console, store, mission)
        found = store.should_compact(model, tokens, kind, mission=home)
    word = "compact" if found.compact else "go on"
    console.result(plain(found), f"{word}: {found.text}" + (f"\n{found.source}" if found.source else ""))
    ctx.exit(Exit.NOT_PROVEN if found.compact else Exit.OK)


@group(
    "compaction",
    examples=["muniment compaction report", "muniment compaction advise --model gpt-5 --tokens 250000"],
    commands=[report, advise],
)
def compaction() -> None:
    """Say when to compact a context, and how past compactions went."""


COMMAND = compaction
