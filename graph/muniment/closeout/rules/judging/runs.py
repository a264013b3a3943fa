"""Claims that something ran and succeeded: tests pass, the build passes, linters and types are clean.

* Proven by a run of the claim's family that executed all that is claimed, passed, and is about what is there now.
* Contradicted by a run within the claimed scope that failed on what is there now, where no later run of the same runner
  overrules it.
* What is cited comes first; the store may find more. A bad citation makes a claim unproven, whatever else is on record.
* A whole run inside one folder is the whole suite only if the mission's work lies in that folder.
* A claim of the whole suite that cites nothing needs each runner's newest whole run to hold, not only one of them.
* Skipped tests were not executed: a claim stands on a run that skipped some only if it says so, or names what was not
  skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from muniment.closeout.assessing import Assessed, Assessor, covers, executed
from muniment.closeout.evidence import Citation, Evidence
from muniment.closeout.narrowing import bare, narrowed
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.derive.run_words import SUITE, Scope
from muniment.derive.runs import FAILED, PASSED
from muniment.model.nodes import Claim, Receipt

FAMILIES = {"tests_pass": "test", "build_ok": "build", "lint_clean": "lint", "types_clean": "types"}
_WORDS = {"test": "the tests", "build": "the build", "lint": "the linter", "types": "the type checker"}
_OWNS_UP = re.compile(r"\b(?:skip\w*|exclud\w*|ignor\w*|pending|deselect\w*|filtered)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|none|nothing|never|without|zero|0|isn't|aren't|wasn't|weren't|didn't)\b[^.,;!?\n\d]{0,40}?"
    r"\b(?:skip|exclud|ignor|pending|deselect|filter)\w*(?:[\s,/]+(?:or|and|nor)?\s*(?:skip|exclud|ignor|deselect|filter)\w*)*",
    re.IGNORECASE,
)
"""Words that deny that anything was left out; "0 skipped, 3 deselected" denies the one and owns up to the other."""
_MOST_NAMES = 10
_NUMBER = re.compile(r"\b(\d+)(?:[ /]\d+)? (?:\w+ ){0,2}(?:tests?|specs|examples)\b")


class _Shortfall(msgspec.Struct, frozen=True, kw_only=True):
    """Why a run that passed does not reach as far as the claim."""

    reason: str
    names: tuple[str, ...] = ()
    path: str | None = None
    covered: int | None = None
    total: int | None = None


def rule_for(family: str) -> Callable[[Evidence, Claim], Ruling]:
    """Return the rule for claims of a family of runs."""

    def rule(evidence: Evidence, claim: Claim) -> Ruling:
        return _RunRule(evidence, claim, family).ruling()

    return rule


class _RunRule:
    """One claim against the runs on record."""

    def __init__(self, evidence: Evidence, claim: Claim, family: str) -> None:
        self._evidence = evidence
        self._claim = claim
        self._family = family
        self._scope: Scope = claim.scope if claim.scope else SUITE
        self._text = evidence.text(claim.text)
        self._assessor = Assessor.of(evidence, family)
        self._citations = evidence.citations(claim)
        self._workspace = evidence.workspace(claim)
        self._cited = {citation.node.id: citation.node for citation in self._citations if citation.node is not None}
        self._fresh = [run for run in self._assessor.fresh if self._is_here(run)]

    def ruling(self) -> Ruling:
        """Return what the record says of the claim."""
        against = self._refuting()
        if against is not None:
            return self._contradicted(against)
        bad = next((c for c in self._citations if self._fault(c)), None)
        if bad is not None:
            return self._not_shown(self._fault(bad), receipt=None)
        cited = self._cited_runs()
        found = next((run for run in (*cited, *self._fresh) if self._proves(run)), None)
        if found is None:
            return self._together(cited) or self._best_reason(cited)
        other = self._another_runner(found) if not cited and not self._is_counted(found) else None
        return self._proven(found) if other is None else self._short(other)

    def _is_here(self, run: Assessed) -> bool:
        return run.receipt.id in self._cited or self._evidence.in_workspace(run.receipt, self._workspace)

    def _is_counted(self, run: Assessed) -> bool:
        """Tell whether the claim gives the very number of tests that a run executed: it speaks of that run."""
        numbers = [int(number) for number in _NUMBER.findall(self._text)]
        return self._family == "test" and bool(numbers) and executed(run.counts) == max(numbers)

    def _together(self, cited: Sequence[Assessed]) -> Ruling | None:
        """Return proof by several runs, each of some of the names that are claimed; None where a name has none.

        Where only some have one, the next step is for the others.
        """
        if isinstance(self._scope, str) or len(self._scope) < 2 or cited or self._citations:
            return None
        by_name = {name: self._ruling_of(name) for name in self._scope}
        lacking = {name: ruling for name, ruling in by_name.items() if ruling.status != PROVEN}
        if not lacking:
            return Ruling(
                status=PROVEN,
                by=tuple(dict.fromkeys(proof for ruling in by_name.values() for proof in ruling.by)),
                via=tuple(dict.fromkeys(proof for ruling in by_name.values() for proof in ruling.via)),
            )
        if len(lacking) == len(by_name):
            return None
        step = self._again(lacking)
        first = next(iter(lacking.values()))
        return msgspec.structs.replace(first, names=first.names or tuple(lacking), next_step=step or first.next_step)

    def _ruling_of(self, name: str) -> Ruling:
        claim = msgspec.structs.replace(self._claim, scope=(name,), text=None)
        return _RunRule(self._evidence, claim, self._family).ruling()

    def _again(self, names: Iterable[str]) -> str:
        """Return the narrowest command that is known to run some names, "" where none is."""
        wanted = tuple(names)
        run = next((run for run in self._assessor.newest_first(wanted) if self._is_here(run)), None)
        return f"run again: {self._narrowed(run, wanted)}" if run is not None else ""

    def _fault(self, citation: Citation) -> str:
        if citation.fault:
            return citation.fault
        node = citation.node
        proof = isinstance(node, Receipt) and self._evidence.is_proof(node)
        return "" if proof else "support_not_a_receipt"

    def _cited_runs(self) -> list[Assessed]:
        receipts = [node for node in self._cited.values() if isinstance(node, Receipt)]
        return [run for node in receipts if (run := self._assessor.assess(node)) is not None]

    def _refuting(self) -> Assessed | None:
        """Return the newest failure within the claimed scope that no later run overrules."""
        for place, run in enumerate(self._fresh):
            within = run.scope is not None and (self._scope == SUITE or covers(self._scope, run.scope))
            if within and self._assessor.fails(run):
                later = (other for other in self._fresh[:place] if other.receipt.ordinal > run.receipt.ordinal)
                if not any(self._overrules(other, run) for other in later):
                    return run
        return None

    def _overrules(self, later: Assessed, failed: Assessed) -> bool:
        same = not later.group or not failed.group or later.group == failed.group
        scope = failed.scope if failed.scope is not None else SUITE
        return same and self._assessor.passes(later) and covers(later.scope, scope)

    def _proves(self, run: Assessed) -> bool:
        return self._assessor.passes(run) and self._shortfall(run) is None

    def _shortfall(self, run: Assessed) -> _Shortfall | None:
        done = executed(run.counts)
        counts = run.counts
        if not covers(run.scope, self._scope):
            total = counts.suite_total if counts is not None else None
            return _Shortfall(reason="scope_narrower", covered=done, total=total)
        beside = self._written_beside(run)
        if beside is not None:
            return _Shortfall(reason="scope_narrower", path=beside, covered=done)
        if counts is None:
            return None
        return self._skipped(run) or self._left_out(run, done) or self._fewer(done)

    def _written_beside(self, run: Assessed) -> str | None:
        """Return a file of the mission's work that lies outside of the folder that a whole run went into."""
        if not run.folder or self._scope != SUITE:
            return None
        work = self._evidence.work(self._evidence.changes.workspace(run.receipt.session))
        beside = (file for file in work if not file.key.startswith(f"{run.folder}/"))
        return next((file.path for file in beside if not self._evidence.is_apart(file.id)), None)

    def _skipped(self, run: Assessed) -> _Shortfall | None:
        counts, ids = run.counts, run.skipped_ids or run.of.skipped_ids or run.receipt.skipped_ids
        names = tuple(name for name in ids if self._scope == SUITE or covers(self._scope, (name,)))
        unnamed = counts is not None and bool(counts.skipped) and not ids
        if not (names or unnamed) or self._owns_up:
            return None
        total = None if counts is None else counts.collected
        return _Shortfall(reason="subject_skipped", names=names, covered=executed(counts), total=total)

    def _left_out(self, run: Assessed, done: int | None) -> _Shortfall | None:
        counts = run.counts
        if counts is None or self._scope != SUITE or self._owns_up:
            return None
        known = done is not None and counts.suite_total is not None
        if not counts.deselected and not (known and (done or 0) < (counts.suite_total or 0)):
            return None
        total = counts.suite_total if counts.suite_total is not None else counts.collected
        return _Shortfall(reason="scope_narrower", covered=done, total=total)

    @property
    def _owns_up(self) -> bool:
        """Whether the claim says itself that something was left out."""
        return _OWNS_UP.search(_DENIES.sub("", self._text)) is not None

    def _fewer(self, done: int | None) -> _Shortfall | None:
        """A claim that gives a number of tests needs a run of that many."""
        numbers = [int(number) for number in _NUMBER.findall(self._text)]
        if self._family != "test" or self._scope != SUITE or not numbers or done is None or done >= max(numbers):
            return None
        return _Shortfall(reason="scope_narrower", covered=done, total=max(numbers))

    def _another_runner(self, proof: Assessed) -> Assessed | None:
        """Return the newest whole run of another runner, where it no longer holds."""
        if self._scope != SUITE or not proof.group:
            return None
        known = {proof.group}
        for run in self._assessor.newest_first(SUITE, known):
            if self._is_here(run) and run.group and run.outcome == PASSED and not run.fault:
                if not self._assessor.passes(run):
                    return run
                known.add(run.group)
        return None

    def _best_reason(self, cited: Sequence[Assessed]) -> Ruling:
        if cited:
            return self._short(cited[-1])
        for citation in reversed(self._citations):
            if isinstance(citation.node, Receipt):
                reason = "not_executed" if citation.node.status == "refused" else "no_machine_report"
                return self._not_shown(reason, receipt=citation.node.id)
        wide = next((run for run in self._assessor.newest_first(self._scope) if self._is_here(run)), None)
        any_run = wide or next((run for run in self._assessor.newest_first() if self._is_here(run)), None)
        return self._not_shown("no_receipt", receipt=None) if any_run is None else self._short(any_run)

    def _proven(self, run: Assessed) -> Ruling:
        replayed = run.of.id != run.receipt.id
        via = (run.receipt.id,) if replayed else ()
        return Ruling(status=PROVEN, by=(run.of.id, *run.beside), via=via)

    def _contradicted(self, run: Assessed) -> Ruling:
        step = f"make {_WORDS[self._family]} succeed and run it again: {self._command(run)}"
        names = run.failed_ids[:_MOST_NAMES]
        return Ruling(status=CONTRADICTED, by=(run.receipt.id,), receipt=run.receipt.id, names=names, next_step=step)

    def _short(self, run: Assessed) -> Ruling:
        """Unproven, with the first thing that a run falls short of."""
        shortfall = self._shortfall(run)
        again = f"run again: {self._narrowed(run, self._scope)}"
        base = Ruling(status=UNPROVEN, receipt=run.receipt.id, next_step=again)
        if run.fault:
            receipt = run.of.id if run.fault == "origin_subject_differs" else run.receipt.id
            covered = executed(run.counts) if run.fault == "not_executed" else None
            total = None if covered is None or run.counts is None else covered + (run.counts.cached or 0)
            return msgspec.structs.replace(
                base, reason=run.fault, receipt=receipt, covered=covered, total=total, next_step=self._instead(run)
            )
        stale = self._assessor.stale(run)
        if shortfall is not None and run.outcome == FAILED and stale is not None:
            # that it failed counts, not how much it looked at: it failed before what came since
            step = self._wider(shortfall)
            because = (stale.cause,)
            return msgspec.structs.replace(base, reason=stale.reason, path=stale.path, because=because, next_step=step)
        if shortfall is not None:
            return msgspec.structs.replace(
                base,
                reason=shortfall.reason,
                names=shortfall.names,
                path=shortfall.path,
                covered=shortfall.covered,
                total=shortfall.total,
                next_step=self._wider(shortfall),
            )
        if stale is not None:
            return msgspec.structs.replace(base, reason=stale.reason, path=stale.path, because=(stale.cause,))
        return msgspec.structs.replace(base, reason="subject_changed", because=(run.receipt.id,))

    def _not_shown(self, reason: str, *, receipt: str | None) -> Ruling:
        wide = (run for run in self._assessor.newest_first(self._scope) if self._is_here(run))
        known = next((run for run in wide if run.fault != "not_executed"), None)
        step = f"run {self._what()} and let the result be recorded"
        if known is not None:
            step = f"run again: {self._narrowed(known, self._scope)}"
        return Ruling(status=UNPROVEN, reason=reason, receipt=receipt, next_step=step)

    def _what(self) -> str:
        return _WORDS[self._family] if isinstance(self._scope, str) else ", ".join(self._scope)

    def _wider(self, shortfall: _Shortfall) -> str:
        if shortfall.reason == "subject_skipped":
            what = ", ".join(shortfall.names) or "what was skipped"
            return f"run {what} without skipping, or claim no more than was run"
        return f"run {self._what()} whole, without filters, or claim no more than was run"

    def _instead(self, run: Assessed) -> str:
        uncached = self._evidence.text(run.receipt.output).count("(cached)")
        clean = "go clean -testcache && " if uncached and run.receipt.cached_from is None else ""
        advice = {
            "status_unknown": self._seen(run),
            "not_executed": f"run it without the cache: {clean}{self._bare(run)}",
            "origin_subject_differs": f"run it here, without the cache: {self._bare(run)}",
            "nothing_executed": f"make it find {self._what()}, and run again: {self._bare(run)}",
        }
        return advice.get(run.fault, f"run {self._what()} by a runner that reports what it executed")

    def _seen(self, run: Assessed) -> str:
        """Tell to run again what hid its own status, without what hid it."""
        line = self._command(run)
        command = self._narrowed(run, self._scope)
        if command == line and run.run is not None:
            command = bare(run.run, line)
        how = "so that its own exit status is seen, without a pipe or `|| true`"
        return f"run it {how}: {command}" if command else f"run {self._what()} {how}"

    def _bare(self, run: Assessed) -> str:
        line = self._command(run)
        return (bare(run.run, line) if run.run is not None else "") or line

    def _narrowed(self, run: Assessed, names: Scope) -> str:
        """Return the command that would show some names: the run's, narrowed to them where it can be."""
        line = self._command(run)
        return narrowed(run.run, names, line) if run.run is not None else line

    def _command(self, run: Assessed) -> str:
        lines = self._evidence.text(run.receipt.command).strip().split("\n")
        return lines[0] if lines[0] and len(lines) == 1 else f"the command of {run.receipt.handle}"
