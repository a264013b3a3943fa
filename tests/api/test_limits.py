"""Limits (FR-43): a query that asks for too much is refused before the store is asked anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from graphql import GraphQLObjectType, build_schema, get_introspection_query

from muniment.store import EvidenceStore
from muniment_api.access import Policy
from muniment_api.schema.build import printed
from muniment_api.schema.limits import CACHED, HEAVY, MOST, PAGE, PAGED
from tests.api.service import Ask, closing, served, two_projects
from tests.support.counting_store import CountingStore

TASKS = 700


def task(number: int) -> dict[str, object]:
    return {"id": f"X{number}", "kind": "task_stated", "session": "session-2", "by": "user", "text": f"task {number}"}


def read(number: int, turn: int) -> dict[str, object]:
    record = {"id": f"Y{number}-{turn}", "kind": "tool_returned", "session": "session-2", "by": "tool", "tool": "read"}
    return {**record, "path": f"f{number}-{turn}.txt", "content": "a\nb\n", "task": f"X{number}"}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = two_projects(tmp_path_factory.mktemp("s") / "store")
    with EvidenceStore.open(folder) as store:
        store.record([task(i) for i in range(TASKS)])
        store.record([read(i, j) for i in range(60) for j in range(3)])
    opened = lambda: CountingStore.open(folder)  # noqa: E731
    with served(folder, Policy(project="p2"), open_store=opened) as (url, _), closing(Ask(url, None, {})) as ask:
        yield ask


@pytest.fixture(autouse=True)
def _fresh_count() -> None:
    CountingStore.calls = 0


SPREAD = """query{node(id:"T2"){...A}}
fragment A on Task{receipts(first:1){nodes{file{receipts(first:1){nodes{...B}}}}}}
fragment B on Receipt{file{receipts(first:1){nodes{file{receipts(first:1){nodes{file{receipts(first:1){nodes{id}}
 }}}}}}}}"""

REFUSED = {
    "depth through fragments": ("depth", SPREAD),
    "depth through inline fragments": (
        "depth",
        "{node(id:1){" + "...on Node{related{nodes{" * 12 + "id" + "}}}" * 12 + "}}",
    ),
    "nested without end": ("depth", "{node(id:1)" + "{...on Node" * 400 + "{id}" + "}" * 400 + "}"),
    "aliases": ("aliases", "{" + "".join(f'a{i}: node(id:"T2"){{id}} ' for i in range(31)) + "}"),
    "aliases through fragments": (
        "aliases",
        "query{...A ...B} fragment A on Query{...B ...B} fragment B on Query{"
        + "".join(f'b{i}: node(id:"T2"){{id}} ' for i in range(11))
        + "}",
    ),
    "pages in pages": ("cost", "{missions(first:100){tasks(first:100){nodes{receipts(first:100){nodes{id}}}}}}"),
    "pages by default": ("cost", "{missions{nodes{nodes{related{nodes{related{nodes{id}}}}}}}}"),
    "pages in the default of a variable": (
        "cost",
        "query($n:Int=500){missions(first:50){tasks(first:$n){nodes{id}}}}",
    ),
    "ids in the default of a variable": (
        "cost",
        'query($ids:[ID!]!=["T2","T2","T2"]){nodes(ids:$ids){related(first:450){nodes{related(first:20){nodes{id}}}}}}',
    ),
    "nodes of missions": ("cost", "{missions(first:100){nodes(first:300){nodes{id}}}}"),
    "nodes of missions by default": ("cost", "{missions(first:500){nodes{nodes{id}}}}"),
    "messages by default": ("cost", "{missions(first:1){messages{edges{node{related(first:450){nodes{id}}}}}}}"),
    "the schema again and again": ("cost", "{" + "".join(f"a{i}:__schema{{types{{name}}}} " for i in range(25)) + "}"),
    "aliases in the schema": ("aliases", "{__schema{" + "".join(f"a{i}:types{{name}} " for i in range(31)) + "}}"),
    "aliases in fragments of the schema": (
        "aliases",
        "{__schema{...S ...S}} fragment S on __Schema{" + "".join(f"a{i}:types{{name}} " for i in range(16)) + "}",
    ),
    "walks": ("cost", "{" + "".join(f'n{i}: neighbourhood(id:"T2",hops:4){{truncated}} ' for i in range(25)) + "}"),
    "tokens": ("tokens", "{" + "missions{id} " * 700 + "}"),
    "an unknown fragment": ("validation", "query{...Nope}"),
    "fragments in a ring": ("validation", "query{...X} fragment X on Query{...Y} fragment Y on Query{...X}"),
    "an unknown field": ("validation", "{missions{nothing}}"),
    "no query": ("syntax", "{missions{id}"),
    "introspection in a ring": (
        "validation",
        "{__schema{types{fields{type{fields{type{fields{type{fields{type{fields{type{name}}}}}}}}}}}}}",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_much_is_refused_before_the_store_is_asked(ask: Ask, name: str) -> None:
    code, query = REFUSED[name]
    answer = ask.http.post("/graphql", json={"query": query}, headers={"accept": "application/graphql-response+json"})
    assert answer.json()["errors"][0]["extensions"]["code"] == code
    assert answer.status_code == 400
    assert CountingStore.calls == 0


def test_variables_cannot_smuggle_a_page_past_the_cost(ask: Ask) -> None:
    query = "query($n:Int){missions(first:50){tasks(first:$n){nodes{id}}}}"
    assert ask.code(query, n=MOST) == "cost"
    assert ask.code(query, n=float(MOST)) == "cost"
    assert ask.code(query.replace("$n:Int", "$n:Int=10"), n=MOST) == "cost"
    assert CountingStore.calls == 0
    assert "tasks" in str(ask.data(query, n=100.0))
    assert "tasks" in str(ask.data(query.replace("$n:Int", f"$n:Int={MOST}"), n=100))
    assert "tasks" in str(ask.data(query, n=100))


def test_every_field_that_answers_with_a_page_counts_as_one() -> None:
    kinds = [kind for kind in build_schema(printed()).type_map.values() if isinstance(kind, GraphQLObjectType)]
    paged = {name for kind in kinds for name, field in kind.fields.items() if "first" in field.args}
    assert paged - HEAVY.keys() <= PAGED
    assert {"messages", "decisions", "questions", "timeline", "missions"} <= paged


def test_an_honest_query_passes(ask: Ask) -> None:
    found = ask.data('{node(id:"T2"){text ...on Task{receipts(first:10){nodes{id exitCode file{path}}}}}}')
    assert "shared/readme.md" in str(found)
    assert CountingStore.calls > 0
    assert ask.data(get_introspection_query(input_value_deprecation=True))
    assert ask.data("query IntrospectionQuery{__schema{types{name fields{name type{name ofType{name ofType{name}}}}}}}")


@pytest.mark.parametrize("first", [5, 50])
def test_what_the_store_is_asked_does_not_follow_the_number_of_rows(ask: Ask, first: int) -> None:
    query = "query($n:Int){missions{tasks(first:$n){nodes{id ...on Task{receipts(first:3){nodes{id file{path}}}}}}}}"
    assert str(ask.data(query, n=first)).count("path") > first
    assert CountingStore.calls <= 3


def test_a_list_without_a_limit_is_a_page(ask: Ask) -> None:
    tasks = ask.data("{missions{tasks{totalCount nodes{id} pageInfo{hasNextPage}}}}")["missions"][0]["tasks"]  # type: ignore[index]
    assert len(tasks["nodes"]) == PAGE
    assert tasks["pageInfo"] == {"hasNextPage": True}
    assert tasks["totalCount"] == TASKS + 1


@pytest.mark.parametrize("size", [-1, MOST + 1])
def test_a_page_that_is_too_big_is_refused(ask: Ask, size: int) -> None:
    for field in ("tasks", "nodes"):
        assert ask.code(f"{{missions(first:1){{{field}(first:{size}){{nodes{{id}}}}}}}}") == "usage"
    assert ask.code(f"{{missions(first:{size}){{id}}}}") == "usage"
    assert ask.code("{nodes(ids:[" + '"T2",' * (MOST + 1) + "]){id}}") in ("usage", "tokens")


def test_pages_walk_over_everything_once_in_both_directions(ask: Ask) -> None:
    query = """query($f:Int,$a:String,$l:Int,$b:String){missions{
      nodes(first:$f,after:$a,last:$l,before:$b){edges{cursor node{id}}
       pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}"""

    def page(**variables: object) -> dict[str, object]:
        found = ask.data(query, **variables)["missions"][0]["nodes"]  # type: ignore[index]
        assert isinstance(found, dict)
        return found

    def ids(found: dict[str, object]) -> list[str]:
        return [edge["node"]["id"] for edge in found["edges"]]  # type: ignore[attr-defined]

    forward = [first := page(f=301)]
    while forward[-1]["pageInfo"]["hasNextPage"]:  # type: ignore[index]
        forward.append(page(f=301, a=forward[-1]["pageInfo"]["endCursor"]))  # type: ignore[index]
    everything = [node for found in forward for node in ids(found)]
    assert len(everything) == len(set(everything)) > TASKS
    assert not first["pageInfo"]["hasPreviousPage"]  # type: ignore[index]
    assert forward[1]["pageInfo"]["hasPreviousPage"]  # type: ignore[index]
    backward = [page(l=211)]
    while backward[-1]["pageInfo"]["hasPreviousPage"]:  # type: ignore[index]
        backward.append(page(l=211, b=backward[-1]["pageInfo"]["startCursor"]))  # type: ignore[index]
    assert [node for found in reversed(backward) for node in ids(found)] == everything
    assert ask.code(query, f=1, a="no-cursor") == "usage"
    assert ask.code(query, f=1, l=1) == "usage"


def test_bodies_have_a_limit(ask: Ask) -> None:
    big = ask.http.post("/graphql", json={"query": "{__typename}", "variables": {"x": "y" * (1 << 20)}})
    assert big.status_code == 413
    assert CountingStore.calls == 0
    assert ask.http.post("/graphql", json={"query": "{__typename}", "variables": {"x": "y" * 1000}}).status_code == 200


def test_batches_are_refused(ask: Ask) -> None:
    assert ask.http.post("/graphql", json=[{"query": "{__typename}"}] * 2).status_code == 400
    assert CountingStore.calls == 0


def test_a_query_that_is_too_long_to_remember_is_limited_and_answered_all_the_same(ask: Ask) -> None:
    long = "x" * (CACHED + 1)
    assert ask.data(f'{{node(id:"{long}"){{id}}}}') == {"node": None}
    CountingStore.calls = 0
    assert ask.code(SPREAD.replace('"T2"', f'"{long}"')) == "depth"
    assert ask.code(f'{{node(id:"{long}"){{nothing}}}}') == "validation"
    assert ask.code(f'{{node(id:"{long}"){{id}}') == "syntax"
    assert CountingStore.calls == 0
