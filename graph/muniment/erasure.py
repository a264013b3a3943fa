"""Erasure: which entries a purge must take. Pure but for looking entries up.

The entry behind the id goes, and with it every packet and distillation whose prose cites it. A claim or decision that
cites it stays, since
its disappearance would make a closeout pass; where it carries words of its own it is listed, so that a person can look.
"""

from __future__ import annotations

import msgspec

from muniment.errors import UnknownIdError
from muniment.journal.port import Journal, PurgeReport
from muniment.model.edges import EdgeKind
from muniment.model.ids import entry_number
from muniment.model.nodes import AnyNode, Claim, Decision, Packet
from muniment.snapshot import Snapshot


class Purged(msgspec.Struct, frozen=True, kw_only=True):
    """What a purge did in the journal, and the claims and decisions that cite what is gone in words of their own."""

    report: PurgeReport
    citing: tuple[str, ...]


def positions(journal: Journal, mission: str, snapshot: Snapshot, wanted: str) -> tuple[list[int], tuple[str, ...]]:
    """Return the positions to purge for an id, and the ids of what cites it in words of its own.

    Raises:
        UnknownIdError: no entry stands behind the id.
    """
    nodes = snapshot.named(wanted)
    numbers = {number for node in nodes if (number := entry_number(node.handle)) is not None}
    if not numbers:
        raise UnknownIdError(wanted)
    citing = [source for node in nodes for source in _citing(snapshot, node)]
    numbers |= {number for node in citing if isinstance(node, Packet) and (number := entry_number(node.handle))}
    worded = tuple(node.id for node in citing if _has_words(node))
    return [journal.entry(mission, number).position for number in sorted(numbers)], worded


def _citing(snapshot: Snapshot, node: AnyNode) -> list[AnyNode]:
    found = [snapshot.node(edge.source) for edge in snapshot.edges_to(node.id, {EdgeKind.CITES})]
    return [each for each in found if each is not None]


def _has_words(node: AnyNode) -> bool:
    return isinstance(node, Decision) or (isinstance(node, Claim) and node.text is not None)
