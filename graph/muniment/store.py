"""The evidence store: one short method per verb, and the only place that orders I/O.

    with EvidenceStore.open("evidence", create=True) as store:
        report = store.import_session("session.jsonl")
        print(store.view(report.mission, budget=8000).text)
        print(store.closeout(report.mission).verdict)

Writing goes to the journal and nowhere else; reading goes through a snapshot. Everything between is pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, get_args

from muniment import erasure, exploration, recording, rehydration
from muniment.capture.importing import Import, ImportReport
from muniment.capture.importing import Watcher as ReadWatcher
from muniment.capture.session_file import Place
from muniment.closings import Closings
from muniment.crossings import Crossings
from muniment.current import files_named
from muniment.errors import AmbiguousIdError, UnknownIdError, UsageError
from muniment.journal.port import MissionInfo, Verification
from muniment.journal.sqlite import SqliteJournal
from muniment.missions import Missions, Watcher
from muniment.model.records import Record
from muniment.projection.asking import Answer, ask
from muniment.projection.engine import ENGINES, engine_named
from muniment.redaction import Policy, Redactor
from muniment.results import Rebuilt, Recorded
from muniment.scope import IMPORT, MAINTAIN, PURGE, READ, RECORD, WAIVE, WITHDRAW, Scope
from muniment.search.hits import Hit, Question
from muniment.search.searching import Search
from muniment.selection.view import View, ViewRequest
from muniment.snapshot import LiveReads, MemorySnapshot, Snapshot
from muniment.tailing import Tail, tail
from muniment.views import Views

if TYPE_CHECKING:
    import networkx


class EvidenceStore(Views, Closings, Crossings):
    """A handle on a store: the owner's (from `open`), or a narrower one (`scoped`). More verbs: see its bases."""

    def __init__(self, journal: SqliteJournal, missions: Missions, redactor: Redactor, scope: Scope) -> None:
        """Put a handle together; use `open` or `scoped` instead."""
        self._journal = journal
        self._missions = missions
        self._redactor = redactor
        self._scope = scope
        self._recorder = recording.Recorder(journal, scope)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        engine: str | None = None,
        secrets: Policy = "redact",
        large_output: int | None = None,
    ) -> EvidenceStore:
        """Open the store in folder `path`; with `create`, make it if it is not there.

        `secrets`: redact (put markers in the place of secrets), keep, or refuse records that hold one. `large_output`:
        set, for this store, from how many tokens on an output is distilled; what was derived is then derived anew.

        Raises:
            StoreError: there is no store, it is locked, or its journal is missing.
            DamageError: stored bytes are not what was written.
            UsageError: no such engine or policy, or too small a `large_output`.
        """
        chosen = engine_named(engine)
        if secrets not in get_args(Policy):
            raise UsageError(f"no policy {secrets!r} for secrets; there are {', '.join(get_args(Policy))}")
        journal = SqliteJournal.open(Path(path), create=create)
        missions = Missions.over(journal, Path(path), chosen, large_output)
        return cls(journal, missions, Redactor(journal.key, secrets), Scope())

    def scoped(
        self,
        project: str | None = None,
        mission: str | None = None,
        actors: Iterable[str] | None = None,
        verbs: Iterable[str] | None = None,
    ) -> EvidenceStore:
        """Return a narrower handle: one project or mission, the actors it may write as, the verbs it may use.

        Raises:
            ScopeError: no scope is given, or more than this handle has.
        """
        scope = self._scope.narrowed(project, mission, actors, verbs)
        return EvidenceStore(self._journal, self._missions, self._redactor, scope)

    def close(self) -> None:
        """Save what was folded and let go of the files. A scoped handle only borrows them: its end changes nothing."""
        if self._scope == Scope():
            self._missions.close()
            self._journal.close()

    def __enter__(self) -> EvidenceStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- writing

    def import_session(
        self,
        path: str | Path | BinaryIO,
        *,
        format: str | None = None,
        mission: str | None = None,
        project: str | None = None,
        watch: ReadWatcher | None = None,
    ) -> ImportReport:
        """Import a session file, a folder (a session with its subagents), or a binary stream. Importing again stores
        nothing twice.

        Raises:
            UsageError: there is nothing at `path`.
            FormatError: the file is in no known format.
            UnknownIdError: its mission, or the one that is named, is out of sight.
        """
        importing = self.importing(format=format, mission=mission, project=project)
        if isinstance(path, str | Path):
            importing.path(Path(path), watch)
        else:
            importing.stream(path)
        return importing.report()

    def importing(self, *, format: str | None = None, mission: str | None = None, project: str | None = None) -> Import:
        """Return an import that can be asked again and again, for a session that grows."""
        self._scope.need(IMPORT)
        place = Place(format=format, mission=mission or self._scope.mission, project=project or self._scope.project)
        return Import(self._journal, self._redactor, recording.now, place, self._admit)

    def record(
        self,
        records: Sequence[Record | Mapping[str, object]],
        *,
        expected: int | None = None,
        mission: str | None = None,
        project: str | None = None,
    ) -> Recorded:
        """Record neutral records, all or none; they are durable when this returns.

        `expected` is the position at which the caller believes the journal to stand.

        Raises:
            FieldError: one of them is no record.
            ConflictError: somebody else has appended since `expected`.
            BusyError: another process held the journal too long; nothing was written.
            ScopeError: the handle may not write one of them.
        """
        self._scope.need(RECORD)
        parsed = recording.parsed(records)
        if not parsed:
            return Recorded(self._journal.head().position, 0, 0)
        drafts = self._recorder.drafts(parsed, mission=mission, project=project)
        bodies = [self._redactor.redact(draft.body)[0] for draft in drafts]
        done = recording.append(self._journal, drafts, bodies, recorded_at=recording.now(), expected=expected)
        return Recorded(done.placed[-1].position, done.stored, done.duplicates)

    def withdraw(self, id: str, why: str, *, mission: str | None = None) -> Recorded:
        """Say, with the user's authority, that something no longer applies. It stays readable and supports nothing.

        Raises:
            UnknownIdError: nothing has this id.
        """
        self._scope.need(WITHDRAW)
        info, snapshot = self._holder(id, mission)
        node = rehydration.resolve(snapshot, id)
        assert node is not None
        said = recording.withdrawals(self._journal, rehydration.with_answers(snapshot, node), info, why)
        return self._as_owner().record(said, mission=info.mission)

    def waive(self, id: str, why: str, *, mission: str) -> Recorded:
        """Accept a claim, criterion or task without proof, with the user's authority; the closeout shows it.

        Raises:
            UnknownIdError: the mission has no such thing.
        """
        self._scope.need(WAIVE)
        said = recording.waiver(self.snapshot(mission), id, self._info(mission).session, why)
        return self._as_owner().record([said], mission=mission)

    def purge(self, id: str, why: str, everywhere: bool = False, *, mission: str | None = None) -> erasure.Purged:
        """Erase the entry behind an id, prose that cites it, and all that was derived from it, from every file of the
        store.

        `everywhere` also takes other entries that share one of its long texts; without it they are listed.

        Raises:
            UnknownIdError: nothing has this id.
            BusyError: another process is reading; nothing was erased, or the message says what is left to do.
        """
        self._scope.need(PURGE)
        info, snapshot = self._holder(id, mission)
        positions, citing = erasure.positions(self._journal, info.mission, snapshot, id)
        with Search(self._journal, self._missions).absent():
            self._missions.forget()
            told = self._redactor.redact_text(why)[0]
            try:
                report = self._journal.purge(positions, why=told, recorded_at=recording.now(), everywhere=everywhere)
            finally:
                self._missions.forget()  # once more: while the purge waited for others, they may have derived it again
        return erasure.Purged(report=report, citing=citing)

    # ---------------------------------------------------------------- reading

    def missions(self) -> list[MissionInfo]:
        """Return the missions in sight, oldest first."""
        self._scope.need(READ)
        return [info for info in self._journal.missions() if self._scope.holds(info)]

    def snapshot(
        self, mission: str, *, as_of: int | None = None, before: str | None = None, watch: Watcher | None = None
    ) -> Snapshot:
        """Return the graph of a mission, now, or as of a position, or as a model saw it.

        `as_of`: nothing recorded behind this position is seen. `before`: the id of a recorded tool call: the state in
        which the model wrote the message that issued it.

        Raises:
            UnknownIdError: no such mission, or no such call.
            AmbiguousIdError: the id names several calls.
            UsageError: both are given.
        """
        info = self._info(mission)
        if as_of is not None and before is not None:
            raise UsageError("as_of and before exclude one another: give one")
        if as_of is not None:
            return self._missions.open(info).as_of(as_of)
        whole = self._missions.snapshot(info, watch)
        return whole if before is None else rehydration.before_call(whole, before)

    def live(self, mission: str, *, watch: Watcher | None = None) -> LiveReads:
        """Return the newest state of a mission for the reads that a view makes; its cost does not follow the history.

        Raises:
            UnknownIdError: no such mission.
        """
        return self._missions.live(self._info(mission), watch)

    def save_fold(self) -> None:
        """Save what has been folded so far, whatever its size; closing saves what is worth it."""
        self._missions.save()

    def rehydrate(
        self, id: str, *, lines: tuple[int, int] | None = None, mission: str | None = None
    ) -> rehydration.Rehydrated:
        """Return the whole thing that an id names, or a file's path, or some lines of it.

        Raises:
            UnknownIdError: nothing in sight has this id.
            AmbiguousIdError: it names several things; name the mission.
            PurgedError: it was purged.
        """
        _, snapshot = self._holder(id, mission, paths=True)
        return rehydration.rehydrate(snapshot, id, lines)

    def entries(self, *, after: int = 0, limit: int = 100) -> Tail:
        """Return entries in sight behind a position, and how far was looked: ask again from there."""
        self._scope.need(READ)
        return tail(self._journal, self._scope, after, limit)

    def search(
        self,
        text: str,
        *,
        mission: str | None = None,
        kinds: Iterable[str] = (),
        limit: int = 20,
        history: bool = False,
    ) -> list[Hit]:
        """Return what holds all the words and "phrases" of `text`, best first; with `history`, also what has ended.

        Raises:
            UsageError: no such kind, `limit` is not from 1 to 200, or `text` has too many words.
        """
        question = Question(text=text, kinds=frozenset(kinds), limit=limit, history=history)
        return Search(self._journal, self._missions).find(self._infos(mission), question)

    def query(self, cypher: str, values: Mapping[str, str | int] | None = None, *, most: int = 1000) -> Answer:
        """Ask the engine in Cypher, over all missions; raise UsageError where a query does not only read."""
        self._scope.need_all()
        return ask(self._missions.engine, cypher, values or {}, most)

    def to_networkx(self, mission: str) -> networkx.MultiDiGraph:
        """Return the graph of a mission for exploration."""
        from muniment.networks import to_networkx  # networkx is slow to load: see there

        return to_networkx(self._whole(mission))

    def graph_digest(self, mission: str) -> str:
        """Return a digest over all nodes and edges: equal for equal graphs."""
        return exploration.graph_digest(self._whole(mission))

    def head(self) -> str:
        """Return `<position>:<hash>` of the newest entry; give it to `verify` later."""
        return str(self._journal.head())

    # ---------------------------------------------------------------- upkeep

    def settle(self) -> bool:
        """Do a little of what was left for when nobody waits; return whether more is left."""
        return self._missions.settle()

    def rebuild(self, mission: str | None = None, *, watch: Watcher | None = None) -> list[Rebuilt]:
        """Drop what was derived and derive it again from the journal."""
        self._scope.need(MAINTAIN)
        made = [self._rebuilt(info, watch) for info in self._infos(mission)]
        self._missions.project_anew(watch)
        return made

    def verify(self, expected_head: str | None = None) -> Verification:
        """Check every stored byte; with a head that was printed before, also that nothing was cut off since."""
        self._scope.need(MAINTAIN)
        return self._journal.verify(expected_head)

    # ---------------------------------------------------------------- inside

    def _info(self, mission: str) -> MissionInfo:
        self._scope.need(READ)
        info = self._journal.mission(mission)
        if info is None or not self._scope.holds(info):
            raise UnknownIdError(mission)
        return info

    def _infos(self, mission: str | None) -> list[MissionInfo]:
        return self.missions() if mission is None else [self._info(mission)]

    def _admit(self, mission: str, project: str) -> None:
        """Refuse entries of a mission out of sight. A mission stays in the project in which it began."""
        info = self._journal.mission(mission)
        self._scope.need_inside(mission, project if info is None else info.project)

    def _whole(self, mission: str) -> MemorySnapshot:
        return self._missions.open(self._info(mission)).whole()

    def _live(self, mission: str, as_of: int | None, before: str | None) -> LiveReads:
        if as_of is None and before is None:
            return self._missions.live(self._info(mission))
        return self.snapshot(mission, as_of=as_of, before=before)

    def _seen(self, mission: str, as_of: int | None, before: str | None) -> Snapshot:
        return self.snapshot(mission, as_of=as_of, before=before)

    def _need_to_emit(self) -> None:
        self._scope.need(RECORD)

    def _record_emitted(self, view: View, request: ViewRequest) -> None:
        session = view.session or self._info(view.mission).session
        emitted = recording.emitted(view, self.head(), session, request)
        self._as_owner().record([emitted], mission=view.mission)

    def _rows(self, cypher: str, values: Mapping[str, str | int], most: int) -> Answer:
        if self._missions.has_engine:
            return ask(self._missions.engine, cypher, values, most)
        with EvidenceStore.open(self._folder, engine=ENGINES[0]) as asked:  # for this one question
            return asked.query(cypher, values, most=most)

    @property
    def _folder(self) -> Path:
        return self._missions.folder

    def _holder(self, wanted: str, mission: str | None, *, paths: bool = False) -> tuple[MissionInfo, Snapshot]:
        """Return the one mission in sight that knows an id, with its snapshot."""
        snapshots = [(info, self._missions.snapshot(info)) for info in self._infos(mission)]
        found = [each for each in snapshots if each[1].named(wanted) or (paths and files_named(each[1], wanted))]
        if not found:
            raise UnknownIdError(wanted)
        if len(found) > 1:
            raise AmbiguousIdError(wanted, tuple(info.mission for info, _ in found))
        return found[0]

    def _as_owner(self) -> EvidenceStore:
        """Return the handle under which the store records what it did itself."""
        return EvidenceStore(self._journal, self._missions, self._redactor, Scope())

    def _rebuilt(self, info: MissionInfo, watch: Watcher | None) -> Rebuilt:
        Search(self._journal, self._missions).forget(info.mission)
        snapshot = self._missions.rebuild(info, watch)
        nodes, edges = exploration.counts(snapshot)
        return Rebuilt(mission=info.mission, nodes=nodes, edges=edges, digest=exploration.graph_digest(snapshot))
