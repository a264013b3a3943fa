"""How calls get to a server: HTTP over TCP or over the store's socket.

* A sender asks once and waits; nothing is tried again here. Records have ids, so sending them again is safe.
* Following reads server-sent events; it ends when the server does.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from muniment.errors import StoreError
from muniment.model.packing import writable
from muniment.projection.asking import Answer
from muniment_api.client_calls import AnswerError, Call, answer, raise_errors

T = TypeVar("T")

SECONDS = 60.0
LOCAL_URL = "http://localhost"
_EVENTS = {"accept": "text/event-stream"}
_PLAIN = {"accept": "application/graphql-response+json"}


class Sender(Protocol):
    """Asks and waits."""

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""

    def follow(self, call: Call[T]) -> Iterator[T]:
        """Yield the answers to a call, as they come."""

    def close(self) -> None:
        """Let go of the connection."""


class AsyncSender(Protocol):
    """Asks and awaits."""

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""

    def follow(self, call: Call[T]) -> AsyncIterator[T]:
        """Yield the answers to a call, as they come."""

    async def close(self) -> None:
        """Let go of the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server is, and in whose name it is asked. `socket` wins over `url`."""

    url: str = LOCAL_URL
    socket: Path | None = None
    token: str | None = None
    project: str | None = None
    mission: str | None = None

    def headers(self) -> dict[str, str]:
        """Return the headers that every request has."""
        scope = {"muniment-project": self.project, "muniment-mission": self.mission}
        named = {name: quote(value, safe="") for name, value in scope.items() if value is not None}
        return named | ({"authorization": f"Bearer {self.token}"} if self.token else {})


class HttpSender:
    """Asks over HTTP."""

    def __init__(self, address: Address) -> None:
        transport = httpx.HTTPTransport(uds=_path(address))
        self._http = httpx.Client(
            base_url=address.url, headers=address.headers(), timeout=SECONDS, transport=transport, trust_env=False
        )

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call.

        Raises:
            StoreError: nobody answers there.
            EvidenceError: what the server says.
        """
        try:
            found = self._http.post("/graphql", json=_body(call), headers=_PLAIN)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        return answer(call, _parsed(found))

    def follow(self, call: Call[T]) -> Iterator[T]:
        """Yield the answers to a call, as they come."""
        try:
            with self._http.stream("POST", "/graphql", json=_body(call), headers=_EVENTS, timeout=None) as events:
                if not _is_stream(events):
                    events.read()
                    answer(call, _parsed(events))
                for line in events.iter_lines():
                    body = _event(line)
                    if body is not None:
                        yield answer(call, body)
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


class AsyncHttpSender:
    """Asks over HTTP, awaiting."""

    def __init__(self, address: Address) -> None:
        transport = httpx.AsyncHTTPTransport(uds=_path(address))
        self._http = httpx.AsyncClient(
            base_url=address.url, headers=address.headers(), timeout=SECONDS, transport=transport, trust_env=False
        )

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call.

        Raises:
            StoreError: nobody answers there.
            EvidenceError: what the server says.
        """
        try:
            found = await self._http.post("/graphql", json=_body(call), headers=_PLAIN)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        return answer(call, _parsed(found))

    async def follow(self, call: Call[T]) -> AsyncIterator[T]:
        """Yield the answers to a call, as they come."""
        try:
            async with self._http.stream("POST", "/graphql", json=_body(call), headers=_EVENTS, timeout=None) as events:
                if not _is_stream(events):
                    await events.aread()
                    answer(call, _parsed(events))
                async for line in events.aiter_lines():
                    body = _event(line)
                    if body is not None:
                        yield answer(call, body)
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    async def close(self) -> None:
        """Let go of the connection."""
        await self._http.aclose()


def ask_engine(address: Address, query: str, values: Mapping[str, str | int], most: int) -> Answer:
    """Ask the engine of the server behind a socket, in Cypher.

    Raises:
        StoreError: nobody answers there.
        EvidenceError: what the server says.
    """
    given = writable({"query": query, "values": dict(values), "most": most})
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=_path(address)), timeout=SECONDS, trust_env=False) as http:
            body = _parsed(http.post(f"{address.url}/cypher", json=given))
    except httpx.TransportError as error:
        raise _unreachable(error) from error
    raise_errors(body)
    try:
        return msgspec.convert(body, Answer)
    except msgspec.ValidationError as error:
        raise AnswerError("the server's answer has another form; it may be of another version") from error


def _path(address: Address) -> str | None:
    """Return the path of the socket, None where there is none to use.

    Raises:
        StoreError: nobody serves there.
    """
    if address.socket is not None and not address.socket.exists():
        raise StoreError(f"there is no {address.socket}: is `muniment serve` running?")
    return None if address.socket is None else str(address.socket)


def _body(call: Call[T]) -> dict[str, object]:
    return {"query": call.document, "variables": writable(call.variables)}


def _parsed(found: httpx.Response) -> Mapping[str, object]:
    try:
        body = found.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise AnswerError(f"the server answered {found.status_code} without a JSON object")
    return body


def _is_stream(found: httpx.Response) -> bool:
    kind: str = found.headers.get("content-type", "")
    return kind.startswith("text/event-stream")


def _event(line: str) -> Mapping[str, object] | None:
    """Return what a line of an event stream tells; None where it tells nothing."""
    text = line.removeprefix("data:").strip() if line.startswith("data:") else ""
    body = json.loads(text) if text else None
    return body if isinstance(body, dict) else None


def _unreachable(error: httpx.TransportError) -> StoreError:
    return StoreError(
        f"the server cannot be reached or has gone ({type(error).__name__}): is `muniment serve` running?"
    )
