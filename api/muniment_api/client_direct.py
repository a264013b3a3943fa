"""Clients of a store in this process: the same calls through the same schema, with no network between.

The store's handle decides what is seen, so a scoped one is as good here as over the network.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

import msgspec
from strawberry.http import process_result

from muniment.model.packing import writable
from muniment.store import EvidenceStore
from muniment_api import client_calls
from muniment_api.client import AsyncMunimentClient, MunimentClient
from muniment_api.client_calls import Call
from muniment_api.schema.answers import entry_of
from muniment_api.schema.build import build
from muniment_api.schema.context import Operation
from muniment_api.worker import Worker

T = TypeVar("T")
POLL_SECONDS = 0.1


class DirectSender:
    """Asks a store in this process."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        variables = msgspec.json.decode(msgspec.json.encode(writable(call.variables)))
        result = build().execute_sync(
            call.document, variable_values=variables, context_value=Operation(self._store, None)
        )
        return client_calls.answer(call, msgspec.json.decode(msgspec.json.encode(writable(process_result(result)))))

    def follow(self, call: Call[T]) -> Iterator[T]:
        """Yield entries as they are recorded."""
        while True:
            found = self.look(call)
            yield from found
            if not found:
                time.sleep(POLL_SECONDS)

    def look(self, call: Call[T]) -> list[T]:
        """Return the entries behind the position of a call, and move it on."""
        position = call.variables["after"]
        assert isinstance(position, int)
        tail = self._store.entries(after=position)
        call.variables["after"] = tail.position
        return [call.parse({"records": vars(entry_of(entry))}) for entry in tail.entries]

    def close(self) -> None:
        """The store belongs to the caller."""


class AsyncDirectSender:
    """Asks a store in this process, in a thread of its own."""

    def __init__(self, store: EvidenceStore) -> None:
        self._direct = DirectSender(store)
        self._worker = Worker()

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        return await self._worker.run(self._direct.send, call)

    async def follow(self, call: Call[T]) -> AsyncIterator[T]:
        """Yield entries as they are recorded."""
        while True:
            found = await self._worker.run(self._direct.look, call)
            for entry in found:
                yield entry
            if not found:
                await asyncio.sleep(POLL_SECONDS)

    async def close(self) -> None:
        """End the thread; the store belongs to the caller."""
        self._worker.close()


def in_process(store: EvidenceStore) -> MunimentClient:
    """Return a client of a store in this process."""
    return MunimentClient(DirectSender(store))


def in_process_async(store: EvidenceStore) -> AsyncMunimentClient:
    """Return an awaiting client of a store in this process."""
    return AsyncMunimentClient(AsyncDirectSender(store))
