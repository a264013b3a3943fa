"""The engine: an embedded graph database behind one small class. No other module loads kuzu or ladybug.

* One database object, one connection, one lock: statements of several threads wait for one another.
* No checkpoint happens by itself: `checkpoint` is called under the mark of `folder.py`, and what it wrote is whole on
  the disk only after `close`. Between checkpoints neither engine changes the database's file: it writes its log.
* Whatever the engine raises becomes an :class:`EngineError`; who gets one sets the projection aside.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Final, Protocol

from muniment.errors import StoreError, UsageError

POOL_BYTES: Final = 512 << 20
MOST_BYTES: Final = 1 << 36
"""Size of the database at most; a power of two. It is address space, not memory."""
THREADS: Final = 1
"""Threads of the engine: statements are small, and handing them over costs more than it saves."""
LOADING_THREADS: Final = 2
TEXTS: Final = 100
"""Queries with a text of their own after which the connection is renewed."""

_OPTIONS: Final[dict[str, dict[str, object]]] = {
    "kuzu": {},
    "ladybug": {"throw_on_wal_replay_failure": False},  # a torn tail is no damage: what is missing is caught up
}
ENGINES: Final = tuple(_OPTIONS)

Value = str | int


def engine_named(name: str | None) -> str | None:
    """Return the engine that a name means; None for memory, where the fold answers.

    Raises:
        UsageError: there is none of this name.
    """
    if name in (None, "memory"):
        return None
    if name not in ENGINES:
        raise UsageError(f"no engine {name!r} here; there are {', '.join(ENGINES)} and memory")
    return name


class EngineError(StoreError):
    """The engine failed, or its file cannot be opened."""

    code = "engine"


class _Result(Protocol):
    def get_all(self) -> list[list[object]]: ...
    def get_column_names(self) -> list[str]: ...
    def get_next(self) -> list[object]: ...
    def has_next(self) -> bool: ...
    def close(self) -> None: ...


class _Connection(Protocol):
    def execute(self, query: object, parameters: dict[str, Value] | None = None) -> _Result: ...
    def set_query_timeout(self, timeout_in_ms: int) -> None: ...
    def close(self) -> None: ...


class Engine:
    """An open database."""

    def __init__(self, name: str, file: Path, *, threads: int = THREADS) -> None:
        """Open the database in a file, or make it.

        Raises:
            UsageError: the engine is not installed.
            EngineError: the file is no sound database of this engine.
        """
        self.name = name
        self.failed = False
        self._module = _loaded(name)
        self._file = file
        self._threads = threads
        self._lock = RLock()
        self._prepared: dict[str, object] = {}
        self._texts = 0
        self.open()

    def open(self) -> None:
        """Open the file, at first and after `close`."""
        with self._lock, self._faults():
            self._database = self._module.Database(
                str(self._file),
                buffer_pool_size=POOL_BYTES,
                max_db_size=MOST_BYTES,
                max_num_threads=self._threads,
                auto_checkpoint=False,
                **_OPTIONS[self.name],
            )
            self._connect: Callable[[], _Connection] = partial(self._module.Connection, self._database)
            self._connection: _Connection = self._connect()
            self._connection.execute("CALL auto_checkpoint=false").close()

    def rows(self, statement: str, **values: Value) -> list[list[object]]:
        """Run one of our own statements; return its rows."""
        with self._lock, self._faults():
            result = self._connection.execute(self._ready(statement, values), values)
            found = result.get_all()
            result.close()
            return found

    def run(self, statement: str) -> None:
        """Run a statement that is used once and has no parameters."""
        with self._lock, self._faults():
            self._connection.execute(statement).close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block's statements in one transaction; nothing else comes between."""
        with self._lock:
            self.run("BEGIN TRANSACTION")
            try:
                yield
            except BaseException:
                self._end("ROLLBACK")
                raise
            self.run("COMMIT")

    def ask(
        self, query: str, values: dict[str, Value], most: int, timeout_ms: int
    ) -> tuple[list[str], list[list[object]]]:
        """Run somebody's query in a read-only transaction; return its columns and at most `most` rows.

        Both engines keep something of every text for as long as the connection lives (75 KB in Kuzu, 2 MB of the pool
        in ladybug, which is full after 300), so the connection is renewed now and then.

        Raises:
            UsageError: the engine refuses the query.
        """
        with self._lock:
            self._count_text()
            self.run("BEGIN TRANSACTION READ ONLY")
            try:
                self._connection.set_query_timeout(timeout_ms)
                result = self._connection.execute(query, values)
                rows: list[list[object]] = []
                while len(rows) < most and result.has_next():
                    rows.append(result.get_next())
                names = result.get_column_names()
                result.close()
            except RuntimeError as error:
                raise UsageError(f"{self.name} refuses the query: {error}") from None
            finally:
                self._connection.set_query_timeout(0)
                self._end("COMMIT")
            return names, rows

    def checkpoint(self) -> None:
        """Write everything from the log into the database's file."""
        self.run("CHECKPOINT")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock, self._faults():
            self._prepared.clear()
            self._connection.close()
            self._database.close()

    def abandon(self) -> None:
        """Let go of the file, whatever the engine says: it is not needed any more."""
        try:
            self.close()
        except EngineError:
            return

    def _count_text(self) -> None:
        """Renew the connection after so many texts of other people."""
        self._texts += 1
        if self._texts % TEXTS == 0:
            with self._faults():
                self._prepared.clear()
                self._connection.close()
                self._connection = self._connect()

    def _end(self, how: str) -> None:
        """End a transaction that may have failed: then the engine has ended it."""
        try:
            self._connection.execute(how).close()
        except RuntimeError:
            return

    def _ready(self, statement: str, values: dict[str, Value]) -> object:
        """Return what to execute: Kuzu plans a text anew each time, ladybug remembers plans itself."""
        prepare = getattr(self._connection, "_prepare", None)
        if self.name != "kuzu" or prepare is None or not values:
            return statement
        found = self._prepared.get(statement)
        if found is None:
            found = self._prepared[statement] = prepare(statement, values)
        return found

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, IndexError) as error:
            self.failed = True
            raise EngineError(f"{self.name}: {error}") from error


def _loaded(name: str) -> ModuleType:
    """Load an engine's package. Both in one process do not work: they register the same types."""
    other = next((each for each in ENGINES if each != name and each in sys.modules), None)
    if other is not None:
        raise UsageError(f"this process uses {other} already, and cannot load {name} beside it: use another process")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"the engine {name!r} is not installed: pip install {name}") from None


def plain_rows(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return rows whose values JSON can hold: what it cannot becomes text."""
    return [[_plain(value) for value in row] for row in rows]


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value)
