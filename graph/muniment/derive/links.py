"""Reports on links and losses: what is dangling, in a ring, unread or not allowed. Pure, over a snapshot."""

from __future__ import annotations

import msgspec

from muniment.model.edges import EdgeKind
from muniment.model.nodes import Decision, Fact, Message
from muniment.snapshot import Snapshot


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Something that people should know of: `code`, the ids of the records concerned, and how many there are."""

    code: str
    ids: tuple[str, ...]
    count: int
    detail: tuple[str, ...] = ()


def reports(snapshot: Snapshot) -> list[Report]:
    """Return all reports, by code: cycle, dangling_parent, and each code of a known loss."""
    found = [_cycle_report(snapshot), _dangling_report(snapshot)]
    losses: dict[str, list[tuple[str, str]]] = {}
    for gap in snapshot.gaps():
        losses.setdefault(gap.code, []).append(
            (gap.record, f"line {gap.line}: {gap.detail}" if gap.line else gap.detail)
        )
    for code, told in losses.items():
        ids = tuple(record for record, _ in told)
        found.append(Report(code=code, ids=ids, count=len(told), detail=tuple(detail for _, detail in told)))
    return sorted((report for report in found if report.count), key=lambda report: report.code)


def _dangling_report(snapshot: Snapshot) -> Report:
    dangling = [
        message.record
        for message in snapshot.of_kind(Message)
        if message.parent is not None
        and message.parent != message.record
        and not snapshot.edges_to(message.id, {EdgeKind.PRECEDES})
    ]
    return Report(code="dangling_parent", ids=tuple(dangling), count=len(dangling))


def _cycle_report(snapshot: Snapshot) -> Report:
    after = {
        edge.target: edge.source
        for m in snapshot.of_kind(Message)
        for edge in snapshot.edges_from(m.id, {EdgeKind.PRECEDES})
    }
    own = [m.id for m in snapshot.of_kind(Message) if m.parent == m.record]
    rings = [*own, *_on_rings(after)]
    rings += [
        node.id
        for node in [*snapshot.of_kind(Fact), *snapshot.of_kind(Decision)]
        if _supersedes_itself(snapshot, node.id)
    ]
    records = [node.record for ring in rings if (node := snapshot.node(ring)) is not None]
    return Report(code="cycle", ids=tuple(records), count=len(records))


def _supersedes_itself(snapshot: Snapshot, node: str) -> bool:
    """Tell whether a chain of SUPERSEDES leads from a node back to it."""
    reached: set[str] = set()
    todo = [node]
    while todo:
        ends = {edge.target for edge in snapshot.edges_from(todo.pop(), {EdgeKind.SUPERSEDES})}
        if node in ends:
            return True
        todo += ends - reached
        reached |= ends
    return False


def _on_rings(parent: dict[str, str]) -> list[str]:
    """Return the nodes that lie on a ring of parent links; each node has at most one parent."""
    done: set[str] = set()
    rings: list[str] = []
    for start in parent:
        way: list[str] = []
        node = start
        while node in parent and node not in done:
            done.add(node)
            way.append(node)
            node = parent[node]
        if node in way:
            rings += way[way.index(node) :]
    return rings
