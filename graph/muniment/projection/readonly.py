"""Which queries of other people may run: one statement that reads the graph, and nothing else.

* Refused before anything runs: statements that write, change the schema or the session, read or write files, load
  extensions, and several statements at once. The engine refuses writes once more, by a read-only transaction.
* A query is cut as the engines cut it: a number ends where a letter begins (`1LOAD` is two words). Words inside strings
  and quoted names do not count, nor do names of properties (`n.set`). Comments never reach an engine, so that nobody
  has to agree with it on where they end.
* Of the engine's functions only those that describe tables may be called.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from muniment.errors import UsageError

_WRITING = (
    "alter attach begin checkpoint comment commit copy create delete detach drop export import insert install load "
    "merge remove rename rollback set truncate uninstall update upsert use"
)
_REFUSED: Final = frozenset(_WRITING.split(" "))
_CALLABLE: Final = frozenset({"db_version", "show_connection", "show_functions", "show_tables", "table_info"})
_OPENING: Final = frozenset({"call", "explain", "match", "optional", "profile", "return", "unwind", "with"})

MOST_CHARACTERS: Final = 10_000
MOST_NESTED: Final = 50
"""Levels of brackets; the engines' parsers go by recursion, and take their process with them when they go too deep."""
_STEPS: Final = {"(": 1, "[": 1, "{": 1, "case": 5, ")": -1, "]": -1, "}": -1, "end": -5}
"""What each adds to the level. The engines take twice as long for each CASE inside another."""

_PIECE = re.compile(
    r"""(?P<quoted> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*` )
      | (?P<comment> /\*.*?\*/ | //[^\r\n]* )
      | (?P<number> \d+ (?:\.\d+)? (?:[eE][+-]?\d+)? )
      | (?P<member> (?<![.\d])[.$] \s* [^\W\d]\w* )
      | (?P<word> [^\W\d]\w* )
      | (?P<sign> \S )
      | (?P<blank> \s+ )""",
    re.DOTALL | re.VERBOSE,
)


def check_readonly(query: str) -> str:
    """Return a query that only reads, as it may be given to the engine: without its comments.

    Raises:
        UsageError: it is none; the message says why.
    """
    if len(query) > MOST_CHARACTERS:
        raise UsageError(f"refused: a query has at most {MOST_CHARACTERS} characters, this one has {len(query)}")
    if any("\ud800" <= character <= "\udfff" for character in query):
        raise UsageError("refused: half a character")
    pieces = [(match.lastgroup or "", match[0]) for match in _PIECE.finditer(query)]
    while pieces and (pieces[-1][0] in ("blank", "comment") or pieces[-1][1] == ";"):
        pieces.pop()
    plain = [(kind, text.lower()) for kind, text in pieces if kind not in ("blank", "comment")]
    _check_signs([text for kind, text in plain if kind == "sign"])
    _check_words(plain)
    _check_nesting([text for kind, text in plain if kind in ("sign", "word")])
    return "".join(" " if kind == "comment" else text for kind, text in pieces).strip()


def _check_signs(signs: list[str]) -> None:
    if {"'", '"', "`"}.intersection(signs) or "/*" in "".join(signs):
        raise UsageError("refused: a string, a quoted name or a comment is not closed")
    if ";" in signs:
        raise UsageError("refused: one statement at a time")


def _check_nesting(pieces: list[str]) -> None:
    level = 0
    for piece in pieces:
        level += _STEPS.get(piece, 0)
        if level > MOST_NESTED:
            raise UsageError(f"refused: brackets, or CASE, are nested deeper than {MOST_NESTED} levels")


def _check_words(pieces: list[tuple[str, str]]) -> None:
    if not pieces or pieces[0][1] not in _OPENING:
        raise UsageError("refused: a query begins with MATCH, WITH, UNWIND, CALL or RETURN")
    writing = _REFUSED.intersection(text for kind, text in pieces if kind == "word")
    if writing:
        raise UsageError(f"refused: {min(writing).upper()} does not only read the graph")
    for piece, (_, called) in pairwise([*pieces, ("", "")]):
        if piece == ("word", "call") and called not in _CALLABLE:
            raise UsageError(f"refused: CALL {called}; there are {', '.join(sorted(_CALLABLE))}")
