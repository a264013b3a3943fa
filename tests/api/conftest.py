"""Fixtures of the command line's tests: a store with the bundled session, and the program run in process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result

from muniment_api.cli import cli

ROOT = Path(__file__).parents[2]
Answer: TypeAlias = dict[str, object]
Run: TypeAlias = Callable[..., Result]
Ask: TypeAlias = Callable[..., Answer]


@pytest.fixture(scope="session")
def example() -> Path:
    """The bundled session's file."""
    return next((ROOT / "api/muniment_api/examples/bugfix").glob("*.jsonl"))


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory, example: Path) -> Path:
    """A store that holds the bundled session; never changed."""
    folder = tmp_path_factory.mktemp("imported") / "store"
    done = CliRunner().invoke(cli, ["import", str(example), "--store", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def store(tmp_path: Path, imported: Path) -> Path:
    """A store of one's own that holds the bundled session."""
    shutil.copytree(imported, tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def run(store: Path) -> Run:
    """Run the program on the store."""

    def runs(*args: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(cli, ["--store", str(store), *args], input=stdin)

    return runs


@pytest.fixture
def ask(run: Run) -> Ask:
    """Run a command with --json and return its document; `code` is the exit code that is due."""

    def asks(*args: str, code: int = 0, stdin: bytes | None = None) -> Answer:
        done = run(*args, "--json", stdin=stdin)
        assert done.exit_code == code, done.output
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    return asks
