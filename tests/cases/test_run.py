"""The case runner, run on our own cases: what must hold passes, what must fail fails, what cannot be asked is skipped.

The name of each case in `own/` begins with what must come out: `holds`, `fails` or `cannot be asked`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OWN = sorted((HERE / "own").glob("*.json"))
WORDS = {"holds": "passed", "fails": "failed", "cannot be asked": "skipped"}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "run.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_each_own_case_comes_out_as_its_name_says(path: Path) -> None:
    done = run(path)
    *lines, last = done.stdout.splitlines()
    found = [re.match(r"(\w+) OWN-[A-Z]+ (holds|fails|cannot be asked): ", line) for line in lines]
    assert all(found), done.stdout + done.stderr
    wrong = [match.string for match in found if match and WORDS[match[2]] != match[1]]
    assert not wrong, "\n".join(wrong)
    counts = [sum(1 for match in found if match and match[1] == word) for word in ("passed", "failed", "skipped")]
    assert last == f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped"
    assert done.returncode == (1 if counts[1] else 0)


def test_the_own_cases_use_every_check_measure_and_comparison() -> None:
    told = "\n".join(path.read_text("utf-8") for path in OWN)
    for table in ("checks.py", "measures.py", "comparisons.py", "steps.py", "asks.py", "surfaces.py"):
        source = (HERE / table).read_text("utf-8")
        words = re.findall(r'^    "(\w+)": ', source, re.MULTILINE)
        assert words, table
        missing = [word for word in words if f'"{word}"' not in told]
        assert not missing, f"{table}: {missing}"


def test_only_the_named_cases_run() -> None:
    done = run("--only", "holds: the ancestors", HERE / "own" / "walks.json")
    assert done.stdout == "passed OWN-WALKS holds: the ancestors\n1 passed, 0 failed, 0 skipped\n"
    assert done.returncode == 0


def test_a_file_that_is_no_case_file_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"id": "X"}', "utf-8")
    for path in (broken, tmp_path / "nowhere.json"):
        done = run(path)
        assert done.returncode == 2
        assert str(path) in done.stderr
