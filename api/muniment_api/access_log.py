"""The logs: JSON lines on stderr, one for each request: method, route, status, milliseconds, an id.

* What libraries log (warnings, faults) comes as such lines too.
* Never a query, a variable, a header or a token; a path that no route has is `unmatched`.
* A request's id is its own `x-request-id` if that is a plain word, else made here; the answer carries it too.
"""

from __future__ import annotations

import logging
import re
import secrets
import sys
import time

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.typing import Processor

_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_HEADER = "x-request-id"


def configure_logs() -> None:
    """Make all logs JSON lines on stderr."""
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    rendered = structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(rendered, foreign_pre_chain=common))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    structlog.configure(
        processors=[*common, rendered],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


class AccessLog:
    """Logs requests and connections."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._log = structlog.get_logger("muniment.access")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and log how it ended."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        number = _request_id(Headers(scope=scope))
        started = time.perf_counter()
        status = 101 if scope["type"] == "websocket" else 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[_HEADER] = number
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            self._log.info(
                "request",
                id=number,
                method=scope.get("method", "WEBSOCKET"),
                route=getattr(scope.get("route"), "path", "unmatched"),
                status=status,
                ms=round((time.perf_counter() - started) * 1000, 1),
                owner=(scope.get("server") or ("", 0))[1] is None,
            )


def _request_id(headers: Headers) -> str:
    given = headers.get(_HEADER, "")
    return given if _PLAIN.match(given) else secrets.token_hex(8)
