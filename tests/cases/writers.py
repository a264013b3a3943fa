"""`concurrent_append`: separate processes that append at the same time, each with a handle of its own.

A writer notes each acknowledgement at once, so that it is known even if the writer is killed right after. A busy answer
is an honest one; with `retry` it is tried again. What was neither acknowledged nor refused by an error is lost without
a word.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from muniment.errors import BusyError, EvidenceError
from muniment.store import EvidenceStore
from tests.cases.events import record_object
from tests.cases.expand import fill
from tests.cases.form import EVENT, Step
from tests.cases.outcome import WrongCaseError
from tests.cases.processes import Limits, Note, Stage
from tests.cases.world import OWN_SESSION, Appending, World

TRY_AGAIN_S = 60.0
KILLED_AFTER = 3
"""Acknowledgements after which a writer that is to die in the middle is killed."""


def append_concurrently(world: World, step: Step) -> None:
    """Run the writers of a step and note what became of their events."""
    if step.kill not in (None, "between_commits"):
        raise WrongCaseError(f"a writer cannot be killed {step.kill!r}")
    plans = [_events(world, step, writer) for writer in range(step.writers)]
    reader = Stage(_reader(world.store, step.reader_holds_s)) if step.reader_holds_s else None
    if reader is not None:
        reader.next_note()
    writers = [Stage(_writer(world.store, plan, retry=step.retry)) for plan in plans]
    appending = world.appending = Appending()
    for writer, plan in zip(writers, plans, strict=True):
        heard = _killed(writer) if step.kill else writer.result()
        tried = [str(event["id"]) for event in plan]
        told = dict(heard)
        appending.tried += tried
        appending.acknowledged += [event for event in tried if told.get(event) == "ok"]
        if not step.kill:
            appending.unreported += sum(1 for event in tried if event not in told)
    if reader is not None:
        reader.result()


def _events(world: World, step: Step, writer: int) -> list[EVENT]:
    events: list[EVENT] = []
    for number in range(step.each):
        template = fill(step.event, number)
        assert isinstance(template, dict)
        session = step.sessions[number % len(step.sessions)] if step.sessions else world.session or OWN_SESSION
        event = {**template, "id": f"w{writer}-{number}", "seq": 0}
        world.sessions[str(event["id"])] = session
        events.append(record_object(event, session, lambda _: None))
    return events


def _writer(store: Path, events: list[EVENT], *, retry: bool) -> Callable[[Limits], list[Note]]:
    def write(limits: Limits) -> list[Note]:
        told: list[Note] = []
        with EvidenceStore.open(store) as opened:
            for event in events:
                word = _append(opened.record, event, retry=retry)
                limits.note((str(event["id"]), word))
                told.append((str(event["id"]), word))
        return told

    return write


def _append(record: Callable[[list[EVENT]], object], event: EVENT, *, retry: bool) -> str:
    deadline = time.monotonic() + TRY_AGAIN_S
    while True:
        try:
            record([event])
        except BusyError as error:
            if not retry or time.monotonic() > deadline:
                return error.code
        except EvidenceError as error:
            return error.code
        else:
            return "ok"


def _reader(store: Path, seconds: float) -> Callable[[Limits], None]:
    """Hold a read transaction open on the journal's file."""

    def read(limits: Limits) -> None:
        for path in sorted(store.rglob("journal*.sqlite")):
            with closing(sqlite3.connect(path)) as database, suppress(sqlite3.Error):
                database.execute("BEGIN")
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                limits.note(("holding", str(path)))
                time.sleep(seconds)

    return read


def _killed(writer: Stage[list[Note]]) -> list[Note]:
    heard: list[Note] = []
    while len(heard) < KILLED_AFTER and (told := writer.next_note()) is not None:
        heard.append(told)
    writer.kill()
    return heard + writer.notes()
