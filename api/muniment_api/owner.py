"""The owner: where a server has a store, it is asked; the command's own handle answers where there is none.

* The answers are equal, byte for byte; the server's come out of the projection, which only its process may open.
* A server that has gone, or is overrun, is no error: the store on the disk knows all that was acknowledged.
* A projection has one process. Where that is the server, a query in Cypher goes to it.
* The client is imported only where there is a server to ask: commands stay fast.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from muniment.closeout.verdict import Closeout
from muniment.errors import StoreError
from muniment.projection.asking import Answer
from muniment.projection.folder import ProjectionLockedError
from muniment.selection.view import View
from muniment.store import EvidenceStore
from muniment_api.console import Console
from muniment_api.opening import open_store

T = TypeVar("T")
SOCKET_NAME = "serve.sock"
LOCK_NAME = "serve.lock"


class Answerer(Protocol):
    """Whoever answers about a mission: a store's handle, or a client of its server."""

    def view(self, mission: str, *, task: str | None = ..., session: str | None = ..., agent: str | None = ...) -> View:
        """Return the context for the current task."""

    def closeout(self, mission: str, *, task: str | None = ..., as_of: int | None = ...) -> Closeout:
        """Return which claims are proven."""


def ask_owner(console: Console, store: EvidenceStore, mission: str, ask: Callable[[Answerer], T]) -> T:
    """Ask the server of the store, if one is there, else the store.

    Raises:
        EvidenceError: what either says.
    """
    if (console.store / SOCKET_NAME).exists():
        client = importlib.import_module("muniment_api.client").MunimentClient
        try:
            with client.local(console.store, mission=mission) as owner:
                return ask(owner)
        except StoreError:
            console.say("muniment: the server of this store does not answer; the store itself is asked")
    return ask(store)


def query(console: Console, engine: str, cypher: str, values: Mapping[str, str | int], most: int) -> Answer:
    """Ask an engine in Cypher: here, or where the server of the store holds its projection, there.

    Raises:
        ProjectionLockedError: another process holds it, and is no server.
        EvidenceError: what the engine says.
    """
    try:
        with open_store(console, engine=engine) as store:
            return store.query(cypher, values, most=most)
    except ProjectionLockedError as error:
        if error.holder != server_of(console.store):
            raise
    transports = importlib.import_module("muniment_api.client_transports")
    address = transports.Address(socket=console.store / SOCKET_NAME)
    answer: Answer = transports.ask_engine(address, cypher, values, most)
    return answer


def server_of(store: Path) -> int:
    """Return the number of the process that serves a store, 0 where none has."""
    try:
        told = (store / LOCK_NAME).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return 0
    return int(told) if told.isdecimal() else 0
