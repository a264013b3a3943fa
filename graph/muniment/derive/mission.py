"""A mission's fold in causal order: which entry comes when, and when all must be folded anew.

The canonical order of a mission, which no arrival order and no clock can change:

1. Entries of root streams, in order of position.
2. A child's stream, whole, right before the entry that tells of the child's end (`DelegationEnded.child`); where the
   same entry tells of the call, between the call and its result.
3. Children that have not ended, last, by (session, child). They are folded on a copy of the state, the *overlay*, so
   that they can
   move to their place later.

What a child did is often told twice, inside its parent's stream and in its own. Where it has its own, the parent's
telling is left out. What hooks tell is a stream beside that of the transcript; where both are there, they are merged
(`derive.tellings`), and a mission in which a root session has both is folded anew whenever it grows.

Entries that belong before something that was folded already (a child's file that arrives after its end) make the
mission *late*: it
must be folded again from its first entry, as a new epoch.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from muniment.derive.builder import Lookup, TextOf
from muniment.derive.fold import Fold, copy_state
from muniment.derive.reading import EntrySource, NormaliserOf, Reading, StreamKey
from muniment.derive.state import FoldState
from muniment.derive.tellings import Merge, Told
from muniment.graph import Additions
from muniment.importers.hook_streams import agent_of, is_live
from muniment.importers.protocol import Normaliser
from muniment.model.entries import QUARANTINE_FORMAT, RECORD_FORMAT, Entry
from muniment.model.ids import line_place, part_place
from muniment.model.records import DelegationEnded, DelegationStarted, Record, ToolCalled, ToolReturned


class Progress(msgspec.Struct):
    """How far a fold has come; all that is needed to go on."""

    state: FoldState
    position: int = 0
    anchor: tuple[int, bytes] = (0, b"")
    """Number and hash of the last entry that was looked at: a journal that lacks it is another one."""
    normalisers: dict[str, tuple[str, bytes]] = {}
    """`<format> <root session>` → format and state of the normaliser of its entries in that format."""
    spliced: dict[StreamKey, int] = {}
    """Child stream → last position that was folded when its end was told (0: it had no stream of its own)."""
    merged: int = 0
    """Last position of the mission when two tellings of a root session were merged (0: nothing was merged)."""
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
        self._reading = Reading(source, normaliser_of, self._own_id)
        self._text_of = text_of
        self._fold = Fold(progress.state, text_of, earlier)
        self._spliced = progress.spliced
        self._roots: dict[str, tuple[str, Normaliser]] = {}
        self._streams: dict[StreamKey, int] = {}
        self._own: dict[StreamKey, int] = {}

    def advance(self) -> Iterator[Additions]:
        """Fold what is new in the root streams, with the children whose end is told; yield what each entry adds.

        Raises:
            LateError: the mission must be folded anew; the progress is of no use any more.
        """
        self._streams = self._source.streams()
        self._own = {}
        for (session, stream), last in self._streams.items():
            if agent := agent_of(stream):
                self._own[session, agent] = max(last, self._own.get((session, agent), 0))
        self._refuse_late()
        merges = self._merges()
        for entry in self._source.entries(None, self.progress.position):
            if not agent_of(entry.stream):
                self._advance_root(entry, merges.get(entry.session))
            self.progress.position = entry.position
            self.progress.anchor = (entry.number, entry.hash)
            yield self._fold.take()
        self.remember()

    def remember(self) -> None:
        """Put into the progress what the normalisers remember: before it is saved or copied."""
        for name, (form, normaliser) in self._roots.items():
            self.progress.normalisers[name] = (form, msgspec.msgpack.encode(normaliser.state))

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
        for told in self._reading.child(*key, self._streams):
            self._feed(told)

    def _merges(self) -> dict[str, Merge]:
        """Return the root sessions that both a transcript and hooks tell, with what hooks alone tell.

        Raises:
            LateError: there are some, and the mission has grown since it was folded.
        """
        last = max(self._streams.values(), default=0)
        if self.progress.position >= last:
            return {}
        found = self._reading.twice_told(self._streams)
        if found and self.progress.position:
            raise LateError
        self.progress.merged = last if found else 0
        return {session: self._reading.merge(session, "") for session in found}

    def _advance_root(self, entry: Entry, merge: Merge | None) -> None:
        if merge is None:
            self._feed(self._reading.told(entry, self._root_normaliser(entry)))
        elif not is_live(entry.stream) and entry.format != RECORD_FORMAT:
            for told in merge.around(self._reading.told(entry, self._root_normaliser(entry))):
                self._feed(told)

    def _feed(self, told: Told) -> None:
        entry, payloads, records = told
        if entry.body is None:
            self._fold.feed_purged(entry)
            return
        for child in _ended_before(records):
            self._splice((entry.session, child))
        self._fold.feed(entry, self._with_children(entry, records), payloads)

    def _with_children(self, entry: Entry, records: list[Record]) -> Iterator[Record]:
        """Yield the records of an entry that are folded here; a child that it both calls and ends comes between."""
        inside = _ended_inside(records)
        for record in records:
            for child in inside.pop(record.id, ()):
                paused = self._fold.pause()
                self._splice((entry.session, child))
                self._fold.go_on(paused)
            if self._told_here(record, entry):
                yield record

    def _own_id(self, entry: Entry) -> str:
        """Return the id under which records of an entry are known.

        A line that has none is known by its place in its stream, so that its nodes have the same ids in every store;
        the keyed id is needed only where a file was replaced and the same place comes again.
        """
        part = part_place(entry.source_id)
        place = line_place(entry.source_id) if part is None else (part[1], 0)
        if place is None:
            return entry.source_id
        lines, stream = self._fold.state.lines, f"{entry.session}\n{entry.stream}"
        if part is not None:
            stream = f"{stream}\n{part[0]}"
        if place <= lines.get(stream, (0, 0)):
            return entry.source_id
        lines[stream] = place
        if part is not None:
            return f"part:{entry.session}:{entry.stream}:{part[0]}.{part[1]}"
        return f"line:{entry.session}:{entry.stream}:{place[0]}.{place[1]}"

    def _told_here(self, record: Record, entry: Entry) -> bool:
        """Tell whether a record is folded here; what a child with a stream of its own did is folded there."""
        if not record.agent or record.agent == agent_of(entry.stream):
            return True
        key = (entry.session, record.agent)
        if key in self._own:
            return False
        self.progress.told_inside.add(key)
        return True

    def _root_normaliser(self, entry: Entry) -> Normaliser | None:
        if entry.format == QUARANTINE_FORMAT:
            return None
        name = f"{entry.format} {entry.session}"
        if name not in self._roots:
            _, saved = self.progress.normalisers.get(name, ("", None))
            self._roots[name] = (entry.format, self._normaliser_of(entry.format, saved))
        return self._roots[name][1]


def _ended_before(records: list[Record]) -> list[str]:
    """Return the children that an entry ends and did not call."""
    ends = [record.child for record in records if isinstance(record, DelegationEnded) and record.child is not None]
    inside = {child for children in _ended_inside(records).values() for child in children} if ends else ()
    return [child for child in ends if child not in inside]


def _ended_inside(records: list[Record]) -> dict[str, list[str]]:
    """Return the children that an entry both calls and ends: by the id of the record that is behind them."""
    if not any(isinstance(record, DelegationEnded) for record in records):
        return {}
    called = {record.id for record in records if isinstance(record, ToolCalled)}
    starts = {
        record.id: record.call
        for record in records
        if isinstance(record, DelegationStarted) and record.call is not None and record.call in called
    }
    results = {record.call: record.id for record in records if isinstance(record, ToolReturned) and record.call}
    found: dict[str, list[str]] = {}
    for record in records:
        if isinstance(record, DelegationEnded) and record.child is not None and record.delegation in starts:
            behind = results.get(starts[record.delegation], record.id)
            found.setdefault(behind, []).append(record.child)
    return found
