"""What a command runs in its place: the script that it gives to a shell, or the body of a function of the line."""

from __future__ import annotations

import re

import msgspec
from tree_sitter import Node

from muniment.shell.assigned import changed_by
from muniment.shell.prefixes import SHELLS, base_name
from muniment.shell.redirects import with_redirects
from muniment.shell.scope import Scope
from muniment.shell.simple import Simple
from muniment.shell.walk import DEEPEST, NotUnderstoodError, Reading, Walk

_SHELL_OPTIONS = frozenset({"pipefail", "errexit", "nounset"})
_POSITIONAL = ("@", *map(str, range(1, 10)))


def run(walk: Walk, simple: Simple, called: str, scope: Scope) -> list[Simple]:
    """Return what a command runs: itself, or the script or function that it stands for. `called`: its first word."""
    if not simple.words:
        return [simple]
    bodies = scope.functions.get(called, ())
    if bodies:
        return _called(walk, bodies, simple, scope)
    words = simple.words
    if words[0] == "eval" and not simple.live:
        return _placed(walk.script(" ".join(words[1:]), scope, (simple.before, simple.after)), simple)
    given = _script_for_shell(simple)
    if given is not None:
        inner = scope.copy()
        inner.given(given[1])
        return _placed(walk.script(given[0], inner, (simple.before, simple.after)), simple)
    if words[0] == "trap" and len(words) > 2 and 1 not in simple.live and words[1] != "-":
        walk.kept.append(words[1])
    changed_by(simple, scope)
    return [simple]


def _script_for_shell(simple: Simple) -> tuple[str, tuple[str, ...]] | None:
    """Return the script that a command gives to another shell, with its arguments; None where it gives none."""
    words = simple.words
    if base_name(words[0]) not in SHELLS:
        return None
    for place, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word) and place + 1 < len(words):
            return words[place + 1], words[place + 3 :]
        if not word.startswith(("-", "+")) and word not in _SHELL_OPTIONS:
            return None
    return None if simple.fed_text is None or simple.live else (simple.fed_text, ())


def _called(walk: Walk, bodies: tuple[Node, ...], simple: Simple, scope: Scope) -> list[Simple]:
    walk.deep += 1
    if walk.deep > DEEPEST:
        raise NotUnderstoodError
    outer = scope.lists.get("@")
    if simple.live:
        for name in _POSITIONAL:
            scope.forget(name)
    else:
        scope.given(simple.words[1:])
    found: list[Simple] = []
    for function in bodies:
        reading = Reading(walk, scope)
        redirects = walk.redirects(function.children_by_field_name("redirect"), reading)
        body = walk.statement(function.child_by_field_name("body") or function, scope, ("", ""))
        found += with_redirects(body, redirects, walk.made(Simple(), reading))
    for name in _POSITIONAL:
        scope.forget(name)
    if outer is not None:
        scope.given(outer)
    walk.deep -= 1
    return _placed(found, simple)


def _placed(inside: list[Simple], outer: Simple) -> list[Simple]:
    """Put the commands of an inner script in the place of the command that ran it."""
    replace = msgspec.structs.replace
    if not inside:
        return [replace(outer, words=(), live=())] if outer.into or outer.nested else []
    grouped = outer.grouped or (len(inside) > 1 and (outer.before, outer.after) != ("", ""))
    placed = [replace(simple, grouped=simple.grouped or grouped, fed=simple.fed or outer.fed) for simple in inside]
    first = placed[0]
    placed[0] = replace(
        first, before=outer.before, settings=outer.settings + first.settings, source=first.source + outer.source
    )
    last = placed[-1]
    placed[-1] = replace(
        last,
        after=outer.after,
        into=last.into + outer.into,
        mute=last.mute or outer.mute,
        inner=last.inner + outer.inner,
        nested=last.nested + outer.nested,
    )
    return placed
