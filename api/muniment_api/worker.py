"""The worker: one thread that speaks to the store, so that nothing speaks to it at the same time.

* A store's handle is not meant for several threads at once; whatever asks or records does it here, one after another.
* The event loop stays free meanwhile. What waits is bounded: a server that is overrun says so instead of piling up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from muniment.errors import BusyError

T = TypeVar("T")

MOST_WAITING = 512


class Worker:
    """Runs functions one after another in a thread of its own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._waiting = 0

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a function when it is its turn and return what it does.

        Raises:
            BusyError: too much is waiting already; nothing was done.
        """
        if self._waiting >= MOST_WAITING:
            raise BusyError(f"{self._waiting} requests are waiting for the store; nothing was done, try again")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the thread when it has done what is waiting."""
        self._pool.shutdown(wait=True)
