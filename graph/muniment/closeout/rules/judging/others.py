"""Claims about what was said, what was given away, and what equals a reference.

* `stated`: each cited fact or message is on record, in a user's own words, and holds the claimed text where one is
  given.
* `delegation_done`: the delegation ended well. An interim line of the child is no end, nothing but the end's own
  record is cited for it, and who gave the work away cannot say how it ended.
* `matches_reference`: a comparison of two whole files, told to overlook nothing, that found no difference, with a
  reference that nobody wrote in this mission.
"""

from __future__ import annotations

import re

import msgspec

from muniment.closeout.evidence import Evidence
from muniment.closeout.freshness import stale_since
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.derive.runs import Ended, Run, run_outcome
from muniment.derive.shell import simple_commands
from muniment.model.edges import Edge, EdgeKind
from muniment.model.nodes import REPORTED, Claim, Delegation, Fact, Message, Receipt

_COMPARERS = {
    "cmp": re.compile(r"-[slb]+|--silent|--quiet|--verbose|--print-bytes"),
    "diff": re.compile(
        r"-[qsuycraNp]+|-[UC]?\d+|-[UC]|--brief|--report-identical-files|--unified(?:=\d+)?|--context(?:=\d+)?|--text"
        r"|--side-by-side|--color(?:=\w+)?|--recursive|--new-file|--normal|--minimal|--show-c-function"
    ),
}
"""Program → its options with which it compares all that both files hold."""


def stated(evidence: Evidence, claim: Claim) -> Ruling:
    """What is cited was stated by a user."""
    step = "cite the user's own message or fact"
    citations = evidence.citations(claim)
    good: list[str] = []
    for citation in citations:
        node = citation.node
        if citation.fault or not isinstance(node, Fact | Message):
            good_so_far = tuple(good)
            reason = citation.fault or "support_not_a_receipt"
            return Ruling(status=UNPROVEN, reason=reason, by=good_so_far, next_step=step)
        holds = not claim.what or claim.what in evidence.text(node.text)
        if node.by != "user" or not holds:
            return Ruling(status=UNPROVEN, reason="support_not_a_receipt", next_step=step)
        good.append(node.id)
    if not good:
        return Ruling(status=UNPROVEN, reason="no_receipt", next_step=step)
    return Ruling(status=PROVEN, by=tuple(good))


def delegation_done(evidence: Evidence, claim: Claim) -> Ruling:
    """The delegation ended well."""
    step = "wait until the child agent has ended"
    wanted = claim.delegation or ""
    found = evidence.find(wanted) if wanted else None
    if not isinstance(found, Delegation):
        return Ruling(status=UNPROVEN, reason="support_unresolved" if wanted else "no_receipt", next_step=step)
    end = _end_of(evidence, found)
    if end is None:
        reason = "support_not_a_receipt" if evidence.snapshot.state(found.id) == REPORTED else "not_final"
        return Ruling(status=UNPROVEN, reason=reason, next_step=step)
    ending = _record_of(evidence, end)
    if end.state != "done":
        return Ruling(status=CONTRADICTED, by=ending, next_step="give the work away again, or do it")
    for citation in evidence.citations(claim):
        if citation.fault:
            return Ruling(status=UNPROVEN, reason=citation.fault, next_step=step)
        if citation.node is not None and citation.node.id != found.id and citation.node.ordinal != end.ordinal:
            return Ruling(status=UNPROVEN, reason="not_final", next_step="cite the record of its end")
    return Ruling(status=PROVEN, by=ending)


def _end_of(evidence: Evidence, delegation: Delegation) -> Edge | None:
    moves = evidence.snapshot.edges_to(delegation.id, {EdgeKind.MOVED})
    ends = [edge for edge in moves if edge.state in ("done", "failed", "lost")]
    return ends[-1] if ends else None


def _record_of(evidence: Evidence, end: Edge) -> tuple[str, ...]:
    """Return the nodes that the record of an end made: what the child said last, else who ended it."""
    said = [message.id for message in evidence.snapshot.of_kind(Message) if message.ordinal == end.ordinal]
    return tuple(said) or (end.source,)


def matches_reference(evidence: Evidence, claim: Claim) -> Ruling:
    """The file equals a reference that was made independently."""
    step = f"compare {claim.path} with the reference: cmp {claim.path} REFERENCE"
    for citation in evidence.citations(claim):
        node = citation.node
        if citation.fault:
            return Ruling(status=UNPROVEN, reason=citation.fault, next_step=step)
        if not (isinstance(node, Receipt) and evidence.is_proof(node)):
            return Ruling(status=UNPROVEN, reason="support_not_a_receipt", next_step=step)
    shortfall = Ruling(status=UNPROVEN, reason="no_receipt", path=claim.path, next_step=step)
    for receipt in reversed(evidence.receipts):
        if _compares(evidence, claim, receipt):
            ruling = _compared(evidence, claim, receipt, step)
            if ruling.status != UNPROVEN:
                return ruling
            shortfall = ruling
    return shortfall


def _compares(evidence: Evidence, claim: Claim, receipt: Receipt) -> bool:
    operands = _operands(evidence, receipt)
    workspace = evidence.workspace(claim)
    path = evidence.key(claim.path or "", workspace)
    return len(operands) == 2 and path in [evidence.key(operand, workspace) for operand in operands]


def _operands(evidence: Evidence, receipt: Receipt) -> list[str]:
    simples = simple_commands(evidence.text(receipt.command)) or ()
    words = simples[-1].words if simples else ()
    whole = _COMPARERS.get(words[0]) if words else None
    if whole is None or simples[-1].before in ("||", "|") or simples[-1].grouped:
        return []
    options = [word for word in words[1:] if word.startswith("-")]
    if any(whole.fullmatch(option) is None for option in options):
        return []
    return [word for word in words[1:] if not word.startswith("-")]


def _compared(evidence: Evidence, claim: Claim, receipt: Receipt, step: str) -> Ruling:
    run = Run(family="lint", scope="suite", tool="cmp")
    ended = Ended(status=receipt.status, exit_code=receipt.exit_code, own_status=receipt.own_status)
    outcome = run_outcome(run, ended, evidence.text(receipt.output))
    stale = stale_since(evidence, receipt)
    base = Ruling(status=UNPROVEN, receipt=receipt.id, path=claim.path, next_step=step)
    if outcome not in ("passed", "failed"):
        return msgspec.structs.replace(base, reason="status_unknown")
    if stale is not None:
        return msgspec.structs.replace(base, reason=stale.reason, because=(stale.cause,))
    if outcome == "failed":
        return msgspec.structs.replace(base, status=CONTRADICTED, by=(receipt.id,))
    if not _independent(evidence, claim, receipt):
        return msgspec.structs.replace(base, reason="no_machine_report")
    return Ruling(status=PROVEN, by=(receipt.id,), path=claim.path)


def _independent(evidence: Evidence, claim: Claim, receipt: Receipt) -> bool:
    """Tell whether the other file of a comparison was not written in this mission, as far as is on record."""
    workspace = evidence.workspace(claim)
    path = evidence.key(claim.path or "", workspace)
    others = [operand for operand in _operands(evidence, receipt) if evidence.key(operand, workspace) != path]
    for operand in others:
        file = evidence.file_named(operand, workspace)
        if file is not None and any(file.id in change.files for change in evidence.changes.all):
            return False
    return bool(others)
