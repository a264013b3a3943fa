"""`muniment show`: the text behind an id."""

from __future__ import annotations

import click

from muniment.describing import described
from muniment.model.nodes import Call, Receipt
from muniment.snapshot import Snapshot
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, parse_lines, pick_mission, plain, telling_more


@command("show", examples=["muniment show R5", "muniment show R5 --lines 1-20", "muniment show R5 --json"])
@click.argument("wanted", metavar="ID")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.option("--lines", callback=parse_lines, metavar="A-B", help="Only these lines, counted from 1.")
@click.pass_obj
def show(console: Console, wanted: str, mission: str | None, lines: tuple[int, int] | None) -> None:
    """Print what ID stands for: a handle from a view (R42), a record's own id, or a node's id."""
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        with telling_more(store, chosen, wanted):
            found = store.rehydrate(wanted, lines=lines, mission=chosen)
        done = "" if console.json else _done(store.snapshot(chosen), found.id)
    console.result(plain(found), found.text.removesuffix("\n"))
    if not console.json:
        interval = f", lines {found.lines[0]}-{found.lines[1]}" if found.lines else ""
        flags = f" · {', '.join(found.flags)}" if found.flags else ""
        state = f" · {found.state}" if found.state else ""
        console.say(
            f"{found.handle} · {found.kind} of {plural(found.total_lines, 'line')}{interval}{done}{state}{flags}"
        )


def _done(snapshot: Snapshot, node_id: str) -> str:
    """Return what was called, and how it ended: the text behind a call or a receipt does not say it."""
    node = snapshot.node(node_id)
    return f" · {one_line(described(snapshot, node))}" if isinstance(node, Call | Receipt) else ""


COMMAND = show
