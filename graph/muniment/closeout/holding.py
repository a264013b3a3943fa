"""Holding: whether a receipt still tells of what is there now, with what ended that, and since when.

* *Content*: lines that were shown or written hold while they stand in the file, wherever they moved to. They are stale
  once they were changed, or the file was and nobody told how; unknown where only a read of other lines shows that the
  file changed, or something ran since that may have changed it.
* *Runs* and other commands hold as `freshness` says, for all that they are about or for some files.
* *Searches* hold while nothing that they looked through has changed.
* *Surroundings*: a change of environment or deployment starts a new epoch for what depends on it: environment for
  commands and pictures, deployment for what came over a network or shows something running. Put back to what it was,
  the epoch is the old one. A change of branch may have changed any file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.closeout.evidence import Evidence, unsure_of
from muniment.closeout.freshness import stale_since
from muniment.derive.carrying import Interval, intervals
from muniment.derive.coverage import ANYBODY, Moment, moments
from muniment.derive.runs import run_of
from muniment.model.edges import EdgeKind
from muniment.model.nodes import SHOWN, TOLD, Event, Excerpt, File, Receipt

HOLDS: Final = "holds"
STALE: Final = "stale"
UNKNOWN: Final = "unknown"
NOT_STANDING: Final = "withdrawn"
_REMOTE: Final = ("web", "fetch", "http", "browser", "url")
_AGELESS: Final = frozenset(
    {
        *("todowrite", "todoread", "update_plan", "taskcreate", "taskget", "tasklist", "taskupdate", "getgoal"),
        *("askuserquestion", "request_user_input", "enterplanmode", "exitplanmode", "toolsearch", "tool_search"),
    }
)
"""Tools that tell of nothing that could change behind their back."""
_PICTURES: Final = ("screenshot", "view_image", "browser", "playwright", "puppeteer", "computer")


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a receipt: it holds; is stale, or unknown, since the ordinal `since` because of record `because`.

    `reason`: lines_changed, file_changed, subject_changed, subject_set_changed, effect_unknown, environment_changed,
    deployment_changed, withdrawn, not_about; "" where it holds. `path` is the file concerned. `lines` are where lines
    that it showed stand now, of the one file that it is about.
    """

    receipt: str
    handle: str
    record: str
    status: str
    reason: str = ""
    since: int | None = None
    because: str | None = None
    because_id: str | None = None
    path: str | None = None
    lines: tuple[Interval, ...] = ()


class _End(msgspec.Struct, frozen=True, kw_only=True):
    """Why a part of a receipt does not hold."""

    status: str
    reason: str
    cause: str
    ordinal: int | None = None
    path: str | None = None


def holding(evidence: Evidence, receipt: Receipt, files: Iterable[File] | None = None) -> Holding:
    """Return whether a receipt holds: for some files, or (None) for all that it is about."""
    wanted = None if files is None else {file.id: file for file in files}
    shown = [e for e in _excerpts(evidence, receipt) if wanted is None or e.file in wanted]
    lines: tuple[Interval, ...] = ()
    ends = list(_withdrawn(evidence, receipt))
    for excerpt in shown:
        end, places = _content(evidence, receipt, excerpt)
        ends += [end] if end is not None else []
        lines = places if len(shown) == 1 else ()
    about = _about(evidence, receipt)
    if not shown or _tells_more(receipt):
        ends += _otherwise(evidence, receipt, None if wanted is None else frozenset(wanted))
    if wanted is not None and about is not None and not about & set(wanted):
        ends.append(_End(status=UNKNOWN, reason="not_about", cause=receipt.id))
    ends += _surroundings(evidence, receipt)
    return _held(evidence, receipt, ends, lines)


def _held(evidence: Evidence, receipt: Receipt, ends: list[_End], lines: tuple[Interval, ...]) -> Holding:
    """Return the worst of what was found: what is stale before what is not known, the oldest first."""
    snapshot = evidence.snapshot
    at = {end.cause: node for end in ends if (node := snapshot.node(end.cause)) is not None}

    def when(end: _End) -> int:
        return end.ordinal if end.ordinal is not None else at[end.cause].ordinal if end.cause in at else 0

    worst = min(ends, key=lambda end: (end.status != STALE, when(end)), default=None)
    found = Holding(receipt=receipt.id, handle=receipt.handle, record=receipt.record, status=HOLDS, lines=lines)
    if worst is None:
        return found
    cause = at.get(worst.cause)
    return msgspec.structs.replace(
        found,
        status=worst.status,
        reason=worst.reason,
        since=when(worst) or None,
        because=cause.record if cause is not None else None,
        because_id=worst.cause or None,
        path=worst.path,
    )


def _withdrawn(evidence: Evidence, receipt: Receipt) -> Iterable[_End]:
    for edge in evidence.snapshot.edges_to(receipt.id, {EdgeKind.WITHDRAWS}):
        yield _End(status=STALE, reason=NOT_STANDING, cause=edge.source, ordinal=edge.ordinal)


def _excerpts(evidence: Evidence, receipt: Receipt) -> list[Excerpt]:
    """Return the lines of files that a receipt showed or wrote."""
    found = [node for node in evidence.made_by(receipt.record) if isinstance(node, Excerpt)]
    return [node for node in found if node.file is not None and node.how != TOLD and node.receipt == receipt.id]


def _about(evidence: Evidence, receipt: Receipt) -> set[str] | None:
    """Return the files that a receipt is about alone; None where it may be about any."""
    shown = {excerpt.file for excerpt in _excerpts(evidence, receipt) if excerpt.file is not None}
    if receipt.subject and receipt.subject_closed:
        return set(receipt.subject)
    return shown if shown and not _tells_more(receipt) else None


def _tells_more(receipt: Receipt) -> bool:
    """Tell whether a receipt says more than what lines of files are."""
    return receipt.tool not in ("read", "write") or bool(receipt.subject)


def _content(evidence: Evidence, receipt: Receipt, excerpt: Excerpt) -> tuple[_End | None, tuple[Interval, ...]]:
    told = list(moments(evidence.snapshot, excerpt.file or "", {excerpt.id}))
    counts = [sum(s.count for s in moment.seen.get(excerpt.id, ())) for moment in told]
    most = max(counts, default=0)
    path = evidence.path_of(excerpt.file or "")
    if not most:
        return None, ()
    if counts[-1] < most:
        place = max(i for i, count in enumerate(counts) if count == most) + 1
        return _lost_by(told[place], excerpt.id, path), ()
    own, known = told[-1].seen[excerpt.id], told[-1].seen.get(ANYBODY, ())
    sources = [s.excerpt for s in known if any(o.start < s.stop and s.start < o.stop for o in own)]
    receipts = [r for e in dict.fromkeys(sources) if (r := evidence.receipt_of_excerpt(e)) is not None]
    oldest = min(receipts, key=lambda r: r.ordinal, default=receipt)
    after = [c for c in evidence.changes.after(oldest) if not own_surroundings(evidence, c.cause)]
    unsure = unsure_of(after, {excerpt.file or ""})
    end = _End(status=UNKNOWN, reason="effect_unknown", cause=unsure.cause, path=path) if unsure is not None else None
    return end, intervals(own)


def _lost_by(moment: Moment, excerpt: str, path: str | None) -> _End:
    """Tell what a step took away; a read that shows other lines says nothing of those that it did not show."""
    lost = intervals(moment.seen_before.get(excerpt, ()))
    shown = intervals(moment.seen.get(ANYBODY, ()))
    met = any(a <= d and c <= b for a, b in lost for c, d in shown)
    if moment.how != SHOWN or moment.after.complete or met:
        reason = "lines_changed" if moment.after.segments else "file_changed"
        return _End(status=STALE, reason=reason, cause=moment.cause, ordinal=moment.ordinal, path=path)
    return _End(status=UNKNOWN, reason="file_changed", cause=moment.cause, ordinal=moment.ordinal, path=path)


def _otherwise(evidence: Evidence, receipt: Receipt, files: frozenset[str] | None) -> list[_End]:
    """Return why what a command, a search or another tool said does not hold."""
    if _comes_from_afar(receipt) or receipt.name.lower() in _AGELESS:
        return []
    run = run_of(evidence.text(receipt.command)) if receipt.command is not None else None
    stale = stale_since(evidence, receipt, run, files)
    if stale is not None and any(stale.cause == change.cause for change in evidence.changes.around_after(receipt)):
        stale = unsure_of(evidence.changes.after(receipt), files)
    if stale is None or own_surroundings(evidence, stale.cause):
        return []
    status = UNKNOWN if stale.reason == "effect_unknown" else STALE
    return [_End(status=status, reason=stale.reason, cause=stale.cause, path=stale.path)]


def _comes_from_afar(receipt: Receipt) -> bool:
    name = receipt.name.lower()
    return receipt.tool == "other" and any(word in name for word in _REMOTE) and not _is_picture(receipt)


def _is_picture(receipt: Receipt) -> bool:
    return any(word in receipt.name.lower() for word in _PICTURES)


def _surroundings(evidence: Evidence, receipt: Receipt) -> list[_End]:
    """Return the epochs that ended since a receipt, of what it depends on."""
    depends = []
    if receipt.tool == "command" or _is_picture(receipt):
        depends.append("environment ")
    if _comes_from_afar(receipt) or _is_picture(receipt):
        depends += ["deployment ", "environment "]
    ends = []
    for event in evidence.changes.ended_epochs(receipt, tuple(depends)):
        reason = f"{event.what.partition(' ')[0]}_changed"
        ends.append(_End(status=STALE, reason=reason, cause=event.id, ordinal=event.ordinal))
    if "environment " in depends:
        around = evidence.changes.around_after(receipt)
        ends += [_End(status=UNKNOWN, reason="environment_changed", cause=c.cause, ordinal=c.ordinal) for c in around]
    return ends


def own_surroundings(evidence: Evidence, cause: str) -> bool:
    """Tell whether a cause is a change of surroundings that touches no file: epochs speak of those."""
    node = evidence.snapshot.node(cause)
    return isinstance(node, Event) and node.what.startswith(("environment ", "deployment "))
