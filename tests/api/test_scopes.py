"""Scopes (FR-40): every read path sees one project, and what is foreign is answered as what does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment_api.access import Policy
from tests.api.service import Ask, asking, closing, mission_ids, served, two_projects

P2 = {"muniment-project": "p2"}
READS = [
    '{node(id:"%s"){id text}}',
    '{nodes(ids:["%s"]){id text}}',
    '{neighbourhood(id:"%s", hops:4){nodes{id text}}}',
    '{rehydrate(id:"%s"){text}}',
    '{mission(id:"%s"){id nodes{nodes{text}}}}',
    '{timeline(mission:"%s"){nodes{text}}}',
    '{view(mission:"%s"){text}}',
    '{closeout(mission:"%s"){head verdict}}',
    'mutation{withdraw(input:{id:"%s", why:"x"}){object{id} userErrors{code message}}}',
    'mutation{emitView(input:{mission:"%s"}){object{text} userErrors{code message}}}',
    'mutation{recordBatch(input:{records:[{}], mission:"%s"}){object{position} userErrors{code message}}}',
    'mutation{openQuestion(input:{mission:"%s", text:"?"}){object{id} userErrors{code message}}}',
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return two_projects(tmp_path / "store")


@pytest.fixture(scope="module")
def p2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(two_projects(tmp_path_factory.mktemp("s") / "store"), headers=P2, owner=True) as ask:
        yield ask


@pytest.fixture(scope="module")
def p1(p2: Ask) -> Iterator[Ask]:
    with closing(Ask(p2.url, p2.uds, {"muniment-project": "p1"})) as ask:
        yield ask


@pytest.fixture(scope="module")
def foreign(p1: Ask) -> str:
    """The id of the mission of p1."""
    return mission_ids(p1)[0]


@pytest.mark.parametrize("query", READS)
def test_a_foreign_id_is_answered_as_one_that_does_not_exist(p2: Ask, foreign: str, query: str) -> None:
    for known in ("F1", foreign, "session-1"):
        unknown = p2.http.post("/graphql", json={"query": query % "nothing-at-all"})
        answer = p2.http.post("/graphql", json={"query": query % known})
        assert answer.status_code == unknown.status_code
        assert answer.text.replace(known, "ID") == unknown.text.replace("nothing-at-all", "ID")


def test_what_is_in_scope_is_found_on_the_same_paths(p2: Ask) -> None:
    (own,) = mission_ids(p2)
    assert p2.data('{node(id:"F2"){text}}')["node"] == {"text": "marker-2"}
    assert "marker-2" in str(p2.data('{neighbourhood(id:"F2", hops:2){nodes{text}}}'))
    for query in (
        '{timeline(mission:"%s"){nodes{text}}}',
        '{view(mission:"%s"){text}}',
        '{mission(id:"%s"){facts{nodes{text}}}}',
    ):
        found = str(p2.data(query % own))
        assert "marker-2" in found
        assert "marker-1" not in found
    for number, hits in ((1, []), (2, [{"record": "F2"}])):
        assert p2.data(f'{{search(text:"marker-{number}"){{record}}}}') == {"search": hits}
    assert "marker-1" not in str(p2.data("{entries{entries{body}}}"))
    assert "marker-2" in str(p2.data("{entries{entries{body}}}"))


def test_without_a_scope_everything_is_refused(store: Path) -> None:
    with asking(store) as ask:
        answer = ask.http.post("/graphql", json={"query": "{missions{id}}"})
        assert answer.status_code == 403
        assert ask.code("{__typename}") == "scope_required"
        lines = ask.http.post("/entries", content=b"{}\n", headers={"content-type": "application/x-ndjson"})
        assert lines.json()["errors"][0]["extensions"]["code"] == "scope_required"
        for empty in ("muniment-project", "muniment-mission"):
            refused = ask.http.post("/graphql", json={"query": "{missions{id}}"}, headers={empty: ""})
            assert refused.status_code == 403


def test_a_scope_in_the_body_never_widens_the_handle(p1: Ask, p2: Ask, foreign: str) -> None:
    record = {"id": "x1", "kind": "fact_stated", "class": "constraint", "text": "t", "by": "agent"}
    batch = "mutation($r:[JSON!]!,$m:ID){recordBatch(input:{records:$r,mission:$m}){object{stored} userErrors{code}}}"
    (own,) = mission_ids(p2)
    moved = p2.data(batch, r=[{**record, "session": "session-1", "project": "p1"}])
    refused = p2.data(batch, r=[record], m=foreign)
    assert moved == refused == {"recordBatch": {"object": None, "userErrors": [{"code": "unknown_id"}]}}
    opened = {"id": "x2", "kind": "session_opened", "session": "S9", "project": "p1", "by": "harness"}
    assert p2.data(batch, r=[opened])["recordBatch"]["object"] == {"stored": 1}  # type: ignore[index]
    assert mission_ids(p1) == [foreign]
    assert p1.data('{node(id:"x1"){id}}') == {"node": None}
    assert own in mission_ids(p2)
    assert all(found["project"] == "p2" for found in p2.data("{missions{project}}")["missions"])  # type: ignore[attr-defined]


def test_a_server_for_one_project_serves_no_other(store: Path) -> None:
    with served(store, Policy(project="p2")) as (url, uds):
        for path in (None, uds):
            with Ask(url, path, {}).http as http:
                assert http.post("/graphql", json={"query": "{missions{project}}"}).status_code == 200
                moved = http.post("/graphql", json={"query": "{missions{id}}"}, headers={"muniment-project": "p1"})
                assert moved.status_code == 403


def test_a_mission_may_be_the_scope(store: Path, foreign: str) -> None:
    with asking(store, headers={"muniment-mission": foreign}) as ask:
        assert mission_ids(ask) == [foreign]
        assert ask.data('{node(id:"F2"){id}}') == {"node": None}


def test_over_tcp_nobody_speaks_for_the_user_unless_it_was_granted(store: Path) -> None:
    fact = '{session:"session-2",class:CONSTRAINT,text:"t",by:USER}'
    state = f"mutation{{stateFact(input:{fact}){{object{{by}} userErrors{{code}}}}}}"
    withdraw = 'mutation{withdraw(input:{id:"T2",why:"w"}){object{state} userErrors{code}}}'
    with asking(store, headers=P2) as ask:
        assert ask.code(state) == "scope_required"
        assert ask.code(withdraw) == "scope_required"
    with asking(store, headers=P2, owner=True) as owner:
        assert owner.data(state)["stateFact"] == {"object": {"by": "user"}, "userErrors": []}
        assert owner.data(withdraw)["withdraw"] == {"object": {"state": "withdrawn"}, "userErrors": []}


def test_imports_over_tcp_read_only_what_lies_under_an_allowed_folder(store: Path, tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        folder.mkdir()
        (folder / "s.jsonl").write_text('{"id":"i1","kind":"message","session":"SI","by":"agent","text":"t"}\n')
    (allowed / "link.jsonl").symlink_to(other / "s.jsonl")
    ask_for = "mutation($p:String!){importSession(input:{path:$p}){object{stored} userErrors{code}}}"
    with asking(store, headers=P2) as ask:
        assert ask.code(ask_for, p=str(allowed / "s.jsonl")) == "scope_required"
    with asking(store, Policy(roots=(allowed.resolve(),)), P2) as ask:
        for path in (other / "s.jsonl", allowed / "link.jsonl", allowed / ".." / "other" / "s.jsonl", allowed):
            assert ask.code(ask_for, p=str(path)) == "scope_required"
        (allowed / "link.jsonl").unlink()
        assert ask.data(ask_for, p=str(allowed / "s.jsonl"))["importSession"] == {
            "object": {"stored": 1},
            "userErrors": [],
        }
