"""The projection of one store: compared with the fold before it is served, caught up, built anew, checkpointed.

* A projection that cannot be opened, was left under a mark, or stands where the fold cannot go on, is set aside and
  built anew with COPY; so is one that is far behind, since that is faster.
* A mission that was folded anew is cut back to what both folds have in common (`cutting.py`); the others stay.
* Additions and the standing that they lead to are one transaction: a kill leaves both or neither.
* A checkpoint is that of a clean close, or of a log that grew while nobody asks; both under the mark, and then the file
  is sealed. One that was killed inside it, or whose file is not what was sealed, is built anew.
* A snapshot has all that the fold has seen. Where little is missing in the engine, it is laid over it, and projected
  when there is time (`settle`); else it is projected first. So nobody reads behind his own writes or waits for others'.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import NamedTuple

import msgspec

from muniment.errors import StoreError
from muniment.graph import Additions, Graph
from muniment.model.packing import from_json_text, restored
from muniment.projection.cutting import common, cut_back
from muniment.projection.engine import LOADING_THREADS, Engine, EngineError, Value
from muniment.projection.folder import Folder, remove_all
from muniment.projection.loading import Loader
from muniment.projection.reading import Reader
from muniment.projection.rows import Counts
from muniment.projection.sealing import Seal
from muniment.projection.slicing import Slice, size_of, slices
from muniment.projection.snapshot import EngineSnapshot, Over
from muniment.projection.standing import Feed, Standing, StoreBasis, goes_on, is_behind, moved
from muniment.projection.tables import named
from muniment.projection.writing import write_additions, write_state
from muniment.snapshot import TextOf

Watcher = Callable[[int, int], None]
Feeds = Callable[[], Iterable[Feed]]

BATCH_ITEMS = 2_000
"""Nodes, edges and ledgers in one transaction."""
SLICE_ITEMS = 40
"""Items that are projected at a time while nobody waits: some 30 ms in Kuzu."""
LOG_BYTES = 8 << 20
"""Size of the engine's log from which on a checkpoint is worth its time: some hundred milliseconds."""
IDLE_SECONDS = 3.0
"""Nobody has asked for so long: there is time for a checkpoint."""
LAID_ITEMS = 512
"""Items that a snapshot lays over the engine, rather than wait until they are projected."""
FAR_BEHIND = (1_500, 16)
"""Items that are missing from which on loading all anew is faster: so many, and this part of all that there are."""


class ProjectionGoneError(StoreError):
    """The projection was built anew since a snapshot was taken."""

    code = "projection_gone"


class Laid(NamedTuple):
    """What a snapshot has beside the base fold: the ordinal with what is provisional, that itself, and the texts."""

    ordinal: int
    over: Additions
    text_of: TextOf


class Projection:
    """One engine's projection of one store, held until `close`."""

    def __init__(self, store: Path, engine: str, feeds: Feeds) -> None:
        """Take hold of it; `feeds` gives all missions, for building anew.

        Raises:
            ProjectionLockedError: somebody else holds it.
            UsageError: the engine is not installed.
        """
        self._store = store
        self._name = engine
        self._feeds = feeds
        self._lock = RLock()
        self._folder = Folder(store, engine)
        self._engine: Engine | None = None
        self._basis: StoreBasis | None = None
        self._standings: dict[str, Standing] = {}
        self._readers: dict[str, Reader] = {}
        self._waiting: dict[str, tuple[Feed, StoreBasis]] = {}
        self._asked = time.monotonic()
        try:
            self._open()
        except BaseException:
            self._folder.release()
            raise
        atexit.register(self.close)

    def snapshot(self, feed: Feed, basis: StoreBasis, laid: Laid) -> EngineSnapshot:
        """Return a snapshot of a mission as its fold is, with what is provisional laid over it.

        Raises:
            EngineError: the engine fails even on a database that was just made.
        """
        with self._lock:
            self.near(feed, basis)
            reader = self._reader(feed.mission)
            graph = Graph()
            for part in feed.added(reader.counts):
                graph.add(part)
            graph.add(laid.over)
        over = Over(reader.newest_ordinal, graph)
        return EngineSnapshot(lambda: self._same(reader), laid.ordinal, over, laid.text_of)

    def near(self, feed: Feed, basis: StoreBasis) -> None:
        """Catch up with a mission's fold, where more is missing than can be laid over; else leave it for later."""
        with self._lock:
            try:
                is_near = self._may_go_on(feed, basis) and self._missing(feed) <= LAID_ITEMS
            except EngineError:
                self._drop()
                is_near = False
            if is_near:
                self.later(feed, basis)
            else:
                self.reach(feed, basis)

    def later(self, feed: Feed, basis: StoreBasis) -> None:
        """Leave what a mission's fold has made since for when there is time."""
        with self._lock:
            self._asked = time.monotonic()
            if self._missing(feed):
                self._waiting[feed.mission] = (feed, basis)

    def settle(self) -> bool:
        """Project a little of what was left for later; return whether more is left."""
        with self._lock:
            mission, (feed, basis) = next(iter(self._waiting.items()), ("", (None, None)))
            try:
                if feed is None or basis is None:
                    self._rest()
                    return False
                more = self._may_go_on(feed, basis) and self._catch_up(feed, SLICE_ITEMS)
            except EngineError:
                self._drop()
                return False
            if not more:
                self._waiting.pop(mission)
                self.reach(feed, basis)
            return bool(self._waiting)

    def reach(self, feed: Feed, basis: StoreBasis, watch: Watcher | None = None) -> None:
        """Catch up with a mission's fold."""
        with self._lock:
            try:
                if self._may_go_on(feed, basis):
                    self._catch_up(feed)
                    return
            except EngineError:
                self._drop()
            self._build(basis, watch)
            self._catch_up(feed)

    def rebuild(self, basis: StoreBasis, watch: Watcher | None = None) -> None:
        """Set the projection aside and build it anew."""
        with self._lock:
            self._build(basis, watch)

    def _rest(self) -> None:
        """Make a checkpoint, where the log is long and nobody has asked for a while."""
        if self._folder.seal.log_bytes >= LOG_BYTES and time.monotonic() - self._asked >= IDLE_SECONDS:
            self._checkpoint(again=True)

    def ask(
        self, query: str, values: dict[str, Value], most: int, timeout_ms: int
    ) -> tuple[list[str], list[list[object]]]:
        """Run a query that only reads; return its columns and at most `most` rows.

        Raises:
            UsageError: the engine refuses it.
        """
        with self._lock:
            assert self._engine is not None
            return self._engine.ask(query, values, most, timeout_ms)

    def forget(self) -> None:
        """Delete it, and all others of the store: a purge is to come."""
        with self._lock:
            self._let_go()
            remove_all(self._store)

    def close(self) -> None:
        """Checkpoint and let go."""
        with self._lock:
            atexit.unregister(self.close)
            if self._folder.released:
                return
            try:
                self._checkpoint()
            finally:
                self._let_go()
                self._folder.release()

    # ---------------------------------------------------------------- inside

    def _open(self) -> None:
        """Open what is there, if it is sound; else there is nothing, until it is built."""
        if not self._folder.is_sound():
            return
        try:
            with self._folder.marked():
                engine = Engine(self._name, self._folder.database)
                states = {restored(str(key)): str(data) for key, data in engine.rows(named("states"))}
            self._basis = from_json_text(states.pop("", "null"), StoreBasis)
            self._standings = {mission: from_json_text(data, Standing) for mission, data in states.items()}
            self._engine = engine
        except (EngineError, msgspec.MsgspecError):
            self._drop()

    def _may_go_on(self, feed: Feed, basis: StoreBasis) -> bool:
        """Tell whether the projection can be brought to where a mission's fold is; cut back what was folded anew."""
        if self._engine is None or self._engine.failed or self._basis != basis or not self._folder.database.exists():
            return False
        standing = self._standings.get(feed.mission)
        if standing is not None and not goes_on(standing, feed):
            return is_behind(standing, feed) and self._cut_back(self._engine, feed)
        return self._is_worth(self._missing(feed))

    def _is_worth(self, missing: int) -> bool:
        """Tell whether to write so many items takes less time than to load all anew."""
        few, part = FAR_BEHIND
        return missing < few + sum(each.counts.items for each in self._standings.values()) // part

    def _cut_back(self, engine: Engine, feed: Feed) -> bool:
        """Take out what a mission's new fold does not have in common with what is projected, if that is worth it."""
        mission = feed.mission
        standing = deepcopy(self._standings[mission])
        kept = common(engine, mission, feed.added(Counts()))
        if not self._is_worth(kept.behind + standing.counts.items - kept.counts.items):
            return False
        self._readers.pop(mission, None)
        with engine.transaction():
            cut_back(engine, mission, standing, kept)
            moved(standing, feed.reached, kept.ordinal)
            write_state(engine, mission, standing, new=False)
        self._folder.seal.note()
        self._standings[mission] = standing
        return True

    def _missing(self, feed: Feed) -> int:
        standing = self._standings.get(feed.mission)
        return feed.reached.counts.items - (standing.counts.items if standing is not None else 0)

    def _catch_up(self, feed: Feed, most: int = 0) -> bool:
        """Project what is missing, or about `most` items of it; return whether more is left."""
        mission = feed.mission
        known = self._standings.get(mission)
        if known is not None and known.counts == feed.reached.counts and known.position == feed.reached.position:
            return False
        engine = self._engine
        assert engine is not None
        reader = self._reader(mission)
        reached = feed.reached
        missing = slices(feed.added(known.counts if known is not None else Counts()), most or BATCH_ITEMS)
        for ordinal, added in chain(missing, [Slice(reached.ordinal, Additions([], [], []))]):
            standing = deepcopy(self._standings.get(mission, Standing()))
            with engine.transaction():
                written = write_additions(engine, mission, standing, added, kind_at=reader.kind_at)
                moved(standing, reached, ordinal)
                write_state(engine, mission, standing, new=mission not in self._standings)
            self._folder.seal.note()
            self._standings[mission] = standing
            reader.extend(written, standing)
            if most and size_of(added):
                return True
        return False

    def _build(self, basis: StoreBasis, watch: Watcher | None) -> None:
        """Build all anew, beside what is there, and swap it in."""
        self._let_go()
        file = self._folder.begin()
        loader = Loader(file.parent)
        standings: dict[str, Standing] = {}
        try:
            for feed in self._feeds():
                standing = standings[feed.mission] = Standing()
                for added in feed.added(Counts()):
                    loader.take(feed.mission, standing, added)
                    if watch is not None:
                        watch(standing.counts.items, feed.reached.counts.items)
                moved(standing, feed.reached, feed.reached.ordinal)
            engine = Engine(self._name, file, threads=LOADING_THREADS)
            try:
                loader.load(engine)
                self._write_states(engine, basis, standings)
                engine.checkpoint()
            finally:
                engine.close()
            Seal(file).set()
        finally:
            loader.close()
        self._folder.swap_in()
        self._open()
        if self._engine is None:
            raise EngineError(f"{self._name}: a projection that was just built cannot be opened")
        self._folder.tidy()

    def _write_states(self, engine: Engine, basis: StoreBasis, standings: dict[str, Standing]) -> None:
        with engine.transaction():
            write_state(engine, "", basis, new=True)
            for mission, standing in standings.items():
                write_state(engine, mission, standing, new=True)

    def _checkpoint(self, *, again: bool = False) -> None:
        """Bring everything from the log into the file, and close it; with `again`, open it again."""
        if self._engine is None or self._engine.failed or not self._folder.database.exists():
            return
        with self._folder.marked():
            self._engine.checkpoint()
            self._engine.close()
            self._folder.seal.set()
            if again:
                self._engine.open()
        if not again:
            self._engine = None
        self._folder.tidy()

    def _drop(self) -> None:
        self._let_go()
        self._folder.set_aside()

    def _let_go(self) -> None:
        """Close the engine and forget what is known of it."""
        engine, self._engine = self._engine, None
        self._basis = None
        self._standings = {}
        self._readers = {}
        self._waiting = {}
        if engine is not None:
            engine.abandon()

    def _reader(self, mission: str) -> Reader:
        assert self._engine is not None
        if mission not in self._readers:
            standing = self._standings.get(mission, Standing())
            self._readers[mission] = Reader(self._engine, mission, standing)
        return self._readers[mission]

    def _same(self, reader: Reader) -> Reader:
        """Return a reader that is still good.

        Raises:
            ProjectionGoneError: the projection was built anew since.
        """
        if self._readers.get(reader.mission) is not reader:
            raise ProjectionGoneError("the projection was built anew since this snapshot was taken: take it again")
        return reader
