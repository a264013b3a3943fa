"""Reading entries: bodies made whole again, normalised, and two tellings of one agent merged.

Nothing here knows of the graph: what comes out are records with their entries, in the order in which they are folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Protocol

import msgspec

from muniment.derive.tellings import Merge, Told, is_transcript, keys_of, told_alone
from muniment.digest import Digest
from muniment.importers.hook_streams import HOOKS, agent_of, stream_of
from muniment.importers.instruction_files import with_instruction_files
from muniment.importers.protocol import Normaliser
from muniment.model.entries import QUARANTINE_FORMAT, RECORD_FORMAT, Entry
from muniment.model.records import LineQuarantined, Record
from muniment.payload_markers import bytes_text, restore

StreamKey = tuple[str, str]
NormaliserOf = Callable[[str, bytes | None], Normaliser]
"""Make a normaliser for a format, new or from an earlier state."""
NameOf = Callable[[Entry], str]
"""Return the id under which the records of an entry are known."""


class EntrySource(Protocol):
    """Where a mission's entries and payloads come from, up to some position."""

    def entries(self, stream: StreamKey | None, after: int) -> Iterator[Entry]:
        """Yield the entries behind a position, in order of position: of one stream, or (None) all."""
        ...

    def streams(self) -> dict[StreamKey, int]:
        """Return the streams with the last position of each."""
        ...

    def payload(self, digest: Digest) -> bytes | None:
        """Return a payload, None where it was purged."""
        ...


class Reading:
    """Reads the entries of one mission."""

    def __init__(self, source: EntrySource, normaliser_of: NormaliserOf, name_of: NameOf) -> None:
        self._source = source
        self._normaliser_of = normaliser_of
        self._name_of = name_of

    def told(self, entry: Entry, normaliser: Normaliser | None, *, named: bool = True) -> Told:
        """Return what an entry tells; with `named`, under the id that its line has for good."""
        if entry.body is None:
            return Told(entry, {}, [])
        payloads: dict[str, str] = {}

        def remembered(digest: Digest) -> bytes | None:
            data = self._source.payload(digest)
            if data is not None:
                payloads[digest] = bytes_text(data)
            return data

        body = restore(entry.body, remembered)[0] if entry.marked else entry.body
        source_id = self._name_of(entry) if named else entry.source_id
        entry = msgspec.structs.replace(entry, body=body, source_id=source_id)
        records = _quarantined(entry) if normaliser is None else with_instruction_files(normaliser.feed(entry))
        return Told(entry, payloads, [_placed(record, entry) for record in records])

    def twice_told(self, streams: dict[StreamKey, int]) -> list[str]:
        """Return the sessions whose root agent both a transcript and hooks tell of."""
        beside = [session for session, stream in streams if stream == HOOKS and (session, "") in streams]
        return [session for session in beside if any(map(is_transcript, self._source.entries((session, ""), 0)))]

    def merge(self, session: str, agent: str) -> Merge:
        """Return what hooks, and callers, alone tell of an agent whose transcript is there too."""
        own = (session, agent)
        told: set[str] = set()
        counts: Counter[str] = Counter()
        transcript = filter(is_transcript, self._source.entries(own, 0))
        for each in self._read(transcript, named=False):
            told.update(keys_of(each.records, counts))
        stated = (entry for entry in self._source.entries(own, 0) if entry.format == RECORD_FORMAT)
        live = chain(self._source.entries((session, stream_of(agent)), 0), stated)
        return Merge(told_alone(self._read(sorted(live, key=lambda entry: entry.position)), told))

    def child(self, session: str, agent: str, streams: dict[StreamKey, int]) -> Iterator[Told]:
        """Yield what a child's stream tells: its transcript, its hooks, or both of them merged."""
        own, beside = (session, agent), (session, stream_of(agent))
        if own not in streams:
            yield from self._read(self._source.entries(beside, 0) if beside in streams else iter(()))
            return
        merge = self.merge(session, agent) if beside in streams else Merge({})
        for each in self._read(self._source.entries(own, 0)):
            yield from merge.around(each)

    def _read(self, entries: Iterator[Entry] | list[Entry], *, named: bool = True) -> Iterator[Told]:
        """Yield what entries tell, from the beginning of their streams: one normaliser for each format."""
        normalisers: dict[str, Normaliser] = {}
        for entry in entries:
            form = entry.format
            if form not in normalisers and form != QUARANTINE_FORMAT:
                normalisers[form] = self._normaliser_of(form, None)
            yield self.told(entry, normalisers.get(form), named=named)


def _placed(record: Record, entry: Entry) -> Record:
    """Fill in what the entry knows: its session, and the agent whose stream it is of."""
    session, agent = record.session or entry.session, record.agent or agent_of(entry.stream)
    if (session, agent) == (record.session, record.agent):
        return record
    return msgspec.structs.replace(record, session=session, agent=agent)


def _quarantined(entry: Entry) -> list[Record]:
    body = entry.body or {}
    line = body.get("line")
    return [
        LineQuarantined(
            id=entry.source_id,
            by="harness",
            line=line if isinstance(line, int) else 0,
            reason=str(body.get("reason", "")),
            digest=str(body.get("digest", "")),
            source=str(body.get("source", "")),
        )
    ]
