"""Where the tools of the MCP server find the store: their own handle (stdio), or the request's (in the service).

Tools speak to the store in the worker's thread, one after another; a request to the service sees what its own headers
let it see, as with every other route.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Annotated, Protocol, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field
from starlette.requests import Request

from muniment.errors import EvidenceError, StoreError, UnknownIdError, UsageError
from muniment.journal.port import MissionInfo
from muniment.store import EvidenceStore
from muniment_api.exits import error_line
from muniment_api.mcp_answers import RecordedAnswer
from muniment_api.service import Service
from muniment_api.worker import Worker

T = TypeVar("T")
Ctx = Context[object, object]
READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
RECORDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
Mission = Annotated[str | None, Field(description="The mission's id, or its session's; the newest if left out.")]


class Desk(Protocol):
    """Lets a tool do its work on the handle that it may use."""

    async def run(self, context: Ctx, work: Callable[[EvidenceStore], T]) -> T:
        """Do the work in the store's thread.

        Raises:
            EvidenceError: it cannot be done.
        """
        ...


class OwnDesk:
    """One handle for all requests: the server is a process of its own."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self._worker = Worker()

    async def run(self, context: Ctx, work: Callable[[EvidenceStore], T]) -> T:  # noqa: ARG002
        """Do the work in the store's thread."""
        return await self._worker.run(work, self._store)

    def close(self) -> None:
        """End the thread."""
        self._worker.close()


class ServedDesk:
    """Each request has the handle that the service grants it."""

    def __init__(self) -> None:
        self.service: Service | None = None

    async def run(self, context: Ctx, work: Callable[[EvidenceStore], T]) -> T:
        """Do the work in the service's thread, in the scope of the request."""
        request = context.request_context.request
        if self.service is None or not isinstance(request, Request):
            raise StoreError("the server is starting or stopping; try again")
        store = self.service.context(request.scope, request.headers).store
        if store is None:
            raise UsageError("the request names no scope")
        return await self.service.worker.run(work, store)


async def asked(desk: Desk, ctx: Ctx, work: Callable[[EvidenceStore], T]) -> T:
    """Do a tool's work; an error of the domain is told to the model.

    Raises:
        ToolError: there is one.
    """
    try:
        return await desk.run(ctx, work)
    except EvidenceError as error:
        raise ToolError(f"{error.code}: {error_line(error)}") from None


def mission_info(store: EvidenceStore, wanted: str | None) -> MissionInfo:
    """Return the mission that is meant: by its id or its session's, else the newest in sight.

    Raises:
        UnknownIdError: none in sight is called so.
        UsageError: none is named, and there is none.
    """
    known = store.missions()
    if wanted is not None:
        known = [info for info in known if wanted in (info.mission, info.session)]
        if not known:
            raise UnknownIdError(wanted, "no mission or session in sight is called so")
    if not known:
        raise UsageError(
            "nothing of this project is on record yet: hooks record sessions, `muniment import` reads them in"
        )
    return max(known, key=lambda info: info.last_position)


def recorded(store: EvidenceStore, wanted: str | None, kind: str, **fields: object) -> RecordedAnswer:
    """Record what an agent states; fields that are None, or empty lists, are left out.

    Raises:
        EvidenceError: it is no such record, or may not be written.
    """
    info = mission_info(store, wanted)
    name = f"{kind}:{uuid.uuid4()}"
    given = {field: value for field, value in fields.items() if value is not None and value != []}
    record = {"id": name, "kind": kind, "by": "agent", "session": info.session, **given}
    done = store.record([record], mission=info.mission)
    return RecordedAnswer(id=name, mission=info.mission, position=int(done), stored=done.stored == 1)
