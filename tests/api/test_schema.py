"""The schema: what is committed is what is served, and it says what everything is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest
from graphql import (
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    is_introspection_type,
    parse,
    validate,
)

from muniment.closeout import verdict
from muniment.closeout.reports.render import FORMATS
from muniment.model import edges, nodes
from muniment_api import client_documents
from muniment_api.access import UnauthenticatedError
from muniment_api.schema import enums
from muniment_api.schema.build import build, printed
from muniment_api.schema.errors import INTERNAL, SYNTAX, VALIDATION
from muniment_api.schema.limits import MOST, Limits, refusal
from muniment_api.schema.reports import ReportFormat
from tests.support.server import ROOT


def test_the_committed_schema_is_the_one_that_is_served() -> None:
    assert (ROOT / "schema.graphql").read_text() == printed(), "run: muniment schema print > schema.graphql"


def test_every_type_and_field_has_a_description() -> None:
    assert not list(_undescribed())


def _undescribed() -> Iterator[str]:
    for name, kind in build()._schema.type_map.items():
        if is_introspection_type(kind) or name.startswith("_"):
            continue
        if not kind.description:
            yield name
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            yield from (f"{name}.{field}" for field, about in kind.fields.items() if not about.description)


def test_the_words_of_the_schema_are_those_of_the_domain() -> None:
    assert {kind.value for kind in enums.NodeKind} == {nodes.kind_of(kind) for kind in nodes.NODE_TYPES}
    assert {kind.value for kind in enums.EdgeKind} == {kind.value for kind in edges.EdgeKind}
    verdicts = {verdict.PROVEN, verdict.UNPROVEN, verdict.CONTRADICTED, verdict.NOTHING_CLAIMED, verdict.WAIVED}
    assert {found.value for found in enums.Verdict} == verdicts
    assert [found.value for found in ReportFormat] == list(FORMATS)


def refused(query: str, **variables: object) -> str | None:
    error = refusal(parse(query), variables, Limits())
    return None if error is None else str((error.extensions or {})["code"])


def nested(depth: int) -> str:
    return (
        "{mission(id:1){" + "tasks(first:1){nodes{receipts(first:1){nodes{file{" * depth + "id" + "}}}}}" * depth + "}}"
    )


def test_depth_is_counted_through_fragments() -> None:
    assert refused(nested(2)) is None
    assert refused(nested(3)) == "depth"
    spread = """query{mission(id:1){tasks(first:1){nodes{...A}}}}
    fragment A on Task{receipts(first:1){nodes{file{receipts(first:1){nodes{...B}}}}}}
    fragment B on Receipt{file{receipts(first:1){nodes{file{receipts(first:1){nodes{id}}}}}}}"""
    assert refused(spread) == "depth"


def test_aliases_are_counted_as_often_as_a_fragment_is_spread() -> None:
    fragment = "fragment A on Query{" + "".join(f"a{i}: node(id:1){{id}} " for i in range(10)) + "}"
    assert refused("query{...A}" + fragment) is None
    assert refused("query{...B ...B} fragment B on Query{...A ...A}" + fragment) == "aliases"


def test_the_cost_multiplies_pages_down_the_tree() -> None:
    assert refused("{mission(id:1){tasks(first:100){nodes{receipts(first:100){nodes{id}}}}}}") is None
    assert refused("{mission(id:1){tasks(first:200){nodes{receipts(first:100){nodes{id}}}}}}") == "cost"
    paged = "query($n:Int){mission(id:1){tasks(first:$n){nodes{receipts(first:$n){nodes{id}}}}}}"
    assert refused(paged, n=100) is None
    assert refused(paged, n=MOST) == "cost"


def test_fields_that_compute_cost_more_than_one_node() -> None:
    views = "{" + "".join(f"v{i}: view(mission:1){{text}} " for i in range(30)) + "}"
    assert refused(views) is None
    twice = "{...A} fragment A on Query{" + "".join(f"n{i}: neighbourhood(id:1){{truncated}} " for i in range(25)) + "}"
    assert refused(twice) == "cost"


def test_fragments_in_a_ring_and_unknown_ones_are_left_to_validation() -> None:
    assert refused("query{...Nope}") is None
    assert refused("query{...X} fragment X on Query{...Y} fragment Y on Query{...X}") is None


@pytest.mark.parametrize("levels", [50, 90])
def test_a_flood_of_fragments_is_measured_in_no_time(levels: int) -> None:
    fragments = "".join(f"fragment F{i} on Query{{...F{i + 1} ...F{i + 1}}} " for i in range(levels))
    assert refused("{...F0}" + fragments + f"fragment F{levels} on Query{{a: node(id:1){{id}}}}") == "aliases"


def test_the_readme_names_each_code_of_the_wire() -> None:
    text = (ROOT / "api/README.md").read_text()
    table = set(re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE))
    limits = {field.name for field in fields(Limits)}
    assert table == {SYNTAX, VALIDATION, INTERNAL, UnauthenticatedError.code, "media_type", "bad_request"} | limits


def test_the_documents_of_the_clients_fit_the_schema() -> None:
    documents = [text for name, text in vars(client_documents).items() if name.isupper() and not name.startswith("_")]
    assert len(documents) == 18
    assert not [error for text in documents for error in validate(build()._schema, parse(text))]
