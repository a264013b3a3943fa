"""make bench-closeout: what a closeout costs, by the size of the mission and by the number of its claims.

Two missions with the same claims: one of about 10,000 nodes, one of about 100,000. Goals: at most 50 ms and 200 ms a
closeout, and a cost that follows the claims and not the graph. CPU time, the median of some rounds; *cold* is the first
one of a process. The last line is one JSON object with all figures.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.closeout.judge import judge
from muniment.exploration import counts
from muniment.snapshot import MemorySnapshot, Snapshot

SIZES = {10_000: 50.0, 100_000: 200.0}
"""Nodes → milliseconds that a closeout may cost."""
CLAIMS = (1, 8, 32)
ROUNDS = 7
FILES = 40
NODES_A_STEP = 9
"""Nodes that one step of the made history adds, about."""


class Cost(NamedTuple):
    """What closeouts of one mission cost: CPU milliseconds."""

    nodes: int
    claims: int
    cold: float
    median: float


def main() -> None:
    """Measure and print."""
    costs = []
    for cost in (cost for size in SIZES for cost in measured(size)):
        costs.append(cost)
        sys.stdout.write(
            f"{cost.nodes:>8} nodes  {cost.claims:>3} claims  first {cost.cold:7.1f} ms  median {cost.median:7.1f} ms\n"
        )
        sys.stdout.flush()
    goals = {str(size): limit for size, limit in SIZES.items()}
    sys.stdout.write(json.dumps({"goals_ms": goals, "closeouts": [cost._asdict() for cost in costs]}) + "\n")


def measured(size: int) -> Iterator[Cost]:
    """Yield the cost of closeouts of a mission of about `size` nodes, by the number of claims."""
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        for batch in _batches(history(size // NODES_A_STEP)):
            store.record(batch)
        mission = store.missions()[0].mission
        made = 0
        for wanted in CLAIMS:
            store.record([claim(number) for number in range(made, wanted)])
            made = wanted
            snapshot = store.snapshot(mission)
            yield _cost(snapshot, wanted)


def _cost(snapshot: Snapshot, claims: int) -> Cost:
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        closeout = judge(snapshot)
        times.append(1000 * (time.process_time() - started))
        if len(closeout.claims) != claims:
            raise AssertionError(f"{len(closeout.claims)} claims were judged, not {claims}")
    assert isinstance(snapshot, MemorySnapshot)
    nodes = counts(snapshot)[0]
    return Cost(nodes, claims, times[0], statistics.median(times[1:]))


def claim(number: int) -> dict[str, object]:
    """Return a claim: of the suite, of one test file, of a file that was written, in turns."""
    made: dict[str, object] = {"kind": "claim_made", "id": f"claim{number}", "by": "agent", "session": "bench"}
    sorts: tuple[dict[str, object], ...] = (
        {"type": "tests_pass", "scope": "suite"},
        {"type": "tests_pass", "scope": [f"tests/t{number % FILES}.py"]},
        {"type": "file_written", "path": f"src/m{number % FILES}.py"},
        {"type": "lint_clean"},
    )
    return {**made, **sorts[number % len(sorts)]}


def history(steps: int) -> Iterator[dict[str, object]]:
    """Yield the records of a mission that edits, reads and tests in turns, and ends with whole runs that pass."""
    yield {"kind": "session_opened", "id": "open", "by": "harness", "session": "bench", "root": "/w", "workspace": "w"}
    for step in range(steps):
        yield from _step(step)
    yield from _ran("last-test", "pytest", "== 120 passed in 2.1s ==")
    yield from _ran("last-lint", "ruff check .", "All checks passed!")


def _step(step: int) -> Iterator[dict[str, object]]:
    file = step % FILES
    content = "".join(f"def f{step}_{line}():\n    return {line}\n" for line in range(8))
    base = {"by": "agent", "session": "bench"}
    yield {**base, "kind": "message", "id": f"say{step}", "role": "answer", "text": f"Now file {file}."}
    yield {
        **base, "kind": "tool_returned", "id": f"w{step}", "tool": "write", "path": f"src/m{file}.py",
        "content": content, "status": "ok", "effect": "writes",
    }  # fmt: skip
    failing = step % 3 == 0
    outcome = "1 failed, 3 passed" if failing else "4 passed"
    yield from _ran(f"t{step}", f"pytest tests/t{file}.py", f"== {outcome} in 0.1s ==", int(failing))
    yield from _ran(f"g{step}", f"grep -n return src/m{file}.py", "2:    return 0")


def _ran(name: str, command: str, output: str, exit_code: int = 0) -> Iterator[dict[str, object]]:
    base = {"session": "bench", "tool": "command", "command": command}
    yield {**base, "kind": "tool_called", "id": f"call-{name}", "by": "agent", "turn": name}
    yield {
        **base, "kind": "tool_returned", "id": name, "by": "tool", "call": f"call-{name}", "exit_code": exit_code,
        "output": output,
    }  # fmt: skip


def _batches(records: Iterator[dict[str, object]], size: int = 500) -> Iterator[list[dict[str, object]]]:
    batch: list[dict[str, object]] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


if __name__ == "__main__":
    main()
