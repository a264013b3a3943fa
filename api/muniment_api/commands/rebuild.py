"""`muniment rebuild`: the graph anew."""

from __future__ import annotations

import click

from muniment.projection.engine import ENGINES
from muniment.settings import LEAST
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import columns
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.progress import progress_bar


@command("rebuild", examples=["muniment rebuild", "muniment rebuild --engine kuzu --json"])
@mission_argument
@click.option(
    "--engine", type=click.Choice(ENGINES), help="Build this engine's projection anew as well, of all missions."
)
@click.option(
    "--large-output",
    type=click.IntRange(min=LEAST),
    metavar="TOKENS",
    help="From now on distil outputs of more tokens than this.  [usual: 2000]",
)
@click.pass_obj
def rebuild(console: Console, mission: str | None, engine: str | None, large_output: int | None) -> None:
    """Drop what was derived of MISSION (default: of all) and derive it again from the journal."""
    opened = open_store(console, engine=engine, large_output=large_output)
    with opened as store, progress_bar("rebuild", color=console.color) as watch:
        wanted = pick_mission(console, store, mission) if mission is not None else None
        made = store.rebuild(wanted, watch=watch)
    rows = [("MISSION", "NODES", "EDGES", "DIGEST")]
    rows += [(each.mission, str(each.nodes), str(each.edges), each.digest[:16]) for each in made]
    console.result({"rebuilt": [plain(each) for each in made], "projection": engine}, columns(rows))
    if engine is not None and not console.json:
        console.say(f"the {engine} projection of all missions was built anew")


COMMAND = rebuild
