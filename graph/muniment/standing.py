"""Standing: what of the evidence still holds. By the ids and paths that people give, over a snapshot."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.closeout.absences import Absence, absences_of
from muniment.closeout.evidence import Evidence
from muniment.closeout.holding import Holding, holding
from muniment.errors import AmbiguousIdError, UnknownIdError, UsageError
from muniment.model.edges import EdgeKind
from muniment.model.nodes import AnyNode, Call, Excerpt, File, Receipt
from muniment.model.packing import writable
from muniment.rehydration import resolve
from muniment.snapshot import Snapshot


def holds(snapshot: Snapshot, wanted: str, paths: Sequence[str] | None = None) -> Holding:
    """Return whether a receipt, or what a call gave, still tells of what is there now.

    Raises:
        UnknownIdError: nothing has this id, or no file one of the paths.
        AmbiguousIdError: several things have.
        PurgedError: it was purged.
        UsageError: it is no receipt.
    """
    node = resolve(snapshot, wanted)
    if node is None:
        raise UnknownIdError(wanted)
    receipt = _receipt(snapshot, node)
    if receipt is None:
        raise UsageError(f"{wanted} is no receipt, and no call that was answered: only what a tool told can go stale")
    evidence = Evidence(snapshot)
    files = None if paths is None else [_file(evidence, receipt, path) for path in paths]
    return writable(holding(evidence, receipt, files))


def absences(snapshot: Snapshot, path: str | None = None) -> list[Absence]:
    """Return what searches did not find, oldest first; with `path`, by those that could, or might, have seen it."""
    return [writable(absence) for absence in absences_of(snapshot, path)]


def _receipt(snapshot: Snapshot, node: AnyNode) -> Receipt | None:
    if isinstance(node, Excerpt):
        found = snapshot.node(node.receipt)
        return found if isinstance(found, Receipt) else None
    if isinstance(node, Call):
        ends = [snapshot.node(edge.target) for edge in snapshot.edges_from(node.id, {EdgeKind.PRODUCED})]
        return next((end for end in ends if isinstance(end, Receipt)), None)
    return node if isinstance(node, Receipt) else None


def _file(evidence: Evidence, receipt: Receipt, path: str) -> File:
    named = [node for node in evidence.snapshot.named(path) if isinstance(node, File)]
    found = named or evidence.files_named(path, evidence.changes.workspace(receipt.session))
    if len(found) > 1:
        raise AmbiguousIdError(path, tuple(file.path for file in found))
    if not found:
        raise UnknownIdError(path, "no such file is on record")
    return found[0]
