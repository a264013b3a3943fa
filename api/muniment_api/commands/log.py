"""`muniment log`: what happened, one line each."""

from __future__ import annotations

import click
import msgspec

from muniment.describing import described
from muniment.model.nodes import NODE_TYPES, AnyNode, File, FileVersion, Name, Node, kind_of
from muniment.snapshot import Snapshot
from muniment_api.command import command, mission_argument
from muniment_api.console import Console
from muniment_api.layout import columns, one_line
from muniment_api.opening import open_store, pick_mission

QUIET: tuple[type[Node], ...] = (File, FileVersion, Name)
"""Kinds that are listed only if asked for: they are about things, not about what happened."""
TEXT = 400
"""Characters of a text in JSON."""
SHOWN = tuple(kind_of(kind) for kind in NODE_TYPES)


@command("log", examples=["muniment log", "muniment log --last 20", "muniment log --kind receipt --kind task"])
@mission_argument
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(SHOWN), metavar="KIND", help="Only this kind of node."
)
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N.")
@click.option("--as-of", type=click.IntRange(min=0), metavar="POSITION", help="As the journal stood at this position.")
@click.pass_obj
def log(console: Console, mission: str | None, *, kinds: tuple[str, ...], last: int | None, as_of: int | None) -> None:
    """List what happened in MISSION, in causal order: handle, kind, author, what it says."""
    with open_store(console) as store:
        snapshot = store.snapshot(pick_mission(console, store, mission), as_of=as_of)
        found = _found(snapshot, kinds)
        rows = [_Row.of(snapshot, node) for node in (found[-last:] if last else found)]
    text = columns([(row.handle, row.kind, row.by, row.state, one_line(row.text)) for row in rows])
    found_rows = [msgspec.to_builtins(row) for row in rows]
    console.result({"mission": snapshot.mission, "ordinal": snapshot.ordinal, "log": found_rows}, text)


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    handle: str
    kind: str
    record: str
    ordinal: int
    by: str
    clock: str | None
    state: str
    text: str

    @classmethod
    def of(cls, snapshot: Snapshot, node: AnyNode) -> _Row:
        return cls(
            id=node.id,
            handle=node.handle,
            kind=kind_of(node),
            record=node.record,
            ordinal=node.ordinal,
            by=getattr(node, "by", ""),
            clock=getattr(node, "clock", None),
            state=snapshot.ended(node.id) or snapshot.state(node.id) or getattr(node, "status", ""),
            text=one_line(described(snapshot, node), TEXT),
        )


def _found(snapshot: Snapshot, kinds: tuple[str, ...]) -> list[AnyNode]:
    wanted = [kind for kind in NODE_TYPES if (kind_of(kind) in kinds if kinds else kind not in QUIET)]
    nodes: list[AnyNode] = [node for kind in wanted for node in snapshot.of_kind(kind)]  # type: ignore[misc]
    return sorted(nodes, key=lambda node: node.ordinal)


COMMAND = log
