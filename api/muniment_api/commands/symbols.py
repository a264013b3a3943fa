"""`muniment symbols`: what a file defines, as far as its lines are known."""

from __future__ import annotations

import click

from muniment.current import Definitions
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.tables import table


@command("symbols", examples=["muniment symbols pricelist/prices.py", "muniment symbols prices.py --json"])
@click.argument("path", metavar="PATH")
@click.option("--mission", help="The mission whose file it is.  [default: the newest]")
@click.pass_obj
def symbols(console: Console, path: str, mission: str | None) -> None:
    """List the functions, classes, types, constants, tests, keys and headings that PATH defines now.

    PATH is the file's path, the end of it, or its handle. Edits move a definition; it is listed where it stands now.
    """
    with open_store(console) as store:
        found = store.symbols(path, mission=pick_mission(console, store, mission))
    console.result(plain(found), _told(found, color=console.color))
    if not console.json:
        whole = "" if found.known == found.total else f"; {plural(found.known, 'line')} known of {found.total or '?'}"
        console.say(f"{plural(len(found.definitions), 'definition')} in {found.path} ({found.handle}){whole}")


def _told(found: Definitions, *, color: bool) -> str:
    rows = [
        (f"{each.first}-{each.last}", each.what, each.name if each.exact else f"{each.name} (some lines not known)")
        for each in found.definitions
    ]
    return table(("lines", "kind", "name"), rows, color=color) if rows else ""


COMMAND = symbols
