"""Subscriptions over server-sent events and graphql-transport-ws, and all else that goes over these."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from muniment.store import EvidenceStore
from muniment_api.access import Policy
from tests.api.service import JSON, Ask, asking, served, two_projects

P2 = {"muniment-project": "p2"}
EVENTS = {"accept": "text/event-stream"}
FOLLOW = "subscription($after:Int!){records(after:$after){position sourceId body}}"
MISSIONS = "{missions{project}}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return two_projects(tmp_path / "store")


@pytest.fixture
def p2(store: Path) -> Iterator[Ask]:
    with asking(store, headers=P2) as ask:
        yield ask


def line(number: str) -> str:
    return json.dumps({"id": f"n{number}", "kind": "message", "session": "session-2", "by": "agent", "text": "x"})


def test_records_are_followed_over_server_sent_events(store: Path, p2: Ask) -> None:
    seen: list[JSON] = []
    body = {"query": FOLLOW, "variables": {"after": 0}}
    with p2.http.stream("POST", "/graphql", json=body, headers=EVENTS) as events:
        for text in events.iter_lines():
            if text.startswith("data:") and len(text) > 6:
                seen.append(json.loads(text.removeprefix("data:"))["data"]["records"])
            if len(seen) == 4:
                with EvidenceStore.open(store) as other:  # as another process does
                    other.record([json.loads(line("other"))])
            if len(seen) == 5:
                break
    assert [entry["sourceId"] for entry in seen] == ["o2", "F2", "T2", "R2x", "nother"]
    assert seen[-1]["body"]["text"] == "x"  # type: ignore[index]


async def follow_over_websocket(
    url: str, headers: Mapping[str, str], first: Mapping[str, object], count: int, *, then: str = MISSIONS
) -> list[JSON]:
    protocol = Subprotocol("graphql-transport-ws")
    async with connect(
        f"ws{url.removeprefix('http')}/graphql", subprotocols=[protocol], additional_headers=headers
    ) as ws:
        await ws.send(json.dumps({"type": "connection_init", "payload": first}))
        assert json.loads(await ws.recv())["type"] == "connection_ack"
        payload = {"query": FOLLOW, "variables": {"after": 0}}
        if count:
            await ws.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        found = [json.loads(await ws.recv()) for _ in range(count)]
        await ws.send(json.dumps({"id": "2", "type": "subscribe", "payload": {"query": then}}))
        return [*found, json.loads(await ws.recv())]


def test_records_are_followed_and_queries_answered_over_a_websocket(p2: Ask) -> None:
    for headers, first in ((P2, {}), ({}, P2)):
        found = asyncio.run(follow_over_websocket(p2.url, headers, first, 4))
        assert [message["payload"]["data"]["records"]["sourceId"] for message in found[:4]] == ["o2", "F2", "T2", "R2x"]  # type: ignore[index]
        assert found[4]["payload"] == {"data": {"missions": [{"project": "p2"}]}}


def test_a_websocket_without_a_scope_or_with_a_wrong_token_is_closed(store: Path) -> None:
    policy = Policy(tokens={"right": "p2"})
    with served(store, policy) as (url, uds):
        assert uds.exists()
        for first in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": "Bearer right", "muniment-project": "p1"},
        ):
            with pytest.raises(ConnectionClosed) as closed:
                asyncio.run(follow_over_websocket(url, {}, first, 1))
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4403
        assert asyncio.run(follow_over_websocket(url, {}, {"authorization": "Bearer right"}, 1))


def test_what_is_refused_says_why_over_both_protocols(p2: Ask) -> None:
    refused = {
        "validation": "subscription{records{nothing}}",
        "depth": "{node(id:1){" + "related{nodes{" * 12 + "id" + "}}" * 12 + "}}",
        "syntax": "subscription{records{",
    }
    for code, query in refused.items():
        with p2.http.stream("POST", "/graphql", json={"query": query}, headers=EVENTS) as events:
            told = "".join(events.iter_lines())
        assert f'"code":"{code}"' in told
        *_, last = asyncio.run(follow_over_websocket(p2.url, P2, {}, 0, then=query))
        assert last["type"] == "error"
        assert f'"code": "{code}"' in json.dumps(last)


def test_a_mutation_over_a_websocket_is_recorded(p2: Ask) -> None:
    asked = 'mutation{openQuestion(input:{session:"session-2",text:"Why?",id:"q1"}){object{record}}}'
    *_, last = asyncio.run(follow_over_websocket(p2.url, P2, {}, 0, then=asked))
    assert last["payload"] == {"data": {"openQuestion": {"object": {"record": "q1"}}}}
    assert p2.data('{node(id:"q1"){text}}') == {"node": {"text": "Why?"}}
