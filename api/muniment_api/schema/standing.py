"""What was seen and what still holds, on the wire: coverage, checks before a write, holdings, absences."""

from __future__ import annotations

from collections.abc import Sequence

import strawberry

from muniment.closeout.absences import Absence as DomainAbsence
from muniment.closeout.holding import Holding as DomainHolding
from muniment.sight import BaseChange as DomainChange
from muniment.sight import Coverage as DomainCoverage
from muniment.sight import OpenInterval
from muniment.sight import WriteCheck as DomainCheck
from muniment_api.schema.declare import made, said, typed


@typed
class Lines:
    """Lines of a file, counted from 1, both ends included."""

    first: int = said("The first line.")
    last: int | None = said("The last line; null where nobody knows how long the file is.")


@typed
class SeenLines:
    """Lines of the current version that an agent has seen."""

    first: int = said("The first line.")
    last: int = said("The last line.")
    receipt: strawberry.ID = said("The newest receipt that showed them, or wrote them.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")


@typed
class Coverage:
    """Which lines of a file, as it is now, an agent has seen."""

    path: str = said("The file's path.")
    file: strawberry.ID = said("The file.")
    session: str = said("The session of the agent.")
    agent: str = said("The agent; empty is the session's root agent.")
    version: strawberry.ID = said("The version that the file stands at; empty where none is known.")
    grade: str = said("How well that is known: lines, bytes, partial or absent.")
    total_lines: int | None = said("How many lines it has; null where that is not known.")
    seen: list[SeenLines] = said("What it has seen, ascending.")
    unseen: list[Lines] = said("What it has never seen, ascending.")


@typed
class BaseChange:
    """A change of a file since its agent last saw it."""

    id: strawberry.ID = said("What made it, or showed that it had been made.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")
    ordinal: int = said("Its causal place.")
    by: str = said("Its author.")
    session: str = said("The session in which it happened.")
    agent: str = said("The agent that worked; empty is the root agent, or nobody on record.")


@typed
class WriteCheck:
    """Whether an agent knows what it is about to change."""

    path: str = said("The file's path.")
    agent: str = said("The agent; empty is the root agent.")
    ok: bool = said("Whether it has seen all of it as it is now.")
    unseen: list[Lines] = said("What it has never seen of what it would change.")
    stale_base: list[BaseChange] = said("What changed the file since it last saw it.")
    receipts: list[strawberry.ID] = said("What showed it the lines that it has seen.")
    reasons: list[str] = said(
        "not_on_record, gone, never_seen, unseen_lines, stale_base; effect_unknown, which refuses nothing."
    )
    doubt: BaseChange | None = said("The newest thing since that may have changed any file.")


@typed
class Holding:
    """Whether a receipt still tells of what is there now."""

    receipt: strawberry.ID = said("The receipt.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")
    status: str = said("holds, stale or unknown.")
    reason: str = said("What ended it, in a word; empty where it holds.")
    since: int | None = said("The causal place since which it does not hold.")
    because: strawberry.ID | None = said("The record that ended it.")
    path: str | None = said("The file concerned.")
    lines: list[Lines] = said("Where the lines that it showed stand now.")


@typed
class Absence:
    """What a search did not find."""

    receipt: strawberry.ID = said("The search's receipt.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")
    ordinal: int = said("Its causal place.")
    pattern: str = said("What was looked for.")
    within: str = said("Where in the files: text, or names.")
    places: list[str] = said("The files and folders that were searched.")
    excluded: list[str] = said("What the search passed over.")
    confirmed: bool = said("Whether the search itself said that it found nothing.")
    doubt: str = said("Why it is only inferred.")
    status: str = said("holds, stale or unknown.")
    since: int | None = said("The causal place since which it does not hold.")
    because: strawberry.ID | None = said("The record that ended it.")
    could_see: str = said("Whether it could have seen the file that was asked about: yes, no, perhaps; else empty.")
    why: str = said("What speaks against it.")


def coverage_of(found: DomainCoverage) -> Coverage:
    """Return a coverage as it goes over the wire."""
    seen = [made(SeenLines, lines) for lines in found.seen]
    return made(Coverage, found, seen=seen, unseen=_lines(found.unseen))


def check_of(found: DomainCheck) -> WriteCheck:
    """Return a check as it goes over the wire."""
    stale = [_change(change) for change in found.stale_base]
    doubt = None if found.doubt is None else _change(found.doubt)
    return made(WriteCheck, found, unseen=_lines(found.unseen), stale_base=stale, doubt=doubt)


def holding_of(found: DomainHolding) -> Holding:
    """Return a holding as it goes over the wire."""
    return made(Holding, found, lines=_lines(found.lines))


def absence_of(found: DomainAbsence) -> Absence:
    """Return an absence as it goes over the wire."""
    return made(Absence, found)


def _change(found: DomainChange) -> BaseChange:
    return made(BaseChange, found)


def _lines(found: Sequence[OpenInterval]) -> list[Lines]:
    return [Lines(first=first, last=last) for first, last in found]
