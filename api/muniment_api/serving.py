"""Serving: one process that owns a store's socket, on loopback TCP and on the Unix socket in the store's folder.

* One server per store: it holds a lock on `serve.lock`, which has its process id. The lock goes with the process, so a
  killed server is in nobody's way; the socket that it left is removed.
* The socket has mode 0600 from its first moment. Whoever may use it may read the store's files anyway.
* Off loopback nothing is bound without a token.
* SIGTERM and SIGINT: no new connections, subscriptions end, requests in work are finished, the store is closed.
"""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

import uvicorn
from starlette.applications import Starlette

from muniment.errors import StoreError, UsageError
from muniment_api.service import Service

SOCKET_NAME = "serve.sock"
LOCK_NAME = "serve.lock"
GRACE_SECONDS = 5
BACKLOG = 128
CONNECTIONS = 500
"""Connections and requests at once; more are told to come back later (503)."""
SOCKET_PATH_BYTES = 100
"""Longer paths of sockets are refused by the system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a server listens; `port` 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 8765

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@contextmanager
def owned(store: Path) -> Iterator[None]:
    """Be the one server of a store.

    Raises:
        StoreError: another process is; the message has its id.
    """
    path = store / LOCK_NAME
    try:
        lock = path.open("a+", encoding="ascii")
    except OSError as error:
        raise StoreError(f"there is no store in {store}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(
                f"the store {store} is served by process {_holder(lock)} already; stop it first"
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def _holder(lock: IO[str]) -> str:
    lock.seek(0)
    return lock.read().strip() or "(unknown)"


def tcp_socket(place: Place, *, has_token: bool) -> socket.socket:
    """Return a bound socket.

    Raises:
        UsageError: the place is not on loopback, and there is no token.
        StoreError: the place is taken or is none of this machine.
    """
    if not place.loopback and not has_token:
        raise UsageError(f"{place.host} can be reached from other machines: name a token with --token-env first")
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((place.host, place.port))
        made.listen(BACKLOG)  # whoever reads where we listen may connect at once
    except OSError as error:
        made.close()
        raise StoreError(f"cannot listen on {place.host}:{place.port}: {error.strerror or error}") from error
    return made


@contextmanager
def unix_socket(store: Path) -> Iterator[socket.socket | None]:
    """Give a bound socket in the store's folder; None where its path is too long for one. Owned stores only."""
    path = store / SOCKET_NAME
    path.unlink(missing_ok=True)
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        yield None
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        before = os.umask(0o177)
        try:
            made.bind(str(path))
        finally:
            os.umask(before)
        made.listen(BACKLOG)
        try:
            yield made
        finally:
            with suppress(FileNotFoundError):
                path.unlink()


class Server(uvicorn.Server):
    """A server that tells its application at once when it is to stop."""

    def __init__(self, app: Starlette) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=1 << 20,
            backlog=BACKLOG,
            timeout_keep_alive=30,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            h11_max_incomplete_event_size=1 << 16,
        )
        super().__init__(config)
        self._service: Service = app.state.service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 (any signal means the same)
        """Stop, gracefully; a second signal stops at once. Whoever called goes on, and cleans up."""
        if self.should_exit:
            self.force_exit = True
        self.stop()

    def stop(self) -> None:
        """Tell subscriptions and readiness that the end is near."""
        self._service.stopping.set()
        self.should_exit = True


def serve(app: Starlette, sockets: Sequence[socket.socket]) -> bool:
    """Serve until told to stop; return whether it ever began."""
    server = Server(app)
    server.run(sockets=list(sockets))
    return server.started
