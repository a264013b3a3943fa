"""`muniment verify`: is the journal what was written?"""

from __future__ import annotations

import click

from muniment.journal.port import Problem, Verification
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.opening import open_store, plain


@command("verify", examples=["muniment verify", "muniment verify --json"])
@click.option("--expected-head", metavar="HEAD", help="A head printed earlier: also look for what was cut off.")
@click.pass_context
def verify(ctx: click.Context, expected_head: str | None) -> None:
    """Read every stored byte again and check it against the hash chain.

    Exits with 0 if all is sound, with 4 if something is not.
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        found = store.verify(expected_head)
    head = str(found.head)
    console.result({**plain(found), "head": head, "clean": found.clean}, _text(console, found, head))
    ctx.exit(Exit.OK if found.clean else Exit.DAMAGED)


def _text(console: Console, found: Verification, head: str) -> str:
    sums = f"{found.entries} entries, {found.payloads} payloads, {found.purged} purged"
    if found.clean:
        return f"{console.styled('sound', 'ok')}: {sums}\nhead {head}"
    lines = [f"{console.styled('damaged', 'error')}: {sums}; sound up to position {found.last_good}"]
    lines += [f"  {_place(problem)}{problem.what}" for problem in found.problems]
    return "\n".join([*lines, f"save what is sound with: muniment recover {console.store} --to NEW"])


def _place(problem: Problem) -> str:
    if problem.position is not None:
        return f"position {problem.position}: "
    return "" if problem.payload is None else f"payload {problem.payload[:12]}: "


COMMAND = verify
