"""Cuts a POSIX shell line into words and operators, no more: quotes stay on the words, here-documents are left out.

* A word keeps its quotes, escapes and substitutions as written; nothing is expanded.
* A line end after an operator that needs more (`&&`, `||`, `|`) is no token; an escaped line end is none either.
* What does not close (a quote, a substitution, a here-document) gives None: the caller must not guess.
"""

from __future__ import annotations

import re
from typing import Final

_OPERATOR: Final = re.compile(r"&>>|<<<|<<-|\|\||&&|\|&|;;|&>|>&|<&|>>|>\||<<|[|&;<>()\n]")
_PLAIN: Final = re.compile(r"""[^\s|&;<>()'"`\\$]+""")
_BORING: Final = re.compile(r"""[^\\'"`$(){}<]+""")
_DOCUMENT: Final = re.compile(r"""<<(?P<tabs>-?)[ \t]*(['"]?)\\?(?P<delimiter>\w+)\2[^\n]*\n""")
_CONTINUES: Final = frozenset({"&&", "||", "|", "|&"})


def shell_tokens(text: str) -> list[str] | None:
    """Return the words and operators of a shell line, or None where something in it never closes."""
    tokens: list[str] = []
    waiting: list[tuple[str, bool]] = []
    i, end = 0, len(text)
    while i < end:
        char = text[i]
        if char in " \t\r":
            i += 1
        elif text.startswith("\\\n", i):
            i += 2
        elif char == "#":
            i = _line_end(text, i)
        elif operator := _OPERATOR.match(text, i):
            i = _take_operator(operator[0], tokens, text, i, waiting)
        else:
            stop = _word_end(text, i)
            if stop >= 0:
                _take_word(text[i:stop], tokens, waiting)
            i = stop
        if i < 0:
            return None
    return None if waiting else tokens


def unquoted(word: str) -> str | None:
    """Return the text of a word that is one quoted or plain piece, or None where it would take expansion."""
    if len(word) > 1 and word[0] == word[-1] == "'" and "'" not in word[1:-1]:
        return word[1:-1]
    if len(word) > 1 and word[0] == word[-1] == '"':
        inner = word[1:-1]
        return None if "`" in inner or "$(" in inner else re.sub(r'\\(["\\$])', r"\1", inner)
    return word if _PLAIN.fullmatch(word) else None


def _take_operator(operator: str, tokens: list[str], text: str, i: int, waiting: list[tuple[str, bool]]) -> int:
    i += len(operator)
    if operator != "\n":
        tokens.append(operator)
        return i
    if not (tokens and tokens[-1] in _CONTINUES):
        tokens.append("\n")
    for delimiter, tabs in waiting:
        i = _past_document(text, i, delimiter, tabs=tabs)
        if i < 0:
            return -1
    waiting.clear()
    return i


def _take_word(word: str, tokens: list[str], waiting: list[tuple[str, bool]]) -> None:
    if tokens and tokens[-1] in ("<<", "<<-"):
        waiting.append((re.sub(r"[\\'\"]", "", word), tokens[-1] == "<<-"))
    tokens.append(word)


def _past_document(text: str, i: int, delimiter: str, *, tabs: bool) -> int:
    while i < len(text):
        end = text.find("\n", i)
        stop = len(text) if end < 0 else end
        line = text[i:stop]
        i = stop + 1
        if (line.lstrip("\t") if tabs else line) == delimiter:
            return min(i, len(text))
    return -1


def _word_end(text: str, i: int) -> int:
    while i < len(text) and text[i] not in " \t\r\n|&;<>()":
        i = _past(text, i)
        if i < 0:
            return -1
    return i


def _past(text: str, i: int) -> int:
    """Return the place after the piece of a word that begins at `i`, or -1 where it never closes."""
    plain = _PLAIN.match(text, i)
    if plain:
        return plain.end()
    char = text[i]
    if char == "\\":
        return min(i + 2, len(text))
    if char == "'":
        return text.find("'", i + 1) + 1 or -1
    if char == '"':
        return _past_closing(text, i + 1, '"')
    if char == "`":
        return _past_closing(text, i + 1, "`")
    if text.startswith("$(", i):
        return _past_closing(text, i + 2, ")")
    if text.startswith("${", i):
        return _past_closing(text, i + 2, "}")
    if text.startswith("$'", i):
        return _past_closing(text, i + 2, "'")
    return i + 1


def _past_closing(text: str, i: int, closing: str) -> int:
    """Return the place after `closing`, skipping what nests inside: quotes in substitutions and the other way round."""
    while 0 <= i < len(text):
        if boring := _BORING.match(text, i):
            i = boring.end()
            continue
        char = text[i]
        if char == closing:
            return i + 1
        document = _DOCUMENT.match(text, i) if char == "<" and closing == ")" else None
        if char == "\\":
            i += 2
        elif document:
            i = _past_document(text, document.end(), document["delimiter"], tabs=document["tabs"] == "-")
        elif char == "(" and closing == ")":
            i = _past_closing(text, i + 1, ")")
        elif closing != "'" and (text.startswith(("$(", "${"), i) or char in ("\"'`" if closing in ")}" else "`")):
            i = _past(text, i)
        else:
            i += 1
    return -1


def _line_end(text: str, i: int) -> int:
    end = text.find("\n", i)
    return len(text) if end < 0 else end
