"""Journals to test with: drafts that are easy to tell apart, and a journal with all that a journal can hold."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from muniment.digest import Digest
from muniment.journal.port import Appended, Journal
from muniment.journal.sqlite import SqliteJournal
from muniment.model.entries import JSON_OBJECT, Draft, Entry
from muniment.payload_markers import lift, restore

WHEN = "2026-01-02T03:04:05Z"


def draft(source_id: str, body: JSON_OBJECT | None = None, **fields: str) -> Draft:
    """Return a draft; what is not given is the same for all."""
    given = {
        "mission": "mission:m",
        "project": "p",
        "session": "s",
        "stream": "",
        "actor": "agent",
        "format": "sample/1",
    }
    return Draft(source_id=source_id, body={"id": source_id} if body is None else body, **{**given, **fields})


def append(journal: Journal, *drafts: Draft, expected: int | None = None) -> Appended:
    """Append drafts whose bodies still hold their long texts."""
    lifted, payloads = lifted_drafts(drafts)
    return journal.append(lifted, payloads, recorded_at=WHEN, expected=expected)


def lifted_drafts(drafts: Iterable[Draft]) -> tuple[list[Draft], dict[Digest, bytes]]:
    """Return the drafts with their long texts lifted out, and the payloads."""
    out: list[Draft] = []
    payloads: dict[Digest, bytes] = {}
    for one in drafts:
        body, lifted = lift(one.body)
        payloads.update(lifted)
        out.append(draft(one.source_id, body, **{name: getattr(one, name) for name in _NAMES}))
    return out, payloads


def some_drafts(count: int, seed: int, prefix: str = "d") -> list[Draft]:
    """Return drafts of several missions and streams, small and big, with payloads that some of them share."""
    chance = random.Random(seed)
    out = []
    for place in range(count):
        body: JSON_OBJECT = {"place": place, "text": f"{prefix}{place} " + "w" * chance.randrange(0, 600)}
        if place % 4 == 0:
            body["long"] = f"{prefix} long {place % 8} " + " ".join(str(chance.random()) for _ in range(150 + place))
        if place % 8 == 4:
            body["shared"] = "the same long text " * 100
        stream = "child" if place % 5 == 0 else ""
        out.append(draft(f"{prefix}{place}", body, mission=f"mission:{place % 3}", stream=stream))
    return out


def filled(folder: Path, count: int = 60, seed: int = 1) -> SqliteJournal:
    """Return an open journal: half of its entries are in the main file, half still in the WAL."""
    drafts = some_drafts(count, seed)
    with SqliteJournal.open(folder, create=True) as first:
        for start in range(0, count // 2, 7):
            append(first, *drafts[start : min(start + 7, count // 2)])
    journal = SqliteJournal.open(folder)
    for one in drafts[count // 2 :]:
        append(journal, one)
    return journal


def contents(journal: Journal) -> list[Entry]:
    """Return all entries in order of position, with their texts back in their bodies."""
    return [whole(journal, entry) for entry in journal.read(None)]


def whole(journal: Journal, entry: Entry) -> Entry:
    """Return the entry with its texts back in its body."""
    if entry.body is None:
        return entry
    body, _ = restore(entry.body, journal.payload)
    return Entry(**{**{name: getattr(entry, name) for name in entry.__struct_fields__}, "body": body})


_NAMES = ("mission", "project", "session", "stream", "actor", "format")
