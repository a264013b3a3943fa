"""Which records a source's own lines or events became, for sources that name those: what a compaction kept or forgot.

Only the newest are remembered, and only those whose records have other ids than the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muniment.model.records import Message, Record, ToolCalled, ToolReturned

REMEMBERED = 1024
"""A context holds some hundreds of lines: what left it longer ago cannot leave it again."""


def remember(told: dict[str, list[str]], source: str, records: Iterable[Record]) -> None:
    """Remember what a line became: what was said, called and returned in it."""
    made = [record.id for record in records if isinstance(record, Message | ToolCalled | ToolReturned)]
    if not source or made in ([], [source]):
        return
    told[source] = made
    while len(told) > REMEMBERED:
        del told[next(iter(told))]


def records_of(told: dict[str, list[str]], sources: Sequence[str]) -> tuple[str, ...]:
    """Return the records that lines became, in their order, each once."""
    return tuple(dict.fromkeys(record for source in sources for record in told.get(source, [source])))
