"""Negative knowledge: what searches did not find and what still holds of that, with how far they reached."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.closeout.absences import Absence, absence_of
from muniment.closeout.holding import HOLDS
from muniment.derive.texts import readable
from muniment.handoff.parts import Part, Sources, part_of, ranked
from muniment.model.nodes import Receipt

MOST: Final = 12
"""Absences that a packet names: the newest."""


def absent(sources: Sources) -> Iterable[Part]:
    """Return what is known not to be there, newest first, each once."""
    found: dict[tuple[str, str, tuple[str, ...]], tuple[Receipt, Absence]] = {}
    for receipt in _searches(sources):
        if len(found) == MOST:
            break
        absence = absence_of(sources.evidence, receipt)
        if absence is not None and absence.status == HOLDS:
            found.setdefault((absence.pattern, absence.within, absence.places), (receipt, absence))
    return ranked(_part(sources, receipt, absence) for receipt, absence in found.values())


def _searches(sources: Sources) -> list[Receipt]:
    live = sources.live
    recent = [receipt for receipt in live.newest([Receipt]) if receipt.pattern is not None]
    known = {receipt.id for receipt in recent}
    carried = [live.node(each) or sources.snapshot.node(each) for each in (sources.base.absent if sources.base else ())]
    older = [node for node in carried if isinstance(node, Receipt) and node.id not in known]
    return [*recent, *sorted(older, key=lambda receipt: (-receipt.ordinal, receipt.id))]


def _part(sources: Sources, receipt: Receipt, absence: Absence) -> Part:
    scope = f"{readable(absence.pattern)!r} in {absence.within} of {readable(', '.join(absence.places))}"
    passed_over = f", less {readable(', '.join(absence.excluded))}" if absence.excluded else ""
    doubt = "" if absence.confirmed else f"inferred: {absence.doubt}"
    return part_of("absent", receipt, sources.shown(scope + passed_over), why=doubt)
