"""Graphs for tests: neutral records, folded as the store folds them, without a store.

Each record is an entry of its own, so its handle has the number of its place (from 1).
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.derive.fold import Fold
from muniment.derive.live import pruned
from muniment.derive.state import FoldState
from muniment.graph import Graph
from muniment.model import records as r
from muniment.model.entries import RECORD_FORMAT, Entry
from muniment.model.nodes import AnyNode, Text
from muniment.snapshot import MemorySnapshot

MISSION = "mission:" + "0" * 24
SESSION = "S"


class Story:
    """A mission told record by record; each method adds one record and returns its id."""

    def __init__(self) -> None:
        self.records: list[r.Record] = [r.SessionOpened(id="session", session=SESSION, root="/repo")]

    def add(self, record: r.Record) -> str:
        """Add any record."""
        self.records.append(record)
        return record.id

    def say(self, text: str, *, by: str = "user", role: str = "prompt", agent: str = "") -> str:
        """Somebody says something."""
        return self.add(r.Message(id=self._id("m"), by=by, session=SESSION, agent=agent, text=text, role=role))

    def fact(self, text: str, *, class_: str = "constraint", slot: str | None = None) -> str:
        """A user states a fact."""
        return self.add(r.FactStated(id=self._id("f"), by="user", session=SESSION, class_=class_, text=text, slot=slot))

    def task(self, text: str, *, to: str = "") -> str:
        """A task is stated and, with `to`, moved."""
        task = self.add(r.TaskStated(id=self._id("t"), by="agent", session=SESSION, text=text))
        if to:
            self.move(task, to)
        return task

    def move(self, task: str, to: str) -> None:
        """A task's state changes."""
        self.add(r.TaskMoved(id=self._id("tm"), by="agent", session=SESSION, task=task, to=to))

    def read(self, path: str, content: str, *, first: int = 1, total: int | None = None, agent: str = "") -> str:
        """An agent reads lines of a file; without `total`, all of it."""
        count = content.count("\n")
        lines = None if total is None else (first, first + count - 1)
        return self.add(
            r.ToolReturned(
                id=self._id("r"), by="tool", session=SESSION, agent=agent, tool="read", name="Read", path=path,
                content=content, lines=lines, total_lines=total, status="ok",
            )
        )  # fmt: skip

    def write(self, path: str, content: str) -> str:
        """An agent writes a whole file."""
        return self.add(
            r.ToolReturned(
                id=self._id("w"), by="tool", session=SESSION, tool="write", name="Write", path=path, content=content,
                status="ok", effect="writes",
            )
        )  # fmt: skip

    def run(
        self, command: str, output: str = "", *, exit_code: int = 0, agent: str = "", counts: r.Counts | None = None
    ) -> str:
        """An agent runs a command that changes nothing."""
        return self.add(
            r.ToolReturned(
                id=self._id("c"), by="tool", session=SESSION, agent=agent, tool="command", name="Bash", effect="none",
                command=command, output=output, exit_code=exit_code, status="failed" if exit_code else "ok",
                counts=counts, scope="suite" if counts else None,
            )
        )  # fmt: skip

    def snapshot(self, *, live: bool = False) -> MemorySnapshot:
        """Fold all records; return the whole graph, or the live part of it."""
        graph, state = folded(self.records)
        return MemorySnapshot(pruned(graph, state) if live else graph, MISSION, state.ordinal, inline)

    def _id(self, kind: str) -> str:
        return f"{kind}{len(self.records)}"


def folded(found: Iterable[r.Record]) -> tuple[Graph, FoldState]:
    """Fold records, one entry each."""
    graph, state = Graph(), FoldState(mission=MISSION, project="p", format=RECORD_FORMAT, root_session=SESSION)

    def earlier(reference: str) -> list[AnyNode]:
        named = graph.by_record.get(reference, [reference] if reference in graph.nodes else [])
        return [graph.nodes[node] for node in named]

    fold = Fold(state, inline, earlier)
    for number, record in enumerate(found, 1):
        fold.feed(entry_for(record, number), [record], {})
    graph.add(fold.take())
    return graph, state


def entry_for(record: r.Record, number: int) -> Entry:
    """Return an entry that a record could have come from."""
    return Entry(
        position=number, number=number, mission=MISSION, project="p", session=record.session, stream=record.agent,
        source_id=record.id, actor=record.by, recorded_at="2026-01-01T00:00:00Z", format=RECORD_FORMAT, body={},
        hash=bytes(32),
    )  # fmt: skip


def inline(text: Text) -> str:
    """Return a text that its node holds."""
    return text.inline or ""
