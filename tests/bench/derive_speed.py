"""How fast sessions are folded: CPU time of one core, per format, and whether it grows with the length alone.

* A session is imported, and its mission folded anew from its first entry, three times; the quickest counts, since other
  processes can only slow it down. CPU time, not the clock on the wall.
* *linear*: a made session, and one of the same kind of four times its length: time over size of the long one to that of
  the short one. 1 is linear, 4 quadratic. Once for what sessions hold (reads, searches, test runs, edits of many
  files), once for edits of one large file.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment import EvidenceStore
from muniment.errors import EvidenceError
from tests.support.codex_rollout import Line, call, exited, item, meta, output, patch_call, said

FORMATS = (
    "claude-code",
    "codex",
    "mini-swe-agent",
    "openhands",
    "swe-agent",
    "opencode",
    "copilot-cli",
    "gemini-cli",
    "aider",
)
TIMES = 3
STEPS = 250
LONGER = 4
LINES = 400
"""Lines of a made file; of the large one, five times as many."""


def derivation_speed(sessions: Path) -> dict[str, object]:
    """Megabytes of session files a second of one core; and time over size of a session of four times the length."""
    figures: dict[str, object] = {}
    for name in FORMATS:
        size, seconds = 0, 0.0
        for source in _sources(sessions / name):
            if folded := _folding(source):
                size, seconds = size + _size(source), seconds + folded
        figures[f"{name} MB/s"] = round(size / 1e6 / seconds, 2) if seconds else None
    for what, make in {"steps": _steps, "edits of one file": _edits}.items():
        short, long = (_cost(make(length)) for length in (STEPS, STEPS * LONGER))
        figures[f"linear in {what}"] = round(long / short, 2)
    return figures


def _sources(folder: Path) -> list[Path]:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in files if not (file.is_dir() and file.with_suffix(".jsonl").exists())]


def _size(source: Path) -> int:
    beside = source.with_suffix("")
    files = [source] if source.is_file() else list(source.rglob("*.json"))
    files += [file for file in beside.rglob("*") if file.is_file()] if beside != source and beside.is_dir() else []
    return sum(file.stat().st_size for file in files)


def _folding(source: Path) -> float:
    """Return the seconds that a session takes; 0 where no importer knows it."""
    beside = source.with_suffix("")
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        try:
            mission = store.import_session(beside if beside.is_dir() else source).mission
        except EvidenceError:
            return 0.0
        return min(_once(store, mission) for _ in range(TIMES))


def _once(store: EvidenceStore, mission: str) -> float:
    started = time.process_time()
    store.rebuild(mission)
    return time.process_time() - started


def _cost(lines: Iterator[Line]) -> float:
    """Return seconds for each byte of a made session."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "rollout.jsonl"
        source.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return _folding(source) / source.stat().st_size


def _steps(count: int) -> Iterator[Line]:
    """Reads, searches, test runs and edits of a growing number of files."""
    rng = random.Random(1)
    yield from (meta(), said("user", "Make it so"))
    for step in range(count):
        path = f"src/part{rng.randrange(1 + step // 4)}.py"
        begin = rng.randrange(1, LINES - 60)
        shown = [f"value_{path[8:-3]}_{number} = {number}" for number in range(begin, begin + 60)]
        hits = "".join(f"{path}:{begin + place}:{shown[place]}\n" for place in range(0, 60, 7))
        tests = "".join(f"tests/test_part{n}.py::test_{step} PASSED\n" for n in range(30)) + "30 passed in 0.1s\n"
        for kind, (command, text) in enumerate(
            (
                (f"sed -n '{begin},{begin + 59}p' {path}", "".join(f"{line}\n" for line in shown)),
                (f"rg -n value_ {path} src", hits),
                ("pytest -v tests", tests),
            )
        ):
            yield call(f"c{step}-{kind}", "exec_command", cmd=command)
            yield output(f"c{step}-{kind}", exited(0, text))
        yield from _patched(f"e{step}", path, (shown[29], f"value_{step} = None", shown[31]), shown[30])


def _edits(count: int) -> Iterator[Line]:
    """Edits of one large file, which is read whole before."""
    rng = random.Random(1)
    text = [f"line {number}" for number in range(LINES * 5)]
    yield from (meta(), said("user", "Make it so"), call("r", "exec_command", cmd="cat a.txt"))
    yield output("r", exited(0, "".join(f"{line}\n" for line in text)))
    for edit in range(count):
        place = rng.randrange(1, len(text) - 1)
        old, text[place] = text[place], f"edit {edit}"
        yield from _patched(f"e{edit}", "a.txt", (text[place - 1], text[place], text[place + 1]), old)


def _patched(ident: str, path: str, after: tuple[str, str, str], old: str) -> Iterator[Line]:
    above, new, below = after
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n {above}\n-{old}\n+{new}\n {below}\n*** End Patch"
    yield patch_call(ident, patch)
    told = {"output": f"Success. Updated the following files:\nM {path}\n", "metadata": {"exit_code": 0}}
    yield item("custom_tool_call_output", call_id=ident, output=json.dumps(told))
