"""What a rule looks at: the graph, the proposal, what is in force, and ids as the packet used them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property

from muniment.handoff.contract import HEADINGS
from muniment.handoff.covered import ordinal_covered
from muniment.handoff.packet import PacketItem
from muniment.handoff.proposal import Proposal
from muniment.model.ids import entry_number
from muniment.model.nodes import NODE_TYPES, SIDE_KINDS, AnyNode, Gap, Node, Packet
from muniment.snapshot import Snapshot
from muniment.tokens import TokenCounter

PURGED = "purged"

EntryOf = Callable[[str], int | None]
"""Record's id → number of its entry: for records that made no node of their own, such as a task's move."""


class Inquiry:
    """One check of one proposal. Each id is looked up once."""

    def __init__(
        self,
        snapshot: Snapshot,
        proposal: Proposal,
        in_force: Packet | None,
        *,
        counter: TokenCounter,
        entry_of: EntryOf,
    ) -> None:
        self.snapshot = snapshot
        self.proposal = proposal
        self.said = proposal.said
        self.whole = proposal.whole
        self.in_force = in_force
        self.counter = counter
        self._entry_of = entry_of
        self._found: dict[str, list[AnyNode]] = {}

    @property
    def name(self) -> str:
        """What problems call the packet."""
        return self.proposal.name

    def nodes(self, reference: str) -> list[AnyNode]:
        """Return what a record's id, an id or a handle names."""
        found = self._found.get(reference)
        if found is None:
            found = self._found[reference] = self._named(reference)
        return found

    def main(self, reference: str) -> AnyNode | None:
        """Return the one thing that an id names; None where it is nothing, several things, or was purged."""
        found = self.nodes(reference)
        main = [node for node in found if not isinstance(node, SIDE_KINDS)] or found
        return main[0] if len(main) == 1 and not self.was_purged(reference) else None

    def of_kinds(self, reference: str, kinds: tuple[type[Node], ...]) -> AnyNode | None:
        """Return the one thing of some kinds that an id names."""
        found = [node for node in self.nodes(reference) if isinstance(node, kinds)]
        return found[0] if len(found) == 1 else None

    def was_purged(self, reference: str) -> bool:
        """Tell whether all that is left of what an id named is its place."""
        return any(isinstance(node, Gap) and node.code == PURGED for node in self.nodes(reference))

    def ids(self, references: Iterable[str]) -> set[str]:
        """Return the ids of the nodes that some references name."""
        return {node.id for reference in references for node in self.nodes(reference)}

    @cached_property
    def items(self) -> tuple[PacketItem, ...]:
        """All that a whole packet carries; nothing where only ids were given."""
        sections = [getattr(self.whole, section) for section in HEADINGS] if self.whole is not None else []
        return tuple(item for section in sections for item in section if isinstance(item, PacketItem))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of what is stored of the packet that are nobody's but its own."""
        said = self.said
        told = (value for part in (*said.prose, *said.attachments) for value in part.values() if isinstance(value, str))
        return tuple(filter(None, (said.focus, said.compactor, said.model, said.workspace, *told)))

    @cached_property
    def tail(self) -> set[str]:
        """The ids of what the packet carries along from after what it covers."""
        return self.ids(self.said.tail)

    def missing(self, nodes: Iterable[Node], carried: Collection[str]) -> tuple[str, ...]:
        """Return the records of the nodes that are neither among those carried nor in the tail."""
        return tuple(
            dict.fromkeys(node.record for node in nodes if node.id not in carried and node.id not in self.tail)
        )

    @cached_property
    def covers(self) -> int:
        """The ordinal as of which the packet speaks; 0 where that is not known."""
        return self.covered_by(self.said.covers_to, self.said.upto)

    def covered_by(self, covers_to: str | int | None, upto: int | None) -> int:
        """Return the ordinal as of which a packet speaks that names this record; 0 where nothing is known of it.

        The ordinal that it gives beside says more only of a record that made no node.
        """
        named = ordinal_covered(self.snapshot, covers_to)
        if named > 0:
            return named
        nodeless = self._nodeless(covers_to)
        return max(nodeless, min(upto or 0, self.snapshot.ordinal)) if nodeless > 0 else 0

    def _nodeless(self, covers_to: str | int | None) -> int:
        number = self._entry_of(covers_to) if isinstance(covers_to, str) else None
        if number is None:
            return 0
        return max((last for kind in NODE_TYPES if (last := self._last_upto(kind, number))), default=1)

    def _last_upto(self, kind: type[Node], number: int) -> int:
        made = reversed(self.snapshot.of_kind(kind))
        return next((node.ordinal for node in made if (entry_number(node.handle) or 0) <= number), 0)

    def _named(self, reference: str) -> list[AnyNode]:
        # Node ids come first: whoever gives a record the id of another's node takes nothing of its place.
        node = self.snapshot.node(reference)
        if node is not None:
            return [node]
        # What looks like a handle may cost a look at the whole graph: so that is made once for all of them.
        if entry_number(reference) is None:
            return self.snapshot.named(reference)
        if reference in self._records:
            return self.snapshot.named(reference)
        return [self._handles[reference]] if reference in self._handles else []

    @cached_property
    def _handles(self) -> dict[str, AnyNode]:
        nodes: Iterable[AnyNode] = (node for kind in NODE_TYPES for node in self.snapshot.of_kind(kind))  # type: ignore[misc]
        return {node.handle: node for node in nodes}

    @cached_property
    def _records(self) -> frozenset[str]:
        return frozenset(node.record for node in self._handles.values())
