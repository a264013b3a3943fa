"""The subscription: entries as they are recorded, from a position on, each once and in order.

* It reads the journal, so it also sees what other processes append.
* It ends when the server stops; a client goes on later from the last position that it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import strawberry

from muniment.errors import ScopeError
from muniment.tailing import Tail
from muniment_api.schema.answers import Entry, entry_of
from muniment_api.schema.context import Context
from muniment_api.schema.declare import described

POLL_SECONDS = 0.1
BATCH = 100

Info = strawberry.Info[Context, None]


async def records(info: Info, after: int = 0) -> AsyncGenerator[Entry, None]:
    """Entries in sight behind a position: those that are there, then each as it is recorded."""
    context = info.context
    store = context.store
    if store is None:
        raise ScopeError("a scope is required: name a project or a mission")

    def look(position: int) -> Tail:
        return store.entries(after=position, limit=BATCH)

    position = after
    while not context.stopping.is_set():
        found = await context.worker.run(look, position)
        for entry in found.entries:
            yield entry_of(entry)
        moved, position = found.position > position, found.position
        if not moved:
            await _wait(context.stopping)


async def _wait(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), POLL_SECONDS)
    except TimeoutError:
        return


@strawberry.type(description="What can be followed, in the scope of the request.")
class Subscription:
    """What can be followed."""

    records: AsyncGenerator[Entry, None] = strawberry.subscription(resolver=records, description=described(records))
