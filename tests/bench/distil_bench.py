"""make bench-distil: do excerpts hold the lines that explain a failure? The last line is one JSON object.

Two measures, on each log with a known truth, at three budgets: the share of true lines that are in the excerpts, and
the share of true ranges whose first three lines are all in. Beside them four simple ways to cut a log, on the same
lines (no colours, no times, nothing that was written over), each within the same budget; these are not charged for the
marks of what they leave out, while distillation is.

A distillation shows a long line by its ends, and that counts as shown; the others show lines whole.
`MUNIMENT_SESSIONS` names the folder of recorded sessions; what it holds of logs with a truth is measured.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from statistics import fmean

from muniment.derive.distil import distil
from muniment.derive.distil.page import page_of
from muniment.derive.texts import readable
from muniment.tokens import o200k
from tests.bench.distil_truth import Log, logs

BUDGETS = (500, 1_000, 2_000)
OPENING = 3
ALARM = re.compile(r"error|fail|exception|fatal|panic", re.IGNORECASE)
AROUND = 2

Scores = tuple[float, float]


def distilled(log: Log, budget: int) -> set[int]:
    """Return the lines that a distillation shows, from 0."""
    made = distil(log.text, budget=budget)
    if made.tokens > budget:
        raise AssertionError(f"{log.name}: {made.tokens} tokens in a budget of {budget}")
    return {line - 1 for span in made.excerpts for line in range(span.first, span.last + 1)}


class Cuts:
    """The simple ways to cut a log."""

    def __init__(self, log: Log) -> None:
        self._lines = [readable(line).rstrip() for line in page_of(log.text).shown]
        self._costs: dict[int, int] = {}

    def all(self, budget: int) -> dict[str, set[int]]:
        """Return the lines that each shows."""
        count = len(self._lines)
        hits = [number for number, line in enumerate(self._lines) if ALARM.search(line)]
        near = [range(max(hit - AROUND, 0), min(hit + AROUND + 1, count)) for hit in hits]
        half = budget // 2
        return {
            "last lines": self._fill(reversed(range(count)), budget),
            "first and last": self._fill(range(count), half) | self._fill(reversed(range(count)), budget - half),
            "error words, front": self._fill((line for lines in near for line in lines), budget),
            "error words, back": self._fill((n for lines in reversed(near) for n in reversed(lines)), budget),
        }

    def _fill(self, order: Iterable[int], budget: int) -> set[int]:
        taken: set[int] = set()
        for line in order:
            if line not in taken:
                budget -= self._cost(line)
                if budget < 0:
                    break
                taken.add(line)
        return taken

    def _cost(self, line: int) -> int:
        if line not in self._costs:
            self._costs[line] = o200k().count(self._lines[line] + "\n")
        return self._costs[line]


def scores(log: Log, shown: Collection[int]) -> Scores:
    """Return the share of true lines that are shown, and of true ranges that are shown in their first lines."""
    lines = [line for known in log.ranges for line in known]
    openings = [all(line in shown for line in known[:OPENING]) for known in log.ranges]
    return sum(line in shown for line in lines) / len(lines), fmean(openings)


def main() -> None:
    """Measure all logs and print the figures."""
    found: dict[int, dict[str, list[Scores]]] = {budget: {} for budget in BUDGETS}
    worse: list[str] = []
    speeds: list[float] = []
    known = list(logs(Path(os.environ["MUNIMENT_SESSIONS"])))
    print(f"{'log':34} {'budget':>6}  {'distilled':>12}" + "".join(f"  {name:>18}" for name in Cuts(known[0]).all(1)))
    for log in known:
        speeds.append(len(log.text) / 1e6 / _seconds(lambda log=log: distil(log.text, budget=1_000)))  # type: ignore[misc]
        cuts = Cuts(log)
        for budget in BUDGETS:
            ours = scores(log, distilled(log, budget))
            others = {name: scores(log, shown) for name, shown in cuts.all(budget).items()}
            worse += [f"{log.name} at {budget}: {name}" for name, theirs in others.items() if _better(theirs, ours)]
            for name, value in {"distilled": ours, **others}.items():
                found[budget].setdefault(name, []).append(value)
            print(
                f"{log.name:34} {budget:>6}  {_told(ours):>12}" + "".join(f"  {_told(o):>18}" for o in others.values())
            )
    figures = {str(budget): {name: _mean(values) for name, values in by.items()} for budget, by in found.items()}
    slowest = round(min(speeds), 1)
    print(json.dumps({"logs": len(known), "means": figures, "a_baseline_is_better": worse, "slowest_mb_s": slowest}))


def _better(theirs: Scores, ours: Scores) -> bool:
    return any(their > our + 1e-9 for their, our in zip(theirs, ours, strict=True))


def _told(value: Scores) -> str:
    return f"{value[0]:.3f}/{value[1]:.3f}"


def _mean(values: list[Scores]) -> dict[str, float]:
    lines, openings = zip(*values, strict=True)
    return {"lines": round(fmean(lines), 4), "openings": round(fmean(openings), 4)}


def _seconds(work: Callable[[], object]) -> float:
    work()
    started = time.process_time()
    work()
    return max(time.process_time() - started, 1e-9)


if __name__ == "__main__":
    main()
