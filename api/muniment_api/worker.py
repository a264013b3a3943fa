"""The worker: one thread that speaks to the store, so that nothing speaks to it at the same time.

* A store's handle is not meant for several threads at once; whatever asks or records does it here, one after another.
* The event loop stays free meanwhile. What waits is bounded: a server that is overrun says so instead of piling up.
* While nobody waits it does what was left for later, a little at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from muniment.errors import BusyError

T = TypeVar("T")

MOST_WAITING = 512


class Worker:
    """Runs functions one after another in a thread of its own."""

    def __init__(self, settle: Callable[[], bool] | None = None) -> None:
        """`settle` does a little of what was left for later, and tells whether more is left."""
        self._settle = settle
        self._settling = False
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._waiting = 0

    @property
    def busy(self) -> bool:
        """Whether somebody waits."""
        return self._waiting > 0

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
            self._rest()

    def _rest(self) -> None:
        """Use the time in which nobody waits."""
        if self._settle is not None and self._waiting == 0 and not self._settling:
            self._settling = True
            self._pool.submit(self._settle_some, self._settle)

    def _settle_some(self, settle: Callable[[], bool]) -> None:
        self._settling = self._waiting == 0 and settle()
        if self._settling:
            with suppress(RuntimeError):  # the worker is closing
                self._pool.submit(self._settle_some, settle)

    def close(self) -> None:
        """End the thread when it has done what is waiting."""
        self._pool.shutdown(wait=True)
