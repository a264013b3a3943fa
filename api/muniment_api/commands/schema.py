"""`muniment schema print`: the GraphQL schema; `muniment schema closeout`: the JSON Schema of a closeout."""

from __future__ import annotations

import click

from muniment.closeout.reports.document import schema_text
from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.schema.build import printed


@command(
    "schema", examples=["muniment schema print > schema.graphql", "muniment schema closeout > closeout.schema.json"]
)
@click.argument("which", type=click.Choice(["print", "closeout"]), metavar="print|closeout")
@click.pass_obj
def schema(console: Console, which: str) -> None:
    """Print the GraphQL schema of the server (print), or the JSON Schema of `closeout --json` (closeout)."""
    text = printed() if which == "print" else schema_text()
    console.result({"schema": text}, text.removesuffix("\n"))


COMMAND = schema
