"""Rules about the record itself: losses that are known, statements in force that contradict one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from muniment.closeout.rules.rule import NOTE, WARNING, Inquiry, Noticed, Rule
from muniment.model.nodes import Gap

SOME: Final = 5
"""Losses of a kind that a finding names."""


def _losses(inquiry: Inquiry) -> Iterator[Noticed]:
    """Losses that are known, one finding per kind."""
    by_code: dict[str, list[Gap]] = defaultdict(list)
    for gap in inquiry.snapshot.gaps():
        by_code[gap.code].append(gap)
    for code, gaps in sorted(by_code.items()):
        severity = NOTE if code == "purged" else WARNING
        what = f"{len(gaps)} known {'loss' if len(gaps) == 1 else 'losses'}"
        message = f"{what} ({code.replace('_', ' ')}): {_handles(gaps)}"
        yield Noticed(code=code, severity=severity, message=message, ids=tuple(gap.id for gap in gaps))


def _handles(gaps: list[Gap]) -> str:
    named = ", ".join(gap.handle for gap in gaps[:SOME])
    return f"{named}, …" if len(gaps) > SOME else named


def _conflicts(inquiry: Inquiry) -> Iterator[Noticed]:
    conflicting = tuple(inquiry.snapshot.conflicts())
    if conflicting:
        message = f"{len(conflicting)} facts or decisions contradict one another"
        yield Noticed(message=message, ids=conflicting)


RECORD_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="known-loss",
        severity=WARNING,
        title="something is known to be missing from the record",
        why="A line that could not be read, or a link that leads nowhere, may have held what speaks against a claim. "
        "What was purged on purpose is only noted.",
        fix="Import the source again from a sound copy, or look at `muniment log` for what is missing.",
        check=_losses,
        tags=("record",),
        codes=("purged", "lines_quarantined", "log_replaced", "no_authority"),
    ),
    Rule(
        id="conflict",
        severity=WARNING,
        title="facts or decisions contradict one another",
        why="Two statements in force cannot both be followed; whoever follows one breaks the other.",
        fix="Let the user say which one holds: state it anew with `supersedes`, or withdraw the other.",
        check=_conflicts,
        tags=("record", "decisions"),
    ),
)
