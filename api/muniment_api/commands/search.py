"""`muniment search`: where words and phrases were said, run, printed, decided or claimed, or stand in a file now."""

from __future__ import annotations

import click

from muniment.search.hits import KINDS, MOST, Hit
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, pick_mission, plain

LIMIT = 20
SNIPPET = 200
INDENT = "    "


@command(
    "search",
    examples=[
        "muniment search parse_price",
        "muniment search '\"do not change\" signature' --kind message --kind fact",
        "muniment search CHANGELOG --limit 5 --json",
    ],
)
@click.argument("text", metavar="TEXT")
@click.option("--mission", help="Search this mission only.  [default: all]")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@click.option("--limit", type=click.IntRange(1, MOST), default=LIMIT, show_default=True, help="Most hits.")
@click.option("--history", is_flag=True, help="Also what was withdrawn or superseded.")
@click.pass_obj
def search(  # one parameter for each option
    console: Console, text: str, mission: str | None, kinds: tuple[str, ...], limit: int, history: bool
) -> None:
    """Find what holds all the words and "phrases" of TEXT, best first, each match in ⟦brackets⟧.

    Searched are messages, facts, tasks, decisions, claims, questions, commands with what they printed, and files as
    they are now. What was withdrawn is left out unless --history asks for it; what was purged is gone.
    """
    with open_store(console) as store:
        chosen = None if mission is None else pick_mission(console, store, mission)
        hits = store.search(text, mission=chosen, kinds=kinds, limit=limit, history=history)
    several = len({hit.mission for hit in hits}) > 1
    console.result({"hits": [plain(hit) for hit in hits]}, "\n".join(_told(hit, several) for hit in hits))
    if not console.json:
        console.say(
            plural(len(hits), "hit") if len(hits) < limit else f"the {plural(limit, 'best hit')}; more: --limit"
        )


def _told(hit: Hit, several: bool) -> str:
    where = f"line {hit.line}" if hit.line is not None and hit.title else ""
    told = (hit.handle, hit.kind, one_line(hit.title), where, hit.state, hit.mission if several else "")
    return f"{'  '.join(filter(None, told))}\n{INDENT}{one_line(hit.snippet, SNIPPET)}"


COMMAND = search
