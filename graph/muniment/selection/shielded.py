"""Shielded: a whole graph as far as a request may see it, for those who ask why its view is as it is.

* What is withheld from the view is withheld here: words, texts, and whole things (files, what printed them, and what is
  known only through these). An explanation names none of them, and no way leads over them.
* Who names a withheld thing by its id, or a file by its whole path, is told that it is withheld, and no more of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from muniment.model.edges import Edge, EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import AnyNode, Call, Excerpt, File, FileVersion, Node, Symbol
from muniment.selection.focus import Focus, focus_of
from muniment.selection.policy import Clearance, Policy
from muniment.selection.slices import WITHHELD, SlicedReads
from muniment.selection.view import ViewRequest
from muniment.snapshot import ALL_EDGES, Snapshot, Step, Way, walk

N = TypeVar("N", bound=Node)


def shielded(snapshot: Snapshot, request: ViewRequest, policy: Policy) -> Snapshot:
    """Return what a request may see of a graph: all of it, where its view is made of all of it."""
    narrow = request.slice or request.delegate is not None
    if not narrow and request.provider is None:
        return snapshot
    focus = focus_of(snapshot, request) if narrow else None
    return ShieldedSnapshot(snapshot, focus, policy.clearance(request.provider or ""))


class ShieldedSnapshot(SlicedReads):
    """A snapshot with what a slice or a policy leaves out of it."""

    def __init__(self, snapshot: Snapshot, focus: Focus | None, clearance: Clearance | None) -> None:
        """Shield a snapshot: see `SlicedReads`."""
        super().__init__(snapshot, focus, clearance)
        self._snapshot = snapshot
        self.files()
        self._withheld = frozenset(node for node, (_, reason) in self.left.items() if reason == WITHHELD)
        self._bound = frozenset(node.id for node in snapshot.binding())

    def upto(self, ordinal: int) -> ShieldedSnapshot:
        """Return the snapshot as of an earlier ordinal, with what may be seen now."""
        return ShieldedSnapshot(self._snapshot.upto(ordinal), self._focus, self._clearance)

    def hides(self, node: AnyNode) -> bool:
        """Tell whether a thing is withheld, or known only through something that is."""
        if node.id in self._bound:
            return False
        return not self._withheld.isdisjoint(self._known_through(node))

    def node(self, node: str) -> AnyNode | None:
        """Return the node with this id; None where it is withheld."""
        found = super().node(node)
        return None if found is None or self.hides(found) else found

    def of_kind(self, kind: type[N]) -> Sequence[N]:
        """Return all nodes of a kind that may be seen, by ordinal."""
        return [self._cleared(node) for node in self._snapshot.of_kind(kind) if not self.hides(node)]  # type: ignore[arg-type]

    def named(self, reference: str) -> list[AnyNode]:
        """Return what a record's id, a node's or a handle names, withheld things as well; a withheld file has its
        path for a name.
        """
        found = self._snapshot.named(reference)
        if not found:
            files = self._snapshot.of_kind(File)
            found = [file for file in files if file.id in self._withheld and reference in (file.path, file.key)]
        return [self._cleared(node) for node in found]

    def edges_from(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that start at a node and lead to what may be seen."""
        return [edge for edge in self._snapshot.edges_from(node, kinds) if self.node(edge.target) is not None]

    def edges_to(self, node: str, kinds: Collection[EdgeKind] = ALL_EDGES) -> list[Edge]:
        """Return the edges of these kinds that lead to a node from what may be seen."""
        return [edge for edge in self._snapshot.edges_to(node, kinds) if self.node(edge.source) is not None]

    def observations(self, file: str) -> list[tuple[int, LedgerState]]:
        """Return the states that a file's ledger has had."""
        return self._snapshot.observations(file) if file not in self._withheld else []

    def walk(self, seeds: Iterable[str], kinds: Collection[EdgeKind], hops: int, *, way: Way = "both") -> list[Step]:
        """Return what can be reached over what may be seen."""
        return walk(self, seeds, kinds, hops, way)

    def _known_through(self, node: AnyNode) -> set[str]:
        known = {node.id}
        if isinstance(node, Excerpt):
            known |= {node.receipt, *([node.file] if node.file is not None else [])}
        elif isinstance(node, FileVersion | Symbol):
            known.add(node.file)
        elif isinstance(node, Call):
            known |= {edge.target for edge in self._snapshot.edges_from(node.id, {EdgeKind.PRODUCED})}
        return known
