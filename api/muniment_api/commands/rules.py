"""`muniment rules`: what a closeout looks at, and how severe each finding is here."""

from __future__ import annotations

from difflib import get_close_matches

import click

from muniment.closeout.rules.listing import ListedRule, listed
from muniment.errors import UsageError
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import plain
from muniment_api.rule_options import RuleOptions, rule_options
from muniment_api.tables import table


@command(
    "rules",
    examples=["muniment rules", "muniment rules show stale-receipt", "muniment rules --ignore task-open --json"],
)
@click.argument("action", required=False, type=click.Choice(["list", "show"]), default="list", metavar="[list|show]")
@click.argument("wanted", required=False, metavar="[ID]")
@rule_options
@click.pass_obj
def rules(console: Console, action: str, wanted: str | None, *, rules: RuleOptions) -> None:
    """List the rules of closeouts (list), or say why a rule is there and how to fix what it finds (show ID).

    Listed are all rules: those of Muniment, those that are installed beside it, and those that the settings state in
    Cypher; with the severity that holds here, or off. The store need not be there.
    """
    book = rules.rulebook(console.store)
    found = listed(book)
    if action == "show":
        _show(console, found, wanted)
        return
    if wanted is not None:
        raise UsageError(f"did you mean: muniment rules show {wanted}?")
    cells = [[rule.id, rule.severity, rule.title, rule.origin] for rule in found]
    text = table(["rule", "severity", "what it notices", "from"], cells, color=console.color)
    faults = [fault.message for fault in book.rules.faults]
    brief = [{key: value for key, value in plain(rule).items() if key != "page"} for rule in found]
    console.result({"rules": brief, "faults": faults, "settings": book.source or None}, text)
    if not console.json:
        console.say(f"{plural(len(found), 'rule')}, by {book.source or 'no settings'}")
        for fault in faults:
            console.say(f"error: {fault}")


def _show(console: Console, found: list[ListedRule], wanted: str | None) -> None:
    if wanted is None:
        raise UsageError("name a rule: muniment rules show ID; muniment rules lists them")
    rule = next((rule for rule in found if rule.id == wanted), None)
    if rule is None:
        near = get_close_matches(wanted, [rule.id for rule in found], 3)
        hint = f"did you mean {' or '.join(near)}?" if near else "muniment rules lists them"
        raise UsageError(f"no rule {wanted!r}; {hint}")
    console.result(plain(rule), rule.page.rstrip("\n"))


COMMAND = rules
