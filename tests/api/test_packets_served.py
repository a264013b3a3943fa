"""Packets over GraphQL, by the typed client and by MCP; and who may put one in force."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from mcp import Client

from muniment.errors import ScopeError, UnknownIdError, UsageError
from muniment.store import EvidenceStore
from muniment_api.access import Policy
from muniment_api.client import MunimentClient
from muniment_api.client_direct import in_process
from muniment_api.mcp_desk import OwnDesk
from muniment_api.mcp_server import build
from tests.api.service import served
from tests.api.test_mcp import called

PROJECT = "/projects/pricelist"


@contextmanager
def over_tcp(store: Path) -> Iterator[MunimentClient]:
    policy = Policy(tokens={"secret": None}, verbs=Policy().verbs | {"accept"})
    with served(store, policy) as (url, _), MunimentClient.connect(url, token="secret", project=PROJECT) as client:
        yield client


@contextmanager
def over_the_socket(store: Path) -> Iterator[MunimentClient]:
    with served(store), MunimentClient.local(store, project=PROJECT) as client:
        yield client


@contextmanager
def in_this_process(store: Path) -> Iterator[MunimentClient]:
    verbs = ["read", "record", "accept"]
    with EvidenceStore.open(store) as owner, in_process(owner.scoped(project=PROJECT, verbs=verbs)) as client:
        yield client


@pytest.fixture(params=[over_tcp, over_the_socket, in_this_process])
def client(request: pytest.FixtureRequest, store: Path) -> Iterator[MunimentClient]:
    with request.param(store) as opened:
        yield opened


def test_a_packet_goes_the_whole_way_by_the_client(client: MunimentClient) -> None:
    mission = client.missions()[0].mission
    packet = client.packet(mission, focus="the signature")
    assert (packet.mission, packet.focus) == (mission, "the signature")
    assert client.check_packet(packet, mission=mission).passed
    bad = msgspec.structs.replace(packet, binding=packet.binding[1:])
    refused = client.accept_packet(bad, mission=mission)
    assert not refused.accepted
    assert [problem.code for problem in refused.problems] == ["binding_missing"]
    kept = client.propose_packet(packet, mission=mission)
    done = client.accept_packet(kept, mission=mission, reason="handover")
    assert (done.accepted, done.in_force) == (True, kept)
    assert {info.id: info.in_force for info in client.packets(mission)} == {refused.packet: False, kept: True}
    assert client.packet(mission, kept).binding == packet.binding
    fork = client.fork_packet(kept, session="second", mission=mission)
    assert fork.forked
    assert "# What binds" in fork.text
    with pytest.raises(UsageError, match="second"):
        client.fork_packet(kept, session="second", mission=mission)
    with pytest.raises(UnknownIdError):
        client.packet(mission, "H999")


def test_advice_goes_over_the_wire(client: MunimentClient) -> None:
    assert client.should_compact("claude-opus-4-5", 170_000).compact
    assert client.should_compact("nobody-knows", 170_000).reason == "unknown_window"
    with pytest.raises(UsageError, match="cooking"):
        client.should_compact("claude-opus-4-5", 1, "cooking")


def test_a_request_that_may_not_accept_is_refused_and_may_still_check(store: Path) -> None:
    with served(store) as (url, _), MunimentClient.connect(url, project=PROJECT) as client:
        mission = client.missions()[0].mission
        packet = client.packet(mission)
        assert client.check_packet(packet, mission=mission).passed
        for attempt in (
            lambda: client.accept_packet(packet, mission=mission),
            lambda: client.fork_packet("H999", session="s", mission=mission),
        ):
            with pytest.raises(ScopeError):
                attempt()
        assert client.packets(mission) == []


def test_another_project_sees_no_packet(store: Path) -> None:
    with EvidenceStore.open(store) as owner:
        mission = owner.missions()[0].mission
        kept = owner.fold(mission).packet
        assert kept is not None
        elsewhere = owner.scoped(project="/elsewhere", verbs=["read", "record", "accept"])
        for ask in (
            lambda: elsewhere.packet(mission),
            lambda: elsewhere.packets(mission),
            lambda: elsewhere.show_packet(kept.id),
            lambda: elsewhere.check_packet(kept),
            lambda: elsewhere.accept_packet(kept),
            lambda: elsewhere.fork_packet(kept.id, session="x"),
            lambda: elsewhere.fold(mission),
            lambda: elsewhere.first_view(mission),
            lambda: elsewhere.should_compact("gpt-5", 1, mission=mission),
        ):
            with pytest.raises(UnknownIdError):
                ask()


def test_a_model_builds_checks_and_keeps_packets_and_accepts_none(store: Path) -> None:
    made = called(store, "packet", focus="the signature")
    content = made["content"]
    assert isinstance(content, dict)
    assert "# What binds" in str(made["text"])
    assert called(store, "check_packet", packet=content)["passed"] is True
    problems = called(store, "check_packet", packet={**content, "binding": []})["problems"]
    assert isinstance(problems, list)
    assert [problem["code"] for problem in problems] == ["binding_missing"]
    kept = called(store, "propose_packet", packet=content)["id"]
    assert called(store, "packet", id=kept)["id"] == kept
    rows = called(store, "packets")["packets"]
    assert isinstance(rows, list)
    assert [(row["state"], row["in_force"]) for row in rows] == [("proposed", False)]
    assert called(store, "boundaries") == {"boundaries": [], "scores": []}
    assert called(store, "should_compact", model="gpt-5", tokens_in_use=1)["reason"] == "below_limit"


def test_a_packet_that_a_model_offers_is_of_the_mission_that_it_names(store: Path) -> None:
    def asked(tool: str, **arguments: object) -> dict[str, object]:
        async def ask() -> dict[str, object]:
            async with Client(build(desk)) as client:
                result = await client.call_tool(tool, arguments)
                assert isinstance(result.structured_content, dict)
                return result.structured_content

        return asyncio.run(ask())

    with EvidenceStore.open(store) as opened:
        desk = OwnDesk(opened.scoped(project=PROJECT, actors={"agent"}, verbs={"read", "record"}))
        content = asked("packet")["content"]
        assert isinstance(content, dict)
        said = {"kind": "message", "id": "m1", "session": "newer", "by": "user", "text": "Hello."}
        opened.record([said], project=PROJECT)
        newer = asked("packet")["mission"]
        assert newer != content["mission"]
        assert asked("check_packet", packet=content)["passed"] is True
        assert asked("check_packet", packet=content, mission=newer)["passed"] is False
        kept = asked("propose_packet", packet=content)["id"]
        assert asked("packet", id=kept, mission=content["mission"])["id"] == kept
        desk.close()
