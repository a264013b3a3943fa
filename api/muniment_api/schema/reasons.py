"""Why views are as they are, on the wire; and what leads from one to the next."""

from __future__ import annotations

import strawberry

from muniment.selection.delta import DeltaItem as DomainDeltaItem
from muniment.selection.delta import ViewDelta as DomainDelta
from muniment.selection.explaining import Explanation as DomainExplanation
from muniment.selection.explaining import ItemReason as DomainReason
from muniment.selection.held import Reread as DomainReread
from muniment.selection.whether import WhyAnswer as DomainWhy
from muniment_api.schema.declare import made, said, typed


@typed
class PathStep:
    """One step of the way on which a part of a view was reached."""

    edge: str = said("The kind of edge; MENTIONS: over a name, which is no node.")
    way: str = said("out: in the edge's direction, in: against it.")
    id: strawberry.ID = said("The node that it leads to; empty for a name.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    label: str = said("A name's text, or a file's path.")


@typed
class ItemReason:
    """Why a part of a view is there."""

    place: int = said("Its place among the view's items, from 0.")
    id: strawberry.ID = said("The node that is shown.")
    handle: str = said("Its short name.")
    section: str = said("The section of the text.")
    role: str = said("order, current, history or conflict.")
    tokens: int = said("What it costs.")
    level: str = said("How much of the node it shows: full, distilled or pointer.")
    why: str = said("Why it is in the view.")
    seed: str = said("The handle at which its way begins.")
    path: list[PathStep] = said("The way from there; empty for what is itself a beginning.")
    names: list[str] = said("The names for which it was chosen, the likeliest to be used next first.")
    file: str | None = said("The file whose lines it shows.")
    lines: list[int] | None = said("The first and last of these lines.")


@typed
class Count:
    """How much of something there is."""

    name: str = said("Of what.")
    count: int = said("How much.")


@typed
class Explanation:
    """Why a view is as it is."""

    mission: strawberry.ID = said("The mission.")
    ordinal: int = said("The causal place up to which the view saw.")
    budget: int = said("What it might cost.")
    tokens: int = said("What it costs.")
    estimator: str = said("What counted the tokens.")
    seeds: list[str] = said("The handles at which the walk began.")
    sections: list[Count] = said("What each section costs.")
    omitted: list[Count] = said("How many things were left out, by reason.")
    items: list[ItemReason] = said("The parts, in the order of the text.")


@typed
class WhyAnswer:
    """Why something is or is not in a view."""

    id: strawberry.ID = said("The node.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    record: strawberry.ID = said("The record that made it.")
    path: str | None = said("The file that it is about.")
    answer: str = said(
        "shown, shortened, withheld, not_needed, pointer, budget, repeated, outdated, superseded, settled, ..."
    )
    text: str = said("The answer in words.")
    reasons: list[str] = said("Why each part of it is there.")
    places: list[int] = said("Its places among the view's items, from 0.")
    tokens: int = said("What is shown of it, or about what it would cost; 0: not known.")
    missing: int = said("About what is not shown of it.")
    lines: list[list[int]] = said("Runs of its lines that are missing.")
    by: list[str] = said("Handles of what ended it, took its place or stands for it.")
    since: int = said("The ordinal from which on it had ended; 0: it has not.")
    seed: str = said("The handle at which the way to its first shown part begins; empty where none is.")
    way: list[PathStep] = said("The way from there.")
    names: list[str] = said("The names for which it is shown, the likeliest to be used next first.")


@typed
class DeltaItem:
    """A part of a view that came, went or changed."""

    id: strawberry.ID = said("The node.")
    handle: str = said("Its short name.")
    kind: str = said("What it is.")
    section: str = said("The section of the text.")
    tokens: int = said("What it costs.")
    path: str | None = said("The file whose lines it shows.")
    lines: list[int] | None = said("The first and last of these lines.")


@typed
class TextHunk:
    """Characters `start` to before `stop` of the earlier text give way to `text`."""

    start: int = said("The first character.")
    stop: int = said("The character behind the last.")
    text: str = said("What takes their place.")


@typed
class ViewDelta:
    """What leads from an earlier view to the one of now."""

    mission: strawberry.ID = said("The mission.")
    since: int = said("The ordinal of the earlier view.")
    ordinal: int = said("The ordinal of the later one.")
    base: str = said("BLAKE3 of the earlier text.")
    added: list[DeltaItem] = said("What came.")
    removed: list[DeltaItem] = said("What went, as it was.")
    changed: list[DeltaItem] = said("What is other than it was.")
    hunks: list[TextHunk] = said("What makes the later text out of the earlier one.")
    kept: int = said("How many characters both texts begin with.")
    appendix: str = said("What a transcript that only grows needs: what is new, and which handles have gone.")
    tokens: int = said("What the hunks' texts cost.")
    tail_tokens: int = said("What the later text costs behind what both begin with.")
    appendix_tokens: int = said("What the appendix costs.")
    estimator: str = said("What counted the tokens.")


@typed
class FilePlace:
    """Lines of a file."""

    path: str = said("The file.")
    first: int = said("The first line, from 1.")
    last: int = said("The last line.")


@typed
class Reread:
    """A read that showed unchanged lines again that its agent had seen."""

    receipt: strawberry.ID = said("The read.")
    handle: str = said("Its short name.")
    record: strawberry.ID = said("The record that made it.")
    session: str = said("The session.")
    agent: str = said("The agent; empty for the root agent.")
    places: list[FilePlace] = said("The lines that it showed.")
    began: int = said("The ordinal at which the model began to ask for it.")
    needless: bool = said("Whether a view that its agent had been given held all of it.")
    view: str = said("The handle of that view.")


def explanation_of(found: DomainExplanation) -> Explanation:
    """Return an explanation as it goes over the wire."""
    return made(
        Explanation,
        found,
        seeds=list(found.seeds),
        sections=[Count(name=name, count=count) for name, count in found.sections.items()],
        omitted=[Count(name=name, count=count) for name, count in found.omitted.items()],
        items=[_reason(item) for item in found.items],
    )


def _reason(item: DomainReason) -> ItemReason:
    path = [made(PathStep, step) for step in item.path]
    return made(ItemReason, item, path=path, lines=item.lines and list(item.lines))


def why_of(found: DomainWhy) -> WhyAnswer:
    """Return why something is or is not in a view, as it goes over the wire."""
    way = [made(PathStep, step) for step in found.way]
    return made(WhyAnswer, found, lines=[list(run) for run in found.lines], way=way)


def delta_of(found: DomainDelta) -> ViewDelta:
    """Return a delta as it goes over the wire."""
    return made(
        ViewDelta,
        found,
        added=_items(found.added),
        removed=_items(found.removed),
        changed=_items(found.changed),
        hunks=[made(TextHunk, hunk) for hunk in found.hunks],
    )


def _items(found: tuple[DomainDeltaItem, ...]) -> list[DeltaItem]:
    return [made(DeltaItem, item, lines=item.lines and list(item.lines)) for item in found]


def reread_of(found: DomainReread) -> Reread:
    """Return a read as it goes over the wire."""
    places = [FilePlace(path=path, first=first, last=last) for path, first, last in found.places]
    return made(Reread, found, places=places)
