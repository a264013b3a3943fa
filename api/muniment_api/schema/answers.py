"""Answers on the wire: views, neighbourhoods, whole texts, entries, reports."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from muniment.capture.importing import ImportReport as DomainReport
from muniment.model.entries import Entry as DomainEntry
from muniment.model.packing import writable
from muniment.rehydration import Rehydrated as DomainRehydrated
from muniment.search.hits import Hit as DomainHit
from muniment.selection.view import View as DomainView
from muniment_api.schema.declare import made, said, typed
from muniment_api.schema.enums import EdgeKind
from muniment_api.schema.nodes import Node


@typed
class ViewItem:
    """One part of a view."""

    id: strawberry.ID = said("The node that is shown.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    record: strawberry.ID = said("The record that made it.")
    role: str = said("order (still to be done), current (holds now), history, or conflict.")
    section: str = said("The section of the text.")
    tokens: int = said("What it costs.")
    why: str = said("Why it is in the view.")
    path: str | None = said("The file whose lines are shown.")
    lines: list[int] | None = said("The first and last line that are shown, counted from 1.")
    receipts: list[strawberry.ID] = said("What proves it.")
    at: list[int] = said("Its first character in the text, and the one behind its last.")
    level: str = said("How much of the node it shows: full, distilled or pointer.")
    names: list[str] = said("The names for which it was chosen; none where it was chosen for its place.")


@typed
class OmittedItem:
    """Something that is not, or not wholly, in a view; `rehydrate` gives it whole."""

    id: strawberry.ID = said("The node.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    record: strawberry.ID = said("The record that made it.")
    reason: str = said("shortened, budget (it did not fit), not_needed (a slice does without it), or withheld.")
    tokens: int = said("About what it would cost.")
    path: str | None = said("The file that it is about.")
    lines: list[list[int]] = said("Runs of its lines that are missing, each small enough to be asked for by itself.")


@typed
class View:
    """The minimal live context for a task."""

    mission: strawberry.ID = said("The mission.")
    text: str = said("The text for a model: the same bytes each time, never above the budget.")
    tokens: int = said("What the text costs.")
    budget: int = said("What it may cost.")
    estimator: str = said("What counted the tokens.")
    ordinal: int = said("The causal place up to which it saw.")
    items: list[ViewItem] = said("The parts, in the order of the text.")
    omitted: list[OmittedItem] = said("What did not fit, the newest.")
    left_out: int = said("How many things did not fit.")
    session: str = said("The session for which it was made; empty where none is known.")
    agent: str = said("The agent for which it was made; empty for the root agent.")


def view_of(found: DomainView) -> View:
    """Return a view as it goes over the wire."""
    items = [made(ViewItem, item, lines=item.lines and list(item.lines), at=list(item.at)) for item in found.items]
    omitted = [made(OmittedItem, item, lines=[list(run) for run in item.lines]) for item in found.omitted]
    return made(View, found, items=items, omitted=omitted)


@typed
class GraphEdge:
    """How two nodes of a neighbourhood are joined."""

    kind: EdgeKind = said("How they are joined.")
    source: strawberry.ID = said("The node that it starts from.")
    target: strawberry.ID = said("The node that it leads to.")
    ordinal: int = said("The causal place of the record that made it.")
    state: str = said("What it says beside its kind, such as the new state of a task.")


@typed
class Neighbourhood:
    """What is around a node."""

    nodes: list[Node] = said("The nodes, nearest first.")
    edges: list[GraphEdge] = said("The edges between them.")
    truncated: bool = said("Whether there was more than was asked for.")


@typed
class Rehydrated:
    """The whole thing that an id names, or some lines of it."""

    id: strawberry.ID = said("The node.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    record: strawberry.ID = said("The record that made it.")
    mission: strawberry.ID = said("Its mission.")
    text: str = said("The text.")
    lines: list[int] | None = said("The first and last line that are given, counted from 1; null: all.")
    total_lines: int = said("How many lines the whole has.")
    digest: str = said("BLAKE3 of the whole, as stored.")
    state: str = said("Its newest state, or how it ceased to hold.")
    superseded_by: list[strawberry.ID] = said("What superseded it.")
    flags: list[str] = said("What happened to the text: repaired, lifted, purged.")
    fields: JSON = said("All that its own kind says.")


def rehydrated_of(found: DomainRehydrated) -> Rehydrated:
    """Return a rehydrated thing as it goes over the wire."""
    return made(Rehydrated, found, lines=found.lines and list(found.lines))


@typed
class SearchHit:
    """One thing whose text matches a search."""

    id: strawberry.ID = said("The node.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    record: strawberry.ID = said("The record that made it.")
    mission: strawberry.ID = said("Its mission.")
    ordinal: int = said("Its causal place in its mission.")
    score: float = said("How well it matches, within its mission: the higher, the better.")
    title: str = said("A receipt's command or path, or a file's path.")
    snippet: str = said("The place of the match; ⟦ and ⟧ are around what matches.")
    line: int | None = said("The line of the first match, counted from 1; null where only the title matches.")
    state: str = said("withdrawn or superseded; empty where it is in force.")


def hit_of(found: DomainHit) -> SearchHit:
    """Return a hit as it goes over the wire."""
    return made(SearchHit, found)


@typed
class Entry:
    """A line of the journal: what came in."""

    position: int = said("Its place in the journal; go on from here with `after`.")
    number: int = said("Its place in its mission, from 1.")
    mission: strawberry.ID = said("Its mission.")
    project: str = said("The mission's project.")
    session: str = said("The source's session.")
    stream: str = said("The agent whose transcript it is from; empty for the root agent.")
    source_id: strawberry.ID = said("The source's own id of it.")
    actor: str = said("Its author.")
    recorded_at: str = said("When it was recorded, ISO 8601.")
    format: str = said("The name and version of the body's format.")
    body: JSON | None = said("What came in, redacted; null where it was purged.")


def entry_of(entry: DomainEntry) -> Entry:
    """Return an entry as it goes over the wire."""
    return made(Entry, entry, body=None if entry.body is None else JSON(writable(entry.body)))


@typed
class ImportReport:
    """What an import did: `lines = parsed + quarantined + ignored` and `records = stored + duplicates`."""

    mission: str = said("The first mission that it told of.")
    missions: list[str] = said("All missions that it told of.")
    sessions: list[str] = said("The sessions.")
    files: int = said("The files that were read.")
    lines: int = said("The lines that were read.")
    parsed: int = said("Lines that were understood.")
    quarantined: int = said("Lines that could not be read.")
    ignored: JSON = said("Lines that are kept and that no rule reads, by kind.")
    records: int = said("The objects that the lines held.")
    stored: int = said("Those that were new.")
    duplicates: int = said("Those that were there before.")
    redacted: JSON = said("Secrets that were redacted, by kind.")


def report_of(report: DomainReport) -> ImportReport:
    """Return a report as it goes over the wire."""
    return made(ImportReport, report)
