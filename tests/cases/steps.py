"""Steps after the first import. What is delivered goes on in the process that has the store open; the rest ends it.

`delete` and `concurrent_append` run with no process open, `reopen` and `rebuild` in a new one, `accept` in one of its
own.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from muniment.errors import EvidenceError
from muniment.store import EvidenceStore
from tests.cases.form import Case, Raw, Step
from tests.cases.outcome import WrongCaseError
from tests.cases.processes import Limits, Stage, StageError
from tests.cases.world import World, add_lines, import_file, record_again, record_events, refusal_of
from tests.cases.writers import append_concurrently

LEFT_OPEN = frozenset({"journal_keep_side_files"})
"""What is deleted after a process that never closed the store: only then are there side files to be kept."""

ABANDONED: list[EvidenceStore] = []
"""Stores that a process leaves open when it ends, as if it were killed."""

DYING = ("accept", "dies before its commit")
"""Noted by a process that is about to be killed."""

JOURNAL_FILE = "journal.sqlite"
"""The main file of the journal; its side files have its name and a suffix."""
DERIVED_FILES = ("fold.sqlite", "projection")
"""What is derived: the saved fold and the projection, with their side files."""


def _events(world: World, store: EvidenceStore, case: Case, step: Step) -> None:
    record_events(world, store, step.events)


def _again(world: World, store: EvidenceStore, case: Case, step: Step) -> None:
    record_again(world, store, step.ids)


def _append(world: World, store: EvidenceStore, case: Case, step: Step) -> None:
    add_lines(world, _raw(case), step.raw_lines, final_newline=step.final_newline, replace=False)
    import_file(world, store, _raw(case))


def _replace(world: World, store: EvidenceStore, case: Case, step: Step) -> None:
    add_lines(world, _raw(case), step.raw_lines, final_newline=step.final_newline, replace=True)
    import_file(world, store, _raw(case))


def _purge(world: World, store: EvidenceStore, case: Case, step: Step) -> None:
    store.purge(step.id, "a case says so", mission=world.mission_of(step.id) or None)


INSIDE: dict[str, Callable[[World, EvidenceStore, Case, Step], None]] = {
    "events": _events,
    "again": _again,
    "append": _append,
    "replace": _replace,
    "purge": _purge,
}
"""Steps in the process that has the store open."""


def _delete(world: World, step: Step) -> None:
    if step.what == "journal_keep_side_files":
        _leave_side_files(world)
        (world.store / JOURNAL_FILE).unlink()
    elif step.what == "saved_fold_and_projection":
        for path in sorted(world.store.iterdir()):
            if path.name.startswith(DERIVED_FILES):
                path.unlink()
    else:
        raise WrongCaseError(f"delete knows no {step.what!r}")


def _leave_side_files(world: World) -> None:
    """Make sure that there are side files: a process that is killed leaves them, one that closes the store does not."""
    if not any(path.name != JOURNAL_FILE for path in world.store.glob(f"{JOURNAL_FILE}*")):
        store = world.opened()
        store.missions()
        ABANDONED.append(store)


def _reopen(world: World, step: Step) -> None:
    """Open the store; an error stays as the answer to all questions."""
    try:
        with world.opened() as store:
            store.missions()
    except EvidenceError as error:
        world.refusal = refusal_of(error)


def _rebuild(world: World, step: Step) -> None:
    with world.opened() as store:
        store.rebuild()


def _accept(world: World, step: Step) -> None:
    if step.kill not in (None, "before_commit"):
        raise WrongCaseError(f"an acceptance cannot be killed {step.kill!r}")
    dying = Stage(partial(_accept_and_die, world, step))
    if step.kill is not None and dying.next_note() != DYING:
        raise WrongCaseError("the acceptance did not come to its commit")
    with suppress(StageError):
        dying.result()


def _die_before_commit(store: EvidenceStore, limits: Limits) -> None:
    """Kill this process when the journal is about to commit what it has written."""
    writing: list[str] = []

    def hear(statement: str) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            writing.append(statement)
        elif statement.startswith("COMMIT") and writing:
            limits.note(DYING)
            os.kill(os.getpid(), signal.SIGKILL)

    store._journal._connection.set_trace_callback(hear)


def _accept_and_die(world: World, step: Step, limits: Limits) -> None:
    """Accept a packet; with `kill`, end the process as if by a power cut when the journal is about to commit."""
    with world.opened() as store:
        if step.kill is not None:
            _die_before_commit(store, limits)
        store.accept_packet(step.packet, mission=world.mission_of(step.packet))


ALONE: dict[str, Callable[[World, Step], None]] = {
    "delete": _delete,
    "reopen": _reopen,
    "rebuild": _rebuild,
    "accept": _accept,
    "concurrent_append": append_concurrently,
}
"""Steps for which no process may have the store open."""

COMPARED_AFTER = frozenset({"rebuild", "delete"})
"""Steps before which is noted what will be compared over a rebuild."""

WITH_PROCESSES = frozenset({"concurrent_append", "accept"})
"""Steps that start processes of their own; the others run in one."""


def _raw(case: Case) -> Raw:
    if case.raw is None:
        raise WrongCaseError("append and replace need a raw file")
    return case.raw
