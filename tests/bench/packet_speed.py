"""make bench-packet-speed: what building a packet and checking it cost, by the size of the mission.

Made missions of about 10,000 and 100,000 nodes, and recorded sessions where MUNIMENT_SESSIONS names their folder. Goal:
at most 30 ms a build and 30 ms a check at 10,000 nodes, and a cost that follows the packet and not the history. CPU
time, the median of some rounds; *cold* is the first one of a process. What is checked is the whole packet, and the
bench fails if anything is wrong with it. The last line is one JSON object with all figures.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.exploration import counts
from muniment.handoff.build import build
from muniment.handoff.check import check
from muniment.handoff.proposal import Proposal, proposal_of
from muniment.handoff.request import PacketRequest
from muniment.tokens import o200k
from tests.bench.closeout_speed import NODES_A_STEP, claim, history

SIZES = (10_000, 100_000)
GOAL = 30.0
"""Milliseconds that a build, and a check, at the smaller size may cost."""
SESSIONS = ("cc12", "cx02")
CLAIMS = 16
ROUNDS = 7
BATCH = 500


class Cost(NamedTuple):
    """What building and checking packets of one mission costs: CPU milliseconds."""

    mission: str
    nodes: int
    tokens: int
    cold: float
    median: float
    check_cold: float
    check: float


def main() -> None:
    """Measure and print."""
    o200k().count("the vocabulary is loaded once per process")
    costs = []
    for cost in (*made(), *recorded()):
        costs.append(cost)
        sys.stdout.write(
            f"{cost.mission:>8} {cost.nodes:>8} nodes {cost.tokens:>6} tokens  first {cost.cold:7.1f} ms  "
            f"median {cost.median:7.1f} ms  check first {cost.check_cold:7.1f} ms  median {cost.check:7.1f} ms\n"
        )
        sys.stdout.flush()
    sys.stdout.write(json.dumps({"goal_ms": GOAL, "packets": [cost._asdict() for cost in costs]}) + "\n")


def made() -> Iterator[Cost]:
    """Yield the cost for made missions: edits, reads and tests in turns, claims, tasks and what users said."""
    for size in SIZES:
        with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
            records = [*asked(), *history(size // NODES_A_STEP), *(claim(number) for number in range(CLAIMS))]
            for first in range(0, len(records), BATCH):
                store.record(records[first : first + BATCH])
            yield _cost("made", store)


def recorded() -> Iterator[Cost]:
    """Yield the cost for recorded sessions."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    for name in SESSIONS if folder else ():
        found = sorted(Path(folder or "").rglob(f"*{name}*"))
        with TemporaryDirectory() as place, EvidenceStore.open(Path(place) / "store", create=True) as store:
            store.import_session(found[0])
            yield _cost(name, store)


def asked() -> Iterator[dict[str, object]]:
    """Yield what users asked for, before anything was done."""
    base = {"by": "user", "session": "bench"}
    for number in range(12):
        yield {
            **base, "kind": "fact_stated", "id": f"fact{number}", "class": "constraint",
            "text": f"Function {number} keeps its name",
        }  # fmt: skip
        yield {**base, "kind": "message", "id": f"asked{number}", "role": "prompt", "text": f"Make part {number} fast."}
        yield {**base, "kind": "task_stated", "id": f"task{number}", "text": f"Part {number}"}


def _cost(name: str, store: EvidenceStore) -> Cost:
    mission = store.missions()[0].mission
    snapshot, live = store.snapshot(mission), store.live(mission)
    times, checks = [], []
    for _ in range(ROUNDS):
        started = time.process_time()
        packet = build(snapshot, PacketRequest(), o200k(), live)
        built = time.process_time()
        found = check(snapshot, Proposal(name="bench", said=proposal_of(packet), whole=packet), None)
        checks.append(1000 * (time.process_time() - built))
        times.append(1000 * (built - started))
        if found.problems:
            raise SystemExit(f"{name}: what was built is refused: {found.problems}")
    nodes = sum(counts(snapshot)[:1])  # type: ignore[arg-type]
    return Cost(
        name, nodes, packet.tokens, times[0], statistics.median(times[1:]), checks[0], statistics.median(checks[1:])
    )


if __name__ == "__main__":
    main()
