"""The commands of plain statements: a command, assignments, pipes, chains of `&&` and `||`, redirections."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from muniment.shell.assigned import assigned_in
from muniment.shell.grammar import text_of
from muniment.shell.prefixes import is_assignment, unwrapped
from muniment.shell.redirects import Redirects, with_redirects
from muniment.shell.running import run
from muniment.shell.scope import Scope
from muniment.shell.simple import Simple
from muniment.shell.walk import Edges, NotUnderstoodError, Reading, Rule, Walk
from muniment.shell.words import Word

_KEYWORDS: Final = frozenset({"{", "}", "then", "fi", "do", "done", "esac", "elif", "else", "in"})
_FED_WORD: Final = "${xargs}"
"""What a word that `xargs` puts in is called: nobody knows it."""
_GIVES_UP: Final = frozenset({"exit", "return", "break", "continue"})
_TESTS: Final = frozenset(
    {"test_command", "unary_expression", "binary_expression", "parenthesized_expression", "negation_expression"}
)


def _list(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    left, operator, right = node.children[0], node.children[1].type, node.children[-1]
    found = walk.statement(left, scope, (edges[0], operator))
    if operator == "&&":
        exits = scope.exits_on_failure
        found += walk.statement(right, scope, (operator, edges[1]))
        scope.exits_on_failure = exits and scope.exits_on_failure
        scope.tentative |= assigned_in(right)
        return found
    other = scope.copy()
    other.strays = (other.strays | other.left) - {other.folder}
    instead = walk.statement(right, other, (operator, edges[1]))
    if instead and instead[-1].words[:1] and instead[-1].words[0] in _GIVES_UP:
        scope.left = frozenset()
        return found + instead
    scope.exits_on_failure = scope.exits_on_failure and other.exits_on_failure
    for name in assigned_in(right) | assigned_in(left):
        scope.forget(name)
    if other.folder != scope.folder:
        scope.left |= {other.folder} | other.strays
    return found + instead


def _pipeline(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    parts = [child for child in node.children if child.is_named and child.type != "comment"]
    found: list[Simple] = []
    for place, part in enumerate(parts):
        before = edges[0] if place == 0 else "|"
        after = edges[1] if place == len(parts) - 1 else "|"
        found += walk.statement(part, scope.copy(), (before, after))
    return found


def _redirected(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    body = node.child_by_field_name("body")
    reading = Reading(walk, scope)
    redirects = walk.redirects(node.children_by_field_name("redirect"), reading)
    if body is not None and body.type == "command":
        return _of_command(walk, body, edges, reading, redirects)
    made = walk.made(Simple(before=edges[0], after=edges[1]), reading)
    found = [] if body is None else walk.statement(body, scope, edges)
    chain = body is not None and body.type in ("list", "pipeline")
    alone = [walk.made(Simple(before=edges[0]), Reading(walk, scope))]
    return with_redirects(found or alone, redirects, made, chain=chain)


def _command(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    return _of_command(walk, node, edges, Reading(walk, scope), Redirects())


def _of_command(walk: Walk, node: Node, edges: Edges, reading: Reading, outer: Redirects) -> list[Simple]:
    words: list[Word] = []
    settings: list[str] = []
    targets: list[Node] = []
    for child in node.children:
        if child.type == "variable_assignment":
            settings.append(_setting(child, reading, keeps=False))
        elif child.type.endswith("_redirect"):
            targets.append(child)
        else:
            words += reading.reader.words(child.children[0] if child.type == "command_name" else child)
    redirects = walk.redirects(targets, reading).joined(outer)
    return _called(walk, [*words, *redirects.more], settings, redirects, (edges, reading))


def plain(walk: Walk, words: tuple[str, ...], scope: Scope, edges: Edges) -> list[Simple]:
    """Return the commands of a plain line."""
    return _called(walk, [Word(word) for word in words], [], Redirects(), (edges, Reading(walk, scope)))


def _called(
    walk: Walk, words: list[Word], settings: list[str], redirects: Redirects, where: tuple[Edges, Reading]
) -> list[Simple]:
    edges, reading = where
    called = words[0].text if words and not words[0].live else ""
    if called in _KEYWORDS:
        raise NotUnderstoodError
    simple = walk.made(_simple(words, settings, redirects, edges), reading)
    return run(walk, simple, called, reading.scope)


def _simple(words: list[Word], settings: list[str], redirects: Redirects, edges: Edges) -> Simple:
    texts = tuple(word.text for word in words)
    rest = unwrapped(texts)
    taken = len(texts) - len(rest)
    stand_in = _stand_in(texts[:taken])
    if stand_in:
        rest = tuple(word.replace(stand_in, _FED_WORD) for word in rest)
    return Simple(
        words=rest,
        settings=(*settings, *filter(is_assignment, texts[:taken])),
        into=tuple(redirects.into),
        mute=redirects.mute,
        source=tuple(redirects.source),
        fed_text=redirects.fed_text,
        before=edges[0],
        after=edges[1],
        fed="xargs" in texts[:taken],
        live=tuple(i - taken for i, word in enumerate(words) if i >= taken and (word.live or _is_fed(word, stand_in))),
    )


def _stand_in(prefix: tuple[str, ...]) -> str:
    """Return what stands for a word that `xargs -I` puts in, "" where there is none."""
    for place, word in enumerate(prefix):
        if word in ("-I", "-J") and "xargs" in prefix[:place]:
            return prefix[place + 1] if place + 1 < len(prefix) else ""
        if word.startswith("-I") and "xargs" in prefix[:place]:
            return word[2:]
    return "{}" if "-i" in prefix and "xargs" in prefix else ""


def _is_fed(word: Word, stand_in: str) -> bool:
    return bool(stand_in) and stand_in in word.text


def _setting(node: Node, reading: Reading, *, keeps: bool) -> str:
    """Return an assignment without quotes; `keeps`: it holds for the commands behind it."""
    text, scope = text_of(node), reading.scope
    name = re.split(r"[+=\[]", text, maxsplit=1)[0]
    plain = text.startswith(f"{name}=")
    value = node.child_by_field_name("value")
    if value is not None and value.type == "array":
        items = [word for child in value.named_children for word in reading.reader.words(child)]
        if keeps:
            scope.forget(name)
            if plain and not any(word.live for word in items):
                scope.lists[name] = tuple(word.text for word in items)
        return text
    word = reading.reader.text(value) if value is not None else Word("")
    if keeps:
        scope.know(name, word.text if plain and not word.live else None)
    return text[: text.index("=") + 1] + word.text


def _settings(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    reading = Reading(walk, scope)
    each = [node] if node.type == "variable_assignment" else node.named_children
    settings = tuple(_setting(child, reading, keeps=True) for child in each)
    return [walk.made(Simple(settings=settings, before=edges[0], after=edges[1]), reading)]


def _declaration(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    reading = Reading(walk, scope)
    words = [node.children[0].type]
    for child in node.named_children:
        if child.type == "variable_assignment":
            words.append(_setting(child, reading, keeps=True))
        else:
            words += [word.text for word in reading.reader.words(child)]
    if words[0] not in ("export", "readonly"):
        for name in words[1:]:
            if "=" not in name:
                scope.forget(name)
    return [walk.made(Simple(words=tuple(words), before=edges[0], after=edges[1]), reading)]


def _test(walk: Walk, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
    reading = Reading(walk, scope)
    words = _test_words(node, reading)
    live = tuple(place for place, word in enumerate(words) if word.live)
    simple = Simple(words=tuple(word.text for word in words), live=live, before=edges[0], after=edges[1])
    return [walk.made(simple, reading)]


def _test_words(node: Node, reading: Reading) -> list[Word]:
    if node.type in _TESTS:
        return [word for child in node.children for word in _test_words(child, reading)]
    if not node.is_named or node.type in ("test_operator", "regex"):
        return [Word(text_of(node))]
    return [reading.reader.text(node)]


RULES: Final[dict[str, Rule]] = {
    "command": _command,
    "list": _list,
    "pipeline": _pipeline,
    "redirected_statement": _redirected,
    "variable_assignment": _settings,
    "variable_assignments": _settings,
    "declaration_command": _declaration,
    "unset_command": _declaration,
    "test_command": _test,
}
"""Kind of a statement → what lists its commands."""
