"""Assessing a receipt as a run: what it executed, how it ended, whether it was replayed, and whether it still holds.

* A receipt is a run of a family by what it recorded: a runner that is known in its command, or counts that were
  recorded with it.
* A replayed result is worth its origin: a run on record, of the same content. Without one, nothing was executed.
* A run that went outside of the workspace by `cd` was about other content.
* What a file holds that the run wrote, and that was read later, says what it counted; words that it printed do not.
* Go's cache names no origin, but replays a package only for equal content: an earlier run of the same package, on
  record, stands for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from heapq import merge
from operator import itemgetter
from typing import Final

import msgspec

from muniment.closeout.changes import Change
from muniment.closeout.evidence import Evidence, Stale
from muniment.closeout.freshness import as_before, stale_since
from muniment.derive.run_words import SUITE, Scope
from muniment.derive.runs import EMPTY, FAILED, PASSED, Ended, Run, run_outcome, runs_of, weightiest
from muniment.derive.summaries import go_packages
from muniment.model.nodes import Receipt, Workspace
from muniment.model.records import Counts

_CANDIDATES: Final = "receipts that may be runs"


class Assessed(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt seen as a run of one family.

    `fault` is why it proves nothing, whatever is claimed ("" where it passed or failed). `of` is the run that was
    executed: the receipt itself, or the origin of a replay. `beside` are further runs that a partly replayed one needs,
    and the read that shows its results.
    """

    receipt: Receipt
    of: Receipt
    scope: Scope | None
    tool: str
    group: str
    outcome: str
    fault: str
    counts: Counts | None
    run: Run | None = None
    beside: tuple[str, ...] = ()
    skipped_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()
    folder: str = ""
    """Key of the folder below the workspace's root that it went into, "" for the root or where nobody knows."""


class Assessor:
    """Assesses the receipts of a mission as runs of one family; for all claims of a closeout it is the same one."""

    def __init__(self, evidence: Evidence, family: str) -> None:
        self._evidence = evidence
        self._family = family
        self._stale: dict[str, Stale | None] = {}
        self._fresh: dict[str, bool] = {}
        self._packages: dict[str, frozenset[str]] = {}
        self._runs: dict[str, tuple[Run | None, bool, Run | None]] = {}
        self._assessed_of: dict[str, Assessed | None] = {}

    @classmethod
    def of(cls, evidence: Evidence, family: str) -> Assessor:
        """Return the assessor of a closeout for a family."""
        found = evidence.shared.setdefault(f"assessor {family}", cls(evidence, family))
        assert isinstance(found, cls)
        return found

    @cached_property
    def _candidates(self) -> list[Receipt]:
        """The receipts that may be runs, newest first: the same for each family."""
        shared = self._evidence.shared
        if _CANDIDATES not in shared:
            shared[_CANDIDATES] = [receipt for receipt in reversed(self._evidence.receipts) if _may_run(receipt)]
        found = shared[_CANDIDATES]
        assert isinstance(found, list)
        return found

    @cached_property
    def fresh(self) -> list[Assessed]:
        """The runs that still tell of what is there, newest first. What came after the others is looked at first: most
        runs of a long mission are told apart by that alone.
        """
        found = []
        horizon, blind = self._horizon, self._evidence.changes.last_blind
        for receipt in self._candidates:
            if receipt.ordinal < blind:
                break
            if not receipt.subject and receipt.ordinal < horizon:
                continue
            mine = self._family == "test" or self._run_in(receipt)[0] is not None
            if (
                mine
                and not self._moved_on(receipt)
                and (run := self.assess(receipt)) is not None
                and self.stale(run) is None
            ):
                found.append(run)
        return found

    def newest_first(self, covering: Scope | None = None, groups: Collection[str] = ()) -> Iterator[Assessed]:
        """Yield the runs of the family, newest first: all, or those wide enough for a scope and of none of `groups`."""
        wide = [same for (_, scope), same in self._alike.items() if covering is None or covers(scope, covering)]
        for _, group, receipt in merge(*wide, key=itemgetter(0)):
            if not (group and group in groups) and (found := self.assess(receipt)) is not None:
                yield found

    @cached_property
    def _alike(self) -> dict[tuple[str, Scope | None], list[tuple[int, str, Receipt]]]:
        """The receipts of the family by group and scope, newest first, each with its place among all and its group."""
        found: dict[tuple[str, Scope | None], list[tuple[int, str, Receipt]]] = {}
        for place, receipt in enumerate(self._candidates):
            run, is_main = self._run_in(receipt)
            group = run.group if run is not None else ""
            scope = receipt.scope if is_main and receipt.scope is not None else run.scope if run is not None else None
            if run is not None or self._family == "test":
                found.setdefault((group, scope), []).append((place, group, receipt))
        return found

    def _run_in(self, receipt: Receipt) -> tuple[Run | None, bool]:
        """Return the run of the family that a receipt's command holds, and whether it is what the command is for."""
        command = self._evidence.text(receipt.command)
        if command not in self._runs:
            runs = runs_of(command)
            run = next((run for run in runs if run.family == self._family), None)
            main = weightiest(runs)
            self._runs[command] = (run, main is None or (run is not None and main.family == run.family), main)
        run, is_main, _ = self._runs[command]
        return run, is_main

    def passes(self, found: Assessed) -> bool:
        """Tell whether a run shows success on what is there now."""
        return found.outcome == PASSED and not found.fault and self._is_fresh(found)

    def fails(self, found: Assessed) -> bool:
        """Tell whether a run shows failure on what is there now."""
        return found.outcome == FAILED and not found.fault and self._is_fresh(found)

    def stale(self, found: Assessed) -> Stale | None:
        """Return why a run no longer tells of what is there now; None where it does."""
        key = found.receipt.id
        if key not in self._stale:
            self._stale[key] = stale_since(self._evidence, found.receipt, found.run)
        return self._stale[key]

    def _is_fresh(self, found: Assessed) -> bool:
        """The same as `stale` being None, but quick for the many runs that something came after."""
        key = found.receipt.id
        if key not in self._fresh:
            blind = self._evidence.changes.is_blind_after(found.receipt)
            self._fresh[key] = not blind and not self._moved_on(found.receipt) and self.stale(found) is None
        return self._fresh[key]

    def _moved_on(self, receipt: Receipt) -> bool:
        """Tell whether a file is known to be another since a run about the whole workspace.

        Files that came to what they hold last are looked at first: most often the first one decides.
        """
        changes = self._evidence.changes
        asked, place = changes.asked(receipt), changes.workspace(receipt.session)
        for since, file, change in () if receipt.subject else self._arrived:
            if since <= asked:
                return False
            here = not place or not change.workspace or place == change.workspace
            later = change.ordinal > receipt.ordinal and change.cause != receipt.id
            if here and later and not as_before(self._evidence, file, receipt):
                return True
        return False

    @cached_property
    def _horizon(self) -> int:
        """The ordinal before which no run about the whole workspace is fresh, as the file that changed last tells.

        That is when it first held what it holds; 0 where there are several workspaces.
        """
        if not self._arrived or len(self._evidence.snapshot.of_kind(Workspace)) > 1:
            return 0
        _, file, change = self._arrived[0]
        return min(self._evidence.changes.first_held(file), change.ordinal)

    @cached_property
    def _arrived(self) -> list[tuple[int, str, Change]]:
        """The files that are known to have changed, latest first; not those that only a closer look tells of.

        Each has the ordinal since when it holds what it holds, and its newest change.
        """
        newest: dict[str, Change] = {}
        for change in self._evidence.changes.all:
            for file in () if change.blind or change.around or change.pending else change.files:
                newest[file] = change
        inside = (file for file in newest if not self._evidence.may_be_apart(file))
        found = [(self._evidence.changes.arrived(file), file, newest[file]) for file in inside]
        return sorted(found, key=lambda each: (-each[0], each[1]))

    def assess(self, receipt: Receipt) -> Assessed | None:
        """Return what a receipt is as a run of this family, None where it is none."""
        if receipt.id not in self._assessed_of:
            self._assessed_of[receipt.id] = self._assess(receipt)
        return self._assessed_of[receipt.id]

    def _assess(self, receipt: Receipt) -> Assessed | None:
        if not _may_run(receipt):
            return None
        run, is_main = self._run_in(receipt)
        main = self._runs[self._evidence.text(receipt.command)][2]
        report = self._reports.get(receipt.id) if is_main and receipt.counts_from != "report" else None
        counts = (report or receipt).counts if is_main else None
        if run is None and (self._family != "test" or main is not None or counts is None):
            return None
        found = self._assessed(receipt, run, counts, is_main=is_main)
        if report is None:
            return found
        return msgspec.structs.replace(
            found,
            beside=(*found.beside, report.id),
            skipped_ids=report.skipped_ids,
            failed_ids=report.failed_ids,
        )

    @cached_property
    def _reports(self) -> dict[str, Receipt]:
        """The newest read of what a run wrote, by the run's receipt."""
        return {read.report_of: read for read in self._evidence.receipts if read.report_of is not None}

    def _assessed(self, receipt: Receipt, run: Run | None, counts: Counts | None, *, is_main: bool) -> Assessed:
        scope = receipt.scope if is_main and receipt.scope is not None else run.scope if run is not None else None
        found = Assessed(
            receipt=receipt,
            of=receipt,
            scope=scope,
            tool=run.tool if run is not None else "",
            group=run.group if run is not None else "",
            outcome=self._outcome(receipt, run, counts),
            fault="",
            counts=counts,
            run=run,
            failed_ids=receipt.failed_ids if is_main else (),
        )
        if receipt.status == "refused":
            return msgspec.structs.replace(found, fault="not_executed")
        if run is not None and run.leans_on and self._is_made(receipt, run.leans_on):
            return msgspec.structs.replace(found, fault="status_unknown")
        folder = self._evidence.folder_of(receipt, run.folder) if run is not None else ""
        if folder is None:
            return msgspec.structs.replace(found, fault="origin_subject_differs")
        found = msgspec.structs.replace(found, folder=folder)
        if receipt.cached_from is not None:
            return self._replayed(found)
        if counts is not None and counts.cached:
            return self._partly_replayed(found, counts)
        return msgspec.structs.replace(found, fault=_fault(found, run, receipt))

    def _is_made(self, receipt: Receipt, leans_on: tuple[str, ...]) -> bool:
        """Tell whether the mission itself wrote what decides what ran: a runner, a script, a folder of either."""
        evidence = self._evidence
        workspace = evidence.changes.workspace(receipt.session)
        written = [file.key for file in evidence.work(workspace)]
        for each in leans_on:
            key, end = evidence.key(each, workspace).rstrip("/"), "/" + each.removeprefix("./").lstrip("/")
            if any(file == key or file.endswith(end) or file.startswith(f"{key}/") for file in written):
                return True
        return False

    def _outcome(self, receipt: Receipt, run: Run | None, counts: Counts | None) -> str:
        ended = Ended(status=receipt.status, exit_code=receipt.exit_code, own_status=receipt.own_status, counts=counts)
        return run_outcome(run, ended, self._evidence.text(receipt.output))

    def _replayed(self, found: Assessed) -> Assessed:
        """A replay that names its origin is worth that origin, on the same content."""
        made = self._evidence.made_by(found.receipt.cached_from or "")
        origin = next((node for node in made if isinstance(node, Receipt)), None)
        if origin is None or not self._evidence.is_proof(origin) or origin.id == found.receipt.id:
            return msgspec.structs.replace(found, fault="not_executed")
        if self._content(origin) != self._content(found.receipt):
            return msgspec.structs.replace(found, fault="origin_subject_differs", of=origin)
        ran = self._assess(msgspec.structs.replace(origin, cached_from=None))
        if ran is None:
            return msgspec.structs.replace(found, fault="no_machine_report", of=origin)
        return msgspec.structs.replace(found, of=origin, outcome=ran.outcome, fault=ran.fault, counts=ran.counts)

    def _content(self, receipt: Receipt) -> dict[str, str] | None:
        """What a receipt tested, by path: two worktrees hold the same paths."""
        if not receipt.subject:
            return None
        paths = {file: self._evidence.path_of(file) or file for file in receipt.subject}
        return {paths[file]: digest for file, digest in receipt.subject.items()}

    def _packages_of(self, receipt: Receipt) -> frozenset[str]:
        """Return the Go packages that a receipt shows to have been tested just now."""
        if receipt.id not in self._packages:
            self._packages[receipt.id] = frozenset(go_packages(self._evidence.text(receipt.output), cached=False))
        return self._packages[receipt.id]

    def _partly_replayed(self, found: Assessed, counts: Counts) -> Assessed:
        if found.outcome == FAILED:
            return found
        wanted = go_packages(self._evidence.text(found.receipt.output), cached=True)
        beside: list[str] = []
        for receipt in reversed(self._evidence.receipts):
            if not wanted or receipt.ordinal >= found.receipt.ordinal or receipt.output is None:
                continue
            fresh = self._packages_of(receipt) & wanted
            if fresh:
                beside.append(receipt.id)
                wanted -= fresh
        if wanted or not beside:
            return msgspec.structs.replace(found, fault="not_executed")
        executed = Counts(passed=(counts.passed or 0) + (counts.cached or 0), failed=0, skipped=counts.skipped)
        return msgspec.structs.replace(found, outcome=PASSED, counts=executed, beside=tuple(beside))


def _may_run(receipt: Receipt) -> bool:
    """Tell whether a receipt may be a run: the fold gives a run its scope, and takes counts for those of one."""
    if receipt.tool in ("read", "search", "write") or receipt.report_of is not None:
        return False
    return receipt.scope is not None or receipt.counts is not None or receipt.cached_from is not None


def _fault(found: Assessed, run: Run | None, receipt: Receipt) -> str:
    if found.outcome == EMPTY:
        return "nothing_executed"
    if found.outcome in (PASSED, FAILED):
        return ""
    known = receipt.own_status and receipt.status != "unknown" and not (run is not None and run.masked)
    return "no_machine_report" if known and receipt.status == "ok" else "status_unknown"


def executed(counts: Counts | None) -> int | None:
    """Return how many tests were executed, None where that is not known."""
    return None if counts is None or counts.passed is None else counts.passed + (counts.failed or 0)


def covers(scope: Scope | None, claimed: Scope) -> bool:
    """Tell whether a run of `scope` looked at all that is claimed."""
    if scope == SUITE:
        return True
    if scope is None or isinstance(claimed, str):
        return scope is not None and scope == claimed
    names = (scope,) if isinstance(scope, str) else scope
    return all(any(_within(name, wide) for wide in names) for name in claimed)


def _within(name: str, wide: str) -> bool:
    """`tests/test_a.py::test_x` is within `tests/test_a.py`, which is within `tests/`."""
    name, wide = name.removeprefix("./"), wide.removeprefix("./").removesuffix("...").rstrip("/")
    return name == wide or (bool(wide) and name.startswith((f"{wide}::", f"{wide}/", f"{wide}:")))
