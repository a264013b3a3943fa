"""The case files that must pass: those of the folder in MUNIMENT_CASES, else of `cases` beside MUNIMENT_SESSIONS."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MUST_PASS = (
    *(
        "FR-01",
        "FR-03",
        "FR-05",
        "FR-06",
        "FR-09",
        "FR-10",
        "FR-12",
        "FR-13",
        "FR-15",
        "FR-18",
        "FR-20",
        "FR-21",
        "FR-23",
        "FR-24",
        "FR-26",
    ),
    *(
        "FR-28",
        "FR-30",
        "FR-31",
        "FR-33",
        "FR-34",
        "FR-36",
        "FR-38",
        "FR-39",
        "FR-40",
        "FR-42",
        "FR-43",
        "FR-44",
        "FR-45",
        "FR-46",
    ),
)
"""Nothing in them fails."""
NEEDS_MORE = frozenset({"FR-01", "FR-03", "FR-05", "FR-06", "FR-24", "FR-40"})
"""Some of their cases need what is not there yet; those are skipped."""


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of case files; without it the test is skipped, in CI it fails."""
    sessions = os.environ.get("MUNIMENT_SESSIONS")
    named = os.environ.get("MUNIMENT_CASES") or (str(Path(sessions).parent / "cases") if sessions else "")
    if named and Path(named).is_dir():
        return Path(named)
    if os.environ.get("CI") == "true":
        pytest.fail("the case files are needed in CI: set MUNIMENT_CASES to their folder")
    pytest.skip("set MUNIMENT_CASES to the folder of case files to run this test")


@pytest.mark.parametrize("name", MUST_PASS)
def test_no_case_fails(cases: Path, name: str) -> None:
    runner = str(Path(__file__).parent / "run.py")
    done = subprocess.run(
        [sys.executable, runner, str(cases / f"{name}.json")], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert name in NEEDS_MORE or done.stdout.endswith(" 0 skipped\n"), done.stdout
