"""`muniment why`: why something is or is not in the view."""

from __future__ import annotations

import click

from muniment.selection.whether import WhyAnswer
from muniment_api.command import command
from muniment_api.commands.view import way_of
from muniment_api.console import Console
from muniment_api.opening import open_store, pick_mission, plain, telling_more


@command("why", examples=["muniment why R5", "muniment why prices.py", "muniment why R5 --budget 1000 --json"])
@click.argument("wanted", metavar="ID")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.option("--budget", type=click.IntRange(min=1), help="Most tokens of the view.  [default: 8000]")
@click.option("--task", help="The task in focus.  [default: those in progress]")
@click.option("--session", help="The session in focus.  [default: the newest]")
@click.option("--agent", help="The agent in focus.  [default: the root agent]")
@click.option("--model", help="The model that reads the view.")
@click.option("--kind", help="The kind of task.")
@click.option("--delegate", metavar="ID", help="The view is what the child of this delegation needs.")
@click.option("--slice", is_flag=True, help="The view is what the task in focus needs.")
@click.option("--provider", help="The model's provider.")
@click.option("--before", metavar="ID", help="As it was when the model issued this tool call.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def why(console: Console, /, wanted: str, *, mission: str | None, **focus: str | int | bool | None) -> None:
    """Say why what ID names is or is not in the view: a handle (R42), a record's or node's id, or a path."""
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        with telling_more(store, chosen, wanted):
            found = store.why(wanted, mission=chosen, **focus)  # type: ignore[arg-type]
    console.result(plain(found), answered(found))


def answered(found: WhyAnswer) -> str:
    """Return an answer for people."""
    path = f" {found.path}" if found.path else ""
    by = f" (by {', '.join(found.by)})" if found.by else ""
    lines = [f"{found.handle} {found.kind}{path}: {found.answer}", f"{found.text}{by}"]
    lines += [f"- {reason}" for reason in found.reasons]
    if found.names:
        lines.append(f"for the names {', '.join(found.names)}")
    if found.way:
        lines.append(f"reached by {way_of(found.seed, found.way)}")
    if found.places:
        lines.append(f"{found.tokens} tokens of it are shown")
    if found.missing:
        runs = ", ".join(f"{first}-{last}" for first, last in found.lines)
        which = f", lines {runs}" if runs else ""
        lines.append(f"about {found.missing} tokens of it are not{which}: muniment show {found.handle}")
    return "\n".join(lines)


COMMAND = why
