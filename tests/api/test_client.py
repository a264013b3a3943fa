"""The client: the same calls and the same answers over TCP, over the socket and in process, waiting or awaiting."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from muniment.closeout.reports.render import FORMATS
from muniment.errors import (
    BudgetInfeasibleError,
    ConflictError,
    FieldError,
    ScopeError,
    StoreError,
    UnknownIdError,
    UsageError,
)
from muniment.store import EvidenceStore
from muniment_api.access import Policy
from muniment_api.client import AsyncMunimentClient, MunimentClient
from muniment_api.client_direct import in_process, in_process_async
from tests.api.service import served
from tests.support.report_checks import check

PROJECT = "/projects/pricelist"
MESSAGE = {"kind": "message", "by": "agent", "session": "mine", "text": "said"}


@contextmanager
def over_tcp(store: Path) -> Iterator[MunimentClient]:
    policy = Policy(tokens={"secret": None}, roots=(store.parent.resolve(),), verbs=Policy().verbs | {"withdraw"})
    with (
        served(store, policy) as (url, _),
        MunimentClient.connect(url, token="secret", project=PROJECT) as client,
    ):
        yield client


@contextmanager
def over_the_socket(store: Path) -> Iterator[MunimentClient]:
    with served(store), MunimentClient.local(store, project=PROJECT) as client:
        yield client


@contextmanager
def in_this_process(store: Path) -> Iterator[MunimentClient]:
    verbs = ["read", "record", "import", "withdraw"]
    with EvidenceStore.open(store) as owner, in_process(owner.scoped(project=PROJECT, verbs=verbs)) as client:
        yield client


@pytest.fixture(params=[over_tcp, over_the_socket, in_this_process])
def client(request: pytest.FixtureRequest, store: Path) -> Iterator[MunimentClient]:
    with request.param(store) as client:
        yield client


def test_a_closeouts_reports_are_those_of_the_store(client: MunimentClient, store: Path) -> None:
    with EvidenceStore.open(store) as direct:
        (mission,) = client.missions()
        for format_ in FORMATS:
            report = client.closeout_report(mission.mission, format_)
            assert report == direct.closeout_report(mission.mission, format_)
            check(format_, report.text)
        with pytest.raises(UsageError, match="yaml"):
            client.closeout_report(mission.mission, "yaml")


def test_answers_are_those_of_the_store(client: MunimentClient, store: Path) -> None:
    with EvidenceStore.open(store) as direct:
        (mission,) = client.missions()
        assert [mission] == direct.missions()
        assert client.view(mission.mission, budget=3000) == direct.view(mission.mission, budget=3000)
        assert client.closeout(mission.mission) == direct.closeout(mission.mission)
        assert client.search("CHANGELOG") == direct.search("CHANGELOG") != []
        assert client.node("R27") == direct.rehydrate("R27")
        assert client.node("R27", mission=mission.mission, lines=(1, 2)) == direct.rehydrate("R27", lines=(1, 2))


def test_what_is_recorded_is_stored_and_counted(client: MunimentClient) -> None:
    done = client.record([{**MESSAGE, "id": "a"}, {**MESSAGE, "id": "b"}])
    assert (done.stored, done.duplicates) == (2, 0)
    again = client.record([{**MESSAGE, "id": "a"}, {**MESSAGE, "id": "c"}], expected=int(done))
    assert (again.stored, again.duplicates) == (1, 1)
    assert client.node("a").text == "said"
    assert client.withdraw("b", "not so") == "withdrawn"


def test_half_a_character_harms_nobody(client: MunimentClient) -> None:
    client.record([{**MESSAGE, "id": "half", "text": "a \ud83d b"}])
    assert client.node("half").text == "a ? b"
    with pytest.raises(UnknownIdError):
        client.node("\ud83d")


def test_a_session_is_imported(client: MunimentClient, store: Path) -> None:
    path = store.parent / "new.jsonl"
    path.write_text('{"id":"i1","kind":"message","session":"SI","by":"agent","text":"t"}\nbroken\n')
    report = client.import_session(str(path))
    assert (report.lines, report.stored, report.quarantined) == (2, 1, 1)


def test_an_emitted_view_is_recorded(client: MunimentClient) -> None:
    (mission,) = client.missions()
    view = client.view(mission.mission, emit=True)
    assert view.text == client.view(mission.mission).text
    assert client.missions()[0].entries == mission.entries + 1


def test_errors_are_those_of_the_store_with_their_facts(client: MunimentClient) -> None:
    (mission,) = client.missions()
    with pytest.raises(UnknownIdError, match="nothing-here"):
        client.node("nothing-here")
    with pytest.raises(BudgetInfeasibleError) as small:
        client.view(mission.mission, budget=1)
    assert client.view(mission.mission, budget=small.value.needed).tokens <= small.value.needed
    with pytest.raises(ConflictError):
        client.record([{**MESSAGE, "id": "x"}], expected=1)
    with pytest.raises(FieldError, match="text") as wrong:
        client.record([{**MESSAGE, "id": "x"}, {**MESSAGE, "id": "y", "text": 1}])
    assert wrong.value.path == "input.records.1.text"


def test_a_subscription_gives_what_is_there_and_what_comes(client: MunimentClient) -> None:
    before = client.missions()[0].last_position
    events = client.subscribe(before - 2)
    assert [entry.position for entry in islice(events, 2)] == [before - 1, before]
    client.record([{**MESSAGE, "id": "later"}])
    later = next(events)
    assert (later.source_id, later.body and later.body["text"]) == ("later", "said")


def test_clients_that_await_get_the_same(store: Path) -> None:
    async def ask(client: AsyncMunimentClient) -> tuple[object, ...]:
        async with client:
            (mission,) = await client.missions()
            both = await asyncio.gather(client.view(mission.mission, budget=3000), client.closeout(mission.mission))
            done = await client.record([{**MESSAGE, "id": f"a{mission.entries}"}])
            events = client.subscribe(int(done) - 1)
            entry = await anext(events)
            await events.aclose()  # type: ignore[attr-defined]
            found = await client.node(entry.source_id)
            state = await client.withdraw(entry.source_id, "no")
            return (*both[0].items, both[1].verdict, both[1].claims, entry.body, found.text, state)

    copies = [store.parent / "one", store.parent / "two"]
    for copy in copies:
        shutil.copytree(store, copy)
    with served(copies[0]):
        local = asyncio.run(ask(AsyncMunimentClient.local(copies[0], project=PROJECT)))
    with EvidenceStore.open(copies[1]) as owner:
        scoped = owner.scoped(project=PROJECT, verbs=["read", "record", "withdraw"])
        direct = asyncio.run(ask(in_process_async(scoped)))
    assert [part for part in local if not isinstance(part, dict)] == [
        part for part in direct if not isinstance(part, dict)
    ]


def test_where_nobody_listens_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="muniment serve"):
        MunimentClient.local(tmp_path, project="p")
    with MunimentClient.connect("http://127.0.0.1:9", project="p") as client, pytest.raises(StoreError):
        list(client.subscribe())


def test_without_a_scope_the_client_is_refused(store: Path) -> None:
    with served(store), MunimentClient.local(store) as client:
        with pytest.raises(ScopeError):
            client.missions()
        with pytest.raises(ScopeError):
            next(client.subscribe())
