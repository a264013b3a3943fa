"""The application: routes over one service.

`/graphql` (GraphQL over HTTP, server-sent events and WebSocket), `POST /entries` (NDJSON), `/healthz` (the process
lives), `/readyz` (the store is open and the server is not stopping). Other interfaces add routes of their own, and find
the service in `app.state.service`.

* Bodies are limited before they are read: 1 MiB for GraphQL, 64 MiB for entries.
* No CORS: pages of other origins have no business here.
* A fault of ours is answered as JSON without a word of it; the log has the traceback under the request's id.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from muniment.store import EvidenceStore
from muniment_api import ndjson
from muniment_api.access import Policy
from muniment_api.access_log import AccessLog
from muniment_api.answering import plain_error
from muniment_api.graphql_view import GraphQLView
from muniment_api.schema.build import LIMITS, build
from muniment_api.schema.limits import Limits
from muniment_api.service import Service

QUERY_BYTES = 1 << 20
ENTRIES_BYTES = 64 << 20


def create_app(
    open_store: Callable[[], EvidenceStore],
    policy: Policy,
    *,
    limits: Limits = LIMITS,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """Return the application. `open_store` is called when it starts; the store is closed when it ends."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service: Service = app.state.service
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    service = Service(open_store, policy)
    view = GraphQLView(build(limits), service)
    app = Starlette(
        routes=[
            Route("/graphql", view, max_body_size=QUERY_BYTES),
            WebSocketRoute("/graphql", view),
            Route("/entries", ndjson.entries, methods=["POST"], max_body_size=ENTRIES_BYTES),
            Route("/healthz", _healthz),
            Route("/readyz", _readyz),
            *routes,
        ],
        middleware=[Middleware(AccessLog)],
        exception_handlers={ClientDisconnect: _gone, Exception: _fault},
        lifespan=lifespan,
    )
    app.state.service = service
    return app


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it; whoever asked has gone in the middle of a body


async def _fault(_: Request, __: Exception) -> Response:
    return plain_error(500, "internal", "internal error; the server's log says more")


async def _healthz(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _readyz(request: Request) -> Response:
    ready = request.app.state.service.ready
    return JSONResponse({"status": "ready" if ready else "not ready"}, status_code=200 if ready else 503)
