"""Hostile requests: whatever comes over the wire is answered in kind and costs its sender alone."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from muniment_api.ndjson import LISTED, MOST_LINES
from tests.api.service import Ask, asking, closing, two_projects
from tests.support.hooking import serving

P2 = {"muniment-project": "p2"}
NDJSON = {"content-type": "application/x-ndjson"}
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INIT = json.dumps({"type": "connection_init"})
LINE = {"kind": "message", "session": "session-2", "by": "agent", "text": "kept"}
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return two_projects(tmp_path / "store")


@pytest.fixture
def p2(store: Path) -> Iterator[Ask]:
    with asking(store, headers=P2) as ask:
        yield ask


@pytest.mark.parametrize(
    "body",
    [
        '{"query": "{missions{id}}", "variables": {"x": ' + DEEP + "}}",
        '{"query": "{missions{id}}", "variables": {"x": ' + "9" * 5_000 + "}}",
        '{"query": "{missions{id}}", "variables": {"x": NaN}}',
        b'{"query": "{missions{id\xff}}"}',
        "5",
        "null",
        '"{missions{id}}"',
        "{",
        "",
    ],
)
def test_a_body_that_is_no_request_is_told_so_and_the_connection_goes_on(p2: Ask, body: str | bytes) -> None:
    answer = p2.http.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (400, "bad_request")
    assert p2.data("{missions{project}}") == {"missions": [{"project": "p2"}]}


def test_parameters_of_an_address_are_read_as_strictly(p2: Ask) -> None:
    query = {"query": "{__typename}"}
    for variables in ("[" * 20_000, "5", "{"):
        assert p2.http.get("/graphql", params={**query, "variables": variables}).status_code == 400
    for variables in ("null", "{}"):
        assert p2.http.get("/graphql", params={**query, "variables": variables}).status_code == 200


def test_a_cursor_or_path_that_nothing_can_have_is_told_so(store: Path, p2: Ask) -> None:
    cursor = base64.b64encode(b"[" * 60_000).decode()
    assert p2.code("query($c:String!){missions{nodes(after:$c){nodes{id}}}}", c=cursor) == "usage"
    with closing(Ask(p2.url, store / "serve.sock", P2)) as owner:
        for path in ("a\0b", "\ud800"):
            body = json.dumps({"query": IMPORT, "variables": {"p": path}})
            found = owner.http.post("/graphql", content=body, headers={"content-type": "application/json"}).json()
            assert found["data"]["importSession"]["userErrors"] == [{"code": "usage"}]


IMPORT = "mutation($p:String!){importSession(input:{path:$p}){userErrors{code}}}"


async def said(url: str, *messages: str | bytes, origin: str | None = None) -> list[Mapping[str, object]]:
    """Send messages over a connection; return what comes back until it is closed, or an operation is complete."""
    found: list[Mapping[str, object]] = []
    address = url.replace("http", "ws") + "/graphql"
    protocol = Subprotocol("graphql-transport-ws")
    from_page = None if origin is None else Origin(origin)
    async with connect(address, subprotocols=[protocol], additional_headers=P2, origin=from_page) as connection:
        for message in messages:
            await connection.send(message)
        try:
            while not found or found[-1]["type"] not in ("complete", "error"):
                found.append(json.loads(await asyncio.wait_for(connection.recv(), 10)))
        except ConnectionClosed as closed:
            found.append({"type": "closed", "code": closed.rcvd.code if closed.rcvd is not None else 1006})
    return found


def subscribe(payload: object) -> str:
    return json.dumps({"type": "subscribe", "id": "1", "payload": payload})


@pytest.mark.parametrize(
    "message",
    [
        *("5", "null", "[1]", "{", DEEP, "9" * 5_000, b"\0"),
        subscribe(5),
        subscribe({"query": 5}),
        subscribe({"query": "{__typename}", "variables": [1]}),
        subscribe({"query": "{__typename}", "operationName": {}}),
    ],
)
def test_a_message_that_is_none_closes_its_connection_with_a_code(p2: Ask, message: str | bytes) -> None:
    assert asyncio.run(said(p2.url, INIT, message))[-1] == {"type": "closed", "code": 4400}
    good = asyncio.run(said(p2.url, INIT, subscribe({"query": "{missions{project}}", "variables": None})))
    assert good[1]["payload"] == {"data": {"missions": [{"project": "p2"}]}}


def test_pages_of_other_sites_are_not_answered_without_a_token(store: Path) -> None:
    with serving(store, "--project", "p2") as (_, url), httpx.Client(base_url=url, trust_env=False) as http:
        query = {"query": "{__typename}"}
        for origin in ("http://evil.example", "null", "http://localhost:1", "https://127.0.0.1.evil.example"):
            for path, body, headers in (
                ("/graphql", json.dumps(query), {"content-type": "application/json"}),
                ("/entries", json.dumps({"id": "o", **LINE}), NDJSON),
                ("/mcp/", json.dumps(TOOLS), MCP),
            ):
                assert http.post(path, content=body, headers={**headers, "origin": origin}).status_code == 401
                assert http.post(path, content=body, headers=headers).status_code == 200
        assert http.post("/graphql", json=query, headers={"origin": url}).status_code == 200


def test_models_tools_are_for_those_who_may_ask(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(store, "--project", "p2") as (_, url), httpx.Client(base_url=url, trust_env=False) as http:
        assert http.post("/mcp/", json=TOOLS, headers={**MCP, "host": "evil.example"}).status_code == 401
        assert "view" in http.post("/mcp/", json=TOOLS, headers=MCP).text
    monkeypatch.setenv("SECRET_OF_P2", "of-p2")
    with serving(store, "--token-env", "SECRET_OF_P2=p2") as (_, url), httpx.Client(base_url=url) as http:
        assert http.post("/mcp/", json=TOOLS, headers=MCP).status_code == 401
        assert http.get("/mcp/", headers=MCP).status_code == 401
        assert "view" in http.post("/mcp/", json=TOOLS, headers={**MCP, "authorization": "Bearer of-p2"}).text


@pytest.mark.parametrize("bad", [DEEP, '{"a":' * 100_000, '{"id": ' + "9" * 5_000 + "}", "\ufeff", '{"id'])
def test_a_line_that_no_parser_takes_costs_that_line(p2: Ask, bad: str) -> None:
    body = "\n".join([bad, json.dumps({"id": "kept", **LINE}), bad])
    found = p2.http.post("/entries", content=body, headers=NDJSON).json()
    assert [(refused["line"], refused["code"]) for refused in found["refused"]] == [(1, "bad_field"), (3, "bad_field")]
    assert (found["stored"], found["lines"]) == (1, 3)


def test_too_many_lines_are_refused_and_very_many_bad_ones_counted(p2: Ask) -> None:
    flood = p2.http.post("/entries", content=b"\n" * (MOST_LINES + 1), headers=NDJSON)
    assert (flood.status_code, flood.json()["errors"][0]["extensions"]["code"]) == (413, "bad_request")
    body = b"x\n" * (LISTED + 500) + json.dumps({"id": "kept", **LINE}).encode() + b"\n" * 50
    found = p2.http.post("/entries", content=body, headers=NDJSON).json()
    assert (found["lines"], found["stored"], found["blank"]) == (LISTED + 501, 1, 0)
    assert (len(found["refused"]), found["refused_more"]) == (LISTED, 500)


def test_whoever_goes_in_the_middle_of_a_body_leaves_no_trace_and_what_libraries_log_is_json(store: Path) -> None:
    log = store / "server.log"
    with log.open("wb") as file, serving(store, log=file.fileno()) as (_, url):
        port = int(url.rsplit(":", 1)[1])
        for path, kind in (("/graphql", "application/json"), ("/entries", "application/x-ndjson")):
            with socket.create_connection(("127.0.0.1", port)) as half:
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nmuniment-project: p2\r\ncontent-type: {kind}\r\n"
                half.sendall(f'{head}content-length: 1000\r\n\r\n{{"id'.encode())
        with pytest.raises(Exception, match="403"):
            asyncio.run(said(url, INIT, origin="http://evil.example"))
        assert httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert not any("exception" in line for line in lines)
    assert [line["level"] for line in lines if "evil.example" in line["event"]] == ["warning"]
