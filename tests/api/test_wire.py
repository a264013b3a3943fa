"""The wire: entries, tokens, errors, readiness, the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.selection.view import View
from muniment.store import EvidenceStore
from muniment_api.access import Policy
from muniment_api.graphql_view import prefers_response_type
from tests.api.service import JSON, Ask, asking, closing, served, two_projects

P2 = {"muniment-project": "p2"}
NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return two_projects(tmp_path / "store")


@pytest.fixture
def p2(store: Path) -> Iterator[Ask]:
    with asking(store, headers=P2) as ask:
        yield ask


def line(number: int | str, **more: object) -> str:
    return json.dumps(
        {"id": f"n{number}", "kind": "message", "session": "session-2", "by": "agent", "text": "x", **more}
    )


def test_each_line_of_entries_is_stored_or_refused_with_its_number(p2: Ask) -> None:
    lines = [
        line(1),
        "no json",
        "",
        line(2, by="user"),
        line(3, text=7),
        line(1),
        line(4, session="session-1"),
        '"a text"',
        line(5, text="long " * 5000),
    ]
    found = p2.http.post("/entries", content="\n".join(lines), headers=NDJSON).json()
    assert [(refused["line"], refused["code"]) for refused in found["refused"]] == [
        (2, "bad_field"),
        (4, "scope_required"),
        (5, "bad_field"),
        (7, "unknown_id"),
        (8, "bad_field"),
    ]
    assert (found["stored"], found["duplicates"], found["blank"], found["lines"]) == (2, 1, 1, 9)
    again = p2.http.post("/entries", content="\n".join(lines), headers=NDJSON).json()
    assert (again["stored"], again["duplicates"]) == (0, 3)
    assert p2.data('{node(id:"n5"){text}}')["node"] == {"text": "long " * 5000}


def test_entries_of_another_media_type_are_refused(p2: Ask) -> None:
    assert p2.http.post("/entries", content=line(1), headers={"content-type": "text/plain"}).status_code == 415
    assert p2.http.post("/entries", content=line(1), headers=NDJSON).json()["stored"] == 1


def test_tokens_let_in_whoever_has_one_and_nobody_else(store: Path) -> None:
    policy = Policy(tokens={"of-p2": "p2", "of-any": None})
    query = {"query": "{missions{project}}"}
    with asking(store, policy) as ask:
        for headers in ({}, {"authorization": "Bearer of-p"}, {"authorization": "Basic of-p2"}, P2):
            answer = ask.http.post("/graphql", json=query, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["errors"][0]["extensions"] == {"code": "unauthenticated"}
        assert ask.http.post("/entries", content=line(1), headers=NDJSON).status_code == 401
        own = {"authorization": "Bearer of-p2"}
        assert ask.http.post("/graphql", json=query, headers=own).json() == {"data": {"missions": [{"project": "p2"}]}}
        assert ask.http.post("/graphql", json=query, headers={**own, "muniment-project": "p1"}).status_code == 403
        any_project = {"authorization": "Bearer of-any"}
        assert ask.http.post("/graphql", json=query, headers=any_project).status_code == 403
        assert ask.http.post("/graphql", json=query, headers={**any_project, **P2}).status_code == 200
        with closing(Ask(ask.url, store / "serve.sock", P2)) as owner:
            assert owner.data("{missions{project}}") == {"missions": [{"project": "p2"}]}


def test_without_a_token_only_the_names_of_this_machine_are_answered(p2: Ask) -> None:
    query = {"query": "{__typename}"}
    assert p2.http.post("/graphql", json=query, headers={"host": "evil.example:80"}).status_code == 401
    assert p2.http.post("/graphql", json=query, headers={"host": "localhost:80"}).status_code == 200


def test_projects_may_have_any_name(tmp_path: Path) -> None:
    name = "/wörk/100%/a b"
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        store.record([{"id": "o", "kind": "session_opened", "session": "s", "by": "harness", "project": name}])
    with asking(tmp_path / "store", headers={"muniment-project": "%2Fw%C3%B6rk%2F100%25%2Fa%20b"}) as ask:
        assert ask.data("{missions{project}}") == {"missions": [{"project": name}]}


def only_error(body: JSON) -> dict[str, JSON]:
    errors = body["errors"]
    assert isinstance(errors, list)
    assert len(errors) == 1
    found: dict[str, JSON] = errors[0]
    return found


def test_errors_on_purpose_keep_their_code_and_facts(p2: Ask) -> None:
    mission = p2.data("{missions{id}}")["missions"][0]["id"]  # type: ignore[index]
    error = only_error(p2.query("query($m:ID!){view(mission:$m,budget:1){text}}", m=mission))
    assert error["extensions"]["code"] == "budget_infeasible"
    assert error["extensions"]["budget"] == 1
    assert int(str(error["extensions"]["needed"])) > 1
    payload = p2.data(
        'mutation{recordBatch(input:{records:[{kind:"message",id:"x"}]}){object{stored} userErrors{code field}}}'
    )
    faults = payload["recordBatch"]["userErrors"]  # type: ignore[index]
    assert faults == [{"code": "bad_field", "field": ["input", "records", "0", "text"]}]


class FailingStore(EvidenceStore):
    """A store with a fault of ours in it."""

    def view(self, *arguments: object, **more: object) -> View:
        raise RuntimeError("private words of user@example.com")

    def scoped(self, *arguments: object, **more: object) -> EvidenceStore:
        narrow = super().scoped(*arguments, **more)  # type: ignore[arg-type]
        narrow.__class__ = FailingStore
        return narrow


def test_a_fault_of_ours_is_hidden_and_logged_under_an_id(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served(store, open_store=lambda: FailingStore.open(store)) as (url, _), closing(Ask(url, None, P2)) as ask:
        mission = ask.data("{missions{id}}")["missions"][0]["id"]  # type: ignore[index]
        answer = ask.query("query($m:ID!){view(mission:$m){text}}", m=mission)
    error = only_error(answer)
    assert error["extensions"]["code"] == "internal"
    assert "private" not in json.dumps(answer)
    logged = "".join(capsys.readouterr())
    assert str(error["extensions"]["id"]) in logged
    assert "RuntimeError" in logged


def test_what_utf_8_cannot_hold_comes_back_as_valid_json(p2: Ask) -> None:
    body = b'{"query":"query($i:ID!){rehydrate(id:$i){text}}","variables":{"i":"\\ud83d"}}'
    answer = p2.http.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert only_error(answer.json())["extensions"]["wanted"] == "?"


def test_bad_ids_are_null_entries_and_others_are_given(p2: Ask) -> None:
    found = p2.data('{nodes(ids:["F2","nothing","F1","T2"]){record}}')
    assert found == {"nodes": [{"record": "F2"}, None, None, {"record": "T2"}]}


def test_what_was_purged_costs_its_own_place_alone(store: Path) -> None:
    with EvidenceStore.open(store) as owner:
        owner.purge("F2", "private")
    with asking(store, headers=P2) as ask:
        found = ask.query('{nodes(ids:["T2","F2","R2x"]){record}}')
        assert found["data"] == {"nodes": [{"record": "T2"}, None, {"record": "R2x"}]}
        assert only_error(found)["extensions"]["code"] == "purged"
        assert "marker-2" not in json.dumps(ask.data("{missions{nodes{nodes{text fields}}}}"))


def test_what_is_stated_is_read_back_and_said_once(p2: Ask) -> None:
    made = "{object{record text state handle kind} userErrors{code message}}"
    task = f'mutation{{stateTask(input:{{session:"session-2",text:"Do it",id:"t-1"}}){made}}}'
    first = p2.data(task)
    assert first == p2.data(task)
    assert first["stateTask"]["object"]["text"] == "Do it"  # type: ignore[index]
    moved = p2.data(f'mutation{{stateTask(input:{{session:"session-2",task:"t-1",state:"active"}}){made}}}')
    assert moved["stateTask"]["object"]["state"] == "active"  # type: ignore[index]
    others = {
        "makeDecision": 'choice:"A",reason:"b",rejected:["C"]',
        "makeClaim": 'type:"tests_pass",text:"All pass",cites:["R2x"]',
        "openQuestion": 'what:RISK,text:"Why?"',
        "stateFact": 'class:ENVIRONMENT,text:"f",slot:"s"',
    }
    for name, fields in others.items():
        found = p2.data(f'mutation{{{name}(input:{{session:"session-2",{fields}}}){made}}}')[name]
        assert found["userErrors"] == []  # type: ignore[index]
        assert found["object"]["kind"] == name.removeprefix("make").removeprefix("open").removeprefix("state").upper()  # type: ignore[index]
    refused = p2.data(f'mutation{{stateTask(input:{{text:"no session"}}){made}}}')["stateTask"]
    assert refused["object"] is None  # type: ignore[index]


def test_what_is_told_to_be_wrong_was_not_recorded(p2: Ask) -> None:
    def moved(task: str) -> object:
        text = (
            f'mutation{{stateTask(input:{{task:"{task}",state:"settled",session:"session-2"}}){{userErrors{{code}}}}}}'
        )
        return p2.data(text)["stateTask"]

    def position() -> object:
        return p2.data("{entries(first:500){position}}")

    before = position()
    for nobody in ("nobody", "T1", "R1x", ""):
        assert moved(nobody) == {"userErrors": [{"code": "unknown_id"}]}
        assert position() == before
    assert moved("T2") == {"userErrors": []}
    assert position() != before


def test_a_live_and_ready_server_says_so(store: Path) -> None:
    with asking(store) as ask:
        assert ask.http.get("/healthz").json() == {"status": "ok"}
        assert ask.http.get("/readyz").status_code == 200
        assert ask.http.get("/nothing").status_code == 404


def test_the_log_has_neither_queries_nor_tokens(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with asking(store, Policy(tokens={"very-secret": "p2"}), {"authorization": "Bearer very-secret"}) as ask:
        ask.data('query WithWords{node(id:"marker-of-mine"){id}}')
        ask.http.get("/graphql?query={__typename}")
        asked = ask.http.get("/path-of-mine?marker-of-mine", headers={"x-request-id": "mine-1"})
        assert asked.headers["x-request-id"] == "mine-1"
    logged = "".join(capsys.readouterr())
    assert "mine-1" in logged
    assert "unmatched" in logged
    for word in ("very-secret", "marker-of-mine", "WithWords", "path-of-mine", "__typename"):
        assert word not in logged


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("application/graphql-response+json", True),
        ("application/graphql-response+json; q=0.5, application/json", False),
        ("application/json;q=0.9, application/graphql-response+json;charset=utf-8", True),
        ("application/graphql-response+json;q=0", False),
        ("application/graphql-response+json;q=x", False),
    ],
)
def test_the_media_type_is_the_one_that_the_client_weighs_most(accept: str, wanted: bool) -> None:
    assert prefers_response_type(accept) is wanted
