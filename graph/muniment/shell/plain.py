"""Plain lines: one command whose words stand as they are. Most lines of most sessions are such.

What the grammar would say of them is known without it; a test says that it is the same.
"""

from __future__ import annotations

import re
from typing import Final

_BARE: Final = r"[\w./:@%+,=~*?-]"
_PIECE: Final = rf"(?:{_BARE}++|'[^']*+'|\"[^\"\\$`]*+\")"
_LINE: Final = re.compile(rf"[A-Za-z_./~][\w./~-]*+(?: ++{_PIECE}++)*+")
_WORD: Final = re.compile(rf"{_PIECE}++")
_QUOTED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_RESERVED: Final = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in"),
        *("function", "time", "coproc", "declare", "typeset", "export", "readonly", "local", "unset", "unsetenv"),
    }
)
"""Words that begin something else than a command."""


def plain_words(text: str) -> tuple[str, ...] | None:
    """Return the words of a plain line, without quotes; None where it is none."""
    if not text.isascii() or _LINE.fullmatch(text) is None:
        return None
    words = tuple(_WORD.findall(text))
    if words[0] in _RESERVED:
        return None
    if "'" in text or '"' in text:
        words = tuple(_QUOTED.sub(_inside, word) for word in words)
    return words


def _inside(found: re.Match[str]) -> str:
    return found[1] if found[1] is not None else found[2]
