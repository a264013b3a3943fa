"""Boundaries and compaction reports for people: lines of text, a table, a picture. Plain values in, no graph.

Texts of the mission are in none of it: handles, counts and names of compactors and models only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from muniment.drawing.bars import Part, bar_list
from muniment.drawing.cards import card, table
from muniment.drawing.markup import Markup
from muniment.handoff.boundaries import ABSENT, BEGUN, BY_ID, QUOTED, RELOADED, UNKNOWN, BoundaryReport, Content
from muniment.handoff.scoring import CompactionReport, Crossed, Target, Transfer

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
        yield "no context was replaced"
    for crossed in report.crossed:
        yield from crossed_lines(crossed)
    if report.transfers:
        yield "by compactor and model:"
    for each in report.transfers:
        scores = " ".join(f"{score:.0f}" for score in each.scores)
        yield f"  {_pair(each)}  mean {each.mean:.1f}, trend {each.trend:+.1f}, drift {each.drift:.2f}: {scores}"


def report_picture(report: CompactionReport) -> Markup:
    """Return the scores of all boundaries as bars."""
    scored = [(crossed, crossed.score) for crossed in report.crossed if crossed.score is not None]
    rows = [
        Part(f"{crossed.report.handle} {crossed.report.compactor}", score, note=crossed.report.model)
        for crossed, score in scored
    ]
    return bar_list(rows, "How well contexts were carried over", unit="points")


def report_card(report: CompactionReport) -> Markup:
    """Return the report as tables, for notebooks."""
    rows = [_row(crossed) for crossed in report.crossed]
    heads = ("boundary", "compactor", "model", "before", "after", "binding absent", "score", "why")
    pairs = [(_pair(t), f"{t.mean:.1f}", f"{t.trend:+.1f}", f"{t.drift:.2f}", str(t.weak)) for t in report.transfers]
    tables = [table(heads, rows)] if rows else []
    tables += [table(("compactor and model", "mean", "trend", "drift", "weak"), pairs)] if pairs else []
    under = f"{len(report.crossed)} boundaries in {len(report.missions)} missions"
    return card("Compaction report", under, *tables)


def target_name(target: Target) -> str:
    """Return what a target is called: its handle, and the lines of a file."""
    if target.path is None or target.lines is None:
        return target.handle
    return f"{target.path}:{target.lines[0]}-{target.lines[1]}"


def _row(crossed: Crossed) -> tuple[str, ...]:
    report = crossed.report
    known = sum(item.how not in (RELOADED, UNKNOWN) for item in report.binding)
    score = "" if crossed.score is None else f"{crossed.score:.1f}"
    why = "; ".join(f"{loss.reason} -{loss.points:.1f}" for loss in crossed.losses)
    sizes = (_tokens(report.before), _tokens(report.after))
    return report.handle, report.compactor, report.model, *sizes, f"{report.count(ABSENT)} of {known}", score, why


def _pair(transfer: Transfer) -> str:
    return f"{transfer.compactor} · {transfer.model or 'model not told'}"


def _content(content: Content) -> str:
    return f"{len(content.nodes)} things on record, {_tokens(content)} tokens"


def _tokens(content: Content) -> str:
    return f"{content.tokens:,}{'' if content.told else ' counted'}"


def _named(head: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"{head} {', '.join(names[:MOST_NAMED])}{more}"
