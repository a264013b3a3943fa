"""The program as a process: start-up, streams, signals, help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from muniment_api.cli import COMMANDS, cli
from muniment_api.command import Command
from tests.api.conftest import Run

PROGRAM = str(Path(sys.executable).with_name("muniment"))
HEAVY = {"httpx", "kuzu", "mcp", "msgspec", "networkx", "rich", "sqlite3", "starlette", "strawberry", "uvicorn"}


def program(*args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *args], env=os.environ | environment, capture_output=True, check=False, timeout=60)


def test_the_version_is_told_without_loading_what_it_does_not_need() -> None:
    told = (
        "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules))); sys.argv = ['muniment', '--version']"
    )
    script = f"{told}; from muniment_api.start import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    version, *loaded = done.stdout.split("\n", 1)
    assert version.startswith("muniment")
    assert not HEAVY & set(loaded[0].split())


def test_stdout_is_one_json_document_in_utf_8_whatever_the_locale(imported: Path) -> None:
    done = program("view", "--json", "--store", str(imported), LC_ALL="POSIX", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "€" in json.loads(done.stdout.decode("utf-8"))["text"]


def test_the_store_is_named_by_option_environment_or_folder(imported: Path, tmp_path: Path) -> None:
    assert program("missions", MUNIMENT_STORE=str(imported)).returncode == 0
    assert program("missions", "--store", str(imported), MUNIMENT_STORE=str(tmp_path / "none")).returncode == 0
    assert program("--store", str(imported), "missions").returncode == 0
    assert program("missions", MUNIMENT_STORE=str(tmp_path / "none")).returncode == 3


def test_an_interrupt_ends_with_130_and_keeps_what_was_acknowledged(example: Path, tmp_path: Path) -> None:
    args = [PROGRAM, "import", "--follow", str(example), "--store", str(tmp_path / "store"), "--json"]
    with subprocess.Popen(
        args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_heed_interrupts
    ) as following:
        deadline = time.monotonic() + 20
        while not (tmp_path / "store" / "journal.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        following.send_signal(signal.SIGINT)
        try:
            out, err = following.communicate(timeout=20)
        finally:
            following.kill()
    assert (following.returncode, b"Traceback" in err) == (130, False)
    assert json.loads(out)["imports"][0]["stored"] == len(example.read_bytes().splitlines())


def _heed_interrupts() -> None:
    """A shell starts what runs in the background with interrupts ignored, and so would what the tests start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_reader_that_goes_away_is_no_error_of_ours(imported: Path) -> None:
    command = f"'{PROGRAM}' log --store '{imported}' | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in done.stderr


def test_no_progress_and_no_colour_where_there_is_no_terminal(example: Path, tmp_path: Path, imported: Path) -> None:
    done = program("import", str(example), "--store", str(tmp_path / "store"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in program("closeout", "--store", str(imported)).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples_and_the_common_options(run: Run, name: str) -> None:
    found = cli.get_command(click.Context(cli), name)
    assert isinstance(found, Command)
    assert found.name == name
    assert found.examples
    text = run(name, "--help").stdout
    assert all(part in text for part in ("Examples:", "--json", "--store"))


def test_an_error_is_json_too_where_json_was_asked_for(run: Run) -> None:
    for args in (["nonsense", "--json"], ["--json", "view", "--budget", "0"], ["show", "--json"]):
        done = run(*args)
        assert done.exit_code == 2
        assert json.loads(done.stdout)["error"]["code"] == "usage"


def test_an_error_without_json_leaves_stdout_empty(run: Run) -> None:
    done = run("nonsense")
    assert (done.exit_code, done.stdout) == (2, "")
