"""The compactor that is asked by HTTP: a real server on loopback that answers well, badly, late, or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from muniment.handoff.compactor import CompactorError, answered
from muniment.handoff.packet import Packet, PacketItem
from muniment.handoff.render import render
from muniment.selection.policy import ApprovedCompactor
from muniment.tokens import o200k
from muniment_api.http_compactor import HttpCompactor

FACT = PacketItem(id="fact:" + "0" * 24, handle="K1", kind="fact", record="f1", text="Keep the old names.", by="user")
PACKET = Packet(mission="mission:1", covers_to="f1", ordinal=3, binding=(FACT,))
KEY = "loopback-key-of-a-test"
Answering = Callable[[BaseHTTPRequestHandler], None]


class Endpoint:
    """A server on loopback; `answering` says how it answers next, `asked` what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, object], str]] = []
        self.answering: Answering = lambda handler: _send(handler, {"prose": "K1 holds."})
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append((body, self.headers.get("Authorization", "")))
                endpoint.answering(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/compact"

    def compactor(self, **limits: float) -> HttpCompactor:
        known = {"name": "words", "provider": "local", "url": self.url, **limits}
        return HttpCompactor(msgspec.convert(known, ApprovedCompactor), KEY)


def _send(handler: BaseHTTPRequestHandler, value: object, status: int = 200) -> None:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _drip(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.05)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def test_words_come_back_with_what_they_cite_and_only_the_packet_was_sent(endpoint: Endpoint) -> None:
    made = answered(PACKET, endpoint.compactor()(render(PACKET), PACKET), o200k())
    assert isinstance(made, Packet)
    assert [(said.text, said.cites) for said in made.prose] == [("K1 holds.", (FACT.id,))]
    assert made.tokens == o200k().count(render(made))
    ((asked, key),) = endpoint.asked
    assert asked["text"] == render(PACKET)
    assert set(asked) == {"version", "mission", "text", "tokens", "items"}
    assert key == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [429, 500, 503, 302, 204])
def test_an_error_of_the_endpoint_is_a_failure_and_nobody_is_asked_twice(endpoint: Endpoint, status: int) -> None:
    endpoint.answering = lambda handler: _send(handler, {"prose": f"no: {KEY}"}, status)
    with pytest.raises(CompactorError, match=str(status)) as caught:
        endpoint.compactor()("text", PACKET)
    assert caught.value.reason == "status"
    assert KEY not in str(caught.value)
    assert len(endpoint.asked) == 1


def test_an_answer_that_is_late_or_drips_in_ends_in_time(endpoint: Endpoint) -> None:
    endpoint.answering = lambda _: time.sleep(1)
    with pytest.raises(CompactorError) as late:
        endpoint.compactor(seconds=0.2)("text", PACKET)
    endpoint.answering = _drip
    begun = time.monotonic()
    with pytest.raises(CompactorError) as dripping:
        endpoint.compactor(seconds=0.3)("text", PACKET)
    assert (late.value.reason, dripping.value.reason) == ("timeout", "timeout")
    assert time.monotonic() - begun < 1.5


def test_an_answer_above_its_limit_is_a_failure_and_one_at_it_is_not(endpoint: Endpoint) -> None:
    whole = json.dumps({"prose": "x" * 100}).encode()
    endpoint.answering = lambda handler: _send(handler, whole)
    assert endpoint.compactor(bytes=len(whole))("text", PACKET) == {"prose": "x" * 100}
    with pytest.raises(CompactorError) as caught:
        endpoint.compactor(bytes=len(whole) - 1)("text", PACKET)
    assert caught.value.reason == "too_large"


@pytest.mark.parametrize(
    "answer",
    [b"<html>", b"", b"[1, 2]", b"{}", b"7", b'{"prose": 7}', b'{"prose": []}', b'{"prose": "a", "packet": {}}',
     b'{"packet": []}', b'{"prose": [{"text": "x", "cites": 3}]}', b"[" * 100_000, b'{"prose": "  "}'],
)  # fmt: skip
def test_garbage_is_a_failure_of_that_name(endpoint: Endpoint, answer: bytes) -> None:
    endpoint.answering = lambda handler: _send(handler, answer)
    with pytest.raises(CompactorError) as caught:
        answered(PACKET, endpoint.compactor()("text", PACKET), o200k())
    assert caught.value.reason == "garbage"


def test_nobody_there_is_a_failure(endpoint: Endpoint) -> None:
    gone = HttpCompactor(ApprovedCompactor(name="words", provider="local", url="http://127.0.0.1:1/"))
    with pytest.raises(CompactorError) as caught:
        gone("text", PACKET)
    assert caught.value.reason == "unreachable"


def test_a_packet_that_an_endpoint_proposes_is_passed_on_as_it_is(endpoint: Endpoint) -> None:
    endpoint.answering = lambda handler: _send(handler, {"packet": {"mission": "other"}})
    assert answered(PACKET, endpoint.compactor()("text", PACKET), o200k(), "words") == {
        "mission": "other",
        "compactor": "words",
    }
