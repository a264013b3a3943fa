"""Questions in GraphQL: the cases' invented fields become those of the schema, and the schema is asked for real.

* `task(id:)` is `node(id:)` on a Task, `tasks` are those of the missions in sight, a list of nodes is a page.
* A query is refused where its answer has errors and no data; the question is where all of its queries are.
"""

from __future__ import annotations

from dataclasses import replace

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
    print_ast,
)
from strawberry.types import ExecutionResult

from muniment.store import EvidenceStore
from muniment_api.schema.build import build
from muniment_api.schema.context import Operation
from muniment_api.schema.limits import Limits
from tests.cases.expand import plain_text
from tests.cases.form import Ask
from tests.cases.scene import Answered, Scene, Surface
from tests.cases.world import Refusal
from tests.support.counting_store import CountingStore, counting

LISTS = ("tasks", "receipts")
LIMITS = {"max_depth": "depth", "max_aliases": "aliases", "max_tokens": "tokens", "max_cost": "cost"}
WIDE = 20_000
"""Tokens of a query that has another limit to meet."""
WALKED = "{missions{id project session nodes(first:500){nodes{record text fields related{nodes{record text}}}}}}"


def ask_graphql(scene: Scene, ask: Ask) -> None:
    """Ask the queries, in the scope of the case's one project."""
    store = counting(scene.store.scoped(project=scene.store.missions()[0].project))
    limits = Limits(**{"tokens": WIDE, **{LIMITS[name]: value for name, value in ask.limits.items()}})
    answered = Answered()
    refusals = []
    CountingStore.calls = 0
    for query in ask.queries:
        result = _run(store, translated(plain_text(query)), limits)
        answered.errors += len(result.errors or [])
        if result.data is None and result.errors:
            refusals.append(_refusal(result.errors[0]))
        else:
            _look(result.data, answered)
    answered.store_calls = CountingStore.calls
    scene.answers.graphql = answered
    if refusals and len(refusals) == len(ask.queries):
        scene.answers.refusals["graphql"] = refusals[0]


def graphql_surface(store: EvidenceStore, ask: Ask) -> Surface:
    """Return what the schema gives for an id, around a node, by text, and in all that is in sight."""
    found = Surface()
    queries = [WALKED, "{entries(first:500){entries{sourceId body}}}"]
    queries += [f'{{node(id:"{ask.id}"){{record text}} nodes(ids:["{ask.id}"]){{record text}}}}'] if ask.id else []
    queries += [f'{{neighbourhood(id:"{ask.near}",hops:4){{nodes{{record text}}}}}}'] if ask.near else []
    text = plain_text(ask.text).replace('"', "") if ask.text else ""
    queries += [f'{{search(text:"{text}"){{record title state}}}}'] if text else []
    for query in queries:
        result = _run(store, query, Limits(cost=10_000_000))
        _collect(result.data, found)
        found.text += "".join(f"{error.message}\n" for error in result.errors or ())
    return found


def translated(query: str) -> str:
    """Return a query in the schema's own fields; one that cannot be read is left as it is."""
    try:
        document = parse(query)
    except GraphQLError:
        return query
    return "\n".join(
        print_ast(replace(part, selection_set=_selection(part.selection_set)))
        for part in document.definitions
        if isinstance(part, OperationDefinitionNode | FragmentDefinitionNode)
    )


def _selection(chosen: SelectionSetNode) -> SelectionSetNode:
    text = " ".join(_part(part) for part in chosen.selections)
    (made,) = parse(f"{{{text}}}").definitions
    assert isinstance(made, OperationDefinitionNode)
    return made.selection_set


def _part(part: object) -> str:
    if isinstance(part, FieldNode):
        return _field(part)
    assert isinstance(part, FragmentSpreadNode | InlineFragmentNode)
    return print_ast(part)


def _field(node: FieldNode) -> str:
    name = node.name.value
    alias = f"{node.alias.value}: " if node.alias else ""
    arguments = ", ".join(print_ast(argument) for argument in node.arguments or ())
    given = f"({arguments})" if arguments else ""
    inner = print_ast(_selection(node.selection_set)) if node.selection_set else ""
    if name == "task":
        return f"{alias}node{given} {{ ... on Task {inner} }}"
    page = f"{name}{given} {{ nodes {inner} pageInfo {{ hasNextPage }} }}"
    if name == "tasks":
        return f"{alias}missions(first: 1) {{ {page} }}"
    return f"{alias}{page}" if name in LISTS else f"{alias}{name}{given} {inner}"


def _run(store: EvidenceStore, query: str, limits: Limits) -> ExecutionResult:
    return build(limits).execute_sync(query, context_value=Operation(store, ()))


def _refusal(error: GraphQLError) -> Refusal:
    return Refusal(str((error.extensions or {}).get("code", "")), error.message)


def _look(value: object, answered: Answered) -> None:
    """Find the first page in an answer."""
    if isinstance(value, dict) and answered.items is None:
        if "nodes" in value and "pageInfo" in value:
            answered.items = len(value["nodes"])
            answered.has_next_page = value["pageInfo"]["hasNextPage"]
        else:
            for part in value.values():
                _look(part, answered)
    elif isinstance(value, list):
        for part in value:
            _look(part, answered)


def _collect(value: object, found: Surface) -> None:
    if isinstance(value, dict):
        found.ids |= {value[name] for name in ("record", "sourceId") if isinstance(value.get(name), str)}
        for part in value.values():
            _collect(part, found)
    elif isinstance(value, list):
        for part in value:
            _collect(part, found)
    elif isinstance(value, str):
        found.text += f"{value}\n"
