"""Scores: how well a compactor and a model carried over what they had, boundary by boundary; and what to bring back.

* A score is 100 less what was lost, with the reason of each part: for each sign, its weight times how many more there
  were (per 100 calls) than before the boundary; and up to `BINDING` for the share of what bound and did not come over.
* Few calls say little: a boundary with fewer than `FEW` calls behind it is counted as if it had so many.
* `drift` is what a threshold goes by: from 0 (nothing was lost lately) to 1, over the newest `LATELY` boundaries.
  `trend` is the mean of the newer half less that of the older; below 0: it gets worse.
* A transfer below `WEAK` raises rehydration: which spans and items to bring back, each with its reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Final

import msgspec

from muniment.current import current_lines, files_named
from muniment.drawing.bars import Part, bar_list
from muniment.drawing.cards import card, table
from muniment.handoff.after import COMMAND, CONTRADICTION, FAILURE, PLAN, REREAD, SIGNS, Aftermath
from muniment.handoff.boundaries import ABSENT, BEGUN, BY_ID, DONE, QUOTED, RELOADED, UNKNOWN, BoundaryReport
from muniment.model.nodes import kind_of
from muniment.model.packing import writable
from muniment.snapshot import Snapshot

WEIGHTS: Final[dict[str, float]] = {REREAD: 1.0, COMMAND: 1.0, FAILURE: 2.0, PLAN: 2.0, CONTRADICTION: 4.0}
"""Points that each sign costs, for one more in 100 calls."""
BINDING: Final = 40.0
"""Points that it costs if nothing came over of what bound."""
FEW: Final = 20
WEAK: Final = 70.0
LATELY: Final = 5
MOST_TARGETS: Final = 24
_HEADS: Final = ("boundary", "compactor", "model", "before", "after", "binding absent", "score", "why")


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """What took points off a score: a sign, or `binding_absent`."""

    reason: str
    points: float
    text: str


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Something to bring back: a node by its id, of a file the lines; `why` is a sign, or `binding_absent`."""

    id: str
    handle: str
    kind: str
    why: str
    path: str | None = None
    lines: tuple[int, int] | None = None


class Crossed(msgspec.Struct, frozen=True, kw_only=True):
    """A boundary with what came after it. `score` is None where nothing was handed over, or nothing came after."""

    report: BoundaryReport
    after: Aftermath
    score: float | None
    losses: tuple[Loss, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def weak(self) -> bool:
        """Whether so much was lost that it should be brought back."""
        return self.score is not None and self.score < WEAK


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """How one compactor did with one model: scores in order of time."""

    compactor: str
    model: str
    boundaries: tuple[str, ...]
    scores: tuple[float, ...]
    mean: float
    trend: float
    drift: float
    weak: int

    @property
    def name(self) -> str:
        """Return who it is, in words."""
        return f"{self.compactor} · {self.model or 'model not told'}"


class CompactionReport(msgspec.Struct, frozen=True, kw_only=True):
    """All boundaries of some missions, in order, and how each compactor did with each model."""

    missions: tuple[str, ...]
    crossed: tuple[Crossed, ...]
    transfers: tuple[Transfer, ...]

    def drift(self, model: str) -> float:
        """Return how badly a model's state was carried over lately, by whichever compactor; 0 where nobody knows."""
        return max((transfer.drift for transfer in self.transfers if transfer.model == model), default=0.0)

    def _repr_svg_(self) -> str:
        """Return the scores of all boundaries as bars."""
        scored = [(each.report, each.score) for each in self.crossed if each.score is not None]
        rows = [Part(f"{told.handle} {told.compactor}", score, note=told.model) for told, score in scored]
        return bar_list(rows, "How well contexts were carried over", unit="points")

    def _repr_html_(self) -> str:
        """Return the report as tables, for notebooks."""
        rows = [_row(each) for each in self.crossed]
        pairs = [(t.name, f"{t.mean:.1f}", f"{t.trend:+.1f}", f"{t.drift:.2f}", str(t.weak)) for t in self.transfers]
        tables = [table(_HEADS, rows)] if rows else []
        tables += [table(("compactor and model", "mean", "trend", "drift", "weak"), pairs)] if pairs else []
        return card("Compaction report", f"{len(rows)} boundaries in {len(self.missions)} missions", *tables)


def scored(snapshot: Snapshot, report: BoundaryReport, after: Aftermath) -> Crossed:
    """Return a boundary with its score, and what to bring back if that is low."""
    losses = _losses(report, after)
    counts = report.outcome == DONE and bool(report.compactor) and after.actions > 0
    score = round(max(100 - sum(loss.points for loss in losses), 0.0), 1) if counts else None
    weak = score is not None and score < WEAK
    targets = targets_of(snapshot, report, after) if weak else ()
    found = Crossed(report=report, after=after, score=score, losses=losses if counts else (), targets=targets)
    return writable(found)


def transfers_of(crossed: Sequence[Crossed]) -> tuple[Transfer, ...]:
    """Return how each compactor did with each model; `crossed` are in order of time."""
    groups: dict[tuple[str, str], list[Crossed]] = defaultdict(list)
    for each in crossed:
        if each.score is not None:
            groups[each.report.compactor, each.report.model].append(each)
    return tuple(_transfer(*key, group) for key, group in sorted(groups.items()))


def reported(missions: Sequence[str], crossed: Sequence[Crossed]) -> CompactionReport:
    """Return the report on boundaries of these missions; where a clock is told, they are in its order."""
    ordered = sorted(enumerate(crossed), key=lambda each: (each[1].report.clock or "", each[0]))
    told = tuple(each for _, each in ordered)
    return CompactionReport(missions=tuple(missions), crossed=told, transfers=transfers_of(told))


def targets_of(snapshot: Snapshot, report: BoundaryReport, after: Aftermath) -> tuple[Target, ...]:
    """Return what to bring back: what bound and did not come over, tasks that were stated anew, what failed again, and
    lines that were read again and are in the file now. At most `MOST_TARGETS`.
    """
    found = [
        Target(id=item.id, handle=item.handle, kind=item.kind, why="binding_absent")
        for item in report.binding
        if item.how == ABSENT
    ]
    for name in (PLAN, FAILURE):
        nodes = [node for each in after.sign(name).ids if (node := snapshot.node(each)) is not None]
        found += [Target(id=node.id, handle=node.handle, kind=kind_of(node), why=name) for node in nodes]
    for path, first, last in after.sign(REREAD).places:
        file = next(iter(files_named(snapshot, path)), None)
        state = snapshot.ledger(file.id) if file is not None else None
        if file is not None and state is not None and current_lines(snapshot, state)[first - 1 : last]:
            lines = (first, last)
            found.append(
                Target(id=file.id, handle=file.handle, kind=kind_of(file), why=REREAD, path=file.path, lines=lines)
            )
    return tuple(found[:MOST_TARGETS])


def _row(crossed: Crossed) -> tuple[str, ...]:
    told = crossed.report
    known = sum(item.how not in (RELOADED, UNKNOWN) for item in told.binding)
    score = "" if crossed.score is None else f"{crossed.score:.1f}"
    why = "; ".join(f"{loss.reason} -{loss.points:.1f}" for loss in crossed.losses)
    absent = f"{told.count(ABSENT)} of {known}"
    return told.handle, told.compactor, told.model, told.before.said, told.after.said, absent, score, why


def _losses(report: BoundaryReport, after: Aftermath) -> tuple[Loss, ...]:
    found: list[Loss] = []
    for sign in after.signs:
        points = round(WEIGHTS[sign.name] * 100 * sign.excess / max(after.actions, FEW), 1)
        if points > 0:
            told = f"{SIGNS[sign.name]}: {sign.count} in {after.actions} calls, {sign.expected:.1f} were to be expected"
            found.append(Loss(reason=sign.name, points=points, text=told))
    known = [item for item in report.binding if item.how in (BY_ID, QUOTED, BEGUN, ABSENT)]
    absent = sum(item.how == ABSENT for item in known)
    if absent:
        told = f"{absent} of {len(known)} things that bound are neither kept nor in the summary's words"
        found.append(Loss(reason="binding_absent", points=round(BINDING * absent / len(known), 1), text=told))
    return tuple(found)


def _transfer(compactor: str, model: str, group: Sequence[Crossed]) -> Transfer:
    scores = [each.score for each in group if each.score is not None]
    half = len(scores) // 2
    trend = fmean(scores[-half:]) - fmean(scores[:half]) if half else 0.0
    return Transfer(
        compactor=compactor,
        model=model,
        boundaries=tuple(each.report.id for each in group),
        scores=tuple(scores),
        mean=round(fmean(scores), 1),
        trend=round(trend, 1),
        drift=round(1 - fmean(scores[-LATELY:]) / 100, 3),
        weak=sum(each.weak for each in group),
    )
