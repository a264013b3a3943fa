"""A process of its own that appends to a journal and says so.

`python -m tests.support.appending_process FOLDER PREFIX COUNT` writes `ready`, waits for a line on its input, then
writes one line per acknowledged append: `ack <source id> <position>`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from muniment.journal.sqlite import SqliteJournal
from tests.support.journal_samples import append, draft

ROOT = Path(__file__).parents[2]


def start(folder: Path, prefix: str, count: int, under: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start such a process, if wanted under another program; return it once it is ready."""
    process = subprocess.Popen(
        [*under, sys.executable, "-m", "tests.support.appending_process", str(folder), prefix, str(count)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    """Let a process begin to append."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(output: str) -> dict[str, int]:
    """Return the position of each source id that was acknowledged; a last line without its end does not count."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return {words[1]: int(words[2]) for words in lines if words[:1] == ["ack"]}


def finish(process: subprocess.Popen[str]) -> dict[str, int]:
    """Wait for the end and return what was acknowledged."""
    output, _ = process.communicate(timeout=120)
    return acknowledged(output)


def main(folder: str, prefix: str, count: int) -> None:
    """Append `count` drafts, one by one."""
    with SqliteJournal.open(Path(folder), busy_seconds=60) as journal:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for place in range(count):
            body = {"place": place, "text": f"{prefix} {place} " * (200 if place % 3 == 0 else 1)}
            done = append(journal, draft(f"{prefix}{place}", body, stream=prefix))
            sys.stdout.write(f"ack {prefix}{place} {done.placed[0].position}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
