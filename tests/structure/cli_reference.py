"""The reference of the command line, made from the commands themselves.

python -m tests.structure.cli_reference     # writes it into api/README.md
"""

from __future__ import annotations

import re
from pathlib import Path

import click
from click.testing import CliRunner

from muniment_api.cli import COMMANDS, cli

API = Path(__file__).parents[2] / "api" / "README.md"
BEGIN, END = "<!-- reference -->", "<!-- /reference -->"


def reference() -> str:
    """Return the help of the program, of each command, and of each that a command has."""
    calls = [[], *(call for name in COMMANDS for call in _calls(name))]
    return "\n".join(_block(" ".join(["muniment", *call]), call) for call in calls)


def _calls(name: str) -> list[list[str]]:
    """Return a command's call, and those of the commands that it has."""
    found = cli.get_command(click.Context(cli), name)
    inner = found.list_commands(click.Context(found)) if isinstance(found, click.Group) else []
    return [[name], *([name, each] for each in inner)]


def written() -> str:
    """Return the reference as it stands in api/README.md."""
    match = re.search(rf"{BEGIN}\n(.*){END}", API.read_text(encoding="utf-8"), re.DOTALL)
    return "" if match is None else match[1]


def _block(title: str, args: list[str]) -> str:
    done = CliRunner(env={"COLUMNS": "100"}).invoke(cli, [*args, "--help"], prog_name="muniment")
    if done.exit_code != 0:
        raise click.ClickException(done.output)
    return f"### {title}\n\n```text\n{done.output.rstrip()}\n```\n"


if __name__ == "__main__":
    text = API.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    API.write_text(f"{before}{BEGIN}\n{reference()}{END}{after}", encoding="utf-8")
