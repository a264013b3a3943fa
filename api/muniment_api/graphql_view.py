"""GraphQL over HTTP as its specification has it; see https://graphql.github.io/graphql-over-http.

* `application/graphql-response+json` for those who accept it: a request that cannot be run is then a 400, and has no
  `data`. Others get `application/json` and 200, as always.
* Subscriptions over graphql-transport-ws and server-sent events. No batches, no uploads, no page for people.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from json import JSONDecodeError
from typing import Final

import msgspec
from cross_web import HTTPException
from graphql import ExecutionResult as CoreResult
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import ASGIWebSocketAdapter, GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLHTTPResponse, process_result
from strawberry.http.base import BaseRequestProtocol
from strawberry.http.exceptions import NonJsonMessageReceived
from strawberry.types import ExecutionResult
from strawberry.types.unset import UnsetType

from muniment import canonical
from muniment.errors import EvidenceError
from muniment.model.packing import writable
from muniment_api.access import MISSION_HEADER, PROJECT_HEADER
from muniment_api.answering import error_response, plain_error
from muniment_api.schema.build import StoreSchema
from muniment_api.schema.context import Context
from muniment_api.service import Service

RESPONSE_TYPE: Final = "application/graphql-response+json"
JSON_TYPE: Final = "application/json"
SUBSCRIPTIONS = 20
"""Subscriptions of one connection at most."""


class Messages(ASGIWebSocketAdapter):
    """The messages of a connection. One that is no message at all ends it, as one that is no JSON does."""

    async def iter_json(self, *, ignore_parsing_errors: bool = False) -> AsyncGenerator[object, None]:
        """Yield the messages that come in.

        Raises:
            NonJsonMessageReceived: one is no JSON object, or asks in no form that GraphQL has.
        """
        async for message in super().iter_json(ignore_parsing_errors=ignore_parsing_errors):
            if not is_message(message):
                raise NonJsonMessageReceived
            yield message


class Answer(Response):
    """The answer in the making: what the client accepts, and whether the request could be run."""

    wants_response_type = False
    request_error = False


class GraphQLView(GraphQL[Context, None]):
    """The endpoint."""

    websocket_adapter_class = Messages

    def __init__(self, schema: StoreSchema, service: Service) -> None:
        super().__init__(
            schema,
            graphql_ide=None,
            subscription_protocols=("graphql-transport-ws", "graphql-sse"),
            max_subscriptions_per_connection=SUBSCRIPTIONS,
        )
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; whatever is wrong with it is told as JSON."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        try:
            answer = await self.run(Request(scope, receive))
        except HTTPException as error:
            answer = plain_error(error.status_code, "bad_request", error.reason)
            if error.status_code == 405:
                answer.headers["allow"] = "GET, POST"
        except EvidenceError as error:
            answer = error_response(error)
        await answer(scope, receive, send)

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:  # noqa: ARG002
        """Admit a request. A connection may say who it is later, in its first message."""
        try:
            return self._service.context(request.scope, request.headers)
        except EvidenceError:
            if request.scope["type"] == "http":
                raise
            waiting = self._service.waiting()
            waiting.scope = request.scope
            waiting.headers = dict(request.headers)
            return waiting

    async def on_ws_connect(self, context: Context) -> dict[str, object] | UnsetType | None:
        """Admit a connection by its first message; its keys are the headers' names."""
        if context.store is None:
            given = context.connection_params or {}
            names = ("authorization", PROJECT_HEADER, MISSION_HEADER)
            told = {name: value for name in names if isinstance(value := given.get(name), str)}
            try:
                admitted = self._service.context(context.scope, {**context.headers, **told})
            except EvidenceError as error:
                raise ConnectionRejectionError({"code": error.code}) from error
            context.store, context.roots = admitted.store, admitted.roots
        return await super().on_ws_connect(context)

    async def get_sub_response(self, request: Request | WebSocket) -> Answer:
        """Begin an answer."""
        answer = Answer()
        answer.status_code = None  # type: ignore[assignment]  # not decided yet
        del answer.headers["content-length"]
        answer.wants_response_type = prefers_response_type(request.headers.get("accept", ""))
        request.state.answer = answer
        return answer

    async def process_result(
        self, request: Request | WebSocket, result: ExecutionResult | CoreResult
    ) -> GraphQLHTTPResponse:
        """Return the body; where the request could not be run, it has no `data`."""
        body = process_result(result)
        if result.data is None and result.errors and all(error.path is None for error in result.errors):
            request.state.answer.request_error = True
            body.pop("data", None)
        return body

    def create_response(
        self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response
    ) -> Response:
        """Return the answer in the media type that was asked for."""
        answer = super().create_response(response_data, sub_response)
        if isinstance(sub_response, Answer) and sub_response.wants_response_type:
            answer.headers["content-type"] = f"{RESPONSE_TYPE}; charset=utf-8"
            if sub_response.request_error and not sub_response.status_code:
                answer.status_code = 400
        return answer

    def should_render_graphql_ide(self, request: BaseRequestProtocol) -> bool:  # noqa: ARG002
        """There is no page for people here."""
        return False

    def parse_json(self, data: str | bytes) -> object:
        """Return what a body, or a parameter of an address, says.

        Raises:
            HTTPException: it is no JSON, or nothing that holds a request.
        """
        value = super().parse_json(data)
        if not isinstance(value, dict | list) and not (value is None and isinstance(data, str)):
            raise HTTPException(400, "expected a JSON object")
        return value

    def decode_json(self, data: str | bytes) -> object:
        """Return the value of a JSON text.

        Raises:
            JSONDecodeError: it is none, or is nested too deeply.
        """
        try:
            return canonical.decode(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        except (ValueError, RecursionError) as error:
            raise JSONDecodeError("no JSON", "", 0) from error

    def encode_json(self, data: object) -> str:
        """Return strict JSON; what UTF-8 cannot hold becomes a question mark."""
        try:
            return msgspec.json.encode(data).decode()
        except UnicodeEncodeError:
            return msgspec.json.encode(writable(data)).decode()


def is_message(message: object) -> bool:
    """Tell whether a message of a connection has a form that can be answered."""
    if not isinstance(message, dict) or message.get("type") != "subscribe":
        return isinstance(message, dict)
    payload = message.get("payload")
    if not isinstance(payload, dict):
        return False
    operation, variables = payload.get("operationName"), payload.get("variables")
    named = operation is None or isinstance(operation, str)
    return named and isinstance(payload.get("query"), str) and (variables is None or isinstance(variables, dict))


def prefers_response_type(accept: str) -> bool:
    """Tell whether a client would rather have the GraphQL media type than plain JSON."""
    weights = {RESPONSE_TYPE: -1.0, JSON_TYPE: -1.0}
    for part in accept.lower().split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        if kind in weights:
            weights[kind] = _weight(parameters)
    return weights[RESPONSE_TYPE] > 0 and weights[RESPONSE_TYPE] >= weights[JSON_TYPE]


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
