"""`muniment purge`: gone for good."""

from __future__ import annotations

import sys

import click

from muniment.errors import UsageError
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import open_store, pick_mission, plain, telling_more


@command("purge", examples=['muniment purge R5 --why "customer data" --yes'])
@click.argument("wanted", metavar="ID")
@click.option("--why", required=True, help="The reason; it is kept in the purge log.")
@click.option("--everywhere", is_flag=True, help="Also erase other entries that share one of its long texts.")
@click.option("--mission", help="The mission that the id is of.  [default: the newest]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def purge(console: Console, wanted: str, *, why: str, everywhere: bool, mission: str | None, yes: bool) -> None:
    """Erase the text of what ID names, and what was derived from it, from every file of the store.

    There is no way back. The place in the chain remains, and the chain still verifies.
    """
    if not yes:
        _confirm(console, wanted)
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        with telling_more(store, chosen, wanted):
            done = store.purge(wanted, why, everywhere, mission=chosen)
    report = done.report
    lines = [f"purged {plural(len(report.purged), 'entry', 'entries')} and {plural(report.payloads, 'payload')}"]
    if report.shared:
        positions = ", ".join(map(str, report.shared))
        lines.append(f"still held by the entries at positions {positions}: purge with --everywhere to erase those too")
    if done.citing:
        lines.append(f"cited, in words of their own, by {', '.join(done.citing)}: look at them")
    console.result(plain(done), "\n".join(lines))


def _confirm(console: Console, wanted: str) -> None:
    if console.json or not sys.stdin.isatty():
        raise UsageError("a purge cannot be undone: confirm it with --yes")
    click.confirm(f"Erase {wanted} for good?", abort=True, err=True)


COMMAND = purge
