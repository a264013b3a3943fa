"""make bench-api: what 20 runtimes at once cost the service, and what a page of nodes costs beside bare graphql-core.

The real server runs as a process of its own, on the store's socket. Each runtime has its own mission and does one thing
every half second, which is many times as often as agents do: it records a tool call, and every fourth time it asks for
a view. Without a pause (`--flat-out`) the figures say what the server can do at most. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from graphql import (
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    execute_sync,
    parse,
)

from muniment import EvidenceStore
from muniment.errors import EvidenceError
from muniment_api.client import AsyncMunimentClient
from muniment_api.schema.build import build
from muniment_api.schema.context import Operation
from tests.support.server import Running, running

RUNTIMES = 20
PACE_SECONDS = 0.5
VIEW_EVERY = 4
NODES = 1_000
ROUNDS = 21
FIELDS = ("id", "handle", "record", "ordinal", "session", "tool", "name", "status")
WARM = 1 / 3
"""After so much of the time memory is first looked at: missions are open then, and caches full."""


@dataclass
class Tally:
    """What the runtimes saw."""

    acknowledged: int = 0
    errors: list[str] = field(default_factory=list)
    records: list[float] = field(default_factory=list)
    views: list[float] = field(default_factory=list)


def tool_call(session: str, number: int) -> list[dict[str, object]]:
    """Return the two records of a tool call; every eighth writes a file, the others read."""
    common = {"session": session, "tool": "write" if number % 8 == 0 else "read", "path": f"src/part{number % 12}.py"}
    lines = "".join(f"line {i} of {number // 8}\n" for i in range(40))
    return [
        {"id": f"c{number}", "kind": "tool_called", "by": "agent", **common},
        {
            "id": f"c{number}:result",
            "kind": "tool_returned",
            "by": "tool",
            "call": f"c{number}",
            "content": lines,
            **common,
        },
    ]


async def runtime(store: Path, place: int, tally: Tally, until: float, pace: float) -> None:
    """Be one runtime. They do not march in step: each begins a little later than the one before."""
    name = f"runtime-{place}"
    await asyncio.sleep(pace * place / RUNTIMES)
    async with AsyncMunimentClient.local(store, project="bench") as client:
        opened = {"id": "open", "kind": "session_opened", "session": name, "by": "harness", "root": "/w"}
        asked = {"id": "ask", "kind": "message", "session": name, "by": "agent", "text": "Make it faster."}
        begun = await client.record([opened, asked])
        tally.acknowledged += begun.stored
        mission = next(info.mission for info in await client.missions() if info.session == name)
        for number in count(1 + place % VIEW_EVERY):
            started = time.perf_counter()
            if started >= until:
                return
            try:
                if number % VIEW_EVERY:
                    done = await client.record(tool_call(name, number))
                    tally.acknowledged += done.stored
                    tally.records.append(time.perf_counter() - started)
                else:
                    await client.view(mission, budget=8000)
                    tally.views.append(time.perf_counter() - started)
            except EvidenceError as error:
                tally.errors.append(f"{error.code}: {error}")
            await asyncio.sleep(max(0.0, pace - (time.perf_counter() - started)))


async def load(store: Path, server: Running, seconds: float, pace: float) -> tuple[Tally, float, float]:
    """Let all runtimes run; return what they saw, and the server's memory once warm and at the end, in MiB."""
    tally = Tally()
    until = time.perf_counter() + seconds
    tasks = [asyncio.create_task(runtime(store, i, tally, until, pace)) for i in range(RUNTIMES)]
    await asyncio.sleep(seconds * WARM)
    warm = resident(server.pid)
    await asyncio.gather(*tasks)
    return tally, warm, resident(server.pid)


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used: what a busy machine does not change much."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def under_load(folder: Path, seconds: float, pace: float, engine: str) -> dict[str, object]:
    """Run the load; return figures."""
    store = folder / "store"
    with running(store, "--engine", engine) as server:
        started, used = time.perf_counter(), cpu_seconds(server.pid)
        tally, warm, end = asyncio.run(load(store, server, seconds, pace))
        lasted, used = time.perf_counter() - started, cpu_seconds(server.pid) - used
        code = server.stop()
    with EvidenceStore.open(store) as opened:
        kept = sum(info.entries for info in opened.missions())
        clean = opened.verify().clean
    return {
        "engine": engine,
        "pace_seconds": pace,
        "runtimes": RUNTIMES,
        "requests": len(tally.records) + len(tally.views),
        "requests_per_second": (len(tally.records) + len(tally.views)) / lasted,
        "server_cpu_ms_per_request": 1000 * used / max(1, len(tally.records) + len(tally.views)),
        "server_cpu_share": used / lasted,
        "load_average": os.getloadavg()[0],
        "errors": len(tally.errors),
        "first_errors": tally.errors[:3],
        "acknowledged": tally.acknowledged,
        "lost": tally.acknowledged - kept,
        "journal_clean": clean,
        "exit": code,
        "record_ms": quantiles(tally.records),
        "view_ms": quantiles(tally.views),
        "all_ms": quantiles([*tally.records, *tally.views]),
        "memory_warm_mib": warm,
        "memory_end_mib": end,
        "memory_growth": end / warm - 1,
    }


def quantiles(values: list[float]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds."""
    cut = statistics.quantiles(values, n=20) if len(values) > 1 else [0.0] * 19
    return {"median": 1000 * cut[9], "p95": 1000 * cut[18]}


def page_of_nodes(folder: Path) -> dict[str, float]:
    """Return what 1,000 nodes of 8 fields cost in our schema and in bare graphql-core, in turns, in milliseconds."""
    with EvidenceStore.open(folder / "page", create=True) as store:
        records = [record for number in range(NODES) for record in tool_call("page", number)]
        store.record(records, project="bench")
        mission = store.missions()[0].mission
        wanted = " ".join(FIELDS)
        half = f"receipts(first:{NODES // 2},after:$after){{nodes{{{wanted}}} pageInfo{{endCursor}}}}"
        query = f"query($m:ID!,$after:String){{mission(id:$m){{{half}}}}}"
        scoped = store.scoped(project="bench")

        def ours(after: str | None = None) -> dict[str, object]:
            variables = {"m": mission, "after": after}
            result = build().execute_sync(query, variable_values=variables, context_value=Operation(scoped, None))
            assert result.data is not None, result.errors
            found: dict[str, object] = result.data["mission"]["receipts"]
            return found

        first = ours()
        rows = [*nodes_of(first), *nodes_of(ours(str(first["pageInfo"]["endCursor"])))]  # type: ignore[index]
        assert len(rows) == NODES
        bare = bare_query(rows)
        cursor = str(first["pageInfo"]["endCursor"])  # type: ignore[index]
        pairs = [(seconds(lambda: (ours(), ours(cursor))), seconds(bare)) for _ in range(ROUNDS)]
    mine, theirs = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    return {"nodes": NODES, "fields": len(FIELDS), "ours_ms": mine, "bare_ms": theirs, "ratio": mine / theirs}


def nodes_of(page: dict[str, object]) -> list[dict[str, object]]:
    """Return the nodes of a page."""
    found = page["nodes"]
    assert isinstance(found, list)
    return found


def bare_query(rows: list[dict[str, object]]) -> Callable[[], object]:
    """Return the same question to bare graphql-core, over dictionaries, its document parsed already."""
    kind = GraphQLObjectType(
        "Row", {name: GraphQLField(GraphQLInt if name == "ordinal" else GraphQLString) for name in FIELDS}
    )
    root = GraphQLObjectType("Query", {"rows": GraphQLField(GraphQLList(kind), resolve=lambda *_: rows)})
    schema, document = GraphQLSchema(root), parse("{rows{" + " ".join(FIELDS) + "}}")

    def run() -> object:
        result = execute_sync(schema, document)
        assert result.data is not None
        return result

    return run


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Run all and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--engine", default="memory")
    parser.add_argument("--flat-out", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        page = page_of_nodes(Path(folder))
        print(f"1,000 nodes: {page['ours_ms']:.1f} ms, bare {page['bare_ms']:.1f} ms", file=sys.stderr)
        pace = 0.0 if options.flat_out else PACE_SECONDS
        figures = under_load(Path(folder), options.seconds, pace, options.engine)
    print(json.dumps({"bench": "api", "page": page, "load": figures}))


if __name__ == "__main__":
    main()
