"""From what people write to what SQLite's FTS5 takes, and from what FTS5 found to what people read. Pure.

* A query is plain words and "phrases"; all of them must be there. Nothing in it is an operator: each piece goes to
  FTS5 as a quoted string. A piece without a letter or digit says nothing and is left out.
* `GAP` stands in a text for lines that were not seen. For FTS5 it is a word, so that no phrase reaches over it.
"""

from __future__ import annotations

import re

from muniment.derive.texts import readable
from muniment.errors import UsageError
from muniment.search.hits import MARK, MARK_END

GAP = "\ue000"
OPEN, CLOSE = "\x02", "\x03"
"""Marks as FTS5 is told to set them: no text that is searched holds control characters."""
ELLIPSIS = "…"

MOST_PIECES = 64
SNIPPET_CHARACTERS = 320

_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_TO_READ = str.maketrans({OPEN: MARK, CLOSE: MARK_END, MARK: "[", MARK_END: "]"})


def match_of(text: str) -> str:
    """Return the FTS5 expression for a query; "" where it holds no word.

    Raises:
        UsageError: it has more pieces than `MOST_PIECES`.
    """
    pieces = [phrase or word for phrase, word in _PIECE.findall(searchable(text))]
    pieces = list(dict.fromkeys(piece for piece in pieces if any(map(str.isalnum, piece))))
    if len(pieces) > MOST_PIECES:
        raise UsageError(f"a search takes up to {MOST_PIECES} words or phrases, not {len(pieces)}")
    return " ".join(f'"{piece}"' for piece in pieces)


def searchable(text: str) -> str:
    """Return a text as it is indexed: as it may be shown, and without the mark of a gap."""
    return readable(text).replace(GAP, "?")


def snippet_of(raw: str) -> str:
    """Return a snippet for people: matches marked, gaps shown, at most about `SNIPPET_CHARACTERS` long."""
    return _cut(re.sub(rf"{GAP}\n*", f"{ELLIPSIS}\n", raw)).strip("\n").translate(_TO_READ)


def line_of(raw: str, body: str) -> int | None:
    """Return the line of `body` in which the first match of a raw snippet is; None where it is not from there.

    An ellipsis at either end may be the snippet's own or the text's.
    """
    start = raw.find(OPEN)
    plain = raw.replace(OPEN, "").replace(CLOSE, "")
    for first, last in ((0, len(plain)), (1, len(plain)), (0, len(plain) - 1), (1, len(plain) - 1)):
        place = body.find(plain[first:last])
        if place >= 0 and start >= 0:
            return body.count("\n", 0, place + start - first) + 1
    return None


def _cut(raw: str) -> str:
    """Cut a snippet that has very long words to a window around its first match, marks kept in pairs."""
    if len(raw) <= SNIPPET_CHARACTERS:
        return raw
    begin = max(0, raw.find(OPEN) - SNIPPET_CHARACTERS // 4)
    part = raw[begin : begin + SNIPPET_CHARACTERS]
    part = part + CLOSE if part.rfind(OPEN) > part.rfind(CLOSE) else part
    return (ELLIPSIS if begin else "") + part + (ELLIPSIS if begin + SNIPPET_CHARACTERS < len(raw) else "")
