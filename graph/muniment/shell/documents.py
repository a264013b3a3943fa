"""Here-documents and here-strings, taken out of a shell line before the grammar sees it.

* A here-document's body leaves the text; its redirection becomes one from a placeholder, under which the body is kept.
  A here-string becomes a redirection from its word behind a placeholder. So the grammar meets plain redirections only.
* Quotes, substitutions, arithmetic and comments are respected: `<<` inside them is none, but in `$(…)` it is one.
* A body that never ends makes the line broken.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

STRING_MARK: Final = "here_string_"
_DOCUMENT_MARK: Final = "here_document_"

_PLAIN: Final = re.compile(r"[^\\'\"`$()<#\n}]+")
_PLAIN_IN_DOUBLE: Final = re.compile(r"[^\\\"`$]+")
_OPENING: Final = re.compile(r"<<(?P<tabs>-?)[ \t]*(?P<word>(?:\\.|'[^'\n]*'|\"[^\"\n]*\"|[^\s|&;<>()'\"\\`])+)")
_QUOTES: Final = re.compile(r"\\(.)|['\"]")
_ARITHMETIC: Final = re.compile(r"\(\((?:[^()\n]|\([^()\n]*\))*\)\)")
_PLACEHOLDER: Final = re.compile(rf"(?:^|/)(?:{STRING_MARK}|{_DOCUMENT_MARK}\d+$)")


class Document(msgspec.Struct, frozen=True):
    """The body of a here-document; `live`: its delimiter has no quotes, so that what looks like expansion is it."""

    text: str
    live: bool


class BrokenDocumentError(Exception):
    """A here-document that never ends."""


def is_placeholder(path: str) -> bool:
    """Tell whether a path is what stands for the text of a here-document or here-string, in no folder or in one."""
    return _PLACEHOLDER.search(path) is not None


def without_documents(text: str, documents: dict[str, Document]) -> str:
    """Return a line without its here-documents, which are put into `documents` by their placeholders.

    Raises:
        BrokenDocumentError: a here-document never ends.
    """
    if "<<" not in text:
        return text
    cutter = _Cutter(text, documents)
    while cutter.place < len(text):
        cutter.commands("")
    return "".join(cutter.out)


class _Cutter:
    """One pass over a text. Each method begins behind what opens its part and ends behind what closes it."""

    def __init__(self, text: str, documents: dict[str, Document]) -> None:
        self.text = text
        self.place = 0
        self.out: list[str] = []
        self._documents = documents
        self._waiting: list[tuple[str, str, bool, bool]] = []

    def commands(self, closing: str) -> None:
        """Commands, up to the end or to what closes a substitution or a group."""
        text = self.text
        while self.place < len(text):
            plain = _PLAIN.match(text, self.place)
            if plain:
                self._copy(plain.end())
                continue
            char = text[self.place]
            if char == closing:
                self._copy(self.place + 1)
                return
            if char == "<":
                self._redirection()
            elif char == "\n":
                self._line_end()
            elif char == "#" and self._begins_word():
                end = text.find("\n", self.place)
                self._copy(len(text) if end < 0 else end)
            else:
                self._piece()

    def _piece(self) -> None:
        """One quoted, escaped or substituted piece, or one plain character."""
        text, char = self.text, self.text[self.place]
        if char == "\\":
            self._copy(self.place + 2)
        elif char == "'":
            self._copy(text.find("'", self.place + 1) + 1 or len(text))
        elif char == '"':
            self._copy(self.place + 1)
            self._double()
        elif char == "`":
            self._copy(self.place + 1)
            self.commands("`")
        elif char == "$":
            self._dollar(double=False)
        elif char == "(":
            arithmetic = _ARITHMETIC.match(text, self.place)
            self._copy(arithmetic.end() if arithmetic else self.place + 1)
            if not arithmetic:
                self.commands(")")
        else:
            self._copy(self.place + 1)

    def _double(self) -> None:
        while self.place < len(self.text):
            plain = _PLAIN_IN_DOUBLE.match(self.text, self.place)
            if plain:
                self._copy(plain.end())
                continue
            char = self.text[self.place]
            if char == "$":
                self._dollar(double=True)
            elif char == "`":
                self._copy(self.place + 1)
                self.commands("`")
            else:
                self._copy(self.place + (2 if char == "\\" else 1))
                if char == '"':
                    return

    def _dollar(self, *, double: bool) -> None:
        text, place = self.text, self.place
        if text.startswith("$((", place):
            self._copy(place + 1)
            arithmetic = _ARITHMETIC.match(text, self.place)
            self._copy(arithmetic.end() if arithmetic else self.place + 1)
            if not arithmetic:
                self.commands(")")
        elif text.startswith("$(", place):
            self._copy(place + 2)
            self.commands(")")
        elif text.startswith("${", place):
            self._copy(place + 2)
            self._braces(double=double)
        elif text.startswith("$'", place) and not double:
            self._copy(place + 2)
            while self.place < len(text) and text[self.place] != "'":
                self._copy(self.place + (2 if text[self.place] == "\\" else 1))
            self._copy(self.place + 1)
        else:
            self._copy(place + 1)

    def _braces(self, *, double: bool) -> None:
        while self.place < len(self.text):
            char = self.text[self.place]
            if char == "}":
                self._copy(self.place + 1)
                return
            if char == "'" and double:
                self._copy(self.place + 1)
            else:
                self._piece()

    def _redirection(self) -> None:
        if self.text.startswith("<<<", self.place):
            self.place += 3
            while self.text[self.place : self.place + 1] in (" ", "\t"):
                self.place += 1
            self.out.append(f" < {STRING_MARK}")
            return
        opening = _OPENING.match(self.text, self.place)
        if opening is None:
            self._copy(self.place + 1)
            return
        word, bare = opening["word"], _QUOTES.sub(lambda found: found[1] or "", opening["word"])
        name = f"{_DOCUMENT_MARK}{len(self._documents) + len(self._waiting)}"
        self._waiting.append((name, bare, opening["tabs"] == "-", word == bare))
        self.out.append(f"< {name}")
        self.place = opening.end()

    def _line_end(self) -> None:
        self._copy(self.place + 1)
        for name, delimiter, tabs, live in self._waiting:
            self._documents[name] = Document(self._body(delimiter, tabs=tabs), live)
        self._waiting.clear()

    def _body(self, delimiter: str, *, tabs: bool) -> str:
        lines: list[str] = []
        while self.place < len(self.text):
            end = self.text.find("\n", self.place)
            stop = len(self.text) if end < 0 else end
            line = self.text[self.place : stop]
            line = line.lstrip("\t") if tabs else line
            self.place = min(stop + 1, len(self.text))
            if line == delimiter:
                return "".join(f"{line}\n" for line in lines)
            lines.append(line)
        raise BrokenDocumentError

    def _begins_word(self) -> bool:
        return self.place == 0 or self.text[self.place - 1] in " \t\n;&|("

    def _copy(self, stop: int) -> None:
        self.out.append(self.text[self.place : stop])
        self.place = stop
