"""`muniment distillations`: which lines of each large output matter, and which outputs no agent has looked at."""

from __future__ import annotations

from collections.abc import Iterator

import click

from muniment.closeout.outputs import DistilledOutput, Kept
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, pick_mission, plain

INDENT = "    "


@command(
    "distillations",
    examples=["muniment distillations", "muniment distillations --pending", "muniment distillations --json"],
)
@mission_argument
@click.option("--pending", is_flag=True, help="Only outputs of which no agent has said which lines matter.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def distillations(console: Console, mission: str | None, pending: bool, as_of: int | None) -> None:
    """List what was distilled of the large outputs of MISSION: lines that matter, and what each establishes.

    The store distils each large output as it comes; an agent says with the MCP tool `distil`, or by a record
    `distillation_made`, which lines it found decisive. `muniment show HANDLE --lines A-B` gives what was left out.
    """
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        asked = store.pending_distillations if pending else store.distillations
        found = asked(chosen, as_of=as_of)
    console.result({"distillations": [plain(each) for each in found]}, "\n".join(map(_told, found)))
    if not console.json:
        waiting = sum(output.pending for output in found)
        console.say(f"{plural(len(found), 'large output')}, {waiting} pending")


def _told(output: DistilledOutput) -> str:
    status = output.status if output.exit_code is None else f"exit {output.exit_code}"
    state = "pending" if output.pending else "looked at"
    head = f"{output.handle}  {one_line(output.command)}  → {status}  {plural(output.lines, 'line')}  {state}"
    return "\n".join([head, *_lines(output)])


def _lines(output: DistilledOutput) -> Iterator[str]:
    for kept in output.kept:
        yield f"{INDENT}{kept.excerpt:<6}{_place(kept):<14}{kept.states}{_by(kept)}"
    left = sum(last - first + 1 for first, last in output.omitted)
    if left:
        yield f"{INDENT}{plural(left, 'line')} left out, in {plural(len(output.omitted), 'range')}"


def _place(kept: Kept) -> str:
    lines = f"{kept.first}-{kept.last}" if kept.last > kept.first else str(kept.first)
    return lines if kept.columns is None else f"{lines}:{kept.columns[0]}-{kept.columns[1]}"


def _by(kept: Kept) -> str:
    if not kept.by:
        return ""
    matter = {True: "; what is left out could matter", False: "; nothing left out matters", None: ""}
    opens = f"; open: {kept.leaves_open}" if kept.leaves_open else ""
    return f"  ({kept.by}{opens}{matter[kept.omissions_matter]})"


COMMAND = distillations
