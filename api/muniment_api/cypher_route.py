"""`POST /cypher`: the engine's answers, over the store's own socket only.

A query in Cypher sees all missions, so only whoever may read the store's files may ask: no scope narrows it, and no
network reaches it. It is for the command line, which cannot open a projection that this process holds.
"""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from muniment.errors import EvidenceError, FieldError
from muniment.model.packing import writable
from muniment_api.access import asked
from muniment_api.answering import error_response
from muniment_api.service import Service

QUERY_BYTES = 1 << 20


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query; `$name` in it stands for a value; at most so many rows."""

    query: str
    values: dict[str, str | int] = {}
    most: int = 1000


async def _cypher(request: Request) -> Response:
    service: Service = request.app.state.service
    try:
        store = service.whole(asked(request.scope, request.headers))
        given = _parsed(await request.body())
        answer = await service.worker.run(lambda: store.query(given.query, given.values, most=given.most))
    except EvidenceError as error:
        return error_response(error)
    return Response(msgspec.json.encode(writable(answer)), media_type="application/json")


def _parsed(body: bytes) -> Asked:
    try:
        return msgspec.json.decode(body, type=Asked)
    except msgspec.MsgspecError as error:
        raise FieldError("", str(error)) from None


CYPHER_ROUTE = Route("/cypher", _cypher, methods=["POST"], max_body_size=QUERY_BYTES)
