"""The service: a store, the thread that speaks to it, and who may ask. What all routes share.

* Opened and closed in the worker's thread; nothing else touches the store.
* `stopping` is set as soon as the server is told to stop: subscriptions end by themselves, readiness says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from muniment.errors import BusyError, StoreError
from muniment.store import EvidenceStore
from muniment_api.access import Access, Asked, Policy, asked
from muniment_api.schema.context import Context
from muniment_api.worker import Worker

IDLE_SECONDS = 5.0
"""How often the store may do what it left for later, while nobody asks."""


class Service:
    """An open store that requests are admitted to."""

    def __init__(self, open_store: Callable[[], EvidenceStore], policy: Policy) -> None:
        self._open_store = open_store
        self._policy = policy
        self._store: EvidenceStore | None = None
        self._access: Access | None = None
        self._idling: asyncio.Task[None] | None = None
        self.worker = Worker(self._settle)
        self.stopping = asyncio.Event()

    async def start(self) -> None:
        """Open the store.

        Raises:
            StoreError: it cannot be opened.
        """
        self._store = await self.worker.run(self._open_store)
        self._access = Access(self._store, self._policy)
        self._idling = asyncio.create_task(self._settle_now_and_then())

    async def _settle_now_and_then(self) -> None:
        """Let the store do what it left for a time in which nobody asks."""
        while not self.stopping.is_set():
            await asyncio.sleep(IDLE_SECONDS)
            if self.ready and not self.worker.busy:
                with suppress(BusyError):
                    await self.worker.run(self._settle)

    async def stop(self) -> None:
        """Close the store, after what is waiting."""
        self.stopping.set()
        if self._idling is not None:
            self._idling.cancel()
        if self._store is not None:
            await self.worker.run(self._store.close)
        self._store = self._access = None
        self.worker.close()

    def _settle(self) -> bool:
        return self._store is not None and not self.stopping.is_set() and self._store.settle()

    @property
    def ready(self) -> bool:
        """Whether requests can be answered."""
        return self._access is not None and not self.stopping.is_set()

    def context(self, scope: Mapping[str, object], headers: Mapping[str, str]) -> Context:
        """Admit a request.

        Raises:
            UnauthenticatedError: it has no right to ask.
            ScopeError: it names no scope, or another one than it is for.
            StoreError: the server is starting or stopping.
        """
        admitted = self._admitting().admit(asked(scope, headers))
        return Context(self.worker, admitted.store, admitted.roots, self.stopping)

    def whole(self, asked: Asked) -> EvidenceStore:
        """Return the handle on the whole store, for its owner.

        Raises:
            ScopeError: it is not for this request.
            StoreError: the server is starting or stopping.
        """
        return self._admitting().whole(asked)

    def _admitting(self) -> Access:
        if self._access is None:
            raise StoreError("the server is starting or stopping; try again")
        return self._access

    def waiting(self) -> Context:
        """Return the context of a connection that has not said yet who it is."""
        return Context(self.worker, None, (), self.stopping)
