"""A process of its own that works with a store: records, imports, folds and saves, and says what is acknowledged.

`python -m tests.support.working_process FOLDER SESSION PREFIX` writes `ready`, waits for a line on its input, then
works until it is killed or has done all. It writes `recorded <id> <position>` after each record that was acknowledged.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muniment import EvidenceStore

ROOT = Path(__file__).parents[2]
ROUNDS = 12


def start(folder: Path, session: Path, prefix: str) -> subprocess.Popen[str]:
    """Start such a process; return it once it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.working_process", str(folder), str(session), prefix],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    """Let a process begin."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def recorded(output: str) -> dict[str, int]:
    """Return the position of each record that was acknowledged."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return {words[1]: int(words[2]) for words in lines if words[:1] == ["recorded"]}


def main(folder: str, session: str, prefix: str) -> None:
    """Work."""
    with EvidenceStore.open(folder) as store:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for place in range(ROUNDS):
            name = f"{prefix}{place}"
            text = f"{name} says something " * (1 if place % 2 else 120)
            record = {"kind": "message", "id": name, "session": prefix, "by": "user", "text": text}
            position = int(store.record([record]))
            sys.stdout.write(f"recorded {name} {position}\n")
            sys.stdout.flush()
            mission = store.import_session(session).mission
            store.view(mission)
            store.save_fold()


if __name__ == "__main__":
    main(*sys.argv[1:4])
