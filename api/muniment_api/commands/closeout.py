"""`muniment closeout`: what is proven."""

from __future__ import annotations

import click

from muniment.closeout.outputs import requiring
from muniment.closeout.reports.dossier import gathered
from muniment.closeout.rules.listing import listed
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.exits import Exit
from muniment_api.opening import open_store, pick_mission
from muniment_api.report_options import ReportOptions, give, report_options
from muniment_api.rule_options import RuleOptions, closeout_by, rule_options


@command(
    "closeout",
    examples=[
        "muniment closeout",
        "muniment closeout --json",
        "muniment closeout --require-distillations && git push",
        "muniment closeout --report sarif=closeout.sarif --report junit=closeout.xml",
        "muniment closeout --format svg --output closeout.svg",
    ],
)
@mission_argument
@click.option("--task", help="Judge this task alone: a record id, a handle or a node id.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.option("--require-distillations", is_flag=True, help="Not proven while no agent has looked at a large output.")
@rule_options
@report_options
@click.pass_context
def closeout(
    ctx: click.Context,
    mission: str | None,
    *,
    task: str | None,
    as_of: int | None,
    require_distillations: bool,
    rules: RuleOptions,
    reports: ReportOptions,
) -> None:
    """Say which claims of MISSION are proven, unproven or contradicted, and by what.

    Claims are those that were stated as such, and what the final answer and settled tasks say in plain words.
    Exits with 0 only if everything that was claimed is proven, else with 1. With --require-distillations it also needs
    an agent's word, for each large output, on which of its lines matter. What else it looks at, `muniment rules` lists:
    a finding that is an error fails the closeout too.

    Formats: text for people, json by a published schema (`muniment schema closeout`), junit (XML), github (annotations
    in a log of GitHub Actions), sarif (2.1.0), intoto (a statement with the digests of what was proven), prov (W3C
    PROV-JSON of what the claims rest on), svg (a picture of it).
    """
    console: Console = ctx.obj
    with open_store(console) as store:
        chosen = pick_mission(console, store, mission)
        judged = closeout_by(console, store, chosen, rules, task=task, as_of=as_of)
        if require_distillations:
            judged = requiring(judged, store.pending_distillations(chosen, task=task, as_of=as_of))
        listing = listed(rules.rulebook(console.store))
        dossier = gathered(store.snapshot(chosen, as_of=as_of), judged, listing)
    give(console, dossier, reports)
    ctx.exit(Exit.OK if judged.passed else Exit.NOT_PROVEN)


COMMAND = closeout
