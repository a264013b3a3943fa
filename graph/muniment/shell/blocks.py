"""The commands of groups: subshells, braces, conditions, loops, `case`, functions.

* Both branches of a condition are listed, and what they made known is forgotten where they differ; of a `case` over a
  literal value, the branch that fits.
* A loop over literal words is listed once for each of them where its body uses them; any other loop once, without what
  its body may have changed by then.
* A function is listed where it is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from tree_sitter import Node

from muniment.shell.assigned import assigned_in
from muniment.shell.grammar import text_of
from muniment.shell.scope import UNKNOWN_FOLDER, Scope
from muniment.shell.simple import Simple
from muniment.shell.walk import Edges, Reading, Rule, Walk
from muniment.shell.words import Word

_MOST_ROUNDS = 40
"""A loop over more words than this is listed once."""
_BRACKETS: Final = frozenset({"do", "done", "then", "fi", "(", ")", "{", "}", "else", "elif", "if", "while", "until"})
_BODIES: Final = frozenset({"do_group", "compound_statement"})
_INSIDE: Edges = (";", ";")


def _negated(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    return _tested(walk, node.children[1:], scope, edges)


def _tested(walk: Walk, nodes: Sequence[Node], scope: Scope, edges: Edges) -> list[Simple]:
    """Statements whose failure is looked at: `set -e` does not hold for them."""
    exits, scope.exits_on_failure = scope.exits_on_failure, False
    found = walk.grouped(nodes, scope, edges)
    scope.exits_on_failure = exits
    return found


def _subshell(walk: Walk, node: Node, scope: Scope, _edges: Edges) -> list[Simple]:
    return walk.grouped(node.children[1:-1], scope.copy(), ("(", ")"))


def _braces(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    if node.children[0].type != "((":
        return walk.grouped(node.children[1:-1], scope, ("(", ")"))
    _forget(scope, node)
    return _read(walk, node.named_children, scope, edges) or [Simple(before=edges[0], after=edges[1])]


def _if(walk: Walk, node: Node, scope: Scope, _edges: Edges) -> list[Simple]:
    found: list[Simple] = []
    ends: list[Scope] = []
    parts = [node, *(child for child in node.children if child.type in ("elif_clause", "else_clause"))]
    for part in parts:
        condition, body = _condition_and_body(part)
        found += _tested(walk, condition, scope, _INSIDE)
        branch = scope.copy()
        found += walk.grouped(body, branch, _INSIDE)
        ends.append(branch)
    scope.merge(ends if parts[-1].type == "else_clause" else [scope.copy(), *ends])
    return found


def _condition_and_body(part: Node) -> tuple[list[Node], list[Node]]:
    children = [child for child in part.children if child.type not in ("elif_clause", "else_clause")]
    then = next((i for i, child in enumerate(children) if child.type == "then"), 0)
    plain = [[c for c in some if c.type not in _BRACKETS] for some in (children[1:then], children[then + 1 :])]
    return plain[0], plain[1]


def _while(walk: Walk, node: Node, scope: Scope, _edges: Edges) -> list[Simple]:
    condition = [child for child in node.children[1:] if child.type not in _BODIES and child.type not in _BRACKETS]
    body = [child for group in node.children if group.type in _BODIES for child in group.children[1:-1]]
    _forget(scope, node)
    found = _tested(walk, condition, scope.copy(), _INSIDE)
    return found + _rounds(walk, (body,), scope) if not _moves(found) else _rounds(walk, (condition, body), scope)


def _moves(found: Sequence[Simple]) -> bool:
    return any(simple.words[:1] in (("cd",), ("pushd",), ("popd",)) for simple in found)


def _rounds(walk: Walk, parts: Sequence[Sequence[Node]], scope: Scope) -> list[Simple]:
    """A loop of which nobody knows how often: a round begins in the folder in which the one before it ended."""
    scope.exits_on_failure = scope.exits_on_failure and len(parts) == 1
    start = scope.copy()
    found = [simple for part in parts for simple in walk.grouped(part, scope, _INSIDE)]
    if scope.folder != start.folder:
        start.folder = scope.folder = UNKNOWN_FOLDER
        found = [simple for part in parts for simple in walk.grouped(part, start, _INSIDE)]
    return found


def _for(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    reading = Reading(walk, scope)
    words = [word for child in node.children_by_field_name("value") for word in reading.reader.words(child)]
    if not any(child.type == "in" for child in node.children):
        words = [Word(text) for text in scope.lists.get("@", ("$@",))]
    found = [walk.made(Simple(before=edges[0], after=";"), reading)] if reading.inner else []
    variable, body = text_of(node.child_by_field_name("variable") or node), node.child_by_field_name("body") or node
    _forget(scope, body)
    inside = body.children[1:-1]
    if not _is_known(node, variable, words):
        scope.forget(variable)
        return found + _rounds(walk, [inside], scope)
    for word in words:
        scope.know(variable, word.text)
        found += walk.grouped(inside, scope, _INSIDE)
        _forget(scope, body)
    return found


def _is_known(node: Node, variable: str, words: Sequence[Word]) -> bool:
    uses = re.search(r"\$\{?[#!]?" + re.escape(variable) + r"\b", text_of(node)) is not None
    literal = not any(word.live or word.text.startswith("$") for word in words)
    return uses and literal and node.children[0].type == "for" and len(words) <= _MOST_ROUNDS


def _counted(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    _forget(scope, node)
    found = _read(walk, [child for child in node.named_children if child.type not in _BODIES], scope, edges)
    body = node.child_by_field_name("body")
    return found + ([] if body is None else _rounds(walk, [body.children[1:-1]], scope))


def _case(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    reading = Reading(walk, scope)
    values = [word for child in node.children_by_field_name("value") for word in reading.reader.words(child)]
    found = [walk.made(Simple(before=edges[0], after=edges[1]), reading)] if reading.inner else []
    items = [child for child in node.children if child.type == "case_item"]
    chosen = _chosen(values, items, Reading(walk, scope))
    ends = [scope.copy()] if chosen is None or not chosen else []
    for item in items if chosen is None else chosen:
        branch = scope.copy()
        start = next(place for place, child in enumerate(item.children) if child.type == ")")
        found += walk.grouped(item.children[start + 1 :], branch, _INSIDE)
        ends.append(branch)
    scope.merge(ends)
    return found


def _chosen(values: Sequence[Word], items: Sequence[Node], reading: Reading) -> list[Node] | None:
    """Return the one item of a `case` that fits a literal value, or none of them; None where nobody can tell."""
    if len(values) != 1 or values[0].live:
        return None
    for item in items:
        patterns = [reading.reader.text(child) for child in item.children_by_field_name("value")]
        if any(pattern.live for pattern in patterns) or any(child.type in (";&", ";;&") for child in item.children):
            return None
        if any(fnmatchcase(values[0].text, pattern.text) for pattern in patterns):
            return [item]
    return []


def _function(_walk: Walk, node: Node, scope: Scope, _edges: Edges) -> list[Simple]:
    name = text_of(node.child_by_field_name("name") or node)
    scope.functions[name] = (*scope.functions.get(name, ()), node)
    return []


def _read(walk: Walk, nodes: Sequence[Node], scope: Scope, edges: Edges) -> list[Simple]:
    """What only holds words: there is something to list if a substitution is in them."""
    reading = Reading(walk, scope)
    for node in nodes:
        reading.reader.words(node)
    return [walk.made(Simple(before=edges[0], after=edges[1]), reading)] if reading.inner else []


def _forget(scope: Scope, node: Node) -> None:
    for name in assigned_in(node):
        scope.forget(name)


RULES: Final[dict[str, Rule]] = {
    "negated_command": _negated,
    "subshell": _subshell,
    "compound_statement": _braces,
    "if_statement": _if,
    "while_statement": _while,
    "for_statement": _for,
    "c_style_for_statement": _counted,
    "case_statement": _case,
    "function_definition": _function,
}
"""Kind of a statement → what lists its commands."""
