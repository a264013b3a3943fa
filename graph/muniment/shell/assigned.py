"""Which variables a part of a shell line may set, and what a command does to the scope that it runs in."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from muniment.shell.grammar import text_of
from muniment.shell.scope import Scope
from muniment.shell.simple import Simple

_SETS_NAMES: Final = frozenset({"read", "mapfile", "readarray", "getopts", "let", "printf", "wait"})
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_ARITHMETIC: Final = frozenset({"arithmetic_expansion", "postfix_expression", "compound_statement", "unary_expression"})
_CHANGES: Final = re.compile(r"\+\+|--|[^=!<>]=[^=]")


def assigned_in(node: Node) -> set[str]:
    """Return the names of all variables that something inside of a node may set."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        kind = each.type
        if kind == "variable_assignment":
            found.add(re.split(r"[+=\[]", text_of(each), maxsplit=1)[0])
        elif kind == "for_statement":
            found.add(text_of(each.child_by_field_name("variable") or each))
        elif kind == "command" and each.named_child_count > 1 and text_of(each.named_children[0]) in _SETS_NAMES:
            found.update(_NAME.findall(" ".join(text_of(child) for child in each.named_children[1:])))
        elif kind in _ARITHMETIC or kind == "c_style_for_statement":
            text = text_of(each)
            if (kind != "compound_statement" or text.startswith("((")) and _CHANGES.search(text):
                found.update(_NAME.findall(text if kind != "c_style_for_statement" else text.split("))", 1)[0]))
        elif kind == "expansion" and "=" in text_of(each):
            found.update(_NAME.findall(text_of(each))[:1])
        waiting += each.named_children
    return found


def changed_by(simple: Simple, scope: Scope) -> None:
    """Let a command change the scope that it runs in: folder, variables, options."""
    name, words = simple.words[0], simple.words
    if name in ("cd", "pushd", "popd"):
        _moved(simple, scope)
    elif name == "set":
        _options(words, scope)
    elif name in _SETS_NAMES:
        for word in words[1:]:
            for each in _NAME.findall(word):
                scope.forget(each)
    elif name == "shift":
        for each in ("@", *map(str, range(1, 10))):
            scope.forget(each)


def _moved(simple: Simple, scope: Scope) -> None:
    operands = [word for word in simple.words[1:] if word in ("-",) or not re.match(r"-[LPe@]+\Z|--\Z|[-+]\d", word)]
    if simple.words[0] == "popd":
        target = scope.pushed[-1] if scope.pushed else None
        known = bool(scope.pushed)
        scope.pushed = scope.pushed[:-1]
        scope.enter(None)
        if known:
            scope.folder = target
        return
    if simple.words[0] == "pushd":
        scope.pushed = (*scope.pushed, scope.folder)
        scope.enter(None if simple.live or not operands else operands[0])
    elif operands[:1] == ["-"]:
        back = scope.before
        scope.enter(None)
        scope.folder = back
    else:
        scope.enter(None if simple.live else operands[0] if operands else "~")


def _options(words: tuple[str, ...], scope: Scope) -> None:
    for place, word in enumerate(words[1:], start=1):
        if word == "--":
            scope.given(words[place + 1 :])
            return
        named = words[place + 1] if word[1:].endswith("o") and place + 1 < len(words) else ""
        if word[:1] in ("-", "+"):
            on = word[0] == "-"
            if "e" in word[1:] or named == "errexit":
                scope.exits_on_failure = on
            if named == "pipefail":
                scope.pipefail = on
