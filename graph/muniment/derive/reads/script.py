"""Scripts: a command line as steps in order of output; each step is a pipe of commands.

* Loops over literal lists are written out, functions and `case` are not understood, conditions are steps that may or
  may not have run.
* A step is *sure* where it ran and succeeded if the whole line did: the `&&` chain at the line's end. It is *run* where
  it ran in any case: the first of each list.
* What runs in the background, or on another machine, says nothing about when its output comes: the line is then not
  understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from tree_sitter import Node

from muniment.shell.documents import BrokenDocumentError, Document, without_documents
from muniment.shell.grammar import text_of, tree_of
from muniment.shell.plain import plain_words
from muniment.shell.prefixes import SHELLS, base_name, unwrapped
from muniment.shell.scope import Scope
from muniment.shell.words import WordReader

UNKNOWN: Final = "\0"
"""Stands in a word for what nobody knows."""
REMEMBERED = 64
MOST_STEPS = 200
_DEEPEST: Final = 3
_STREAM_OF_ERRORS: Final = "2"


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One command of a pipe.

    `source` is the file of `< f`, `fed` the literal text of a here-document. `into` is the file that its output goes
    into (None: it is shown, or piped on). `inner` are the steps of a group (`( … )`, `bash -c '…'`), which has no
    words.
    `asides` are the commands in its substitutions.
    """

    words: tuple[str, ...] = ()
    source: str | None = None
    fed: str | None = None
    into: str | None = None
    appends: bool = False
    inner: tuple[Step, ...] = ()
    asides: tuple[str, ...] = ()
    folder: str | None = None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A pipe of commands. `run`: it ran in any case; `sure`: it succeeded if the line did."""

    commands: tuple[Command, ...]
    run: bool = True
    sure: bool = True


_READING: Final = (
    r"\b(?:cat|nl|head|tail|sed -n|awk|grep|egrep|fgrep|rg|wc|bat|less|more|diff|cut|jq|md5sum|sha\d+sum)\b"
)


def _reads_each(body: str, name: str) -> bool:
    """Tell whether the body of a loop gives its variable to a program that reads files."""
    return re.search(rf"{_READING}[^\n;|&]*[\"' ]\$\{{?{re.escape(name)}\b", body) is not None


class _UnclearError(Exception):
    """The line holds something whose output nobody can place."""


@lru_cache(maxsize=REMEMBERED)
def steps_of(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a command line, None where it is not understood."""
    try:
        return tuple(_Reader(Scope(), 0).script(text))
    except (_UnclearError, BrokenDocumentError, RecursionError):
        return None


class _Reader:
    """Reads one script; subshells share the class, each with a scope of its own."""

    def __init__(self, scope: Scope, depth: int) -> None:
        self._scope = scope
        self._depth = depth
        self._documents: dict[str, Document] = {}
        self._asides: list[str] = []
        self._words = WordReader(scope, lambda node: self._asides.append(text_of(node)))

    def script(self, text: str) -> list[Step]:
        """Return the steps of a text."""
        words = plain_words(text) if self._depth <= _DEEPEST else None
        if words is not None:
            command = self._called(words)
            self._move((command,))
            return [Step(commands=(command,))]
        root = tree_of(without_documents(text, self._documents))
        if root is None or self._depth > _DEEPEST:
            raise _UnclearError
        return self._statements(root)

    def _statements(self, node: Node, *, run: bool = True) -> list[Step]:
        found: list[Step] = []
        children = node.children
        for place, child in enumerate(children):
            if child.type == "&":
                raise _UnclearError
            if not child.is_named or child.type == "comment":
                continue
            last = not any(other.is_named and other.type != "comment" for other in children[place + 1 :])
            found += self._statement(child, run=run, sure=last)
            if len(found) > MOST_STEPS:
                raise _UnclearError
        return found

    def _statement(self, node: Node, *, run: bool, sure: bool) -> list[Step]:
        pipes, operators = _pipes(node)
        sure = sure and "||" not in operators
        found: list[Step] = []
        for place, pipe in enumerate(pipes):
            there = run and (place == 0 or sure)
            if len(pipe) == 1 and not pipe[0].redirects:
                found += self._single(pipe[0].node, run=there, sure=sure)
                continue
            commands = tuple(command for piece in pipe for command in self._piece(piece))
            self._move(commands)
            found.append(Step(commands=commands, run=there, sure=sure))
        return found

    def _single(self, node: Node, *, run: bool, sure: bool) -> list[Step]:
        kind = node.type
        if kind == "for_statement":
            return self._loop(node, run=run)
        if kind == "if_statement":
            return self._branches(node)
        if kind in ("subshell", "compound_statement"):
            reader = self if kind == "compound_statement" else self._inside()
            steps = reader._statements(node, run=run)
            return steps if sure else [msgspec.structs.replace(step, sure=False) for step in steps]
        if kind in ("variable_assignment", "variable_assignments", "declaration_command", "unset_command"):
            self._assign(node)
            return []
        if kind in ("test_command", "negated_command"):
            return [Step(commands=(Command(words=("test",)),), run=run, sure=False)]
        commands = tuple(self._pipe(node))
        self._move(commands)
        return [Step(commands=commands, run=run, sure=sure)]

    def _piece(self, piece: _Piece) -> Iterator[Command]:
        *before, last = self._pipe(piece.node)
        yield from before
        for redirect in piece.redirects:
            last = self._with(last, redirect)
        yield last

    def _loop(self, node: Node, *, run: bool) -> list[Step]:
        """A loop over a literal list is its body, once for each value."""
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        values = [w for child in node.children_by_field_name("value") for w in self._words.words(child)]
        if name is None or body is None or any(word.live or re.search(r"[*?]", word.text) for word in values):
            if name is not None:
                self._scope.know(text_of(name), None)
            known = [word.text for word in values if not word.live]
            paths = known if body is not None and name is not None and _reads_each(text_of(body), text_of(name)) else []
            loop = Command(words=("while", *paths), folder=self._scope.folder)
            return [Step(commands=(loop,), run=run, sure=False)]
        found: list[Step] = []
        for value in values:
            self._scope.know(text_of(name), value.text)
            found += self._statements(body, run=run)
            if len(found) > MOST_STEPS:
                raise _UnclearError
        return [msgspec.structs.replace(step, sure=False) for step in found]

    def _branches(self, node: Node) -> list[Step]:
        found: list[Step] = []
        before = self._scope.folder
        for child in node.children:
            if child.type in ("elif_clause", "else_clause"):
                found += self._branches(child)
            elif child.is_named and child.type != "comment":
                found += self._statement(child, run=False, sure=False)
        if self._scope.folder != before:
            self._scope.enter(None)
        return [msgspec.structs.replace(step, run=False, sure=False) for step in found]

    def _pipe(self, node: Node) -> Iterator[Command]:
        if node.type == "redirected_statement":
            yield self._redirected(node)
        elif node.type == "command":
            yield self._command(node)
        elif node.type in ("subshell", "compound_statement", "for_statement", "if_statement"):
            inner = self._inside()._statement(node, run=True, sure=True)
            yield Command(inner=tuple(inner), folder=self._scope.folder)
        elif node.type in ("while_statement", "until_statement", "c_style_for_statement"):
            yield Command(words=("while",), asides=(text_of(node),), folder=self._scope.folder)
        elif node.type in ("test_command", "negated_command"):
            yield Command(words=("test",))
        else:
            raise _UnclearError

    def _redirected(self, node: Node) -> Command:
        body = node.child_by_field_name("body")
        command = next(self._pipe(body)) if body is not None else Command(folder=self._scope.folder)
        for redirect in node.children_by_field_name("redirect"):
            command = self._with(command, redirect)
        return command

    def _list_piped(self, node: Node, *, run: bool, sure: bool) -> list[Step]:
        """`a && b 2>&1 | c`: the grammar takes the list for the pipe's first command, the shell only its last one."""
        first, *others = node.named_children
        steps = self._statement(first, run=run, sure=sure)
        rest = tuple(command for child in others for command in self._pipe(child))
        return [*steps[:-1], msgspec.structs.replace(steps[-1], commands=(*steps[-1].commands, *rest))] if steps else []

    def _with(self, command: Command, redirect: Node) -> Command:
        if redirect.type != "file_redirect":
            raise _UnclearError
        descriptor = redirect.child_by_field_name("descriptor")
        target = redirect.child_by_field_name("destination")
        operator = next((c.type for c in redirect.children if not c.is_named), "")
        stream = text_of(descriptor) if descriptor is not None else ""
        name = "" if target is None else self._known(target)
        if operator.startswith("<"):
            document = self._documents.get(name)
            if document is not None:
                literal = not document.live or re.search(r"[$`\\]", document.text) is None
                return msgspec.structs.replace(command, fed=document.text if literal else UNKNOWN)
            if name.startswith("here_string_"):
                return msgspec.structs.replace(command, fed=name.removeprefix("here_string_") + "\n")
            return msgspec.structs.replace(command, source=name)
        if stream == _STREAM_OF_ERRORS or (operator == ">&" and name.isdigit()):
            return command
        return msgspec.structs.replace(command, into=name, appends=">>" in operator)

    def _command(self, node: Node) -> Command:
        self._asides.clear()
        words: list[str] = []
        redirects: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment":
                continue
            if child.type == "file_redirect":
                redirects.append(child)
                continue
            part = child.named_children[0] if child.type == "command_name" else child
            words += [self._word(word.text, live=word.live) for word in self._words.words(part)]
        command = self._called(tuple(words))
        for redirect in redirects:
            command = self._with(command, redirect)
        return command

    def _called(self, words: tuple[str, ...]) -> Command:
        bare = unwrapped(words)
        inner = self._shell(bare) if bare and base_name(bare[0]) in SHELLS else ()
        asides = tuple(self._asides)
        return Command(words=() if inner else bare, inner=inner, asides=asides, folder=self._scope.folder)

    def _shell(self, words: tuple[str, ...]) -> tuple[Step, ...]:
        for place, word in enumerate(words[1:-1], start=1):
            if re.fullmatch(r"-[a-z]*c", word) and UNKNOWN not in words[place + 1]:
                return tuple(self._inside().script(words[place + 1]))
        return ()

    def _inside(self) -> _Reader:
        reader = _Reader(self._scope.copy(), self._depth + 1)
        reader._documents = self._documents
        return reader

    def _assign(self, node: Node) -> None:
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        for each in nodes:
            name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            if name is None:
                continue
            word = self._words.text(value) if value is not None else None
            self._scope.know(text_of(name), None if word is None or word.live else word.text)

    def _move(self, commands: tuple[Command, ...]) -> None:
        words = commands[0].words if len(commands) == 1 else ()
        if words[:1] in (("cd",), ("pushd",)):
            target = words[1] if len(words) == 2 else "~" if len(words) == 1 else None
            self._scope.enter(None if target is None or UNKNOWN in target or target == "-" else target)
        elif words[:1] == ("popd",):
            self._scope.enter(None)

    def _known(self, node: Node) -> str:
        word = self._words.text(node)
        return self._word(word.text, live=word.live)

    @staticmethod
    def _word(text: str, *, live: bool) -> str:
        return re.sub(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`|\$[@*#?!$-]", UNKNOWN, text) if live else text


class _Piece(NamedTuple):
    """One command of a pipe, with redirections that stand behind it in the tree."""

    node: Node
    redirects: tuple[Node, ...] = ()


def _pipes(node: Node) -> tuple[list[list[_Piece]], list[str]]:
    """Return the pipes of a chain, and the operators between them.

    The grammar nests lists, pipes and redirections in more ways than the shell reads them: their order alone counts.
    """
    pipes: list[list[_Piece]] = [[]]
    operators: list[str] = []
    for item in _flat(node):
        if isinstance(item, _Piece):
            pipes[-1].append(item)
        elif item in ("&&", "||"):
            operators.append(item)
            pipes.append([])
    return pipes, operators


def _flat(node: Node) -> list[_Piece | str]:
    if node.type in ("list", "pipeline"):
        found: list[_Piece | str] = []
        for child in node.children:
            if child.type != "comment":
                found += _flat(child) if child.is_named else [child.type]
        return found
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    if body is None or body.type not in ("list", "pipeline"):
        return [_Piece(node)]
    *before, last = _flat(body)
    if not isinstance(last, _Piece):
        raise _UnclearError
    return [*before, _Piece(last.node, (*last.redirects, *node.children_by_field_name("redirect")))]
