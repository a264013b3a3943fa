"""`muniment view`: the context for the current task; why it is so, and what is new in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from muniment.drawing.markup import cut_front
from muniment.selection.delta import ViewDelta
from muniment.selection.explaining import Explanation, ItemReason, PathStep
from muniment.selection.view import View
from muniment.store import EvidenceStore
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import one_line, plural
from muniment_api.opening import open_store, pick_mission, plain
from muniment_api.owner import ask_owner
from muniment_api.tables import table

BUDGET = 8000
LABEL = 48
"""Characters of a name or path that is shown of a step."""
NAMES = 3


@command(
    "view",
    examples=[
        "muniment view",
        "muniment view --budget 2000",
        "muniment view --explain",
        "muniment view --json | jq '.items[] | {handle, role, why}'",
    ],
)
@mission_argument
@click.option("--budget", type=click.IntRange(min=1), help="Most tokens.  [default: of the model's profile, or 8000]")
@click.option("--task", help="The task in focus: a record id, a handle or a node id.  [default: those in progress]")
@click.option("--session", help="The session in focus.  [default: the newest]")
@click.option("--agent", help="The agent in focus: a child's id.  [default: the root agent]")
@click.option("--model", help="The model that reads it: tokens are counted as its own.")
@click.option("--kind", help="The kind of task: edit, question, delegate, review or one of the store's own.")
@click.option("--delegate", metavar="ID", help="Only what the child of this delegation needs.")
@click.option("--slice", is_flag=True, help="Only what the task in focus needs.")
@click.option("--provider", help="The model's provider; what the policy withholds from it is left out.")
@click.option("--before", metavar="ID", help="As it was when the model issued this tool call.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.option("--explain", is_flag=True, help="Say why each part is there, and by which way it was reached.")
@click.option("--since", type=click.IntRange(min=0), metavar="POSITION", help="Only what is new since this position.")
@click.pass_obj
def view(
    console: Console, /, mission: str | None, *, explain: bool, since: int | None, **focus: str | int | bool | None
) -> None:
    """Print the minimal live context for the current task of MISSION, within a budget of tokens.

    The text goes to stdout, its size to stderr. What did not fit is one `muniment show ID` away; `muniment why ID` says
    why something is or is not there.
    """
    if explain and since is not None:
        raise click.UsageError("--explain and --since exclude one another")
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        if explain:
            _explain(console, store, chosen, focus)
        elif since is not None:
            _since(console, store, chosen, focus, since)
        else:
            _show(console, store, chosen, focus)


def _show(console: Console, store: EvidenceStore, mission: str, focus: Mapping[str, object]) -> None:
    shown = ask_owner(console, store, mission, lambda asked: asked.view(mission, **focus))  # type: ignore[arg-type]
    console.result(plain(shown), shown.text.removesuffix("\n"))
    if not console.json:
        console.say(summary(shown))


def _explain(console: Console, store: EvidenceStore, mission: str, focus: Mapping[str, object]) -> None:
    told = store.explain(mission, **focus)  # type: ignore[arg-type]
    console.result(plain(told), explained(told, color=console.color))


def _since(console: Console, store: EvidenceStore, mission: str, focus: Mapping[str, object], since: int) -> None:
    now = store.view(mission, **focus)  # type: ignore[arg-type]
    earlier = store.view(mission, **{**focus, "as_of": since, "before": None})  # type: ignore[arg-type]
    delta = now.delta(earlier)
    console.result(plain(delta), delta.appendix)
    if not console.json:
        console.say(sizes(delta))


def summary(shown: View) -> str:
    """Return the line that tells the size of a view."""
    parts = [f"{shown.tokens} of {shown.budget} tokens ({shown.estimator})", plural(len(shown.items), "item")]
    if shown.left_out:
        parts.append(f"{shown.left_out} shortened or left out: muniment show ID")
    return " · ".join(parts)


def sizes(delta: ViewDelta) -> str:
    """Return the line that tells the size of a delta."""
    counts = f"{len(delta.added)} added, {len(delta.changed)} changed, {len(delta.removed)} removed"
    return f"{counts} · {delta.appendix_tokens} tokens to append, {delta.tail_tokens} to replace what differs"


def explained(told: Explanation, *, color: bool) -> str:
    """Return an explanation as a table, with what each section costs."""
    spent = ", ".join(f"{name} {tokens}" for name, tokens in told.sections.items())
    missing = ", ".join(f"{count} {reason}" for reason, count in told.omitted.items())
    head = [f"{told.tokens} of {told.budget} tokens ({told.estimator}): {spent or 'nothing'}"]
    head += [f"left out: {missing}"] if missing else []
    head += [f"the walk begins at {', '.join(told.seeds)}"] if told.seeds else []
    rows = [_row(item) for item in told.items]
    columns = ("id", "section", "role", "level", "tokens", "place", "why", "way", "names")
    return "\n".join([*head, "", table(columns, rows, color=color)] if rows else head)


def _row(item: ItemReason) -> tuple[str, ...]:
    way = way_of(item.seed, item.path)
    names = ", ".join(item.names[:NAMES])
    lines = f":{item.lines[0]}-{item.lines[1]}" if item.lines else ""
    place = f"{cut_front(item.file, LABEL)}{lines}" if item.file else ""
    return (item.handle, item.section, item.role, item.level, str(item.tokens), place, item.why, way, names)


def way_of(seed: str, path: Iterable[PathStep]) -> str:
    """Return a way in one line: where it begins, and over which edges it goes to which nodes."""
    return " ".join([seed, *map(_step, path)]).strip()


def _step(step: PathStep) -> str:
    label = f" ({cut_front(step.label, LABEL)})" if step.label and step.kind == "file" else ""
    node = step.handle or one_line(step.label, LABEL)
    return f"-{step.edge}-> {node}{label}" if step.way == "out" else f"<-{step.edge}- {node}{label}"


COMMAND = view
