"""`muniment packet build`: builds a packet, and on demand stores it or puts it in force."""

from __future__ import annotations

import importlib

import click

from muniment.handoff.compactor import FAILURES, Compactor
from muniment.handoff.crossing import Folded
from muniment.handoff.folding import REASONS
from muniment.handoff.messages import FORMS
from muniment.profiles import policy_of
from muniment_api.command import command, mission_argument
from muniment_api.commands.packet_output import handle_of, problem_line, show_packet
from muniment_api.config import environment_value
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.opening import open_store, pick_mission, plain


@command(
    "build",
    examples=[
        "muniment packet build",
        "muniment packet build --budget 2000 --json",
        "muniment packet build --accept --focus 'keep the migration details'",
    ],
    short="Print a packet; with --accept put it in force.",
)
@mission_argument
@click.option("--budget", type=click.IntRange(min=1), help="Most tokens of its text.  [default: 4000]")
@click.option("--model", help="The model that reads it: the budget is in its tokens.")
@click.option("--focus", help="Words; what matches them yields last.")
@click.option("--session", help="The session that it is of.  [default: the newest]")
@click.option("--agent", help="The agent that it is of.  [default: the root agent]")
@click.option("--covers-to", metavar="ID", help="The last record that it speaks for.  [default: the newest]")
@click.option("--provider", help="The model's provider; what the policy withholds from it is not shown.")
@click.option("--before", metavar="ID", help="As it was when the model issued this tool call.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.option("--form", type=click.Choice(FORMS), help="As messages of a provider, or as lines that read back.")
@click.option("--accept", is_flag=True, help="Put it in force, at the end of a turn.")
@click.option(
    "--compactor", metavar="NAME", help="With --accept: who writes words for it; policy.toml approves of him."
)
@click.pass_context
def build(
    ctx: click.Context,
    /,
    mission: str | None,
    *,
    form: str | None,
    accept: bool,
    compactor: str | None,
    **wanted: str | int | None,
) -> None:
    """Print the packet with which another context of MISSION can go on: by id, with short text, within a budget.

    Without --accept nothing is stored. With it, exits with 1 where it is refused or there is nothing to fold.
    """
    console: Console = ctx.obj
    then = [name for name in ("provider", "before", "as_of") if wanted[name] is not None]
    if accept and then:
        raise click.UsageError(f"--accept is about now and all of it: leave out --{then[0].replace('_', '-')}")
    if compactor is not None and not accept:
        raise click.UsageError("--compactor goes with --accept")
    with open_store(console) as store:
        home = pick_mission(console, store, mission)
        if not accept:
            made = store.packet(home, **wanted)  # type: ignore[arg-type]
            show_packet(console, made, form)
            return
        asked = None if compactor is None else compactor_named(console, compactor)
        given = {name: value for name, value in wanted.items() if name not in {"provider", "before", "as_of"}}
        done = store.fold(home, compactor=asked, **given)  # type: ignore[arg-type]
        names = {each: handle_of(store, home, each) for each in (*done.about, done.packet.id if done.packet else "")}
    _told(console, done, form, names)
    ctx.exit(Exit.OK if done.folded else Exit.NOT_PROVEN)


def compactor_named(console: Console, name: str) -> Compactor:
    """Return a compactor that the store's policy approves of and says where to ask.

    Raises:
        UsageError: it does not approve of any of this name.
    """
    approved = policy_of(console.store).approved(name)
    if not approved.url:
        raise click.UsageError(f"policy.toml gives no url for the compactor {name!r}")
    asked = importlib.import_module("muniment_api.http_compactor")  # slow to load, and seldom asked
    made: Compactor = asked.HttpCompactor(approved, environment_value(approved.key) if approved.key else "")
    return made


def _told(console: Console, done: Folded, form: str | None, names: dict[str, str]) -> None:
    """Write what came of a fold: the packet that is in force, or why there is none; `names` has handles."""
    if done.attempt is not None and not done.attempt.taken:
        why = FAILURES.get(done.attempt.failure) or ", ".join(each.code for each in done.attempt.problems)
        console.say(f"the words of {done.attempt.compactor} were not taken: {why}")
    if done.packet is not None and (form is not None or not console.json):
        show_packet(console, done.packet, form)
        if done.folded and not console.json:
            console.say(f"in force: {names[done.packet.id]}")
        return
    problems = done.acceptance.problems if done.acceptance is not None else ()
    why = (
        f"{REASONS.get(done.reason, done.reason)} ({', '.join(names[each] for each in done.about)})"
        if done.about
        else done.reason
    )
    console.result(plain(done), "\n".join([f"not folded: {why}", *map(problem_line, problems)]))
