"""`muniment holds`: whether a receipt still tells of what is there now."""

from __future__ import annotations

from typing import Final

import click

from muniment.closeout.holding import HOLDS, Holding
from muniment.closeout.verdict import REASONS
from muniment.describing import described
from muniment.snapshot import Snapshot
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import one_line
from muniment_api.opening import open_store, pick_mission, plain, telling_more

ENDED: Final = {
    **REASONS,
    "lines_changed": "lines that it showed have changed since",
    "file_changed": "the file has changed since",
    "environment_changed": "the environment has changed since",
    "deployment_changed": "the deployment has changed since",
    "withdrawn": "it was withdrawn",
    "not_about": "it is not about that file",
}
"""Reason why a receipt does not hold → what it says, in the words of verdicts."""


@command("holds", examples=["muniment holds R34", "muniment holds R27 --path pricelist/prices.py --json"])
@click.argument("wanted", metavar="ID")
@click.option("--path", "paths", multiple=True, help="Only for this file; may be repeated.")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.pass_context
def holds(ctx: click.Context, wanted: str, paths: tuple[str, ...], mission: str | None) -> None:
    """Say whether the receipt ID (R42, a call's id) still holds: for some files, or for all that it is about.

    It holds, is stale since a record that changed what it told, or is unknown since one that may have. Exits with 0 if
    it holds, else with 1.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        with telling_more(store, chosen, wanted):
            found = store.holds(wanted, paths or None, mission=chosen)
        text = "" if console.json else _told(found, store.snapshot(chosen))
    console.result(plain(found), text)
    ctx.exit(Exit.OK if found.status == HOLDS else Exit.NOT_PROVEN)


def _told(found: Holding, snapshot: Snapshot) -> str:
    if found.status == HOLDS:
        places = ", ".join(f"{first}-{last}" for first, last in found.lines)
        return f"{found.handle} holds" + (f"; its lines are now {places}" if places else "")
    node = snapshot.node(found.because_id) if found.because_id is not None else None
    cause = f"{node.handle}  {one_line(described(snapshot, node), 80)}" if node is not None else "nobody knows what"
    where = f" ({found.path})" if found.path else ""
    return f"{found.handle} is {found.status}: {ENDED.get(found.reason, found.reason)}{where}\n  since {cause}"


COMMAND = holds
