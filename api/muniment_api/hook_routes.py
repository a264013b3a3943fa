"""`POST /hooks/<runtime>/<event>`: hooks answered by the server, over the store's own socket only.

What the spool holds is taken in first, so that what happened earlier stands earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from muniment.errors import EvidenceError, UsageError
from muniment.model.ids import MissionId
from muniment.store import EvidenceStore
from muniment_api.access import MISSION_HEADER, asked
from muniment_api.answering import error_response, plain_error
from muniment_api.hook_client import RUNTIMES
from muniment_api.hooks import Answer, Rollouts, answer, mission_of, payload_of
from muniment_api.service import Service
from muniment_api.spool import drain

PAYLOAD_BYTES = 64 << 20
PATH = "/hooks/{runtime}/{event}"


def hook_route(store: Path) -> Route:
    """Return the route for the server of the store in this folder."""
    rollouts = Rollouts()

    def handled(store_of: Callable[[MissionId], EvidenceStore], told: tuple[str, str, Answer]) -> Answer:
        runtime, event, payload = told
        drain(store, store_of)
        return answer(store_of(mission_of(runtime, payload)), runtime, event, payload, rollouts)

    async def hook(request: Request) -> Response:
        service: Service = request.app.state.service
        if not asked(request.scope, request.headers).owner:
            return plain_error(403, "forbidden", "hooks are answered over the store's socket only")

        def store_of(mission: MissionId) -> EvidenceStore:
            handle = service.context(request.scope, {MISSION_HEADER: mission}).store
            assert handle is not None
            return handle

        try:
            runtime, event = _named(request)
            payload = payload_of(await request.body())
            return JSONResponse(await service.worker.run(handled, store_of, (runtime, event, payload)))
        except EvidenceError as error:
            return error_response(error)

    return Route(PATH, hook, methods=["POST"], max_body_size=PAYLOAD_BYTES)


def _named(request: Request) -> tuple[str, str]:
    runtime = str(request.path_params["runtime"])
    if runtime not in RUNTIMES:
        raise UsageError(f"no runtime {runtime!r}; there are {', '.join(RUNTIMES)}")
    return runtime, str(request.path_params["event"])
