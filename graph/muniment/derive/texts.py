"""Texts: where the text of a node is kept, how it is cut into lines, and how it is made fit to be shown.

* A text of at most `INLINE_BYTES` of UTF-8 is held in the node; a longer one is a slice of one of its entry's payloads
  where it is part of one, else held in the node too.
* Lines end at newlines only; a carriage return is part of its line. A final newline starts no line; "" has none.
* Nothing here changes what is stored. `readable` gives the form for display: valid UTF-8, no control characters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping

from muniment.model.nodes import Text

INLINE_BYTES = 1024

_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
_PICTURES = 0x2400
_DELETE = 0x7F


class Texts:
    """The payloads of one entry, {digest: text}, in which its texts are found again."""

    def __init__(self, payloads: Mapping[str, str]) -> None:
        # In order of digest, so that a text which is part of several payloads has the same slice in each run.
        self._payloads = sorted(payloads.items())

    def refer(self, text: str) -> Text:
        """Return the reference to `text`: held inline if short or in no payload, else the slice of a payload."""
        lines, size = line_count(text), len(text)
        if _is_short(text):
            return Text(inline=text, lines=lines, size=size)
        for digest, payload in self._payloads:
            if len(payload) == size and payload == text:
                return Text(digest=digest, stop=size, lines=lines, size=size)
        for digest, payload in self._payloads:
            start = payload.find(text)
            if start >= 0:
                return Text(digest=digest, start=start, stop=start + size, lines=lines, size=size)
        return Text(inline=text, lines=lines, size=size)


def line_count(text: str) -> int:
    """Return the number of lines of `text`, without making them."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def split_lines(text: str) -> list[str]:
    """Return the lines of `text`, without their newlines: `line_count(text)` of them."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def needs_repair(text: str) -> bool:
    """Tell whether `text` holds lone surrogates, which no valid output can hold."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def is_binary(data: bytes) -> bool:
    """Tell whether `data` is no text: it holds NUL, or is not UTF-8 beyond a character cut in two at either end."""
    if 0 in data:
        return True
    begin = 0
    while begin < min(3, len(data)) and 0x80 <= data[begin] < 0xC0:
        begin += 1
    try:
        codecs.utf_8_decode(data[begin:], "strict", False)
    except UnicodeDecodeError:
        return True
    return False


def readable(text: str) -> str:
    """Return `text` as it may be shown: newline and tab stay, terminal colours and the returns of CRLF go.

    Any other control character becomes its picture (NUL: ␀); one that has none, a lone surrogate or a replacement
    character becomes `?`.
    """
    if _ODD.search(text) is None:
        return text
    return _ODD.sub(_picture, _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n")))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < ord(" "):
        return chr(_PICTURES + code)
    return "\N{SYMBOL FOR DELETE}" if code == _DELETE else "?"


def _is_short(text: str) -> bool:
    if len(text) > INLINE_BYTES:
        return False
    return len(text) * 4 <= INLINE_BYTES or len(text.encode("utf-8", "surrogatepass")) <= INLINE_BYTES
