"""What `--help` shows as examples works as it is written there, on the session that `muniment demo` keeps.

Examples that serve, wait, read other people's sessions or ask a shell for more than `muniment` are not run; all others
are, each on a store of its own, in which a packet is in force. 0 and 1 are answers; 2 and above say that the call is
wrong, or that an id in it leads nowhere.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from muniment_api.cli import COMMANDS, cli
from muniment_api.command import Command, CommandGroup

ELSEWHERE = {"demo", "hook", "import", "install", "mcp", "serve", "recover"}
"""Commands whose examples name folders, runtimes or servers of somebody else."""
OF_ONES_OWN = re.compile(r"\bMISSION\b|packet\.json|[|&>]")
"""Parts of an example that stand for something of one's own, or are the shell's."""


def _all(command: click.Command | None) -> list[str]:
    assert isinstance(command, Command)
    inner = command.commands.values() if isinstance(command, CommandGroup) else ()
    return [*command.examples, *(line for each in inner for line in _all(each))]


def shown() -> list[str]:
    """Return every example that can be run by itself."""
    context = click.Context(cli)
    found = [line for name in COMMANDS if name not in ELSEWHERE for line in _all(cli.get_command(context, name))]
    return [line for line in dict.fromkeys(found) if not OF_ONES_OWN.search(line)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store that the demo keeps, with a packet in force."""
    folder = tmp_path_factory.mktemp("kept") / "demo"
    for call in (["demo"], ["packet", "build", "--accept"]):
        done = CliRunner().invoke(cli, [*call, "--store", str(folder)])
        assert done.exit_code == 0, done.output
    return folder


@pytest.mark.parametrize("example", shown())
def test_each_example_of_the_help_is_answered_on_the_demos_session(
    example: str, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *call = shlex.split(example)
    assert program == "muniment"
    shutil.copytree(kept, tmp_path / "store")
    done = CliRunner().invoke(cli, ["--store", str(tmp_path / "store"), *call])
    assert done.exit_code in (0, 1), done.output


def test_an_id_that_leads_nowhere_is_none_of_those_answers(kept: Path) -> None:
    for call in (["why", "pricelist.py"], ["explain", "L12"], ["packet", "check", "H38"]):
        assert CliRunner().invoke(cli, [*call, "--store", str(kept)]).exit_code == 2


def test_the_demo_keeps_its_store_only_where_one_is_named(kept: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    runner = CliRunner(env={"MUNIMENT_STORE": str(mine)})
    assert runner.invoke(cli, ["demo"]).exit_code == 0
    assert not mine.exists()
    assert runner.invoke(cli, ["--store", str(tmp_path / "before"), "demo"]).exit_code == 0
    assert (tmp_path / "before" / "journal.sqlite").exists()
    assert "there is no store" in runner.invoke(cli, ["missions"]).stderr
    again = runner.invoke(cli, ["demo", "--store", str(kept)])
    assert (again.exit_code, "name a new folder" in again.stderr) == (2, True)
