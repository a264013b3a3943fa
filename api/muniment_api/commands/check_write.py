"""`muniment check-write`: whether an agent knows what it is about to change."""

from __future__ import annotations

from collections.abc import Iterator

import click

from muniment.describing import described
from muniment.sight import BaseChange, WriteCheck
from muniment.snapshot import Snapshot
from muniment_api.command import command
from muniment_api.commands.coverage import intervals_text
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.layout import one_line
from muniment_api.opening import open_store, parse_lines, pick_mission, plain


@command(
    "check-write",
    examples=[
        "muniment check-write pricelist/prices.py",
        "muniment check-write pricelist/prices.py --lines 1-2 --json",
    ],
)
@click.argument("path", metavar="PATH")
@click.option("--lines", callback=parse_lines, metavar="A-B", help="Only these lines of the file as it is now.")
@click.option("--mission", help="The mission whose file it is.  [default: the newest]")
@click.option("--agent", default="", help="A child's name, or an agent's handle.  [default: the root agent]")
@click.pass_context
def check_write(ctx: click.Context, path: str, lines: tuple[int, int] | None, mission: str | None, agent: str) -> None:
    """Say whether an agent has seen what it is about to change in PATH, all of it or some lines.

    Names the lines that it never saw, and what changed the file since it last saw it. Exits with 0 if it may go on,
    else with 1. Nothing is said against a file that the record does not know.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        found = store.check_write(agent, path, lines, mission=chosen)
        text = "" if console.json else "\n".join(_told(found, store.snapshot(chosen)))
    console.result(plain(found), text)
    ctx.exit(Exit.OK if found.ok else Exit.NOT_PROVEN)


def _told(found: WriteCheck, snapshot: Snapshot) -> Iterator[str]:
    yield f"{'ok' if found.ok else 'not seen as it is now'}: {found.path}"
    if found.unseen:
        yield f"  never seen: lines {intervals_text(found.unseen)}"
    yield from (f"  changed since by {_named(change, snapshot)}" for change in found.stale_base)
    if found.doubt is not None:
        yield f"  perhaps changed since by {_named(found.doubt, snapshot)}"
    yield from (f"  {word.replace('_', ' ')}" for word in found.reasons if word in ("not_on_record", "gone"))


def _named(change: BaseChange, snapshot: Snapshot) -> str:
    node = snapshot.node(change.id)
    who = f" (agent {change.agent})" if change.agent else ""
    return f"{change.handle}{who}" + (f"  {one_line(described(snapshot, node), 80)}" if node is not None else "")


COMMAND = check_write
