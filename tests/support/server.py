"""The real server, `muniment serve`, as a process of its own on a free port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
STOP_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A running server."""

    url: str
    socket: Path | None
    pid: int
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> int:
        """Stop it as an administrator does; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def running(store: Path, *options: str, environment: dict[str, str] | None = None) -> Iterator[Running]:
    """Run a server on a store (made if it is not there) until the block ends."""
    program = [sys.executable, "-c", "from muniment_api.cli import main; main()"]
    command = [*program, "--store", str(store), "serve", "--port", "0", "--create", *options]
    path = os.pathsep.join([str(ROOT / "graph"), str(ROOT / "api")])
    log = store.parent / "server.log"
    store.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {}), "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        with process:
            try:
                yield _ready(process, log)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait(STOP_SECONDS)


def _ready(process: subprocess.Popen[bytes], log: Path) -> Running:
    output = process.stdout
    assert output is not None
    line = output.readline()
    if not line:
        raise RuntimeError(f"the server did not start: {log.read_text()}")
    told = json.loads(line)
    socket = Path(told["socket"]) if told["socket"] else None
    return Running(url=told["url"], socket=socket, pid=told["pid"], process=process, log=log)
