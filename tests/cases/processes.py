"""Work in a process of its own, with a limit that holds whatever the work does.

The process that runs cases never opens a store. Each stage of a case is forked from it and sends its answer back, so
that a stage has nothing of an earlier one but what was handed on, and can be killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Generic, TypeVar, cast

from tests.cases.outcome import CannotAskError, WrongCaseError

T = TypeVar("T")

STAGE_LIMIT_S = 900.0
"""Seconds after which a stage counts as hanging, where nothing else is said."""

_FORK = multiprocessing.get_context("fork")


class StageError(Exception):
    """A stage gave no answer: it crashed, or it took too long."""


class Limits:
    """Tells the watching process how long the next thing may take."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, what: str, seconds: float | None) -> None:
        """Begin something that may take `seconds`."""
        self._connection.send(("limit", what, STAGE_LIMIT_S if seconds is None else seconds))

    def end(self) -> None:
        """It is done."""
        self._connection.send(("limit", "the stage", STAGE_LIMIT_S))

    def note(self, value: Note) -> None:
        """Tell the watching process something at once: it arrives even if this process is killed right after."""
        self._connection.send(("note", value))


Note = tuple[str, str]
Work = Callable[[Limits], T]


class Stage(Generic[T]):
    """Work that runs in a process of its own."""

    def __init__(self, work: Work[T]) -> None:
        ours, theirs = _FORK.Pipe()
        self._process = _FORK.Process(target=_serve, args=(work, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        self._last: tuple[object, ...] | None = None

    def kill(self) -> None:
        """Kill the process, at once and without warning."""
        with suppress(ProcessLookupError):
            os.kill(self._process.pid or 0, signal.SIGKILL)
        self._process.join()

    def notes(self) -> list[Note]:
        """Return what the work has noted that was not returned yet, also after a kill."""
        heard: list[Note] = []
        with suppress(EOFError, OSError):
            while self._connection.poll():
                message = self._connection.recv()
                heard += [message[1]] if message[0] == "note" else []
        return heard

    def next_note(self) -> Note | None:
        """Wait for the next note; None where the work ended, or hangs, without one."""
        with suppress(EOFError):
            while self._connection.poll(STAGE_LIMIT_S):
                message = self._connection.recv()
                if message[0] == "note":
                    return cast("Note", message[1])
                if message[0] != "limit":
                    self._last = message
                    return None
        return None

    def result(self) -> T:
        """Wait for the answer.

        Raises:
            StageError: it crashed, or took longer than it may.
        """
        what, limit = "the stage", STAGE_LIMIT_S
        deadline = time.monotonic() + limit
        try:
            while True:
                message = self._last or self._next(what, limit, deadline)
                if message[0] == "limit":
                    what, limit = str(message[1]), cast("float", message[2])
                    deadline = time.monotonic() + limit
                elif message[0] != "note":
                    return self._opened(message)
        except EOFError:
            self._process.join()
            raise StageError(f"the process ended with {self._process.exitcode} during {what}") from None
        finally:
            self.kill()
            self._connection.close()

    def _next(self, what: str, limit: float, deadline: float) -> tuple[object, ...]:
        if not self._connection.poll(max(0.0, deadline - time.monotonic())):
            raise StageError(f"no answer to {what} within {limit:g} s")
        return cast("tuple[object, ...]", self._connection.recv())

    def _opened(self, message: tuple[object, ...]) -> T:
        if message[0] == "raised":
            raise cast("Exception", message[1])
        if message[0] == "error":
            raise StageError(str(message[1]))
        return cast("T", message[1])


def run(work: Work[T]) -> T:
    """Run work in a process of its own and return its answer.

    Raises:
        StageError: it crashed, or took longer than it may.
    """
    return Stage(work).result()


def _serve(work: Work[object], connection: Connection) -> None:
    try:
        connection.send(("result", work(Limits(connection))))
    except (CannotAskError, WrongCaseError) as error:
        connection.send(("raised", error))
    except BaseException:  # noqa: BLE001  whatever went wrong is told to the process that watches
        lines = traceback.format_exc().strip().splitlines()
        connection.send(("error", f"{lines[-1]} ({_place(lines)})"))
    connection.close()


def _place(lines: list[str]) -> str:
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return places[-1] if places else ""
