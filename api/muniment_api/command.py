"""What every command has: `--store`, `--json`, and examples at the end of its help.

The two options may stand before the command's name or behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from muniment_api.console import Console

F = TypeVar("F", bound=Callable[..., None])


class Command(click.Command):
    """A command with the common options; `examples` are shell lines that a test runs."""

    def __init__(self, *args: object, examples: Sequence[str] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.examples = tuple(examples)
        self.params += common_options()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class CommandGroup(Command, click.Group):
    """A command that has commands; each of them takes the common options too."""


def common_options() -> list[click.Parameter]:
    """Return the options that every command takes."""
    return [
        click.Option(
            ["--store"],
            type=click.Path(path_type=Path, file_okay=False),
            metavar="FOLDER",
            expose_value=False,
            callback=_set_store,
            help="The store's folder.  [env: MUNIMENT_STORE; default: .muniment]",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_set_json,
            help="Write one JSON document to stdout.",
        ),
    ]


def _set_store(ctx: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.ensure_object(Console).store = value


def _set_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Console).json = True


def command(
    name: str, *, examples: Sequence[str], short: str | None = None
) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command; its docstring is the help, `short` its line in a list of commands."""

    def made(function: Callable[..., None]) -> Command:
        return click.command(name, cls=Command, examples=tuple(examples), short_help=short)(function)

    return made


def group(
    name: str, *, examples: Sequence[str], commands: Sequence[Command]
) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command that only has others; its docstring is the help."""

    def made(function: Callable[..., None]) -> Command:
        found: CommandGroup = click.command(name, cls=CommandGroup, examples=tuple(examples))(function)
        for each in commands:
            found.add_command(each)
        return found

    return made


def mission_argument(function: F) -> F:
    """Add the argument MISSION that may be left out."""
    return click.argument("mission", required=False, metavar="[MISSION]")(function)
