"""make bench-graph: what the projection costs. Ratios are of one run, on one machine.

The last line is one JSON object with all figures. Goals: a tool call's nodes and edges in at most 15 ms (median; 60 ms
at the 95th percentile), the walk of a view in 10 ms on 100,000 nodes, a rebuild in three times the fold alone.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment import EvidenceStore
from muniment.journal.sqlite import SqliteJournal
from muniment.missions import Missions, OpenMission
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Receipt, Task
from muniment.projection.projection import Projection
from muniment.projection.standing import StoreBasis
from muniment.snapshot import Snapshot
from tests.bench import made

ENGINES = ("kuzu", "ladybug")
CALLS = 150
WALKS = 30
VIEWS = 10
RECORDS = 100_000
FOLLOWED = (
    EdgeKind.ABOUT,
    EdgeKind.CITES,
    EdgeKind.DEPENDS_ON,
    EdgeKind.EXCERPT_OF,
    EdgeKind.PRODUCED,
    EdgeKind.READS,
    EdgeKind.SUPPORTS,
    EdgeKind.VERSION_OF,
    EdgeKind.WRITES,
)
"""What leads from a task to its actions, their files, and what supports them."""
HOPS = 4


def timed(work: Callable[[], object]) -> float:
    """Return how many milliseconds one call takes."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def spread(name: str, times: list[float]) -> dict[str, float]:
    """Return median and 95th percentile."""
    times = sorted(times)
    return {f"{name}_ms": statistics.median(times), f"{name}_p95_ms": times[int(0.95 * len(times))]}


def tool_calls(folder: Path, engine: str, lines: int, name: str) -> dict[str, float]:
    """Project the nodes and edges of single tool calls into a database that holds the big history already."""
    took: list[float] = []
    with EvidenceStore.open(folder) as store:
        journal = SqliteJournal.open(folder)
        missions = Missions(journal, folder)

        def feeds() -> Iterator[OpenMission]:
            return (missions.open(info).caught_up() for info in journal.missions())

        projection = Projection(folder, engine, feeds)
        basis = StoreBasis(missions.tag, journal.head().epoch)
        mission = journal.missions()[0]
        projection.reach(missions.open(mission).caught_up(), basis)
        for number in range(CALLS):
            store.record(_tool_call(f"{engine}{name}{number}", number % 30, lines), mission=mission.mission)
            feed = missions.open(mission).caught_up()
            took.append(timed(lambda feed=feed: projection.reach(feed, basis)))  # type: ignore[misc]
        projection.close()
        missions.close()
        journal.close()
    return spread(f"{engine}_{name}", took)


def _tool_call(name: str, file: int, lines: int) -> list[dict[str, object]]:
    """A call that writes a file, and its result."""
    content = "".join(f"def f{name}_{i}():\n    return {i}\n" for i in range(lines))
    call = {"kind": "tool_called", "id": f"c{name}", "session": "bench", "by": "agent", "tool": "write", "turn": name}
    returned = {"kind": "tool_returned", "id": f"r{name}", "session": "bench", "by": "agent", "tool": "write"}
    path = f"src/m{file}.py"
    return [{**call, "path": path}, {**returned, "call": f"c{name}", "path": path, "content": content}]


def reading(folder: Path, engine: str) -> dict[str, float]:
    """Walk as a view does, and make views and a closeout, in the engine and in memory."""
    figures: dict[str, float] = {}
    with EvidenceStore.open(folder, engine=engine) as store, EvidenceStore.open(folder) as memory:
        mission = store.missions()[0].mission
        snapshot, meant = store.snapshot(mission), memory.snapshot(mission)
        figures.update(spread(f"{engine}_walk", [timed(lambda i=i: _walk(snapshot, i)) for i in range(WALKS)]))  # type: ignore[misc]
        steps = [len(_walk(snapshot, i)) for i in range(WALKS)]
        assert [_walk(snapshot, i) for i in range(3)] == [_walk(meant, i) for i in range(3)]
        figures[f"{engine}_walk_nodes"] = statistics.mean(steps)
        figures[f"{engine}_first_view_ms"] = timed(lambda: store.view(mission))
        memory.view(mission)
        figures.update(spread(f"{engine}_view", [timed(lambda: store.view(mission)) for _ in range(VIEWS)]))
        figures.update(spread("memory_view", [timed(lambda: memory.view(mission)) for _ in range(VIEWS)]))
        figures[f"{engine}_closeout_ms"] = timed(lambda: store.closeout(mission))
        figures["memory_closeout_ms"] = timed(lambda: memory.closeout(mission))
        assert store.view(mission) == memory.view(mission)
    return figures


def _walk(snapshot: Snapshot, place: int) -> list[object]:
    recent = [node.id for node in snapshot.newest([Receipt], WALKS)]
    seeds = [snapshot.newest([Task], 1)[0].id, *recent[place : place + 3]]
    return list(snapshot.walk(seeds, FOLLOWED, HOPS, way="out"))


def rebuilding(folder: Path, engine: str) -> dict[str, float]:
    """Build the graph anew: the fold alone, and with the engine."""
    with EvidenceStore.open(folder) as store:
        alone = timed(store.rebuild)
    with EvidenceStore.open(folder, engine=engine) as store:
        whole = timed(store.rebuild)
    return {"fold_s": alone / 1000, f"{engine}_rebuild_s": whole / 1000, f"{engine}_rebuild_ratio": whole / alone}


def of_engine(folder: Path, engine: str) -> dict[str, float]:
    """Return all figures of one engine."""
    figures: dict[str, float] = {}
    parts: tuple[Callable[[], dict[str, float]], ...] = (
        lambda: rebuilding(folder, engine),
        lambda: reading(folder, engine),
        lambda: tool_calls(folder, engine, 15, "call"),
        lambda: tool_calls(folder, engine, 2_000, "big_call"),
    )
    for part in parts:
        found = part()
        figures.update(found)
        for what, value in found.items():
            print(f"{what:28} {value:12.2f}", file=sys.stderr, flush=True)
    return figures


def in_process(folder: Path, engine: str) -> dict[str, float]:
    """Run one engine in a process of its own: both in one do not work."""
    command = [sys.executable, "-m", "tests.bench.graph", engine, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main(records: int = RECORDS) -> None:
    """Run everything and print the figures."""
    figures: dict[str, float] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        made.history(records, folder / "history.ndjson")
        with EvidenceStore.open(folder / "s", create=True) as store:
            store.import_session(folder / "history.ndjson")
            built = store.rebuild()[0]
        figures.update({"nodes": built.nodes, "edges": built.edges})
        for engine in ENGINES:
            figures.update(in_process(folder / "s", engine))
    print(json.dumps({what: round(value, 3) for what, value in figures.items()}))


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ENGINES:
        print(json.dumps(of_engine(Path(sys.argv[2]), sys.argv[1])))
    else:
        main(*map(int, sys.argv[1:]))
