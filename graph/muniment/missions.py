"""Open missions: from the journal to snapshots, paying for the tail only.

An :class:`OpenMission` loads the saved fold, folds what came since, keeps the live graph at hand and the whole graph if
somebody asked. A mission that is late (see `derive.mission`) or has no saved fold is folded anew, as a new generation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from muniment.derive.live import pruned
from muniment.derive.mission import LateError, MissionFold, Progress
from muniment.derive.state import FoldState
from muniment.digest import keyed_tag
from muniment.errors import EvidenceError, UnknownIdError, UsageError
from muniment.graph import Additions, Graph
from muniment.importers import format_named
from muniment.importers.protocol import Normaliser
from muniment.journal.port import Journal, MissionInfo
from muniment.journaled import MissionEntries, Texts
from muniment.model.nodes import AnyNode
from muniment.projection.folder import remove_all
from muniment.projection.projection import Laid, Projection
from muniment.projection.rows import Counts
from muniment.projection.snapshot import EngineSnapshot, OwnedLive
from muniment.projection.standing import MERGED, Reached, StoreBasis
from muniment.savedfold import Basis, Saved, SavedFold, encode_chunk
from muniment.settings import set_large_output
from muniment.snapshot import MemorySnapshot

CHUNK_ENTRIES = 4096
"""Entries after which a running fold is saved: a kill then costs at most so many."""
WORTH_SAVING = 32
"""Entries that are rather saved than folded again: about what loading and saving the live set costs."""
OPEN_MISSIONS = 32
"""Missions that a process keeps open; the one that was not used for longest is closed first."""

Watcher = Callable[[int, int], None]
"""Told of progress: entries folded so far, and how many there are."""


class Settled(msgspec.Struct, frozen=True):
    """How far the causal order of a mission is settled: up to `ordinal`, once the entries up to `position` are known.

    It stays so while `marks` only grow: which child streams were folded, how far. One that is gone: another order.
    """

    position: int
    ordinal: int
    marks: frozenset[str]


class OpenMission:
    """One mission, as far as it has been folded in this process."""

    def __init__(self, journal: Journal, folds: SavedFold, info: MissionInfo, texts: Texts) -> None:
        self._journal = journal
        self._folds = folds
        self._info = info
        self._texts = texts
        self._seen = -1
        self._basis = Basis(folds.version, keyed_tag(journal.key, b"fold", 16), journal.head().epoch)
        self._load()

    @property
    def generation(self) -> int:
        """How often the mission has been folded from its first entry."""
        return self._saved.generation

    @property
    def position(self) -> int:
        """The position up to which entries were looked at."""
        return self._saved.progress.position

    @property
    def settled(self) -> Settled:
        """How far the order of what was folded is settled."""
        progress = self._saved.progress
        marks = {f"{session}\n{child}\n{last}" for (session, child), last in progress.spliced.items()}
        marks |= {f"{session}\n{child}" for session, child in progress.told_inside}
        marks |= {f"{MERGED}{progress.merged}"} if progress.merged else set()
        return Settled(progress.position, progress.state.ordinal, frozenset(marks))

    @property
    def mission(self) -> str:
        """The mission's id."""
        return self._info.mission

    @property
    def store_basis(self) -> StoreBasis:
        """What a projection with this fold in it is made from."""
        return StoreBasis(self._basis.journal, self._basis.epoch, self._basis.version)

    @property
    def reached(self) -> Reached:
        """How far the base fold has come."""
        settled, (number, entry_hash) = self.settled, self._saved.progress.anchor
        return Reached(
            position=settled.position,
            number=number,
            hash=entry_hash,
            ordinal=settled.ordinal,
            generation=self.generation,
            marks=settled.marks,
            counts=self._saved_counts.behind(self._pending),
        )

    def added(self, after: Counts) -> Iterator[Additions]:
        """Yield what the base fold has made behind the first `after` items, in order."""
        ends = [Counts(*counts) for counts in self._saved.counts]
        first = next((place for place, end in enumerate(ends) if end.items > after.items), len(ends))
        begin = ends[first - 1] if first else Counts()
        try:
            for part in chain(self._folds.chunks(self._info.mission, self._saved.chunks, first), (self._pending,)):
                yield after.rest(begin, part)
                begin = begin.behind(part)
        except LookupError:
            after, begin = max(after, begin, key=lambda counts: counts.items), Counts()
            for part in self._folded_again():
                yield after.rest(begin, part)
                begin = begin.behind(part)

    def projected(self, projection: Projection, watch: Watcher | None = None) -> EngineSnapshot:
        """Return the newest snapshot out of an engine, with all that the fold has seen."""
        self._catch_up(watch)
        state, over = self._fold.overlay()
        return projection.snapshot(self, self.store_basis, Laid(state.ordinal, over, self._texts))

    def caught_up(self, watch: Watcher | None = None) -> OpenMission:
        """Catch up with the journal."""
        self._catch_up(watch)
        return self

    def live(self, watch: Watcher | None = None) -> MemorySnapshot:
        """Return the newest snapshot, for `LiveReads` only: its cost follows the live set and the new tail."""
        self._catch_up(watch)
        return self._snapshot(self._live, *self._fold.overlay())

    def whole(self, watch: Watcher | None = None) -> MemorySnapshot:
        """Return the newest snapshot of the whole graph."""
        self._catch_up(watch)
        return self._snapshot(self._whole_graph(), *self._fold.overlay())

    def as_of(self, position: int) -> MemorySnapshot:
        """Return the graph as it would be had nothing been recorded behind `position`: an exact replay."""
        graph, fold = self._replayed(position)
        return self._snapshot(graph, *fold.overlay(), shared=False)

    def save(self, *, least: int = WORTH_SAVING) -> None:
        """Save what has been folded since the last time, if it is at least so many entries."""
        if self._pending_entries >= least:
            self._flush()

    def _snapshot(self, graph: Graph, state: FoldState, over: Additions, *, shared: bool = True) -> MemorySnapshot:
        if over.nodes:
            graph = graph.copied() if shared else graph
            graph.add(over)
        return MemorySnapshot(graph, self._info.mission, state.ordinal, self._texts)

    def _load(self) -> None:
        loaded = self._folds.load(self._info.mission, self._basis)
        if loaded is not None and self._is_of_this_journal(loaded[0]):
            self._saved, self._digest = loaded
        else:
            self._saved, self._digest = Saved(self._basis, self._beginning(), Additions([], [], []), []), ""
        self._begin()

    def _begin(self) -> None:
        self._live = Graph()
        self._live.add(self._saved.live)
        self._whole: Graph | None = None
        self._resumed = bool(self._saved.chunks)
        self._pending = Additions([], [], [])
        self._pending_entries = 0
        self._saved_counts = Counts(*self._saved.counts[-1]) if self._saved.counts else Counts()
        self._saving = True
        source = MissionEntries(self._journal, self._info.mission)
        self._fold = MissionFold(self._saved.progress, source, normaliser_of, self._texts, self._earlier)

    def _anew(self) -> None:
        generation = self._saved.generation + 1
        self._folds.drop(self._info.mission)
        self._saved = Saved(self._basis, self._beginning(), Additions([], [], []), [], generation)
        self._digest = ""
        self._begin()

    def _beginning(self) -> Progress:
        info, large = self._info, self._folds.large_output
        return Progress(FoldState(info.mission, info.project, info.format, info.session, large_output=large))

    def _is_of_this_journal(self, saved: Saved) -> bool:
        number, entry_hash = saved.progress.anchor
        counted = len(saved.counts) == len(saved.chunks)
        return counted and (number == 0 or self.holds(number, entry_hash))

    def holds(self, number: int, entry_hash: bytes) -> bool:
        """Tell whether the mission's entry with this number has this hash."""
        try:
            return self._journal.entry(self._info.mission, number).hash == entry_hash
        except UnknownIdError:
            return False

    def _catch_up(self, watch: Watcher | None) -> None:
        head = self._journal.head()
        if head.epoch != self._basis.epoch:
            self._texts.clear()
            self._basis = Basis(self._basis.version, self._basis.journal, head.epoch)
            self._load()
        elif head.position == self._seen:
            return
        self._seen = head.position
        try:
            self._advance(watch)
        except LateError:
            self._anew()
            self._advance(watch)
        except EvidenceError:
            self._load()
            self._seen = -1
            raise

    def _advance(self, watch: Watcher | None) -> None:
        for done, added in enumerate(self._fold.advance(), start=1):
            self._take(added)
            if watch is not None:
                watch(done, self._info.entries)
            if self._pending_entries >= CHUNK_ENTRIES:
                self._flush()

    def _take(self, added: Additions) -> None:
        self._live.add(added)
        if self._whole is not None:
            self._whole.add(added)
        self._pending.nodes.extend(added.nodes)
        self._pending.edges.extend(added.edges)
        self._pending.observations.extend(added.observations)
        self._pending_entries += 1

    def _flush(self) -> None:
        """Save what is new. If somebody else has saved the mission meanwhile, go on in memory alone."""
        saved, state = self._saved, self._saved.progress.state
        self._fold.remember()
        self._live = pruned(self._live, state)
        needed = state.held_excerpts()
        state.texts = {excerpt: text for excerpt, text in state.texts.items() if excerpt in needed}
        digest, chunk = encode_chunk(self._pending)
        self._saved_counts = self._saved_counts.behind(self._pending)
        saved.counts = [*saved.counts, msgspec.structs.astuple(self._saved_counts)]
        saved.live = self._live.additions()
        saved.chunks = [*saved.chunks, digest]
        self._pending, self._pending_entries = Additions([], [], []), 0
        if self._saving:
            written = self._folds.save(self._info.mission, saved, [chunk], self._digest)
            self._saving = written is not None
            self._digest = written or ""

    def _whole_graph(self) -> Graph:
        if self._whole is None:
            graph = Graph()
            try:
                for chunk in self._folds.chunks(self._info.mission, self._saved.chunks):
                    graph.add(chunk)
                graph.add(self._pending)
            except LookupError:
                graph = self._replayed(self._saved.progress.position)[0]
            self._whole = graph
        return self._whole

    def _replayed(self, upto: int) -> tuple[Graph, MissionFold]:
        source = MissionEntries(self._journal, self._info.mission, upto)
        fold = MissionFold(self._beginning(), source, normaliser_of, self._texts, lambda _: ())
        graph = Graph()
        for added in fold.advance():
            graph.add(added)
        return graph, fold

    def _folded_again(self) -> list[Additions]:
        """Return what was folded so far, folded once more: what was saved of it is gone."""
        source = MissionEntries(self._journal, self._info.mission)
        fold = MissionFold(self._beginning(), source, normaliser_of, self._texts, lambda _: ())
        found: list[Additions] = []
        for added in fold.advance():
            found.append(added)
            if fold.progress.position >= self.position:
                break
        return found

    def _earlier(self, reference: str) -> Sequence[AnyNode]:
        """Find what an earlier process folded: in the live graph, and if it isn't there in the whole one."""
        if not self._resumed:
            return ()
        return self._live.referred(reference) or self._whole_graph().referred(reference)


def normaliser_of(form: str, state: bytes | None) -> Normaliser:
    """Return a normaliser for entries of a format, new or from an earlier state."""
    return format_named(form).normaliser(state)


class Missions:
    """The missions of a store that are open in this process."""

    def __init__(self, journal: Journal, folder: Path, engine: str | None = None) -> None:
        self.folder, self.has_engine = folder, engine is not None
        self._journal = journal
        self._folds = SavedFold(folder)
        self._texts = Texts(journal)
        self._open: OrderedDict[str, OpenMission] = OrderedDict()
        self._projection = Projection(folder, engine, self._feeds) if engine is not None else None
        self.tag = keyed_tag(journal.key, b"fold", 16)

    @classmethod
    def over(cls, journal: Journal, folder: Path, engine: str | None, large_output: int | None = None) -> Missions:
        """Return the missions of a journal; close it where the engine's projection cannot be had, or a setting set."""
        try:
            set_large_output(folder, large_output)
            return cls(journal, folder, engine)
        except EvidenceError:
            journal.close()
            raise

    def open(self, info: MissionInfo) -> OpenMission:
        """Return a mission, opened now or before."""
        found = self._open.pop(info.mission, None) or OpenMission(self._journal, self._folds, info, self._texts)
        self._open[info.mission] = found
        while len(self._open) > OPEN_MISSIONS:
            self._open.popitem(last=False)[1].save()
        return found

    def snapshot(self, info: MissionInfo, watch: Watcher | None = None) -> MemorySnapshot | EngineSnapshot:
        """Return the newest snapshot of a mission: the engine's, where there is one."""
        opened = self.open(info)
        return opened.whole(watch) if self._projection is None else opened.projected(self._projection, watch)

    def live(self, info: MissionInfo, watch: Watcher | None = None) -> MemorySnapshot:
        """Return the newest snapshot of a mission, for the reads that a view makes."""
        opened, projection = self.open(info), self._projection
        live = opened.live(watch)
        if projection is None:
            return live
        projection.later(opened, opened.store_basis)
        return OwnedLive(live, lambda: opened.projected(projection).upto(live.ordinal))

    def settle(self) -> bool:
        """Project a little of what was left; return whether more is left."""
        return self._projection is not None and self._projection.settle()

    def engine(self) -> Projection:
        """Return the projection, caught up with all missions; raise UsageError where the store has no engine."""
        if self._projection is None:
            raise UsageError("the store was opened without an engine: open it with engine='kuzu'")
        for info in self._journal.missions():
            opened = self.open(info).caught_up()
            self._projection.reach(opened, opened.store_basis)
        return self._projection

    def project_anew(self, watch: Watcher | None) -> None:
        """Build the projection anew, where there is an engine."""
        if self._projection is not None:
            self._projection.rebuild(StoreBasis(self.tag, self._journal.head().epoch), watch)

    def _feeds(self) -> Iterator[OpenMission]:
        for info in self._journal.missions():
            yield self.open(info).caught_up()

    def rebuild(self, info: MissionInfo, watch: Watcher | None) -> MemorySnapshot:
        """Fold a mission anew, from its first entry, and save it."""
        self._open.pop(info.mission, None)
        self._folds.drop(info.mission)
        opened = self.open(info)
        snapshot = opened.whole(watch)
        opened.save()
        return snapshot

    def forget(self) -> None:
        """Drop everything that was derived, in memory and on the disk: a purge is to come."""
        self._open.clear()
        self._texts.clear()
        self._folds.set_aside()
        if self._projection is not None:
            self._projection.forget()
        remove_all(self.folder)

    def save(self, *, least: int = 1) -> None:
        """Save what was folded, of each mission if it is at least so many entries."""
        for opened in self._open.values():
            opened.save(least=least)

    def close(self) -> None:
        """Save what was folded and is worth it."""
        self.save(least=WORTH_SAVING)
        self._open.clear()
        self._folds.close()
        if self._projection is not None:
            self._projection.close()
