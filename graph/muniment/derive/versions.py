"""Digests of file versions: equal exactly where what is known is equal, at one grade.

* BLAKE3 over `canonical.fields` that begin with a domain of their own for each grade: a whole file's text, some of its
  lines, and raw bytes never share a digest, even where they look alike.
* A whole text counts line by line: carriage returns and lone surrogates count; whether the last line is ended does
  not, since no runtime's tools tell it reliably.
* Partial knowledge is the first line's number, the lines and the file's length: the same lines elsewhere are another.
  Of lines that do not follow one another, it is also where each run of them stands.

Golden examples: `tests/golden/versions.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from muniment import canonical
from muniment.derive.texts import split_lines
from muniment.digest import Digest, digest_of
from muniment.model.nodes import Intervals

_WHOLE = "muniment version lines v1"
_PART = "muniment version partial v1"
_BYTES = "muniment version bytes v1"


def whole_digest(text: str) -> Digest:
    """Return the digest of a file whose whole text is known."""
    return lines_digest(split_lines(text))


def lines_digest(lines: Sequence[str | None]) -> Digest:
    """Return the digest of a file whose lines are all known; they hold no newline. A line that is gone is empty."""
    text = "\n".join(line or "" for line in lines) if None in lines else "\n".join(cast("Sequence[str]", lines))
    return digest_of(canonical.fields(_WHOLE, len(lines), text))


def partial_digest(first: int, lines: list[str], total: int | None, runs: Intervals = ()) -> Digest:
    """Return the digest of knowing `lines` (which hold no newline) from line `first` on, of a file of `total` lines; or
    at `runs`, where there are several.
    """
    length = "" if total is None else total
    places = [place for run in runs for place in run] if len(runs) > 1 else ()
    return digest_of(canonical.fields(_PART, first, length, len(lines), "\n".join(lines), *places))


def bytes_digest(data: bytes) -> Digest:
    """Return the digest of a file whose bytes are known and are no text."""
    return digest_of(canonical.fields(_BYTES, len(data)) + data)
