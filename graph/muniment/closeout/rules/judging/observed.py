"""Claims that a behaviour was observed: a command, a page or another tool showed `what`.

* Shown by a receipt of a tool that did not fail to run, whose output holds the text, and that still tells of what is
  there now. What a child or the agent said of it is no sight of it.
* `scope` names the command that shows it; without it, any receipt may, but for files that were read and for text that
  the command itself holds: what an `echo` prints was not observed, however it is spelt.
* What a file holds that the mission itself wrote, or what version control holds, is no behaviour either.
* Where the same command was run again on what is there now and did not show it, that contradicts.
"""

from __future__ import annotations

import msgspec

from muniment.closeout.echoes import only_shows
from muniment.closeout.evidence import Evidence
from muniment.closeout.holding import HOLDS, STALE, holding
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.model.nodes import Claim, Receipt

_NO_SIGHT = frozenset({"read", "search", "write"})
_TALK = frozenset({"agent", "task"})
"""Tools whose answers are words of a child."""


def observed(evidence: Evidence, claim: Claim) -> Ruling:
    """The text was shown by what ran, and still would be."""
    what, command = claim.what or "", _command(claim)
    step = f"run {command or 'what shows it'} and let the output be recorded"
    base = Ruling(status=UNPROVEN, reason="no_receipt", next_step=step)
    if not what.strip():
        return msgspec.structs.replace(base, next_step="say in `what` which text was seen")
    cited = []
    for citation in evidence.citations(claim):
        node = citation.node
        if citation.fault or not isinstance(node, Receipt) or not _may_show(evidence, node, what):
            return msgspec.structs.replace(base, reason=citation.fault or "support_not_a_receipt")
        cited.append(node)
    workspace = evidence.workspace(claim)
    runs = [r for r in evidence.receipts if _may_show(evidence, r, what) and evidence.in_workspace(r, workspace)]
    runs = [receipt for receipt in runs if not command or _said(evidence, receipt) == command]
    shown = [r for r in (cited or runs) if what in evidence.text(r.output)]
    if not shown:
        return _never_shown(evidence, base, runs if command and not cited else [])
    return _standing(evidence, base, shown[-1], what)


def _standing(evidence: Evidence, base: Ruling, receipt: Receipt, what: str) -> Ruling:
    again = f"run again: {_said(evidence, receipt)}"
    later = [r for r in evidence.receipts if r.ordinal > receipt.ordinal and _same(evidence, r, receipt)]
    for other in reversed(later):
        if what not in evidence.text(other.output) and holding(evidence, other).status == HOLDS:
            return Ruling(status=CONTRADICTED, by=(other.id,), receipt=receipt.id, next_step=again)
    held = holding(evidence, receipt)
    if held.status == HOLDS:
        return Ruling(status=PROVEN, by=(receipt.id,))
    reason = "subject_changed" if held.status == STALE else "effect_unknown"
    because = (held.because_id,) if held.because_id else ()
    return msgspec.structs.replace(
        base, reason=reason, receipt=receipt.id, because=because, path=held.path, next_step=again
    )


def _never_shown(evidence: Evidence, base: Ruling, runs: list[Receipt]) -> Ruling:
    """The command that is named was run, and did not show it: on what is there now, that contradicts."""
    if runs and holding(evidence, runs[-1]).status == HOLDS:
        return msgspec.structs.replace(base, status=CONTRADICTED, reason="", by=(runs[-1].id,))
    return base


def _may_show(evidence: Evidence, receipt: Receipt, what: str) -> bool:
    if receipt.tool in _NO_SIGHT or receipt.status == "refused" or receipt.name.lower() in _TALK:
        return False
    if not evidence.is_proof(receipt) or receipt.output is None or what in _said(evidence, receipt):
        return False
    return receipt.command is None or not only_shows(evidence, receipt, what)


def _same(evidence: Evidence, one: Receipt, other: Receipt) -> bool:
    said = _said(evidence, one)
    return bool(said) and one.session == other.session and said == _said(evidence, other)


def _said(evidence: Evidence, receipt: Receipt) -> str:
    return evidence.text(receipt.command).strip()


def _command(claim: Claim) -> str:
    scope = claim.scope
    return (scope if isinstance(scope, str) else " ".join(scope) if scope else "").strip()
