"""Calling hooks as a runtime does: the installed program, a payload on stdin, the answer on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent


def payload_folder() -> Path:
    """Return the folder of captured payloads; without it the test is skipped."""
    folder = os.environ.get("MUNIMENT_PAYLOADS")
    if not folder:
        pytest.skip("set MUNIMENT_PAYLOADS to the folder of captured hook payloads to run this test")
    return Path(folder)


def hook(store: Path, payload: Mapping[str, object] | bytes, *options: str, runtime: str = "claude-code") -> str:
    """Call the client for a payload and return what it wrote; it always ends well."""
    event = str(payload["hook_event_name"]) if isinstance(payload, Mapping) else "Stop"
    given = json.dumps(payload).encode() if isinstance(payload, Mapping) else payload
    command = [str(BIN / "muniment"), "hook", runtime, event, "--store", str(store), *options]
    done = subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@contextmanager
def serving(store: Path, *options: str, log: int = subprocess.DEVNULL) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Serve a store in another process, on a free port, while the block runs; give the process and its address."""
    command = [str(BIN / "muniment"), "--store", str(store), "serve", "--port", "0", "--create", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
    try:
        assert process.stdout is not None
        where = json.loads(process.stdout.readline())
        assert where["socket"]
        yield process, where["url"]
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()
