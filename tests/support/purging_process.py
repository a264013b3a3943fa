"""A process of its own that purges entries, and writes `done` after it.

`python -m tests.support.purging_process FOLDER POSITION...`
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muniment.journal.sqlite import SqliteJournal
from tests.support.journal_samples import WHEN

ROOT = Path(__file__).parents[2]


def start(folder: Path, *positions: int) -> subprocess.Popen[str]:
    """Start such a process; return it at the moment when it begins."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.purging_process", str(folder), *map(str, positions)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def main(folder: str, positions: list[int]) -> None:
    """Purge."""
    with SqliteJournal.open(Path(folder)) as journal:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        journal.purge(positions, why="asked for", recorded_at=WHEN)
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], [int(text) for text in sys.argv[2:]])
