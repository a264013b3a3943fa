"""Searching a store: the index is opened, brought up to date for the missions asked, and read.

What is wrong with the index never makes an answer wrong and never stops one: it is deleted and made anew, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from muniment.derive import fold
from muniment.digest import keyed_tag
from muniment.errors import StoreError
from muniment.journal.port import Journal, MissionInfo
from muniment.missions import Missions
from muniment.search.documents import Document, documents, ended_nodes
from muniment.search.hits import Hit, Question
from muniment.search.index import Basis, Found, SearchIndex, StaleError
from muniment.search.storage import DAMAGE, busy_told, set_aside
from muniment.search.wording import match_of
from muniment.snapshot import Snapshot

VERSION = "2"
"""Version of what is indexed and how; an index of another one is made anew."""

TRIES = 3


class Search:
    """Text search over the missions of a store."""

    def __init__(self, journal: Journal, missions: Missions) -> None:
        self._journal = journal
        self._missions = missions

    def find(self, infos: Sequence[MissionInfo], question: Question) -> list[Hit]:
        """Return the best hits in these missions and no others: by score, then the newest, then by id.

        Raises:
            UsageError: the question cannot be asked.
            BusyError: another process held the index too long.
            StoreError: the index cannot be made.
        """
        question.check()
        match = match_of(question.text)
        if not match:
            return []
        trouble: Exception | None = None
        for _ in range(TRIES):
            try:
                with busy_told():
                    return self._find(infos, match, question)
            except (StaleError, *DAMAGE) as error:
                set_aside(self._missions.folder)
                trouble = error
        raise StoreError(f"the index of the text search cannot be made: {trouble}") from trouble

    def forget(self, mission: str) -> None:
        """Drop what is indexed of a mission; the next search makes it anew."""
        try:
            with busy_told(), closing(self._opened()) as index:
                index.forget(mission)
        except (StaleError, *DAMAGE):
            set_aside(self._missions.folder)

    @contextmanager
    def absent(self) -> Iterator[None]:
        """Delete the index before and after what is done inside, a purge: another process may make it meanwhile."""
        set_aside(self._missions.folder)
        try:
            yield
        finally:
            set_aside(self._missions.folder)

    def _find(self, infos: Sequence[MissionInfo], match: str, question: Question) -> list[Hit]:
        with closing(self._opened()) as index:
            found: list[Found] = []
            for info in infos:
                if index.position(info.mission) < info.last_position:
                    self._catch_up(index, info)
                found += index.search(info.mission, match, question)
            found.sort(key=lambda each: (-each.hit.score, -each.hit.ordinal, each.hit.id))
            return [index.shown(each, match) for each in found[: question.limit]]

    def _catch_up(self, index: SearchIndex, info: MissionInfo) -> None:
        opened = self._missions.open(info)
        snapshot = opened.whole()

        def words(after: int) -> tuple[Iterable[Document], dict[str, str]]:
            return _words(snapshot, after)

        index.take(info.mission, opened.settled, words, lambda: self._journal.head().epoch)

    def _opened(self) -> SearchIndex:
        tag = keyed_tag(self._journal.key, f"search {VERSION} {fold.VERSION}".encode(), 16)
        return SearchIndex(self._missions.folder, Basis(tag, self._journal.head().epoch))


def _words(snapshot: Snapshot, after: int) -> tuple[Iterable[Document], dict[str, str]]:
    ended = ended_nodes(snapshot)
    withdrawn = {node for node, how in ended.items() if how == "withdrawn"}
    return documents(snapshot, after, withdrawn), ended
