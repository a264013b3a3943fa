"""Freshness of a run: whether what it tested is what is there now.

* With a subject, equal digests decide: put back byte by byte, the receipt holds again. Files beside an open subject
  belong to it: a new
  one has grown the set, another that changed has changed it. A closed subject is only itself.
* Without a subject a run is about the whole workspace: whatever was written since makes it stale, unless each file
  stands at the very
  content that it had.
* A scratch file outside of the workspace is no part of what its tests are about, unless they were told to look there;
  nor are a user's settings.
* After something of unknown effect, and where packages were installed, nobody knows. That is said only where nothing is
  known to have changed.
* What follows the run in its own command line comes after it.
"""

from __future__ import annotations

from muniment.closeout.changes import Change
from muniment.closeout.evidence import Evidence, Stale, unsure_of
from muniment.derive.effect_tables import NONE, UNKNOWN, WRITES
from muniment.derive.runs import Run
from muniment.model.nodes import WRITES_NAMED, Receipt

_WHOLE = frozenset({"bytes", "lines", "absent"})
"""Grades at which two versions of equal digest are equal content."""


def stale_since(
    evidence: Evidence, receipt: Receipt, run: Run | None = None, files: frozenset[str] | None = None
) -> Stale | None:
    """Return why a run no longer tells of what is there now, of some files or (None) of all; None where it does."""
    after = evidence.changes.after(receipt)
    written: dict[str, Change] = {
        file: change
        for change in after
        if not change.pending
        for file in change.files
        if files is None or file in files
    }
    if run is not None and not _looks_outside(run):
        own, home = receipt.subject or {}, evidence.place_of(receipt, run.folder)
        written = {file: change for file, change in written.items() if file in own or not evidence.is_apart(file, home)}
    if receipt.subject:
        stale = _subject_stale(evidence, receipt, written, files)
        if stale is None and not receipt.subject_closed:
            stale = _beside_stale(evidence, receipt, written)
    else:
        stale = _workspace_stale(evidence, receipt, written)
    return (
        stale
        or unsure_of([*after, *evidence.changes.around_after(receipt)], files)
        or _own_line_stale(evidence, receipt, run)
    )


def _looks_outside(run: Run) -> bool:
    """Tell whether a run may look beyond the workspace's folder: one of its words leads there."""
    return any(f" {sign}" in run.command for sign in ("/", "~", ".."))


def _subject_stale(
    evidence: Evidence, receipt: Receipt, written: dict[str, Change], files: frozenset[str] | None
) -> Stale | None:
    for file, digest in (receipt.subject or {}).items():
        change = written.get(file)
        if (files is not None and file not in files) or _still_holds(evidence, file, digest, change):
            continue
        version = evidence.changes.current(file)
        cause = change.cause if change is not None else version.id if version is not None else receipt.id
        return Stale(reason="subject_changed", cause=cause, path=evidence.path_of(file))
    return None


def _still_holds(evidence: Evidence, file: str, digest: str, change: Change | None) -> bool:
    """Tell whether a file of the subject holds what was tested; `change` is its newest change since."""
    version = evidence.changes.current(file)
    if version is None:
        return change is None
    return version.digest == digest or (change is None and version.grade not in _WHOLE)


def _beside_stale(evidence: Evidence, receipt: Receipt, written: dict[str, Change]) -> Stale | None:
    for file, change in written.items():
        if file in (receipt.subject or {}) or as_before(evidence, file, receipt):
            continue
        known = evidence.changes.version_at(file, evidence.changes.asked(receipt)) is not None
        reason = "subject_changed" if known else "subject_set_changed"
        return Stale(reason=reason, cause=change.cause, path=evidence.path_of(file))
    return None


def _workspace_stale(evidence: Evidence, receipt: Receipt, written: dict[str, Change]) -> Stale | None:
    for file, change in written.items():
        if not as_before(evidence, file, receipt):
            return Stale(reason="subject_changed", cause=change.cause, path=evidence.path_of(file))
    return None


def as_before(evidence: Evidence, file: str, receipt: Receipt) -> bool:
    """Tell whether a file is known to hold the very content that it held when the run began."""
    before = evidence.changes.version_at(file, evidence.changes.asked(receipt))
    now = evidence.changes.current(file)
    if before is None or now is None:
        return False
    return before.grade in _WHOLE and (before.grade, before.digest) == (now.grade, now.digest)


def _own_line_stale(evidence: Evidence, receipt: Receipt, run: Run | None) -> Stale | None:
    if run is None or receipt.effect == NONE or run.after not in (WRITES, UNKNOWN):
        return None
    if run.after == UNKNOWN:
        return Stale(reason="effect_unknown", cause=receipt.id)
    if receipt.subject_closed and WRITES_NAMED in receipt.flags:
        own = {file for change in evidence.changes.all if change.cause == receipt.id for file in change.files}
        if own.isdisjoint(receipt.subject or ()):
            return None
    return Stale(reason="subject_changed", cause=receipt.id)
