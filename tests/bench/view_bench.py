"""make bench-view: what views hold, with pointers and without, and what they cost. The last line is one JSON object.

* The yardstick's own figures for views of 8,000 and 4,000 tokens, over the sampled steps of each session. The sampling,
  the anchors and the score are those of the file that MUNIMENT_BENCH names (`bench/next_action.py`).
* With pointers: an anchor counts as held where the view has it, or where a pointer leads to it. A pointer is a line of
  the view that names a file and a range of its lines, or a receipt or message of which something is left out (with the
  range, where it says one). It counts only where what it names is at most 1,000 tokens, as it is rehydrated.
  `listed` also counts the ranges that the view lists beside its text (`View.omitted`), under the same limit.
* Views by size of history (tokens of what is visible), the 95th percentile of the CPU time of one view.
* Of the recorded reads that showed unchanged lines again that their agents had seen: how many the view of that moment
  held. What showed a changed line is in none of these figures.

MUNIMENT_SESSIONS names the folder of recorded sessions. `STEPS` (default 24) is how many steps of each are sampled,
`HALF` (0 or 1) takes every second session only.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from types import ModuleType

from muniment.errors import EvidenceError
from muniment.rehydration import rehydrate
from muniment.selection.held import held_in, rereads
from muniment.selection.select import select
from muniment.selection.view import View, ViewRequest
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment.tokens import o200k

BUDGETS = (8_000, 4_000)
POINTER_TOKENS = 1_000
SIZES = (30_000, 60_000, 120_000, 250_000, 1_000_000)
TOLD = ("budget", "steps", "coverage", "strict", "L", "strictL", "stale", "over")
FORMATS = ("claude-code", "codex", "mini-swe-agent")
_RANGE = re.compile(r"(?P<path>\S+):(?P<first>\d+)-(?P<last>\d+)(?= |$|,)")
_MORE = re.compile(r", (?P<first>\d+)-(?P<last>\d+)")
_LEFT_OUT = re.compile(r"\[… .*?(?:more|omitted): (?P<handle>[A-Z]\d+[a-z]*)(?::(?P<lines>[\d,-]+))?\]")

_BARE = re.compile(r"^(?P<handle>R\d+[a-z]*) .*\[… [\d,]+ lines omitted\]$", re.MULTILINE)


def yardstick() -> ModuleType:
    """Return the module that defines steps, anchors and scores."""
    path = os.environ.get("MUNIMENT_BENCH", "")
    spec = importlib.util.spec_from_file_location("next_action", path) if path else None
    if spec is None or spec.loader is None:
        sys.exit("MUNIMENT_BENCH names the file next_action.py, whose sampling and anchors are used")
    module = importlib.util.module_from_spec(spec)
    sys.modules["next_action"] = module
    spec.loader.exec_module(module)
    return module


class Pointers:
    """What the pointers of a view lead to; each text is rehydrated once a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._texts: dict[tuple[str, int, int], str] = {}

    def in_text(self, view: View) -> str:
        """Return what the pointers in the text lead to."""
        return "\n".join(self._led_to(set(_named(view))))

    def listed(self, view: View) -> str:
        """Return what the ranges beside the text lead to, and what is omitted whole and is small."""
        named = {(each.id, first, last) for each in view.omitted for first, last in each.lines}
        named |= {(each.id, 0, 0) for each in view.omitted if not each.lines and each.tokens <= POINTER_TOKENS}
        return "\n".join(self._led_to(named))

    def _led_to(self, named: Iterable[tuple[str, int, int]]) -> Iterator[str]:
        for wanted, first, last in sorted(named):
            text = self._text(wanted, first, last)
            if text and o200k().fits(text, POINTER_TOKENS):
                yield text

    def _text(self, wanted: str, first: int, last: int) -> str:
        key = (wanted, first, last)
        if key not in self._texts:
            lines = (first, last) if last else None
            try:
                self._texts[key] = rehydrate(self._snapshot, wanted, lines).text
            except EvidenceError:
                self._texts[key] = ""
        return self._texts[key]


def _named(view: View) -> Iterator[tuple[str, int, int]]:
    """Yield what the text points to: (path or handle, first, last); without a range, 0 and 0."""
    index = [item for item in view.items if item.section == "files"]
    for item in index:
        line = view.text[slice(*item.at)]
        head = _RANGE.search(line)
        if head is not None:
            yield item.id, int(head["first"]), int(head["last"])
            for more in _MORE.finditer(line, head.end()):
                yield item.id, int(more["first"]), int(more["last"])
    for item in view.items:
        if item.section == "commands":
            yield item.id, 0, 0
    for found in _BARE.finditer(view.text):
        yield found["handle"], 0, 0
    for found in _LEFT_OUT.finditer(view.text):
        yield found["handle"], 0, 0
        for run in filter(None, (found["lines"] or "").split(",")):
            first, _, last = run.partition("-")
            yield found["handle"], int(first), int(last)


class Figures:
    """What is added up."""

    def __init__(self) -> None:
        self.coverage: dict[str, list[float]] = defaultdict(list)
        self.cpu: dict[int, list[float]] = defaultdict(list)
        self.reread = 0
        self.held = 0
        self.small = [0, 0]


def measured(bench: ModuleType, path: Path, steps: int, figures: Figures, scores: dict[int, object]) -> None:
    """Measure one session."""
    sampled = bench.steps_of(bench.parse(path), steps, zlib.crc32(path.name.encode()))
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        mission = store.import_session(path).mission
        for step in sampled:
            for budget in BUDGETS:
                started = time.process_time()
                view = store.view(mission, budget=budget, before=step.call.call_id)
                spent = 1000 * (time.process_time() - started)
                bench.add(scores[budget], step, view.text)
                if budget == BUDGETS[0]:
                    history = sum(part.cost for part in step.history)
                    figures.cpu[next((size for size in SIZES if history <= size), SIZES[-1])].append(spent)
                    _with_pointers(
                        bench, step, view, Pointers(store.snapshot(mission, before=step.call.call_id)), figures
                    )
        _rereads(store.snapshot(mission), figures)


def _with_pointers(bench: ModuleType, step: object, view: View, pointers: Pointers, figures: Figures) -> None:
    told = pointers.in_text(view)
    texts = {"plain": view.text, "pointers": f"{view.text}\n{told}"}
    texts["listed"] = f"{texts['pointers']}\n{pointers.listed(view)}"
    for name, text in texts.items():
        ids, lines = bench.tokens_of(text), bench.lines_of(text)
        anchors = step.anchors  # type: ignore[attr-defined]
        held = [value in (lines if kind == "line" else ids) for kind, value, _ in anchors]
        figures.coverage[name].append(sum(held) / len(held))


def _rereads(snapshot: Snapshot, figures: Figures) -> None:
    for read in rereads(snapshot):
        view = select(snapshot.upto(read.began - 1), ViewRequest(budget=BUDGETS[0]), o200k())
        held = held_in(snapshot, read.receipt, view.text)
        figures.reread += 1
        figures.held += held
        if sum(last - first + 1 for _, first, last in read.places) <= 100:
            figures.small[0] += held
            figures.small[1] += 1


def main() -> None:
    """Measure all sessions and print the figures."""
    bench = yardstick()
    folder, steps = Path(os.environ["MUNIMENT_SESSIONS"]), int(os.environ.get("STEPS", "24"))
    half = os.environ.get("HALF")
    figures, scores = Figures(), {budget: bench.Score() for budget in BUDGETS}
    paths = sorted(path for name in FORMATS for path in (folder / name).iterdir() if path.is_file())
    for place, path in enumerate(paths):
        if half is None or place % 2 == int(half):
            measured(bench, path, steps, figures, scores)
            print(f"{path.name}: {figures.held} of {figures.reread} needless reads held so far", file=sys.stderr)
    rows = [bench.row("muniment", budget, score) for budget, score in scores.items()]
    print(
        json.dumps(
            {
                "yardstick": [{name: row[name] for name in TOLD} for row in rows],
                "with_pointers": {name: round(100 * fmean(found), 1) for name, found in figures.coverage.items()},
                "cpu_ms_p95": {str(size): _p95(found) for size, found in sorted(figures.cpu.items())},
                "needless_reads": {
                    "all": figures.reread,
                    "held": _share(figures.held, figures.reread),
                    "of_at_most_100_lines": _share(*figures.small),
                },
            }
        )
    )


def _p95(values: list[float]) -> float:
    return round(sorted(values)[int(len(values) * 0.95)], 1)


def _share(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


if __name__ == "__main__":
    main()
