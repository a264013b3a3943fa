"""Words of a shell line: their text without quotes, as far as it is known without running anything.

* A variable that the line itself gave a literal value is put in; `$PWD` and `$(pwd)` are `.`, `$HOME` is `~`, and
  `$(mktemp)` is a file outside of every workspace. What is not known stays as written, and makes its word live.
* Braces (`a.{b,c}`) become several words, and so do `$@` and a list. Patterns (`*.py`) stay patterns.
* The commands inside of substitutions are handed to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from tree_sitter import Node

from muniment.shell.grammar import text_of
from muniment.shell.scope import Scope

_ESCAPE: Final = re.compile(r"\\\n|\\(.)", re.DOTALL)
_ESCAPE_IN_DOUBLE: Final = re.compile(r"\\(?:\n|([\"\\$`]))")
_ANSI: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "e": "\x1b", "a": "\a", "b": "\b"}
_ANSI_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_ASIDE: Final = re.compile(r"\x00(\d+)\x01")
_COUNTED: Final = re.compile(r"(-?\d+)\.\.(-?\d+)\Z")
_MOST_BRACED = 200
_DEFAULTED: Final = re.compile(r"\$\{(\w+):?=")
_NO_FOLDER: Final = re.compile(
    r"mktemp(?:\s+(?:-d|-q|-u|-t(?:\s+[\w.-]+)?|-dt\s+[\w.-]+|/tmp/[\w./-]+|--directory))*\s*\Z"
)

MADE_OUTSIDE: Final = "/tmp/mktemp.made"  # noqa: S108
"""What stands for the name that `mktemp` gives: a file of its own, in the system's folder for such."""


class Word(NamedTuple):
    """A word. `live`: it takes an expansion that is not known, which stays in it as written."""

    text: str
    live: bool = False


class _Piece(NamedTuple):
    text: str
    quoted: bool = False
    live: bool = False
    list_of: tuple[str, ...] | None = None


class WordReader:
    """Reads words in a scope; `inside` gets the nodes of substitutions, and returns their text where it is known."""

    def __init__(self, scope: Scope, inside: Callable[[Node], str | None]) -> None:
        self._scope = scope
        self._inside = inside

    def words(self, node: Node) -> list[Word]:
        """Return the words that a word as written becomes."""
        if node.type == "word" and not node.named_child_count:
            text = text_of(node)
            if "\\" not in text and "{" not in text:
                return [Word(text)]
        pieces = self._pieces(node, double=False)
        if any(piece.list_of is not None for piece in pieces):
            return self._of_lists(pieces)
        unsplit = [Word(_joined(pieces), any(piece.live for piece in pieces))]
        if node.type in ("simple_expansion", "expansion") and not pieces[0].quoted and not pieces[0].live:
            return [Word(text) for text in pieces[0].text.split()]
        return _braced(pieces) if _has_braces(pieces) else unsplit

    def text(self, node: Node) -> Word:
        """Return the one word that a value or a target becomes: neither split nor braced."""
        pieces = self._pieces(node, double=False)
        return Word(_joined(pieces), any(piece.live for piece in pieces))

    def document(self, body: Node) -> Word:
        """Return the text of a here-document's body that takes expansions."""
        pieces = self._in_double(body)
        return Word(_joined(pieces), any(piece.live for piece in pieces))

    def _of_lists(self, pieces: list[_Piece]) -> list[Word]:
        found = [Word("")]
        for piece in pieces:
            each = piece.list_of if piece.list_of is not None else (piece.text,)
            if not each:
                continue
            first, *rest = each
            found[-1] = Word(found[-1].text + first, found[-1].live or piece.live)
            found += [Word(text) for text in rest]
        return [word for word in found if word.text or word.live]

    def _pieces(self, node: Node, *, double: bool) -> list[_Piece]:
        kind = node.type
        if kind == "concatenation":
            return self._joined_children(node)
        if kind in ("string", "translated_string"):
            return self._in_double(node)
        if kind == "raw_string":
            return [_Piece(text_of(node)[1:-1], quoted=True)]
        if kind == "ansi_c_string":
            text = _ANSI_ESCAPE.sub(lambda found: _ANSI.get(found[1], found[0]), text_of(node)[2:-1])
            return [_Piece(text, quoted=True)]
        if kind in ("simple_expansion", "expansion"):
            return [self._expansion(node, double=double)]
        if kind == "command_substitution":
            return [self._substitution(node, double=double)]
        if kind == "process_substitution":
            self._inside(node)
            return [_Piece("/dev/fd/63", quoted=True)]
        if kind == "arithmetic_expansion":
            self._deeper(node)
            return [_Piece(text_of(node), quoted=True, live=True)]
        if kind == "brace_expression":
            return [_Piece(text_of(node))]
        return self._plain(node)

    def _plain(self, node: Node) -> list[_Piece]:
        text = text_of(node)
        live = node.named_child_count > 0 and self._deeper(node)
        if "\\" not in text:
            return [_Piece(text, live=live)]
        return [
            _Piece(_ESCAPE.sub(lambda found: found[1] or "", part), quoted=part.startswith("\\"), live=live)
            for part in re.split(r"(\\.)", text, flags=re.DOTALL)
            if part
        ]

    def _joined_children(self, node: Node) -> list[_Piece]:
        pieces: list[_Piece] = []
        for child in node.children:
            pieces += self._pieces(child, double=False)
        return pieces

    def _in_double(self, node: Node) -> list[_Piece]:
        """The inside of double quotes: what is between the children is text too."""
        source = node.text or b""
        start, pieces = node.start_byte, []
        place = 1 if source.startswith(b'"') and node.type == "string" else 0
        end = len(source) - place
        if node.type == "translated_string":
            return self._in_double(node.children[-1])
        for child in node.named_children:
            if child.type in ("string_content", "heredoc_content"):
                continue
            pieces.append(_literal(source[place : child.start_byte - start]))
            pieces += self._pieces(child, double=True)
            place = child.end_byte - start
        pieces.append(_literal(source[place:end]))
        return pieces

    def _expansion(self, node: Node, *, double: bool) -> _Piece:
        text = text_of(node)
        bare = text[1:] if node.type == "simple_expansion" else text[2:-1]
        known = self._scope.list_of(bare)
        if known is not None:
            return _Piece(" ".join(known), quoted=True, list_of=known if bare[-1:] == "@" or "[@]" in bare else None)
        value = self._scope.value_of(bare)
        if value is not None:
            return _Piece(value, quoted=double)
        self._deeper(node)
        for name in _DEFAULTED.findall(text):
            self._scope.forget(name)
        return _Piece(text, quoted=double, live=True)

    def _substitution(self, node: Node, *, double: bool) -> _Piece:
        script = text_of(node)
        script = (script[2:-1] if script.startswith("$(") else script[1:-1]).strip()
        text = self._inside(node)
        if text is not None:
            return _Piece(text, quoted=True)
        if script == "pwd" and self._scope.folder != "?":
            return _Piece(".", quoted=True)
        if _NO_FOLDER.match(script):
            return _Piece(MADE_OUTSIDE, quoted=True)
        return _Piece(text_of(node), quoted=double, live=True)

    def _deeper(self, node: Node) -> bool:
        """Hand over the substitutions somewhere inside; tell whether there is an expansion."""
        found = False
        for child in node.named_children:
            if child.type in ("command_substitution", "process_substitution"):
                self._inside(child)
                found = True
            else:
                found = self._deeper(child) or found or child.type in ("simple_expansion", "expansion")
        return found


def _literal(source: bytes) -> _Piece:
    text = source.decode()
    return _Piece(_ESCAPE_IN_DOUBLE.sub(lambda found: found[1] or "", text) if "\\" in text else text, quoted=True)


def _joined(pieces: list[_Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _has_braces(pieces: list[_Piece]) -> bool:
    return any("{" in piece.text and not piece.quoted and not piece.live for piece in pieces)


def _braced(pieces: list[_Piece]) -> list[Word]:
    """Expand braces. What is quoted or live is put aside meanwhile, for its braces are none."""
    aside = [piece.text for piece in pieces if piece.quoted or piece.live]
    live = any(piece.live for piece in pieces)
    places = iter(range(len(aside)))
    texts = ["".join(f"\x00{next(places)}\x01" if p.quoted or p.live else p.text for p in pieces)]
    while len(texts) < _MOST_BRACED:
        further = [each for text in texts for each in _once_braced(text)]
        if further == texts:
            break
        texts = further
    return [Word(_put_back(text, aside), live) for text in texts]


def _once_braced(text: str) -> list[str]:
    for found in _BRACES.finditer(text):
        counted = _COUNTED.match(found[1])
        if counted:
            first, last = int(counted[1]), int(counted[2])
            if abs(last - first) < _MOST_BRACED:
                step = 1 if last >= first else -1
                return [f"{text[: found.start()]}{n}{text[found.end() :]}" for n in range(first, last + step, step)]
        elif "," in found[1]:
            return [f"{text[: found.start()]}{part}{text[found.end() :]}" for part in found[1].split(",")]
    return [text]


def _put_back(text: str, aside: list[str]) -> str:
    return _ASIDE.sub(lambda found: aside[int(found[1])], text)
