"""A compactor that is asked by HTTP: one POST of JSON, one answer of JSON, within the limits that the policy sets.

* What is sent: `{"version", "mission", "text", "tokens", "items"}`: the packet's text as its provider may see it, and
  the handles and ids that words may cite. Nothing else of the store leaves it.
* What is taken: `{"prose": ...}` or `{"packet": {...}}`, of status 200, at most as many bytes and seconds as the policy
  allows; anything else is a failure of one word. Redirections are not followed. Nobody is asked twice.
* Its key comes from the environment and goes into one header; neither it nor the endpoint's own words are ever told on.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from muniment import canonical
from muniment.handoff.compactor import CompactorError
from muniment.handoff.packet import Packet
from muniment.handoff.render import handles_of
from muniment.selection.policy import ApprovedCompactor

VERSION = 1
OK = 200


class HttpCompactor:
    """Asks an endpoint that the policy approves of."""

    def __init__(
        self, approved: ApprovedCompactor, key: str = "", *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take what the policy says of it, and its key ("" for none)."""
        self._approved = approved
        self._key = key
        self._clock = clock

    @property
    def name(self) -> str:
        """What the policy calls it."""
        return self._approved.name

    @property
    def provider(self) -> str:
        """Whose it is."""
        return self._approved.provider

    def __call__(self, text: str, packet: Packet) -> object:
        """Return the endpoint's answer.

        Raises:
            CompactorError: it gave none that can be used.
        """
        data = self._answer(canonical.encode(_question(text, packet)))
        try:
            return canonical.decode(data)
        except (ValueError, RecursionError):
            raise CompactorError("garbage", "its answer is not JSON") from None

    def _answer(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            with (
                httpx.Client(timeout=self._approved.seconds, follow_redirects=False, trust_env=False) as client,
                client.stream("POST", self._approved.url, content=body, headers=headers) as response,
            ):
                if response.status_code != OK:
                    raise CompactorError("status", str(response.status_code))
                return self._read(response)
        except httpx.TimeoutException:
            raise CompactorError("timeout") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CompactorError("unreachable", type(error).__name__) from None

    def _read(self, response: httpx.Response) -> bytes:
        """Read an answer piece by piece: one that drips in, or does not end, is ended here."""
        until = self._clock() + self._approved.seconds
        found = bytearray()
        for piece in response.iter_raw():
            found += piece
            if len(found) > self._approved.bytes:
                raise CompactorError("too_large", f"over {self._approved.bytes:,} bytes")
            if self._clock() > until:
                raise CompactorError("timeout")
        return bytes(found)


def _question(text: str, packet: Packet) -> dict[str, object]:
    items = [{"handle": handle, "id": node} for node, handle in sorted(handles_of(packet).items())]
    return {"version": VERSION, "mission": packet.mission, "text": text, "tokens": packet.tokens, "items": items}
