"""Tailing: entries behind a position, as far as a scope sees them, for whoever follows what is recorded.

* What is out of sight is not counted, not even by a gap that the caller could not also see in the positions of others.
* One call looks at a bounded piece of the journal and says how far it looked: go on from there.
"""

from __future__ import annotations

import msgspec

from muniment.journal.port import Journal
from muniment.model.entries import Entry
from muniment.payload_markers import restore
from muniment.scope import Scope

LOOKED_AT = 5_000
"""Entries that one call looks at, at most."""


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """Entries in order of position, their texts restored; `position` is how far was looked."""

    entries: tuple[Entry, ...]
    position: int


def tail(journal: Journal, scope: Scope, after: int, limit: int) -> Tail:
    """Return at most `limit` entries in sight behind position `after`."""
    end = min(journal.head().position, after + LOOKED_AT)
    seen: dict[str, bool] = {}
    found: list[Entry] = []
    for entry in journal.read(None, after=after, upto=end):
        if entry.mission not in seen:
            info = journal.mission(entry.mission)
            seen[entry.mission] = info is not None and scope.holds(info)
        if seen[entry.mission]:
            found.append(_whole(journal, entry))
        if len(found) >= limit:
            return Tail(entries=tuple(found), position=entry.position)
    return Tail(entries=tuple(found), position=max(after, end))


def _whole(journal: Journal, entry: Entry) -> Entry:
    if entry.body is None:
        return entry
    return msgspec.structs.replace(entry, body=restore(entry.body, journal.payload)[0])
