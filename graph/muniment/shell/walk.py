"""One pass over the tree of a shell line: which commands it holds, in order, each with what is around it.

* What each kind of statement holds is told by a table of rules (`commands.STATEMENTS`); here is what they share.
* Too deep, too long or not what it seems: nothing is understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from tree_sitter import Node

from muniment.shell.documents import STRING_MARK, Document, without_documents
from muniment.shell.grammar import nodes_of_type, text_of, tree_of
from muniment.shell.plain import plain_words
from muniment.shell.redirects import Redirects
from muniment.shell.scope import Scope
from muniment.shell.simple import Simple
from muniment.shell.words import WordReader

DEEPEST = 8
"""Scripts inside of scripts, and functions inside of functions, beyond which nothing is understood."""
_MOST = 2_000
"""Statements of one line beyond which nothing is understood."""
_EXPANDS: Final = re.compile(r"[$`\\]")
_BACKQUOTED: Final = re.compile(r"(?<!\\)`((?:[^`\\]|\\.)*)`", re.DOTALL)
"""A substitution that the grammar does not see in the body of a here-document."""
_ESCAPED: Final = re.compile(r"\\([`$\\])")

Edges = tuple[str, str]
"""The operators before and after."""


def _unescaped(found: re.Match[str]) -> str:
    return found[1]


class NotUnderstoodError(Exception):
    """Something that the grammar lets pass and that is not what it seems."""


class Walk:
    """One pass over a line and the scripts inside of it."""

    def __init__(self, rules: Mapping[str, Rule], plain: PlainRule) -> None:
        """`rules` list the commands of each kind of statement, `plain` those of a plain line."""
        self.kept: list[str] = []
        """Scripts that `trap` keeps for later."""
        self.deep = 0
        self._rules = rules
        self._plain = plain
        self._documents: dict[str, Document] = {}
        self._groups = 0
        self._jobs = 0
        self._count = 0

    def script(self, text: str, scope: Scope, edges: Edges = ("", "")) -> list[Simple]:
        """Return the commands of a script."""
        self.deep += 1
        words = plain_words(text) if self.deep <= DEEPEST else None
        if words is not None:
            found = self._plain(self, words, scope, edges)
            scope.end_of_chain(plain=True)
            self.deep -= 1
            return found
        root = tree_of(without_documents(text, self._documents)) if self.deep <= DEEPEST else None
        if root is None:
            raise NotUnderstoodError
        found = self.sequence(root.children, scope, edges)
        self.deep -= 1
        return found

    def sequence(self, nodes: Sequence[Node], scope: Scope, edges: Edges) -> list[Simple]:
        """Return the commands of statements that follow one another."""
        found: list[Simple] = []
        statements = _statements(nodes)
        before = edges[0]
        for place, (node, end) in enumerate(statements):
            last = place == len(statements) - 1
            after = "&" if end == "&" else edges[1] if last else ";"
            inner = scope.copy() if end == "&" else scope
            here = self.statement(node, inner, (before, after))
            found += self._apart(here) if end == "&" else here
            scope.end_of_chain(plain=node.type in ("command", "redirected_statement"))
            before = after
        return found

    def _apart(self, found: list[Simple]) -> list[Simple]:
        self._jobs += 1
        return [msgspec.structs.replace(simple, apart=self._jobs) for simple in found]

    def statement(self, node: Node, scope: Scope, edges: Edges) -> list[Simple]:
        """Return the commands of one statement."""
        rule = self._rules.get(node.type)
        self._count += 1
        if rule is None or self._count > _MOST:
            raise NotUnderstoodError
        return rule(self, node, scope, edges)

    def grouped(self, nodes: Sequence[Node], scope: Scope, edges: Edges) -> list[Simple]:
        """Return the commands of statements that stand in a group."""
        self._groups += 1
        found = self.sequence(nodes, scope, edges)
        self._groups -= 1
        return found

    def made(self, simple: Simple, reading: Reading) -> Simple:
        """Return a command with what its scope and the reading of its words tell of it."""
        scope = reading.scope
        return msgspec.structs.replace(
            simple,
            grouped=self._groups > 0,
            folder=scope.folder,
            strays=tuple(sorted(stray or "" for stray in scope.strays)),
            inner=tuple(reading.inner),
            nested=tuple(reading.nested),
        )

    def redirects(self, nodes: Sequence[Node], reading: Reading) -> Redirects:
        """Return what the redirections of a command or group are."""
        redirects = Redirects()
        for node in nodes:
            if node.type != "file_redirect":
                raise NotUnderstoodError
            targets = node.children_by_field_name("destination")
            operator = next(child.type for child in node.children if child.type != "file_descriptor")
            if targets:
                errors = any(text_of(child) == "2" for child in node.children if child.type == "file_descriptor")
                self._redirect(redirects, operator, targets[0], reading, errors=errors)
                redirects.more += [word for other in targets[1:] for word in reading.reader.words(other)]
        return redirects

    def _redirect(self, to: Redirects, operator: str, node: Node, reading: Reading, *, errors: bool) -> None:
        target = reading.reader.text(node)
        document = self._documents.get(target.text)
        if document is not None and operator == "<":
            to.feed(self._document_text(document, reading))
        elif target.text.startswith(STRING_MARK):
            to.feed(None if target.live else target.text[len(STRING_MARK) :] + "\n")
        else:
            to.add(operator, target.text, mute=not errors)

    def _document_text(self, document: Document, reading: Reading) -> str | None:
        if not document.live or not _EXPANDS.search(document.text):
            return document.text
        text = _BACKQUOTED.sub(lambda found: f"$({_ESCAPED.sub(_unescaped, found[1])})", document.text)
        root = tree_of(f": <<_MUNIMENT_END_\n{text}_MUNIMENT_END_\n")
        bodies = nodes_of_type(root, "heredoc_body") if root is not None else []
        if not bodies:
            raise NotUnderstoodError
        word = reading.reader.document(bodies[0])
        return None if word.live else word.text


class Reading:
    """Reads the words of one command, and gathers what is inside of them."""

    def __init__(self, walk: Walk, scope: Scope) -> None:
        self.scope = scope
        self.inner: list[str] = []
        self.nested: list[Simple] = []
        self.reader = WordReader(scope, self._inside)
        self._walk = walk

    def _inside(self, node: Node) -> str | None:
        """Note what a substitution runs; return what it gives where that is a text of the line itself."""
        text = text_of(node)
        self.inner.append(text[1:-1] if text.startswith("`") else text[2:-1])
        statements = [child for child in node.children if child.type not in ("$(", "`", ")", "<(", ">(")]
        found = self._walk.sequence(statements, self.scope.copy(), ("(", ")"))
        self.nested += found
        if len(found) != 1 or found[0].words != ("cat",) or found[0].source or found[0].into:
            return None
        return None if found[0].fed_text is None else found[0].fed_text.rstrip("\n")


Rule = Callable[[Walk, Node, Scope, Edges], list[Simple]]
"""What lists the commands of one kind of statement."""
PlainRule = Callable[[Walk, tuple[str, ...], Scope, Edges], list[Simple]]
"""What lists the commands of a plain line."""


def _statements(nodes: Sequence[Node]) -> list[tuple[Node, str]]:
    """Pair each statement with what ends it."""
    found: list[tuple[Node, str]] = []
    for node in nodes:
        if node.type == "&" and found:
            found[-1] = (found[-1][0], "&")
        elif node.is_named and node.type != "comment":
            found.append((node, ";"))
    return found
