"""`muniment withdraw`: out of force, still readable."""

from __future__ import annotations

import click

from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.opening import open_store, pick_mission, telling_more


@command("withdraw", examples=['muniment withdraw R5 --why "run on the wrong branch"'])
@click.argument("wanted", metavar="ID")
@click.option("--why", required=True, help="The reason; it is recorded.")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.pass_obj
def withdraw(console: Console, wanted: str, why: str, mission: str | None) -> None:
    """Take what ID names out of force, with your authority: it stays readable as history and supports nothing."""
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        with telling_more(store, chosen, wanted):
            position = store.withdraw(wanted, why, mission=chosen)
    console.result(
        {"withdrawn": wanted, "position": int(position), "stored": position.stored},
        f"{wanted} is withdrawn (position {position})" if position.stored else f"{wanted} was withdrawn before",
    )


COMMAND = withdraw
