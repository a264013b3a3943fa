"""The spool: payloads of hooks that found no server, one file each, taken in by whoever opens the store next.

* Files are taken in the order of their names, which is that of their arrival. A file goes when its entry is durable; a
  crash between costs nothing, since what arrives twice is kept once.
* A file that holds no payload is set aside as `*.bad`, so that it stands in nobody's way, and told by `doctor`. One
  that the system does not let us read waits.
* Two processes may drain at once; the second finds files gone.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import msgspec

from muniment.errors import EvidenceError, ScopeError, StoreError
from muniment.model.ids import MissionId, mission_id
from muniment.store import EvidenceStore
from muniment_api.hook_client import FAULTS_NAME, RUNTIMES, SPOOL_NAME

SUFFIX = ".ndjson"
BAD = ".bad"
TOGETHER = 256
"""Payloads that are taken in with one transaction, at most."""
StoreOf = Callable[[MissionId], EvidenceStore]
"""Return the handle that may write to a mission."""


class Spooled(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting payload: its file, the runtime that it is of, its session and its line."""

    path: Path
    runtime: str
    session: str
    line: bytes


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A hook that gave no answer: when (seconds since 1970), which, why."""

    at: int
    runtime: str
    event: str
    why: str


def waiting(store: Path) -> list[Path]:
    """Return the files that wait, in order."""
    folder = store / SPOOL_NAME
    return sorted(folder.glob(f"[0-9]*{SUFFIX}")) if folder.is_dir() else []


def drain(store: Path, store_of: StoreOf) -> int:
    """Take in what waits, and return how many payloads that were.

    Raises:
        StoreError: the store cannot be written; what was not taken in stays.
    """
    taken = 0
    for (runtime, session), group in groupby(_read(waiting(store)), lambda each: (each.runtime, each.session)):
        for batch in _batches(list(group)):
            taken += _take(batch, store_of(mission_id(runtime, session)))
    return taken


def _take(batch: list[Spooled], store: EvidenceStore) -> int:
    """Take in payloads of one session. What the store refuses for good is set aside; what is out of sight waits."""
    try:
        import_lines(store, batch[0].runtime, batch[0].session, b"".join(each.line for each in batch))
    except ScopeError:
        return 0
    except StoreError:
        raise
    except EvidenceError:
        for each in batch:
            _set_aside(each.path)
        return 0
    for each in batch:
        each.path.unlink(missing_ok=True)
    return len(batch)


def import_lines(store: EvidenceStore, runtime: str, session: str, lines: bytes) -> None:
    """Record payloads of one session, one a line.

    Raises:
        EvidenceError: they cannot be recorded.
    """
    form = f"{runtime}-hook"
    store.import_session(io.BytesIO(lines), format=form, mission=mission_id(runtime, session))


def faults(store: Path) -> list[Fault]:
    """Return what hooks noted when they failed open, oldest first."""
    try:
        lines = (store / SPOOL_NAME / FAULTS_NAME).read_bytes().splitlines()
    except OSError:
        return []
    return [fault for line in lines if (fault := _fault(line)) is not None]


def set_aside(store: Path) -> list[Path]:
    """Return the files that could not be read."""
    folder = store / SPOOL_NAME
    return sorted(folder.glob(f"*{BAD}")) if folder.is_dir() else []


def _fault(line: bytes) -> Fault | None:
    parts = line.decode("utf-8", "replace").split("\t", 3)
    if len(parts) != 4 or not parts[0].isdecimal():
        return None
    return Fault(at=int(parts[0]), runtime=parts[1], event=parts[2], why=parts[3])


def _read(paths: list[Path]) -> Iterator[Spooled]:
    for path in paths:
        try:
            line = path.read_bytes()
        except OSError:
            continue  # another process took it in; or it cannot be read, and waits
        runtime = path.name.removesuffix(SUFFIX).split("-", 2)[-1]
        session = _session_of(line)
        if session is None or runtime not in RUNTIMES:
            _set_aside(path)
            continue
        yield Spooled(path=path, runtime=runtime, session=session, line=line)


def _set_aside(path: Path) -> None:
    with suppress(FileNotFoundError):  # another process did
        path.rename(path.with_suffix(BAD))


def _session_of(line: bytes) -> str | None:
    try:
        payload = json.loads(line)
    except (ValueError, RecursionError):
        return None
    session = payload.get("session_id") if isinstance(payload, dict) else None
    return session if isinstance(session, str) else None


def _batches(spooled: list[Spooled]) -> Iterator[list[Spooled]]:
    for start in range(0, len(spooled), TOGETHER):
        yield spooled[start : start + TOGETHER]
