"""Boundaries and compaction reports for people, as lines of text. Plain values in, no graph.

Texts of the mission are in none of it: handles, counts and names of compactors and models only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from muniment.handoff.boundaries import ABSENT, BEGUN, BY_ID, QUOTED, RELOADED, UNKNOWN, BoundaryReport, Content
from muniment.handoff.scoring import CompactionReport, Crossed, Target

WAYS = (BY_ID, QUOTED, BEGUN, RELOADED, ABSENT, UNKNOWN)
MOST_NAMED = 12
"""Handles that one line lists."""


def boundary_lines(report: BoundaryReport) -> Iterator[str]:
    """Yield what there is to say of a boundary."""
    who = " · ".join(filter(None, (report.compactor or "nothing handed over", report.model, report.trigger)))
    agent = f" of agent {report.agent}" if report.agent else ""
    yield f"{report.handle}  {report.clock or 'no clock'}  {report.outcome}{agent} ({who})"
    yield f"  before  {_content(report.before)}"
    yield f"  after   {_content(report.after)}" + (f", {report.opaque} opaque" if report.opaque else "")
    if report.forgotten:
        yield f"  forgot  {len(report.forgotten)} things, as the source names them"
    if report.binding:
        counts = Counter(item.how for item in report.binding)
        told = ", ".join(f"{counts[way]} {way.replace('_', ' ')}" for way in WAYS if counts[way])
        yield f"  binding {told}"
        yield from _named("  absent ", [item.handle for item in report.binding if item.how == ABSENT])
    opened = ["a packet"] if report.packet else []
    opened += [f"{len(report.views)} view{'s' * (len(report.views) > 1)}"] if report.views else []
    yield f"  opened  by {' and '.join(opened)}" if opened else "  opened  by no packet or view of this store"


def crossed_lines(crossed: Crossed) -> Iterator[str]:
    """Yield what there is to say of a boundary and of what came after it."""
    yield from boundary_lines(crossed.report)
    after = crossed.after
    if after.actions:
        signs = (f"{sign.count} {sign.name} ({sign.expected:.1f} expected)" for sign in after.signs)
        yield f"  next {after.actions} calls: {', '.join(signs)}"
    if crossed.score is not None:
        yield f"  score   {crossed.score:.1f}{'  weak' if crossed.weak else ''}"
        yield from (f"    -{loss.points:.1f}  {loss.text}" for loss in crossed.losses)
    yield from _named("  bring back", [target_name(target) for target in crossed.targets])


def report_lines(report: CompactionReport) -> Iterator[str]:
    """Yield the whole report."""
    if not report.crossed:
        yield "no context boundary is on record"
    for crossed in report.crossed:
        yield from crossed_lines(crossed)
    if report.transfers:
        yield "by compactor and model:"
    for each in report.transfers:
        scores = " ".join(f"{score:.0f}" for score in each.scores)
        yield f"  {each.name}  mean {each.mean:.1f}, trend {each.trend:+.1f}, drift {each.drift:.2f}: {scores}"


def target_name(target: Target) -> str:
    """Return what a target is called: its handle, and the lines of a file."""
    if target.path is None or target.lines is None:
        return target.handle
    return f"{target.path}:{target.lines[0]}-{target.lines[1]}"


def _content(content: Content) -> str:
    things = f"{len(content.nodes)} thing{'s' * (len(content.nodes) != 1)}"
    return f"{things} on record, {content.said} tokens"


def _named(head: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"{head} {', '.join(names[:MOST_NAMED])}{more}"
