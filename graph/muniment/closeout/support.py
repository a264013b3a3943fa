"""Support: the way from a claim to what shows it, or to what it falls short of, in words and ids.

* Minimal: what proves or contradicts the claim, what pointed there, what made it fall short; not all that is on record.
* A receipt says what ran and how it ended; below it stand the call that asked for it and the files that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.closeout.evidence import Evidence
from muniment.closeout.verdict import CONTRADICTED, PROVEN, Ruling, Step
from muniment.derive.run_words import SUITE
from muniment.describing import described
from muniment.model.edges import EdgeKind
from muniment.model.nodes import AnyNode, Call, Claim, Fact, FileVersion, Message, Receipt, Task

WIDTH = 160
MOST_FILES = 6
"""Files that a step names of a receipt that is about more."""
_BY = {PROVEN: "proven by", CONTRADICTED: "contradicted by"}


def steps_of(
    evidence: Evidence, claim: Claim, ruling: Ruling, waiver: Fact | None, *, deep: bool = False
) -> tuple[Step, ...]:
    """Return the way from a claim to its receipts; `deep`: with what lies below each of them."""
    return tuple(_steps(evidence, claim, ruling, waiver, deep=deep))


def _steps(evidence: Evidence, claim: Claim, ruling: Ruling, waiver: Fact | None, *, deep: bool) -> Iterator[Step]:
    for relation, wanted in _named(evidence, claim, ruling, waiver):
        node = evidence.snapshot.node(wanted)
        yield _step(evidence, relation, wanted, node, 1)
        if deep and isinstance(node, Receipt):
            yield from _below(evidence, node)


def _named(evidence: Evidence, claim: Claim, ruling: Ruling, waiver: Fact | None) -> Iterator[tuple[str, str]]:
    said = [node for node in evidence.snapshot.named(claim.record) if isinstance(node, Message | Task | Fact)]
    yield from (("asked for in" if isinstance(node, Fact) else "said in", node.id) for node in said if claim.inferred)
    told: set[str] = set()
    for relation, ids in (
        (_BY.get(ruling.status, "supported by"), ruling.by),
        ("by way of", ruling.via),
        ("falls short", (ruling.receipt,) if ruling.receipt else ()),
        ("because of", ruling.because),
    ):
        yield from ((relation, each) for each in dict.fromkeys(ids) if each not in told)
        told.update(ids)
    if waiver is not None:
        yield "waived by", waiver.id


def _below(evidence: Evidence, receipt: Receipt) -> Iterator[Step]:
    snapshot = evidence.snapshot
    for edge in snapshot.edges_to(receipt.id, {EdgeKind.PRODUCED}):
        node = snapshot.node(edge.source)
        if isinstance(node, Call):
            yield _step(evidence, "asked for by", node.id, node, 2)
    versions = [edge.target for edge in snapshot.edges_from(receipt.id, {EdgeKind.READS, EdgeKind.WRITES})]
    files = [node.file for each in versions if isinstance(node := snapshot.node(each), FileVersion)]
    about = list(dict.fromkeys([*(receipt.subject or ()), *files]))
    for file in about[:MOST_FILES]:
        yield _step(evidence, "is about", file, snapshot.node(file), 2)
    changes = evidence.changes.after(receipt)
    for change in changes[-MOST_FILES:]:
        relation = "since then, of unknown effect" if change.blind else "since then"
        yield _step(evidence, relation, change.cause, snapshot.node(change.cause), 2)


def _step(evidence: Evidence, relation: str, wanted: str, node: AnyNode | None, depth: int) -> Step:
    if node is None:
        return Step(relation=relation, id=wanted, handle="", words="not on record", depth=depth)
    return Step(relation=relation, id=node.id, handle=node.handle, words=words_of(evidence, node), depth=depth)


def words_of(evidence: Evidence, node: AnyNode) -> str:
    """Return what a node says in one line; of a receipt also how much it executed."""
    said = in_words(node) if isinstance(node, Claim) and node.text is None else described(evidence.snapshot, node)
    told = " ".join(said.split())
    line = told if len(told) <= WIDTH else f"{told[: WIDTH - 1]}…"
    return f"{line}{_executed(node)}" if isinstance(node, Receipt) else line


def _executed(receipt: Receipt) -> str:
    counts = receipt.counts
    parts = []
    if counts is not None:
        for what in ("passed", "failed", "skipped", "cached"):
            number = getattr(counts, what)
            parts += [f"{number} {what}"] if number else []
    if receipt.scope is not None and counts is not None:
        parts.append("whole run" if receipt.scope == SUITE else "narrowed")
    return f"; {', '.join(parts)}" if parts else ""


def in_words(claim: Claim) -> str:
    """Return a claim without a text of its own in words."""
    scope = claim.scope if isinstance(claim.scope, str) or claim.scope is None else ", ".join(claim.scope)
    parts = [claim.type.replace("_", " "), claim.what, claim.path, scope, claim.delegation]
    return ": ".join([parts[0] or "", ", ".join(part for part in parts[1:] if part)]).removesuffix(": ")
