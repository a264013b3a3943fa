"""make bench-store: what recording, folding, opening and viewing cost. Ratios are of one run, on one machine.

The last line is one JSON object with all figures. `MUNIMENT_SESSIONS` names the folder of recorded sessions.
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import zstandard
from blake3 import blake3

from muniment import EvidenceStore
from muniment.redaction import Redactor
from tests.bench import made

ROOT = Path(__file__).parents[2]
ROUNDS = 5
SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
VIEWS = 40


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def append_ratio(folder: Path) -> dict[str, float]:
    """Durable append of one tool call's two entries, against one bare commit of a row of the same size, interleaved."""
    bare = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    bare.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (body BLOB);")
    ours: list[float] = []
    plain: list[float] = []
    with EvidenceStore.open(folder / "append", create=True) as store:
        store.record([{"kind": "session_opened", "id": "s", "session": "b", "root": "/w"}])
        for number in range(400):
            records = _tool_call(number)
            body = json.dumps(records).encode()
            ours.append(seconds(lambda records=records: store.record(records)))  # type: ignore[misc]
            plain.append(seconds(lambda body=body: bare.execute("INSERT INTO row VALUES (?)", (body,))))  # type: ignore[misc]
    bare.close()
    return {
        "append_ms": 1000 * statistics.median(ours),
        "bare_commit_ms": 1000 * statistics.median(plain),
        "append_ratio": statistics.median(ours) / statistics.median(plain),
    }


def _tool_call(number: int) -> list[dict[str, object]]:
    call: dict[str, object] = {
        "kind": "tool_called",
        "id": f"c{number}",
        "session": "b",
        "tool": "command",
        "command": "make",
    }
    returned = {"kind": "tool_returned", "id": f"r{number}", "session": "b", "by": "tool", "tool": "command"}
    return [call, {**returned, "call": f"c{number}", "exit_code": 0, "output": f"built part {number}\n" * 20}]


def import_ratio(session: Path, folder: Path) -> dict[str, float]:
    """Import into the journal, against the sum of decoding, hashing, redacting and compressing the same bytes."""
    lines = session.read_bytes().splitlines()
    redactor = Redactor(bytes(32))
    compressor = zstandard.ZstdCompressor(level=3)
    ratios: list[float] = []
    speeds: list[float] = []
    for round_ in range(ROUNDS):
        bodies = [msgspec.json.decode(line) for line in lines]
        parts = seconds(lambda: [msgspec.json.decode(line) for line in lines])
        parts += seconds(lambda: [blake3(line).digest() for line in lines])
        parts += seconds(lambda bodies=bodies: [redactor.redact(body) for body in bodies])  # type: ignore[misc]
        parts += seconds(lambda: [compressor.compress(line) for line in lines])
        with EvidenceStore.open(folder / f"import{round_}", create=True) as store:
            ours = seconds(lambda store=store: store.import_session(session))  # type: ignore[misc]
        ratios.append(ours / parts)
        speeds.append(session.stat().st_size / 1e6 / ours)
    return {"import_ratio": statistics.median(ratios), "import_mb_s": statistics.median(speeds)}


def fold_speed(session: Path, folder: Path, times: int) -> dict[str, float]:
    """Fold a session that stands `times` over in one file."""
    grown = folder / f"grown{times}.jsonl"
    size = made.repeated(session, times, grown)
    with EvidenceStore.open(folder / f"fold{times}", create=True) as store:
        report = store.import_session(grown)
        took = seconds(lambda: store.live(report.mission))
    return {f"fold_{times}x_mb_s": size / 1e6 / took, f"fold_{times}x_records": float(report.records)}


def in_process(job: str, *arguments: str) -> dict[str, float]:
    """Run one of the jobs below in a process of its own; its last line is JSON."""
    command = [sys.executable, "-m", "tests.bench.store", job, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def fill(folder: Path, records: int) -> dict[str, float]:
    """Make a store with so many records and fold it."""
    made.history(records, folder / "history.ndjson")
    with EvidenceStore.open(folder / "store", create=True) as store:
        imported = seconds(lambda: store.import_session(folder / "history.ndjson"))
        folded = seconds(lambda: store.live(store.missions()[0].mission))
        store.save_fold()
    return {"import_s": imported, "fold_s": folded, "fill_peak_mb": _peak_mb()}


def use(folder: Path) -> dict[str, float]:
    """Open a store whose fold is saved, and ask for views."""
    opening: list[float] = []
    for _ in range(ROUNDS):
        with EvidenceStore.open(folder / "store") as store:
            opening.append(seconds(lambda store=store: store.live(store.missions()[0].mission)))  # type: ignore[misc]
    with EvidenceStore.open(folder / "store") as store:
        mission = store.missions()[0].mission
        store.view(mission)
        views = sorted(seconds(lambda store=store: store.view(mission)) for _ in range(VIEWS))  # type: ignore[misc]
    return {
        "open_ms": 1000 * statistics.median(opening),
        "view_ms": 1000 * statistics.median(views),
        "view_p95_ms": 1000 * views[int(0.95 * len(views))],
        "use_peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sized(folder: Path, records: int) -> dict[str, float]:
    """Fill and use a store of so many records, each in a process of its own."""
    place = folder / f"sized{records}"
    place.mkdir()
    figures = {**in_process("fill", str(place), str(records)), **in_process("use", str(place))}
    return {f"{name}_{records}": value for name, value in figures.items()}


def version_ms() -> dict[str, float]:
    """Start the command line for `--version`."""
    command = [str(Path(sys.executable).with_name("muniment")), "--version"]
    took = [seconds(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(ROUNDS)]
    return {"version_ms": 1000 * statistics.median(took)}


def main() -> None:
    """Run everything and print the figures."""
    session = Path(os.environ["MUNIMENT_SESSIONS"]) / "claude-code" / "cc01-entire-311.jsonl"
    figures: dict[str, float] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        for part in (
            lambda: append_ratio(folder),
            lambda: import_ratio(session, folder),
            lambda: fold_speed(session, folder, 1),
            lambda: fold_speed(session, folder, 10),
            lambda: fold_speed(session, folder, 100),
            *((lambda size=size: sized(folder, size)) for size in (*SIZES, MILLION)),
            version_ms,
        ):
            found = part()
            figures.update(found)
            for what, value in found.items():
                print(f"{what:24} {value:12.2f}", flush=True)
    figures["view_spread"] = figures["view_ms_100000"] / figures["view_ms_1000"]
    print(json.dumps({what: round(value, 3) for what, value in figures.items()}))


if __name__ == "__main__":
    jobs = {"fill": lambda a: fill(Path(a[0]), int(a[1])), "use": lambda a: use(Path(a[0]))}
    if len(sys.argv) > 1:
        print(json.dumps(jobs[sys.argv[1]](sys.argv[2:])))
    else:
        main()
