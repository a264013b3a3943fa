"""Material for the benchmarks: a recorded session many times over, and histories with a fixed live set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_IDS = re.compile(rb"\b((?:toolu|msg|req)_[A-Za-z0-9]+)")

LIVE_FILES = 30
LIVE_FACTS = 12
LIVE_TASKS = 5


def repeated(session: Path, times: int, target: Path) -> int:
    """Write a Claude Code session `times` over, each time under new ids; return the bytes."""
    data = session.read_bytes()
    kept = re.search(rb'"sessionId": ?"([^"]+)"', data)
    root = kept[1] if kept else b""
    with target.open("wb") as out:
        for copy in range(times):
            out.write(data if copy == 0 else _renamed(data, root, copy))
    return target.stat().st_size


def _renamed(data: bytes, root: bytes, copy: int) -> bytes:
    mark = b"%04x" % copy

    def uuid(match: re.Match[bytes]) -> bytes:
        return match[0] if match[0] == root else match[0][:-4] + mark

    return _IDS.sub(rb"\1x" + mark, _UUID.sub(uuid, data))


def history(records: int, target: Path) -> None:
    """Write neutral records, one a line: a live set that does not depend on `records`, behind a history that does."""
    with target.open("w", encoding="utf-8") as out:
        for number, record in enumerate(_history(records)):
            out.write(json.dumps({"id": f"r{number}", "session": "bench", **record}) + "\n")


def _history(records: int) -> Iterator[dict[str, object]]:
    yield {"kind": "session_opened", "by": "harness", "root": "/w", "workspace": "w"}
    for fact in range(LIVE_FACTS):
        text = f"Constraint {fact}: keep function number {fact} as it is"
        yield {"kind": "fact_stated", "by": "user", "class": "constraint", "text": text}
    for task in range(LIVE_TASKS):
        yield {"kind": "task_stated", "by": "user", "text": f"Open task {task}: make part {task} faster"}
    steps = (records - 1 - LIVE_FACTS - LIVE_TASKS - 4 * LIVE_FILES) // 4
    for step in range(steps):
        yield from _step(step, f"old{step}", step % LIVE_FILES, "\n".join(f"result {step} line {i}" for i in range(12)))
    for step in range(LIVE_FILES):
        yield from _step(step, f"new{step}", step, "\n".join(f"fresh {step} line {i}" for i in range(12)))


def _step(step: int, name: str, file: int, output: str) -> Iterator[dict[str, object]]:
    """Four records: a call, its result, a write, and what the agent says."""
    call = {"kind": "tool_called", "by": "agent", "tool": "command", "turn": name}
    yield {**call, "id": f"call-{name}", "command": f"pytest tests/t{file}.py"}
    returned = {"kind": "tool_returned", "by": "tool", "tool": "command", "exit_code": 0, "call": f"call-{name}"}
    yield {**returned, "output": output}
    content = "".join(f"def f{step % 7}_{i}():\n    return {i}\n" for i in range(15))
    yield {"kind": "tool_returned", "by": "agent", "tool": "write", "path": f"src/m{file}.py", "content": content}
    yield {"kind": "message", "by": "agent", "role": "answer", "text": f"Step {name} is done; next comes file {file}."}
