"""Whether the exit status of a shell command line is the status of the command that it is about.

* A pipe without `pipefail` gives the status of its last part, `|| true` hides a failure, `;` keeps the last status
  only, `&` starts and does not wait. A status that came so proves nothing about the test or build in the line.
* The answer is careful: what is not understood (loops, conditions, `eval`, a quote that never closes) is not the
  command's own.
* `a && b` keeps it: zero means that both succeeded. Under `set -e` so does `;`, under `pipefail` so does a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from muniment.shell.documents import BrokenDocumentError, Document, without_documents
from muniment.shell.grammar import nodes_of_type, text_of, tree_of
from muniment.shell.prefixes import SHELLS, base_name, is_assignment

_REMEMBERED = 256
_OPAQUE: Final = frozenset({"trap", "eval", "ssh", "watch", "exec", "coproc", "{"})
_PLACES: Final = frozenset({"cd", "pushd", "popd", "source", ".", "pwd"})
_SETTINGS: Final = frozenset({"export", "unset", "alias", "umask", "ulimit"})
_QUIET: Final = _PLACES | _SETTINGS | {"echo", "printf", "sleep", "true", ":", "date", ""}
"""Commands that only prepare or print: nobody asks whether they succeeded."""
_FEEDERS: Final = frozenset({"echo", "printf", "yes", "cat", "true"})
_SEARCHERS: Final = frozenset({"grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "xargs"})
_SHAPERS: Final = frozenset({"sort", "uniq", "wc", "tr", "cut", "column", "fold", "nl", "tac"})
_FILTERS: Final = _SEARCHERS | _SHAPERS | {"tail", "head", "tee", "cat", "less", "more", "true"}
_PREFIXES: Final = frozenset({"time", "env", "command", "sudo", "nohup", "nice", "builtin"})
_PLAIN: Final = frozenset({"variable_assignment", "variable_assignments", "declaration_command", "unset_command"})


@lru_cache(maxsize=_REMEMBERED)
def own_status(command: str) -> bool:
    """Tell whether the exit status of `command`, run by a shell, is that of its essential command. Unsure is false."""
    return _script_own(command, pipefail=False, depth=0)


def _script_own(text: str, *, pipefail: bool, depth: int) -> bool:
    documents: dict[str, Document] = {}
    try:
        root = tree_of(without_documents(text, documents)) if depth < 4 else None
    except BrokenDocumentError:
        return False
    return root is not None and _Judge(documents, depth).sequence(root.children, pipefail=pipefail)


class _Judge:
    """Judges the statements of one text."""

    def __init__(self, documents: dict[str, Document], depth: int) -> None:
        self._documents = documents
        self._depth = depth

    def sequence(self, nodes: Sequence[Node], *, pipefail: bool) -> bool:
        """Tell whether the status of statements that follow one another is that of the essential one."""
        if any(node.type == "&" for node in nodes):
            return False
        errexit = earlier = own = False
        for node in nodes:
            if not node.is_named or node.type == "comment":
                continue
            words = _words(node) if node.type == "command" else []
            if words[:1] == ["set"]:
                errexit = _switched("e", "errexit", words, errexit)
                pipefail = _switched("", "pipefail", words, pipefail)
                continue
            own = not (earlier and not errexit) and self._own(node, pipefail=pipefail)
            if not own:
                return False
            earlier = earlier or any(name not in _QUIET for name in _names(node))
        return own

    def _own(self, node: Node, *, pipefail: bool) -> bool:
        if node.type == "list":
            left, operator, right = node.children[0], node.children[1].type, node.children[-1]
            kept = _gives_up(right) if operator == "||" else self._own(right, pipefail=pipefail)
            return kept and self._own(left, pipefail=pipefail)
        if node.type == "pipeline":
            return self._pipeline_own([c for c in node.children if c.is_named], pipefail=pipefail)
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return body is not None and body.type != "compound_statement" and self._own(body, pipefail=pipefail)
        if node.type == "subshell":
            return self.sequence(node.children[1:-1], pipefail=pipefail)
        return node.type in _PLAIN or node.type == "test_command" or (node.type == "command" and self._simple_own(node))

    def _pipeline_own(self, parts: Sequence[Node], *, pipefail: bool) -> bool:
        if not all(self._own(part, pipefail=pipefail) for part in parts):
            return False
        names = [name for part in parts for name in _names(part)[:1]]
        return pipefail or (all(name in _FEEDERS for name in names[:-1]) and names[-1] not in _FILTERS)

    def _simple_own(self, node: Node) -> bool:
        """Tell whether a command is no riddle, and, where it gives a script to a shell, whether that keeps its own."""
        words = _words(node)
        if _name(words) in _OPAQUE:
            return False
        shell = next((place for place, word in enumerate(words) if base_name(word) in SHELLS), None)
        if shell is None:
            return True
        for place, word in enumerate(words[shell + 1 : -1], start=shell + 1):
            if re.fullmatch(r"-[a-z]*c", word):
                script = _literal(_word_nodes(node)[place + 1])
                fails = "pipefail" in words[:place]
                return script is not None and _script_own(script, pipefail=fails, depth=self._depth + 1)
        fed = self._fed(node) if len(words) == shell + 1 else None
        return fed is None or _script_own(fed, pipefail=False, depth=self._depth + 1)

    def _fed(self, node: Node) -> str | None:
        around = node
        while around.parent is not None and around.parent.type in ("list", "pipeline", "redirected_statement"):
            around = around.parent
        names = [text_of(found) for each in nodes_of_type(around, "file_redirect") for found in each.named_children]
        return next((self._documents[name].text for name in names if name in self._documents), None)


def _switched(letter: str, name: str, words: list[str], before: bool) -> bool:
    """What a `set` makes of one shell option."""
    for place, word in enumerate(words[1:], start=1):
        named = word[1:].endswith("o") and words[place + 1 : place + 2] == [name]
        if word[:1] in ("-", "+") and (named or (letter and letter in word[1:])):
            before = word[0] == "-"
    return before


def _gives_up(node: Node) -> bool:
    """`|| exit 1`, `|| return 1` and `|| false` keep a failure a failure."""
    words = _words(node) if node.type == "command" else []
    if words == ["false"]:
        return True
    if not words or words[0] not in ("exit", "return"):
        return False
    return len(words) == 1 or (len(words) == 2 and words[1].isdecimal() and int(words[1]) > 0)


def _names(node: Node) -> list[str]:
    """Return the programs of the simple commands in a statement; "" for assignments only."""
    if node.type in _PLAIN:
        return [""]
    return [_name(_words(command)) for command in nodes_of_type(node, "command")]


def _word_nodes(node: Node) -> list[Node]:
    """Return the nodes of a command's words. What stands behind the target of a redirection is a word too."""
    found: list[Node] = []
    for child in node.children:
        if child.type == "command_name":
            found += child.children
        elif child.is_named and not child.type.endswith("_redirect"):
            found.append(child)
    return found


def _words(node: Node) -> list[str]:
    return [text_of(word) for word in _word_nodes(node)]


def _name(words: list[str]) -> str:
    """The program that a simple command runs, without its folder; "" for assignments only."""
    for word in words:
        if word not in _PREFIXES and not is_assignment(word) and not word.startswith("-"):
            return base_name(word) or word
    return ""


def _literal(node: Node) -> str | None:
    """Return the text of a word that is one quoted or plain piece, or None where it would take expansion."""
    text = text_of(node)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        plain = all(child.type == "string_content" for child in node.named_children)
        return re.sub(r'\\(["\\$`])', r"\1", text[1:-1]) if plain or ("$(" not in text and "`" not in text) else None
    return text if node.type == "word" else None
