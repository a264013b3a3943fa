"""What ended since the packet in force: settled and cancelled tasks, as history."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.derive.texts import readable
from muniment.handoff.parts import Part, Sources, part_of, ranked
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Task
from muniment.snapshot import ENDED_STATES

SIZES: Final = (48,)
MOST: Final = 24
"""Tasks that a packet names as ended: the newest."""


def settled(sources: Sources) -> Iterable[Part]:
    """Return the tasks that ended since the base, the last first, with what is on record for them."""
    live, snapshot = sources.live, sources.snapshot
    ended: list[tuple[int, Task]] = []
    for task in live.newest([Task]):
        if live.state(task.id) in ENDED_STATES and not live.ended(task.id):
            moved = snapshot.edges_to(task.id, {EdgeKind.MOVED})
            when = moved[-1].ordinal if moved else task.ordinal
            if when > sources.since:
                ended.append((when, task))

    def matters(each: tuple[int, Task]) -> tuple[bool, int, str]:
        return not (sources.words and sources.matches(sources.desk.text(each[1].text))), -each[0], each[1].id

    ended.sort(key=matters)
    return ranked(_part(sources, task) for _, task in ended[:MOST])


def _part(sources: Sources, task: Task) -> Part:
    proof = sources.snapshot.edges_to(task.id, {EdgeKind.SUPPORTS})
    part = part_of(
        "settled",
        task,
        sources.desk.text(task.text),
        by=task.by,
        state=readable(sources.live.state(task.id)),
        cites=tuple(dict.fromkeys(edge.source for edge in proof))[:3],
    )
    return msgspec.structs.replace(part, sizes=SIZES)
