"""The import contracts hold, and they bite: each is tried on a small tree that breaks it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.structure.source_tree import ROOT

LINT = Path(sys.executable).with_name("lint-imports")


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [str(LINT), "--config", str(tree / "pyproject.toml"), "--no-cache", "--no-logo"]
    environment = {"PYTHONPATH": f"{tree / 'graph'}:{tree / 'api'}", "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages that a test may break."""
    for package in ("graph/muniment", "api/muniment_api"):
        for file in (ROOT / package).rglob("*.py"):
            target = tmp_path / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return tmp_path


def test_the_tree_keeps_its_layers(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("graph/muniment/derive/names.py", "from muniment import store", "derive"),
        ("graph/muniment/model/ids.py", "import os", "os"),
        ("graph/muniment/closeout/verdict.py", "from pathlib import Path", "pathlib"),
        ("graph/muniment/errors.py", "import muniment_api.config", "muniment_api"),
        ("graph/muniment/odds_and_ends.py", "", "odds_and_ends"),
        ("api/muniment_api/odds_and_ends.py", "", "odds_and_ends"),
        ("api/muniment_api/config.py", "import muniment_api.cli", "config"),
    ],
)
def test_a_wrong_import_or_a_file_without_a_place_is_found(copy: Path, file: str, line: str, told: str) -> None:
    with (copy / file).open("a", encoding="utf-8") as changed:
        changed.write(f"\n{line}\n")
    done = lint(copy)
    assert done.returncode != 0
    assert told in done.stdout + done.stderr
