"""What README.md shows works as it is written there; `make demo` and `make test` themselves are run by CI.

In a `console` block a line `$ command` is run, in a new folder, with a home that holds the bundled session where Claude
Code keeps its sessions; a command may end in `# exits with N`. The `python` blocks are run as they are, the second one
and the `sh` block with curl against the server that the other `sh` block starts. The demo's output is shown in short:
each line of it is one of the real output, or the beginning of one where it ends in "…".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from muniment_api.cli import COMMANDS, cli
from tests.structure.cli_reference import reference, written
from tests.structure.source_tree import ROOT
from tests.support.server import Running, running

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = next((ROOT / "api/muniment_api/examples/bugfix").glob("*.jsonl"))
README_URL = "http://127.0.0.1:8765"
CI_RUNS = ("make demo", "make test")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, int]]:
    """Return each command of the README with its exit code."""
    found = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            command, _, note = line.removeprefix("$ ").partition("# exits with ")
            found.append((command.strip(), int(note or 0)))
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    sessions = tmp_path / ".claude" / "projects" / "-projects-pricelist"
    sessions.mkdir(parents=True)
    (sessions / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
    return tmp_path


def run(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    binaries = Path(sys.executable).parent
    environment = {"HOME": str(home), "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_the_readme_opens_with_the_two_commands() -> None:
    assert [command for command, _ in commands()][: len(CI_RUNS)] == list(CI_RUNS)


def test_every_command_of_the_readme_does_what_it_says(home: Path) -> None:
    for command, code in commands():
        if command in CI_RUNS:
            continue
        done = run(["bash", "-c", command], home)
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"


def test_the_embedding_example_runs(home: Path) -> None:
    (home / "session.jsonl").write_bytes(EXAMPLE.read_bytes())
    example = blocks("python")[0]
    done = run([sys.executable, "-W", "error", "-c", example], home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """The server that the README starts, on a port of its own."""
    (command,) = (block for block in blocks("sh") if block.startswith("muniment serve"))
    options = command.partition("#")[0].split()[2:]
    with running(tmp_path / "served", *options) as found:
        yield found


def test_the_clients_example_runs(home: Path, server: Running) -> None:
    example = blocks("python")[1].replace(README_URL, server.url)
    assert example.count("\n") <= 40
    done = run([sys.executable, "-W", "error", "-c", example], home)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"proven tests_pass .*\ndone \d+:[0-9a-f]+\n", done.stdout)


def test_the_example_by_curl_runs(home: Path, server: Running) -> None:
    (example,) = (block for block in blocks("sh") if block.startswith("curl"))
    done = run(["bash", "-ec", example.replace(README_URL, server.url)], home)
    assert done.returncode == 0, done.stderr
    stored, _, answer = done.stdout.partition("}")
    assert '"stored":2' in stored
    assert "Keep the public API." in answer
    assert '"verdict":"UNPROVEN"' in answer


def test_the_demo_shown_in_the_readme_is_the_real_one() -> None:
    shown = next(block for block in blocks("text") if "CLOSEOUT" in block)
    real = [line.strip() for line in CliRunner().invoke(cli, ["demo"]).output.splitlines()]
    for line in map(str.strip, shown.splitlines()):
        assert any(_is_shown(line, other) for other in real), line


def _is_shown(line: str, real: str) -> bool:
    return real.startswith(line.removesuffix("…")) if line.endswith("…") else line == real


def test_the_reference_of_the_command_line_is_what_help_says() -> None:
    assert written() == reference(), "run: python -m tests.structure.cli_reference"


def test_each_command_says_in_the_list_what_its_own_help_begins_with() -> None:
    assert all(line.endswith(".") and len(line) <= 72 for _, line in COMMANDS.values())
