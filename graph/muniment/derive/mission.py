"""A mission's fold in causal order: which entry comes when, and when all must be folded anew.

The canonical order of a mission, which no arrival order and no clock can change:

1. Entries of root streams, in order of position.
2. A child's stream, whole, right before the entry that tells of the child's end (`DelegationEnded.child`).
3. Children that have not ended, last, by (session, child). They are folded on a copy of the state, the *overlay*, so
   that they can
   move to their place later.

What a child did is often told twice, inside its parent's stream and in its own. Where it has its own, the parent's
telling is left out.

Entries that belong before something that was folded already (a child's file that arrives after its end) make the
mission *late*: it
must be folded again from its first entry, as a new epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from muniment.derive.builder import Lookup, TextOf
from muniment.derive.fold import Fold, copy_state
from muniment.derive.state import FoldState
from muniment.digest import Digest
from muniment.graph import Additions
from muniment.importers.protocol import Normaliser
from muniment.model.entries import QUARANTINE_FORMAT, Entry
from muniment.model.ids import line_place
from muniment.model.records import DelegationEnded, LineQuarantined, Record
from muniment.payload_markers import bytes_text, restore

StreamKey = tuple[str, str]
NormaliserOf = Callable[[str, bytes | None], Normaliser]
"""Make a normaliser for a format, new or from an earlier state."""


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


class Progress(msgspec.Struct):
    """How far a fold has come; all that is needed to go on."""

    state: FoldState
    position: int = 0
    anchor: tuple[int, bytes] = (0, b"")
    """Number and hash of the last entry that was looked at: a journal that lacks it is another one."""
    normalisers: dict[str, tuple[str, bytes]] = {}
    """Root session → format and state of its normaliser."""
    spliced: dict[StreamKey, int] = {}
    """Child stream → last position that was folded when its end was told (0: it had no stream of its own)."""
    told_inside: set[StreamKey] = set()
    """Child streams whose doings were folded out of their parent's stream."""


class LateError(Exception):
    """Entries arrived that belong before what has been folded: the mission must be folded anew."""


class MissionFold:
    """Folds a mission's entries as they come."""

    def __init__(
        self, progress: Progress, source: EntrySource, normaliser_of: NormaliserOf, text_of: TextOf, earlier: Lookup
    ) -> None:
        self.progress = progress
        self._source = source
        self._normaliser_of = normaliser_of
        self._text_of = text_of
        self._fold = Fold(progress.state, text_of, earlier)
        self._spliced = progress.spliced
        self._roots: dict[str, tuple[str, Normaliser]] = {}
        self._own: dict[StreamKey, int] = {}

    def advance(self) -> Iterator[Additions]:
        """Fold what is new in the root streams, with the children whose end is told; yield what each entry adds.

        Raises:
            LateError: the mission must be folded anew; the progress is of no use any more.
        """
        self._own = {key: last for key, last in self._source.streams().items() if key[1]}
        self._refuse_late()
        for entry in self._source.entries(None, self.progress.position):
            if not entry.stream:
                self._feed(entry, self._root_normaliser(entry))
            self.progress.position = entry.position
            self.progress.anchor = (entry.number, entry.hash)
            yield self._fold.take()
        self.remember()

    def remember(self) -> None:
        """Put into the progress what the normalisers remember: before it is saved or copied."""
        for session, (form, normaliser) in self._roots.items():
            self.progress.normalisers[session] = (form, msgspec.msgpack.encode(normaliser.state))

    def overlay(self) -> tuple[FoldState, Additions]:
        """Return what the running children add, and the state after them; the progress stays as it is."""
        base, spliced = self._fold, self._spliced
        waiting = sorted(key for key in self._own if key not in spliced)
        if not waiting:
            return self.progress.state, Additions([], [], [])
        self._fold = Fold(copy_state(self.progress.state), self._text_of, base.lookup)
        self._spliced = dict(spliced)
        for key in waiting:
            self._splice(key)
        state, added = self._fold.state, self._fold.take()
        self._fold, self._spliced = base, spliced
        return state, added

    def _refuse_late(self) -> None:
        for key, last in self._own.items():
            if last > self.progress.spliced.get(key, last) or key in self.progress.told_inside:
                raise LateError

    def _splice(self, key: StreamKey) -> None:
        """Fold a child's own stream, here."""
        if key in self._spliced:
            return
        self._spliced[key] = self._own.get(key, 0)
        normaliser: Normaliser | None = None
        for entry in self._source.entries(key, 0) if key in self._own else ():
            if normaliser is None and entry.format != QUARANTINE_FORMAT:
                normaliser = self._normaliser_of(entry.format, None)
            self._feed(entry, normaliser)

    def _feed(self, entry: Entry, normaliser: Normaliser | None) -> None:
        if entry.body is None:
            self._fold.feed_purged(entry)
            return
        payloads: dict[str, str] = {}

        def remembered(digest: Digest) -> bytes | None:
            data = self._source.payload(digest)
            if data is not None:
                payloads[digest] = bytes_text(data)
            return data

        body, _ = restore(entry.body, remembered)
        entry = msgspec.structs.replace(entry, body=body, source_id=self._own_id(entry))
        records = _quarantined(entry) if normaliser is None else normaliser.feed(entry)
        records = [self._placed(record, entry) for record in records]
        for record in records:
            if isinstance(record, DelegationEnded) and record.child is not None:
                self._splice((entry.session, record.child))
        self._fold.feed(entry, [record for record in records if self._told_here(record, entry)], payloads)

    def _own_id(self, entry: Entry) -> str:
        """Return the id under which records of an entry are known.

        A line that has none is known by its place in its stream, so that its nodes have the same ids in every store;
        the keyed id is needed only where a file was replaced and the same place comes again.
        """
        place = line_place(entry.source_id)
        if place is None:
            return entry.source_id
        lines, stream = self._fold.state.lines, f"{entry.session}\n{entry.stream}"
        if place <= lines.get(stream, (0, 0)):
            return entry.source_id
        lines[stream] = place
        return f"line:{entry.session}:{entry.stream}:{place[0]}.{place[1]}"

    def _told_here(self, record: Record, entry: Entry) -> bool:
        """Tell whether a record is folded here; what a child with a stream of its own did is folded there."""
        if not record.agent or record.agent == entry.stream:
            return True
        key = (entry.session, record.agent)
        if key in self._own:
            return False
        self.progress.told_inside.add(key)
        return True

    def _placed(self, record: Record, entry: Entry) -> Record:
        """Fill in what the entry knows: its session, and the agent whose stream it is of."""
        session, agent = record.session or entry.session, record.agent or entry.stream
        if (session, agent) == (record.session, record.agent):
            return record
        return msgspec.structs.replace(record, session=session, agent=agent)

    def _root_normaliser(self, entry: Entry) -> Normaliser | None:
        if entry.format == QUARANTINE_FORMAT:
            return None
        form, normaliser = self._roots.get(entry.session, ("", None))
        if normaliser is None or form != entry.format:
            saved_form, saved = self.progress.normalisers.get(entry.session, ("", None))
            normaliser = self._normaliser_of(entry.format, saved if saved_form == entry.format else None)
            self._roots[entry.session] = (entry.format, normaliser)
        return normaliser


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
