"""`muniment schema print`: the GraphQL schema."""

from __future__ import annotations

import click

from muniment_api.command import command
from muniment_api.console import Console
from muniment_api.schema.build import printed


@command("schema", examples=["muniment schema print > schema.graphql"])
@click.argument("action", type=click.Choice(["print"]), metavar="print")
@click.pass_obj
def schema(console: Console, action: str) -> None:  # noqa: ARG001 (there is one)
    """Print the GraphQL schema of the server, as schema.graphql in the repository holds it."""
    text = printed()
    console.result({"schema": text}, text.removesuffix("\n"))


COMMAND = schema
