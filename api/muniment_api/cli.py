"""The command line `muniment`: finds a command, runs it, and turns errors into a line and an exit code.

A command's module is imported when the command is called, so that `muniment --version` and `--help` stay fast. Which
commands there are, and what they are for in one line, is therefore written here.
"""

from __future__ import annotations

import errno
import importlib
from typing import Final

import click

from muniment import __version__
from muniment.errors import EvidenceError
from muniment_api.command import Command, common_options
from muniment_api.config import settings
from muniment_api.console import Console
from muniment_api.exits import Exit, error_line, error_object, exit_of, facts_of

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("demo", "Import the bundled session and show what Muniment makes of it."),
    "import": ("importing", "Record sessions from files, folders or stdin."),
    "missions": ("missions", "List the missions of the store."),
    "view": ("view", "Print the minimal live context for the current task."),
    "why": ("why", "Say why something is or is not in the view."),
    "closeout": ("closeout", "Say which claims are proven; exit 0 only if all are."),
    "rules": ("rules", "List what a closeout looks at, and how severe it is."),
    "explain": ("explain", "Tell the whole chain behind a claim, down to its receipts."),
    "impact": ("impact", "Say what loses its proof if a file, receipt or decision changes."),
    "waive": ("waive", "Accept a claim, criterion or task without proof, as the user."),
    "packet": ("packet", "Build, check and accept what crosses a context boundary."),
    "boundary": ("boundary", "List context boundaries, with what came over each."),
    "compaction": ("compaction", "Say when to compact, and how past compactions went."),
    "show": ("show", "Print the text behind an id, whole or some lines."),
    "symbols": ("symbols", "List what a file defines, where it stands now."),
    "coverage": ("coverage", "List which lines of a file an agent has seen, as it is now."),
    "check-write": ("check_write", "Say whether an agent has seen what it is about to change."),
    "holds": ("holds", "Say whether a receipt still tells of what is there now."),
    "absences": ("absences", "List what searches did not find, as far as that holds."),
    "distillations": ("distillations", "List which lines of large outputs matter, and by whose word."),
    "search": ("search", "Find words and phrases in what was said, run and done."),
    "query": ("querying", "Ask the graph in Cypher; only reading is let through."),
    "log": ("log", "List what happened in a mission, in causal order."),
    "verify": ("verify", "Check every stored byte against the hash chain."),
    "recover": ("recover", "Save what is sound of a damaged store into a new one."),
    "rebuild": ("rebuild", "Derive the graph anew from the journal."),
    "withdraw": ("withdraw", "Take something out of force; it stays readable."),
    "purge": ("purge", "Erase a body for good; the chain still verifies."),
    "serve": ("serve", "Serve the store over GraphQL, on loopback and on a socket."),
    "schema": ("schema", "Print the GraphQL schema, or the JSON Schema of a closeout."),
    "mcp": ("mcp", "Serve the store to a model, as an MCP server over stdin and stdout."),
    "install": ("install", "Let a runtime's hooks record here, and ask before it stops."),
    "hook": ("hook", "Answer a runtime's hook; what `install` makes it call."),
    "doctor": ("doctor", "Look for problems of the installation and the store."),
}
"""Command → its module in `muniment_api.commands`, and what it is for."""


class Root(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the commands in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"muniment_api.commands.{COMMANDS[cmd_name][0]}")
        found = module.COMMAND
        return found if isinstance(found, Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Prepare the console before anything can go wrong, so that errors are told in the form that was asked for."""
        known = settings()
        options = args[: args.index("--")] if "--" in args else args
        ctx.obj = Console(store=known.store, json="--json" in options, color=known.color)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _tell_usage(ctx.obj, error)
            ctx.exit(Exit.USAGE)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; tell errors."""
        console = ctx.ensure_object(Console)
        try:
            return super().invoke(ctx)
        except EvidenceError as error:
            _tell(console, error.code, error_line(error), facts_of(error))
            ctx.exit(exit_of(error))
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output has gone; click ends quietly
                raise
            _tell(console, "io", f"{error.filename or 'input'}: {error.strerror or error}", {})
            ctx.exit(Exit.NOT_PROVEN)
        except click.UsageError as error:
            _tell_usage(console, error)
            ctx.exit(Exit.USAGE)
        except KeyboardInterrupt:
            console.say("muniment: interrupted; what was acknowledged is stored")
            ctx.exit(Exit.INTERRUPTED)


def _tell_usage(console: Console, error: click.UsageError) -> None:
    """Tell wrong use where JSON is wanted; else click says it, with the usage.

    Raises:
        UsageError: JSON is not wanted.
    """
    if not console.json:
        raise error
    _tell(console, "usage", error.format_message(), {})


def _tell(console: Console, code: str, line: str, facts: dict[str, object]) -> None:
    console.say(f"muniment: {line}")
    if console.json:
        console.result(error_object(code, line, facts), "")


@click.group(
    cls=Root,
    params=common_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done or proven, 1 not proven or problems found, 2 wrong use, 3 store missing or locked, "
    "4 damaged, 130 interrupted.",
)
@click.version_option(__version__, prog_name="muniment")
def cli() -> None:
    """Keep what an agent session did as evidence; ask what matters now and what is proven."""


def main() -> None:
    """Run the program."""
    cli(prog_name="muniment")
