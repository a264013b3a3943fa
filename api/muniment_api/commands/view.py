"""`muniment view`: the context for the current task."""

from __future__ import annotations

import click

from muniment.selection.view import View
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.owner import ask_owner

BUDGET = 8000


@command(
    "view",
    examples=[
        "muniment view",
        "muniment view --budget 2000",
        "muniment view --json | jq '.items[] | {handle, role, why}'",
    ],
)
@mission_argument
@click.option("--budget", type=click.IntRange(min=1), default=BUDGET, show_default=True, help="Most tokens.")
@click.option("--task", help="The task in focus: a record id, a handle or a node id.  [default: those in progress]")
@click.option("--session", help="The session in focus.  [default: the newest]")
@click.option("--agent", help="The agent in focus: a child's id.  [default: the root agent]")
@click.option("--before", metavar="ID", help="As it was when the model issued this tool call.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def view(console: Console, /, mission: str | None, **focus: object) -> None:
    """Print the minimal live context for the current task of MISSION, within a budget of tokens.

    The text goes to stdout, its size to stderr. What did not fit is one `muniment show ID` away.
    """
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        shown = ask_owner(console, store, chosen, lambda asked: asked.view(chosen, **focus))  # type: ignore[arg-type]
    console.result(plain(shown), shown.text.removesuffix("\n"))
    if not console.json:
        console.say(summary(shown))


def summary(shown: View) -> str:
    """Return the line that tells the size of a view."""
    parts = [f"{shown.tokens} of {shown.budget} tokens ({shown.estimator})", plural(len(shown.items), "item")]
    if shown.omitted:
        parts.append(f"{len(shown.omitted)} shortened or left out: muniment show ID")
    return " · ".join(parts)


COMMAND = view
