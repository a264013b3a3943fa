"""`muniment boundary`: the context boundaries of a mission."""

from __future__ import annotations

import click

from muniment.handoff.told import boundary_lines
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.opening import open_store, pick_mission, plain


@command("boundary", examples=["muniment boundary", "muniment boundary --json"])
@mission_argument
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def boundary(console: Console, mission: str | None, as_of: int | None) -> None:
    """List where the context of MISSION was replaced: what was in it before and after, and what opened the next one."""
    with open_store(console) as store:
        found = store.boundaries(pick_mission(console, store, mission), as_of=as_of)
    text = "\n".join(line for each in found for line in boundary_lines(each)) or "no context boundary is on record"
    console.result({"boundaries": [plain(each) for each in found]}, text)


COMMAND = boundary
