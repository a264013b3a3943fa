"""Limits of a query, checked on the parsed document before it is validated and before anything is asked of the store.

* `tokens`: of the text; the parser itself stops. `depth`: of fields with fragments inlined. `aliases`: over all
  fragments, as often as they are spread. `cost`: the nodes that an answer may hold, pages multiplied down the tree; a
  field that computes (a view, a closeout, a walk) counts as many nodes as it costs.
* Each fragment is measured once and the figures are multiplied, so that measuring is linear in the text.
* A variable counts as what it is given, or as its default; an operation's fragments with that operation's variables.
* What is no valid fragment is left to validation. How deep introspection goes is graphql-core's to limit; its aliases
  count as all others, and each look at the whole schema costs `HEAVY`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    value_from_ast_untyped,
)
from strawberry.extensions import ParserCache, ValidationCache

PAGE = 50
"""Nodes of a page where none is asked for."""
MOST = 500
"""Nodes of a page at most."""
HEAVY: Mapping[str, int] = {
    "view": 500,
    "emitView": 500,
    "explanation": 1000,
    "why": 1000,
    "viewDelta": 1000,
    "rereads": 1000,
    "closeout": 500,
    "closeoutReport": 1000,
    "packet": 500,
    "packets": 500,
    "checkPacket": 500,
    "acceptPacket": 500,
    "forkPacket": 1000,
    "boundaries": 500,
    "compactionReport": 1000,
    "claimExplanation": 500,
    "impact": 1000,
    "rules": 50,
    "neighbourhood": 1000,
    "rehydrate": 50,
    "entries": 50,
    "search": 200,
    "coverage": 200,
    "checkWrite": 200,
    "holds": 200,
    "absences": 500,
    "distillations": 500,
    "__schema": 1000,
    "__type": 100,
}
"""Fields that compute, and what they count."""
CACHED = 8_000
"""Characters of a query that is parsed and validated once and then remembered."""
BOTTOM = 100
"""Levels, fragments included, after which nobody measures on: it is too deep."""
WRAPPERS = frozenset({"edges", "nodes", "node", "pageInfo"})
"""Fields inside a connection: its `first` has counted them already."""
LISTS = frozenset({"missions"})
"""Fields that answer with a list, not with a connection: what is called `nodes` under them is a page of its own."""
PAGED = frozenset(
    {
        *("missions", "nodes", "timeline", "related", "tasks", "receipts"),
        *("facts", "messages", "claims", "decisions", "questions", "files"),
    }
)
"""Fields that answer with a page where no size is asked for; a test compares them with the schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one operation may ask for."""

    tokens: int = 2_000
    depth: int = 12
    aliases: int = 30
    cost: int = 20_000


@dataclass(frozen=True, slots=True)
class Measure:
    """Figures of a selection."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def __add__(self, other: Measure) -> Measure:
        return Measure(max(self.depth, other.depth), self.aliases + other.aliases, self.cost + other.cost)


@dataclass(slots=True)
class Meter:
    """Measures the operations of a document."""

    fragments: dict[str, FragmentDefinitionNode]
    variables: Mapping[str, object]
    known: dict[str, Measure] = field(default_factory=dict)
    level: int = 0

    def selection(self, chosen: SelectionSetNode | None, *, paged: bool = False) -> Measure:
        """Return the figures of a selection; `paged`: it is that of a connection."""
        if self.level > BOTTOM:
            return Measure(depth=BOTTOM)
        self.level += 1
        total = self.parts(chosen, paged=paged)
        self.level -= 1
        return total

    def parts(self, chosen: SelectionSetNode | None, *, paged: bool) -> Measure:
        """Return the figures of what is selected."""
        total = Measure()
        for part in () if chosen is None else chosen.selections:
            if isinstance(part, FieldNode):
                total += self.field(part, paged=paged)
            elif isinstance(part, FragmentSpreadNode):
                total += self.fragment(part.name.value, paged=paged)
            else:
                total += self.selection(part.selection_set, paged=paged)  # type: ignore[attr-defined]
        return total

    def fragment(self, name: str, *, paged: bool) -> Measure:
        """Return the figures of a fragment; nothing where there is none, or where it is being measured (a ring)."""
        key = f"{name} {paged}"
        if key not in self.known:
            self.known[key] = Measure()
            definition = self.fragments.get(name)
            self.known[key] = self.selection(definition.selection_set if definition else None, paged=paged)
        return self.known[key]

    def field(self, node: FieldNode, *, paged: bool) -> Measure:
        """Return the figures of a field with all that is under it."""
        name = node.name.value
        if name.startswith("__"):
            inner = self.selection(node.selection_set)
            depth = inner.depth if inner.depth >= BOTTOM else 1
            return Measure(depth, inner.aliases + (1 if node.alias else 0), HEAVY.get(name, 0))
        wrapper = paged and name in WRAPPERS
        times = None if wrapper else self.page(node)
        inner = self.selection(node.selection_set, paged=wrapper or (times is not None and name not in LISTS))
        plain = node.selection_set is None
        own = 0 if wrapper or plain or name == "pageInfo" else 1
        cost = (times or 1) * (own + inner.cost) + (0 if plain else HEAVY.get(name, 0))
        return Measure(inner.depth + 1, inner.aliases + (1 if node.alias else 0), cost)

    def page(self, node: FieldNode) -> int | None:
        """Return how many nodes a field may answer with; None where it is no list."""
        for argument in node.arguments or ():
            if argument.name.value in ("first", "last"):
                return min(max(self.integer(argument.value), 0), MOST) or 1
            if argument.name.value == "ids":
                return self.length(argument.value)
        return PAGE if node.name.value in PAGED and node.selection_set is not None else None

    def integer(self, value: ValueNode) -> int:
        """Return a number that is written or given."""
        if isinstance(value, IntValueNode):
            return int(value.value) if len(value.value) < len(str(MOST)) + 1 else MOST
        given = self.variables.get(value.name.value) if isinstance(value, VariableNode) else None
        if isinstance(given, float) and given.is_integer():  # GraphQL takes it for the number that it is
            return int(given)
        return given if isinstance(given, int) else PAGE

    def length(self, value: ValueNode) -> int:
        """Return how many elements a list has."""
        if isinstance(value, ListValueNode):
            return len(value.values or ())
        given = self.variables.get(value.name.value) if isinstance(value, VariableNode) else None
        return len(given) if isinstance(given, list) else 1


def refusal(document: DocumentNode, variables: Mapping[str, object], limits: Limits) -> GraphQLError | None:
    """Return why a document is refused, or None. Each of its operations must hold the limits."""
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            found = Meter(fragments, _values(definition, variables)).selection(definition.selection_set)
            for name in ("depth", "aliases", "cost"):
                value, most = getattr(found, name), getattr(limits, name)
                if value > most:
                    facts: dict[str, object] = {"code": name, "found": value, "limit": most}
                    return GraphQLError(f"over the limit of {name}: {value}, at most {most}", extensions=facts)
    return None


def _values(operation: OperationDefinitionNode, given: Mapping[str, object]) -> dict[str, object]:
    """Return what an operation's variables stand for: what is given, else their defaults."""
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value is not None
    }
    return {**defaults, **given}


class Guard(ValidationCache):
    """Refuses what is over the limits; the rest is validated, once per text."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits

    def on_operation(self) -> Iterator[None]:
        """Tell the parser where to stop."""
        self.execution_context.parse_options["max_tokens"] = self._limits.tokens
        yield

    def on_validate(self) -> Iterator[None]:
        """Refuse, or validate."""
        context = self.execution_context
        refused = (
            refusal(context.graphql_document, context.variables or {}, self._limits)
            if context.graphql_document is not None
            else None
        )
        if refused is not None:
            context.pre_execution_errors = [refused]
            yield
        elif is_cached(context.query):
            yield from super().on_validate()
        else:
            yield


class Reader(ParserCache):
    """Parses, once per text; a text that is wrong is left for the schema to parse, which knows how to say so."""

    def on_parse(self) -> Iterator[None]:
        """Parse, or not."""
        if not is_cached(self.execution_context.query):
            yield
            return
        try:
            yield from super().on_parse()
        except GraphQLError:
            yield


def is_cached(query: str | None) -> bool:
    """Tell whether a text is worth remembering: texts with long literals come once, and would fill the memory."""
    return query is not None and len(query) <= CACHED
