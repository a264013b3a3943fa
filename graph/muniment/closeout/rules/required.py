"""Required runs: whether a command that has to be run succeeded on what is there now."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.closeout.evidence import Evidence
from muniment.closeout.freshness import stale_since
from muniment.closeout.rules.acts import commands, runs
from muniment.derive.runs import PASSED, Ended, run_outcome, runs_of
from muniment.model.nodes import Receipt


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Why a required run is missing: the run that falls short, and what made it so.

    `doubtful`: it was run, and only whether it succeeded, or holds, is not known.
    """

    message: str
    receipt: Receipt | None = None
    cause: str = ""
    doubtful: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The nodes that it concerns."""
        return (*((self.receipt.id,) if self.receipt is not None else ()), *((self.cause,) if self.cause else ()))


def missing_run(evidence: Evidence, wanted: tuple[str, ...], since: int) -> Missing | None:
    """Return why a command is missing since an ordinal; None where it succeeded, or nothing was changed since."""
    if not wanted or not _changed(evidence, since):
        return None
    named = f"`{' '.join(wanted)}`"
    newest = next(_runs_of(evidence, wanted, since), None)
    if newest is None:
        return Missing(message=f"{named} is required and was not run")
    if newest.status == "failed":
        return Missing(message=f"{named} is required and failed in {newest.handle}", receipt=newest)
    stale = stale_since(evidence, newest)
    if stale is not None and stale.reason != "effect_unknown":
        where = f" ({stale.path})" if stale.path else ""
        return Missing(
            message=f"{named} is required, and files changed{where} after {newest.handle}",
            receipt=newest,
            cause=stale.cause,
        )
    if stale is not None:
        message = f"{named} is required, and something ran after {newest.handle} that may have changed files"
        return Missing(message=message, receipt=newest, cause=stale.cause, doubtful=True)
    if not _succeeded(evidence, newest):
        message = f"{named} is required, and whether it succeeded in {newest.handle} is not known"
        return Missing(message=message, receipt=newest, doubtful=True)
    return None


def run_before(evidence: Evidence, wanted: tuple[str, ...], act: Receipt, since: int) -> bool:
    """Tell whether a command was run before an act, with no file changed between, or nothing was changed at all."""
    known = [change.ordinal for change in evidence.changes.all if change.files and since < change.ordinal < act.ordinal]
    if not known:
        return True
    ran = [each for each in _runs_of(evidence, wanted, since) if each.ordinal <= act.ordinal]
    return any(each.status != "failed" and (each.id == act.id or each.ordinal > max(known)) for each in ran)


def _changed(evidence: Evidence, since: int) -> bool:
    return any(change.files and change.ordinal > since for change in evidence.changes.all)


def _runs_of(evidence: Evidence, wanted: tuple[str, ...], since: int) -> Iterator[Receipt]:
    """Yield the receipts of a command, newest first."""
    for receipt, simples in commands(evidence, since, wanted[:1]):
        if any(runs(simple, wanted) for simple in simples):
            yield receipt


def _succeeded(evidence: Evidence, receipt: Receipt) -> bool:
    known = runs_of(evidence.text(receipt.command))
    if known:
        ended = Ended(
            status=receipt.status, exit_code=receipt.exit_code, own_status=receipt.own_status, counts=receipt.counts
        )
        return any(run_outcome(run, ended, evidence.text(receipt.output)) == PASSED for run in known)
    return receipt.status == "ok" and receipt.own_status
