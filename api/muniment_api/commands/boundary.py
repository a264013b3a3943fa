"""`muniment boundary`: the context boundaries of a mission."""

from __future__ import annotations

import click

from muniment.handoff.boundaries import BoundaryReport
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import open_store, pick_mission, plain


@command("boundary", examples=["muniment boundary", "muniment boundary --json"])
@mission_argument
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def boundary(console: Console, mission: str | None, as_of: int | None) -> None:
    """List where the context of MISSION was replaced: what was in it before and after, and what opened the next one."""
    with open_store(console) as store:
        found = store.boundaries(pick_mission(console, store, mission), as_of=as_of)
    text = "\n".join(line for each in found for line in _lines(each)) or "no context boundary is on record"
    console.result({"boundaries": [plain(each) for each in found]}, text)


def _lines(found: BoundaryReport) -> list[str]:
    who = " ".join(filter(None, (found.session, found.agent)))
    by = ", ".join(filter(None, (found.compactor or found.by, found.model, found.trigger, found.outcome)))
    lost = [each.handle for each in found.binding if each.how == "absent"]
    opened = ", ".join(filter(None, (found.packet, *found.views))) or "nothing of this store"
    lines = [f"{found.handle} {who}: {by}"]
    lines.append(
        f"  before: {_size(found.before.nodes, found.before.tokens)}; after: "
        + (_size(found.after.nodes, found.after.tokens) if found.after.told else "the source does not tell")
    )
    lines.append(f"  opened by: {opened}")
    if lost:
        lines.append(f"  binding things that did not come over: {', '.join(lost)}")
    return lines


def _size(nodes: tuple[str, ...], tokens: int) -> str:
    return f"{plural(len(nodes), 'thing')} of {tokens:,} tokens"


COMMAND = boundary
