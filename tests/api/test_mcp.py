"""The MCP server: in memory, over stdin and stdout, and mounted in the service."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from muniment import EvidenceStore
from muniment.model.nodes import Claim, Decision, Fact, Question
from muniment.scope import READ, RECORD
from muniment_api.mcp_desk import OwnDesk
from muniment_api.mcp_server import build
from tests.support.hooking import serving

T = TypeVar("T")
Ask = Callable[[Client], Awaitable[T]]
TOOLS = {
    *("view", "show", "search", "closeout", "check_write", "holds"),
    *("record_decision", "state_fact", "state_claim", "open_question", "distil"),
    *("pending_distillations", "why", "explain_claim", "impact"),
    *("packet", "packets", "check_packet", "propose_packet", "boundaries", "should_compact"),
}


def mission_of(store: Path) -> str:
    with EvidenceStore.open(store) as opened:
        return opened.missions()[0].mission


def in_memory(store: Path, ask: Ask[T]) -> T:
    """Ask a server in this process, which sees the one mission."""

    async def run(desk: OwnDesk) -> T:
        async with Client(build(desk)) as client:
            return await ask(client)

    with EvidenceStore.open(store) as opened:
        desk = OwnDesk(opened.scoped(mission=mission_of(store), actors={"agent"}, verbs={READ, RECORD}))
        try:
            return asyncio.run(run(desk))
        finally:
            desk.close()


def called(store: Path, tool: str, **arguments: object) -> dict[str, object]:
    """Call a tool and return its structured answer."""

    async def ask(client: Client) -> dict[str, object]:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    return in_memory(store, ask)


def refused(store: Path, tool: str, **arguments: object) -> str:
    """Call a tool that refuses and return what it says."""

    async def ask(client: Client) -> str:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        return str(result.content[0])

    return in_memory(store, ask)


def test_all_tools_are_there_with_schemas_and_hints(store: Path) -> None:
    async def ask(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        assert all(tool.output_schema and tool.description for tool in tools.values())
        reading = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
        recording = {"record_decision", "state_fact", "state_claim", "open_question", "distil", "propose_packet"}
        assert reading == TOOLS - recording

    in_memory(store, ask)


def test_view_closeout_and_show_answer_what_the_store_answers(store: Path) -> None:
    mission = mission_of(store)
    view, closeout = called(store, "view", budget=1500), called(store, "closeout")
    with EvidenceStore.open(store) as opened:
        expected = opened.view(mission, budget=1500)
        judged = opened.closeout(mission)
        assert (view["text"], view["tokens"]) == (expected.text, expected.tokens)
        assert (closeout["verdict"], closeout["passed"]) == (judged.verdict, judged.passed)
        assert isinstance(closeout["claims"], list)
        assert [claim["status"] for claim in closeout["claims"]] == [claim.status for claim in judged.claims]
        items = view["items"]
        assert isinstance(items, list)
        shown = called(store, "show", id=items[0]["handle"])
        assert shown["text"] == opened.rehydrate(items[0]["handle"]).text
    assert called(store, "show", id="R14", first_line=1, last_line=2)["last_line"] == 2


def test_why_something_is_or_is_not_in_the_view_is_told(store: Path) -> None:
    items = called(store, "view", budget=1500)["items"]
    assert isinstance(items, list)
    told = called(store, "why", id=items[0]["handle"], budget=1500)
    assert (told["answer"], told["handle"]) == ("shown", items[0]["handle"])
    assert "unknown_id" in refused(store, "why", id="R999")


def test_what_was_seen_may_be_changed_and_what_ended_a_receipt_is_named(store: Path) -> None:
    checked = called(store, "check_write", path="pricelist/prices.py", first_line=1, last_line=5)
    assert (checked["ok"], checked["read_first"], checked["changed_by"]) == (True, [], [])
    held = called(store, "holds", id="R7")
    assert (held["status"], held["reason"], held["because"]) == ("stale", "lines_changed", held["because"])
    assert held["because"]
    assert "unknown_id" in refused(store, "holds", id="R999")


def test_words_are_found_and_shown_by_the_handle(store: Path) -> None:
    hits = called(store, "search", text="thousands separators")["hits"]
    assert isinstance(hits, list)
    assert hits
    assert "separators" in str(called(store, "show", id=hits[0]["id"])["text"])


def test_lines_are_given_from_the_first_to_the_one_that_is_named(store: Path) -> None:
    fact = str(called(store, "state_fact", text="a\nb\nc", kind="constraint")["id"])
    for bounds, text in (
        ({"last_line": 2}, "a\nb"),
        ({"first_line": 2}, "b"),
        ({"first_line": 2, "last_line": 3}, "b\nc"),
        ({}, "a\nb\nc"),
    ):
        assert called(store, "show", id=fact, **bounds)["text"] == text


def test_what_an_agent_states_is_recorded_in_its_name(store: Path) -> None:
    mission = mission_of(store)
    first = called(store, "record_decision", choice="keep the table", reason="it is small", rejected=["a tree"])
    called(store, "record_decision", choice="use a tree", supersedes=[first["id"]])
    called(store, "state_fact", text="Python 3.11 is installed", kind="environment", slot="python")
    called(store, "state_claim", type="tests_pass", text="All tests pass.")
    called(store, "open_question", text="Does 12.50 round?", kind="gap")
    called(store, "distil", of="R14", lines=[[1, 2]], states="one test fails")
    with EvidenceStore.open(store) as opened:
        snapshot = opened.snapshot(mission)
        decisions = [node for node in snapshot.of_kind(Decision) if node.by == "agent"]
        assert [snapshot.text(node.choice) for node in decisions] == ["keep the table", "use a tree"]
        assert snapshot.ended(decisions[0].id)
        assert [node.by for node in snapshot.of_kind(Fact)][-1] == "agent"
        assert snapshot.of_kind(Claim)[-1].type == "tests_pass"
        assert snapshot.of_kind(Question)[-1].what == "gap"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("show", {"id": "R9999"}, "unknown_id"),
        ("view", {"mission": "mission:ffffffffffffffffffffffff"}, "unknown_id"),
        ("view", {"budget": 3}, "budget"),
        ("distil", {"of": "R9999", "lines": [[1, 1]]}, "unknown_id"),
        ("distil", {"of": "R14", "lines": [[1, 9999]]}, "lines"),
        ("state_fact", {"text": "x", "kind": "rumour"}, "rumour"),
        ("search", {"text": "x", "kinds": ["nothing"]}, "nothing"),
    ],
)
def test_what_cannot_be_done_is_told_to_the_model(
    store: Path, tool: str, arguments: dict[str, object], said: str
) -> None:
    assert said in refused(store, tool, **arguments)


def test_nodes_are_resources(store: Path) -> None:
    async def ask(client: Client) -> str:
        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {"muniment://node/{id}", "muniment://rule/{id}"}
        read = await client.read_resource("muniment://node/R14")
        return str(getattr(read.contents[0], "text", ""))

    with EvidenceStore.open(store) as opened:
        assert in_memory(store, ask) == opened.rehydrate("R14").text


def test_over_stdin_and_stdout(store: Path) -> None:
    command = ["-m", "muniment_api", "--store", str(store), "mcp", "--mission", mission_of(store)]

    async def ask() -> tuple[set[str], dict[str, object] | None]:
        parameters = StdioServerParameters(command=sys.executable, args=command)
        async with Client(stdio_client(parameters)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            return tools, (await client.call_tool("closeout", {})).structured_content

    tools, closeout = asyncio.run(ask())
    assert tools == TOOLS
    assert closeout is not None
    assert json.dumps(closeout)
    assert closeout["mission"] == mission_of(store)


def test_mounted_in_the_service_in_the_scope_of_the_request(store: Path) -> None:
    with EvidenceStore.open(store) as opened:
        project = opened.missions()[0].project
        opened.record(
            [{"id": "o", "kind": "session_opened", "session": "other", "project": "foreign", "by": "harness"}]
        )
        foreign = next(info.mission for info in opened.missions() if info.project == "foreign")

    async def ask(url: str) -> tuple[dict[str, object] | None, bool]:
        async with Client(f"{url}/mcp/") as client:
            view = await client.call_tool("view", {"budget": 1500})
            return view.structured_content, (await client.call_tool("view", {"mission": foreign})).is_error

    with serving(store, "--project", project) as (_, url):
        view, hidden = asyncio.run(ask(url))
    assert view is not None
    assert view["mission"] == mission_of(store)
    assert hidden


def test_a_project_without_a_session_is_told_what_records_one(store: Path) -> None:
    async def ask(desk: OwnDesk) -> str:
        async with Client(build(desk)) as client:
            result = await client.call_tool("view", {})
            assert result.is_error
            return str(result.content)

    with EvidenceStore.open(store) as opened:
        desk = OwnDesk(opened.scoped(project="another", actors={"agent"}, verbs={READ, RECORD}))
        try:
            told = asyncio.run(ask(desk))
        finally:
            desk.close()
    assert "nothing of this project is on record yet: hooks record sessions" in told
