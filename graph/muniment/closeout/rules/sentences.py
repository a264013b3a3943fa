"""Sentences of a text, as far as they may state a constraint: without code blocks, quotations and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r"\s*(```|~~~)")
_OPENS_LINE: Final = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|#)")
_LEAD: Final = re.compile(r"^[\s>*+#•-]*(?:\d+[.)]\s+)?|\*\*|__")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")
_END: Final = re.compile(r"(?<=[.!?;])\s+|\s+[—–]\s+|\n")
_LONGEST: Final = 400
_WORTH: Final = re.compile(r"\b(?:never|not|don['’]?t|n['’]t|only|must|always|before|cannot)\b|n['’]t\b", re.I)


def sentences(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of a text that may hold a constraint; code in them is a number between NULs, and listed."""
    for paragraph in _paragraphs(text):
        if not _WORTH.search(paragraph):
            continue
        codes: list[str] = []

        def marked(match: re.Match[str], codes: list[str] = codes) -> str:
            codes.append(match[1].strip())
            return f"\x00{len(codes) - 1}\x00"

        plain = _QUOTED.sub(" \x02 ", _CODE.sub(marked, paragraph.replace("\x00", " ")))
        for part in _END.split(plain):
            sentence = " ".join(_LEAD.sub("", part).split())
            if 0 < len(sentence) <= _LONGEST and "\x02" not in sentence:
                yield sentence, codes


def _paragraphs(text: str) -> Iterator[str]:
    """Yield what belongs together: wrapped lines as one, list items apart, without code blocks, quotes and tables."""
    lines: list[str] = []
    mark = ""
    for line in [*text.split("\n"), ""]:
        fence = _FENCE.match(line)
        if fence is not None:
            mark = "" if mark == fence[1] else mark or fence[1]
        apart = bool(mark) or fence is not None or not line.strip() or _OPENS_LINE.match(line) is not None
        if apart and lines:
            yield " ".join(lines)
            lines = []
        if not mark and fence is None and line.strip() and not line.lstrip().startswith((">", "|", "<")):
            lines.append(line.strip())


def coded(text: str, codes: list[str]) -> list[str]:
    """Return the pieces of code that stand in a part of a sentence."""
    return [codes[int(number)] for number in re.findall(r"\x00(\d+)\x00", text)]


def restored(sentence: str, codes: list[str]) -> str:
    """Return a sentence as it was written, its code in back-ticks."""
    return re.sub(r"\x00(\d+)\x00", lambda match: f"`{codes[int(match[1])]}`", sentence)
