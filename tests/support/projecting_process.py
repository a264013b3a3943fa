"""A process of its own that records and projects into an engine, closing (and so checkpointing) often.

`python -m tests.support.projecting_process FOLDER ENGINE PREFIX ROUNDS` writes `ready`, waits for a line on its input,
then works until it is killed or has done all. It writes `recorded <id> <position>` after each acknowledged record.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zlib import crc32

from muniment import EvidenceStore
from tests.support.claude_lines import CHILD, SESSION, Transcript

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


def tell_late(store: EvidenceStore, folder: Path, number: int) -> None:
    """Tell of a child that has ended already: its mission is folded anew, and what is projected of it cut back."""
    session = f"{SESSION[:-8]}{crc32(f'{folder.name} {number}'.encode()):08x}"
    root = Transcript().user("Find the cause").reads("toolu_a", "/w/project/a.py", ["one", "two"])
    root.calls("toolu_t", "Task", description="look", prompt="Look")
    root.returns("toolu_t", "found it", {"status": "completed", "agentId": CHILD, "content": []}).says("Done.")
    child = Transcript(CHILD).user("Look").reads("toolu_c", "/w/project/b.py", ["three"]).says("found it")
    files = [
        root.write(folder / f"{session}.jsonl"),
        child.write(folder / session / "subagents" / f"agent-{CHILD}.jsonl"),
    ]
    for file in files:
        file.write_text(file.read_text(encoding="utf-8").replace(SESSION, session), encoding="utf-8")
        mission = store.import_session(file).mission
        assert store.query("MATCH (n:Node) WHERE n.mission = $m RETURN n.id", {"m": mission}).rows
    assert store.snapshot(mission).named("toolu_c:result")


def main(folder: str, engine: str, prefix: str, rounds: str) -> None:
    """Work."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    number = 0
    for _ in range(int(rounds)):
        with EvidenceStore.open(folder, engine=engine) as store:
            tell_late(store, Path(folder).parent / "late" / prefix, number)
            for _ in range(A_ROUND):
                name = f"{prefix}{number}"
                position = int(store.record(records(name, number)))
                sys.stdout.write(f"recorded {name} {position}\n")
                sys.stdout.flush()
                mission = next(info.mission for info in store.missions() if info.session == "S")
                assert store.snapshot(mission).named(name)
                store.settle()
                number += 1


if __name__ == "__main__":
    main(*sys.argv[1:5])
