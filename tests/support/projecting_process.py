"""A process of its own that records and projects into an engine, closing (and so checkpointing) often.

`python -m tests.support.projecting_process FOLDER ENGINE PREFIX ROUNDS` writes `ready`, waits for a line on its input,
then works until it is killed or has done all. It writes `recorded <id> <position>` after each acknowledged record.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muniment import EvidenceStore

ROOT = Path(__file__).parents[2]
A_ROUND = 6


def start(folder: Path, engine: str, prefix: str, rounds: int = 40) -> subprocess.Popen[str]:
    """Start such a process; return it once it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.projecting_process", str(folder), engine, prefix, str(rounds)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def records(name: str, number: int) -> list[dict[str, object]]:
    """Return what one step records: a write to a file and what its author says, long every third time."""
    base: dict[str, object] = {"session": "S", "by": "agent"}
    content = "".join(f"{name} line {line}\n" for line in range(4 + number % 5))
    write = {**base, "kind": "tool_returned", "id": f"w{name}", "tool": "write", "path": f"f{number % 4}.py"}
    text = f"{name} says something " * (150 if number % 3 == 0 else 1)
    return [
        {**write, "content": content, "effect": "writes"},
        {**base, "kind": "message", "id": name, "role": "answer", "text": text},
    ]


def main(folder: str, engine: str, prefix: str, rounds: str) -> None:
    """Work."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    number = 0
    for _ in range(int(rounds)):
        with EvidenceStore.open(folder, engine=engine) as store:
            for _ in range(A_ROUND):
                name = f"{prefix}{number}"
                position = int(store.record(records(name, number)))
                sys.stdout.write(f"recorded {name} {position}\n")
                sys.stdout.flush()
                mission = store.missions()[0].mission
                assert store.snapshot(mission).named(name)
                store.settle()
                number += 1


if __name__ == "__main__":
    main(*sys.argv[1:5])
