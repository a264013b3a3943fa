"""`muniment coverage`: which lines of a file, as it is now, an agent has seen."""

from __future__ import annotations

from collections.abc import Iterable

import click

from muniment.sight import Coverage, OpenInterval
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import columns
from muniment_api.opening import open_store, pick_mission, plain


@command(
    "coverage", examples=["muniment coverage pricelist/prices.py", "muniment coverage prices.py --agent '' --json"]
)
@click.argument("path", metavar="PATH")
@click.option("--mission", help="The mission whose file it is.  [default: the newest]")
@click.option("--agent", default="", help="A child's name, or an agent's handle.  [default: the root agent]")
@click.pass_obj
def coverage(console: Console, path: str, mission: str | None, agent: str) -> None:
    """List which lines of PATH, as it is now, an agent has seen, by which receipts, and which it never saw.

    PATH is the file's path, the end of it, or its handle. Lines count as seen where the agent was shown them or wrote
    them, and they have not changed since, wherever edits moved them.
    """
    with open_store(console) as store:
        found = store.coverage(path, mission=pick_mission(console, store, mission), agent=agent)
    console.result(plain(found), _told(found))
    if not console.json:
        total = "" if found.total_lines is None else f" of {found.total_lines}"
        count = sum(lines.last - lines.first + 1 for lines in found.seen)
        console.say(f"{found.path}: {count}{total} lines seen")


def _told(found: Coverage) -> str:
    rows = [("seen", f"{lines.first}-{lines.last}", lines.handle) for lines in found.seen]
    rows += [("never seen", interval_text(lines), "") for lines in found.unseen]
    return columns(rows)


def interval_text(lines: OpenInterval) -> str:
    """Return lines as people write them; an end that nobody knows is left open."""
    return f"{lines[0]}-{lines[1] if lines[1] is not None else '?'}"


def intervals_text(found: Iterable[OpenInterval]) -> str:
    """Return several intervals of lines on one line."""
    return ", ".join(map(interval_text, found))


COMMAND = coverage
