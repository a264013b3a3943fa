"""`muniment waive`: accepted without proof."""

from __future__ import annotations

import click

from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.opening import open_store, pick_mission


@command("waive", examples=['muniment waive L37 --why "checked by hand"'])
@click.argument("wanted", metavar="ID")
@click.option("--why", required=True, help="The reason; it is recorded, and shown in the verdict.")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.pass_obj
def waive(console: Console, wanted: str, why: str, mission: str | None) -> None:
    """Accept the claim, criterion or task ID without proof, with your authority.

    It keeps its verdict, which shows the waiver, and fails nothing. What a later receipt contradicts is not waived any
    more. `muniment withdraw` takes a waiver back.
    """
    with open_store(console) as store:
        done = store.waive(wanted, why, mission=pick_mission(console, store, mission))
    console.result(
        {"waived": wanted, "position": int(done), "stored": done.stored},
        f"{wanted} is waived (position {done})" if done.stored else f"{wanted} was waived before",
    )


COMMAND = waive
