"""How answers are laid out for people: columns, one-line texts, numbers."""

from __future__ import annotations

from collections.abc import Sequence

from muniment import describing

SHORT = 100
"""Characters of a text that is shown on one line."""
_UNITS = ("B", "KB", "MB", "GB")


def columns(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Return rows as lines with aligned columns; the last column is as long as it is."""
    if not rows:
        return ""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    lines = ("  ".join([*map(str.ljust, row[:-1], widths), row[-1]]) for row in rows)
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def one_line(text: str, most: int = SHORT) -> str:
    """Return a text on one line, shortened at a word where that is possible."""
    return describing.one_line(text, most)


def size(count: int) -> str:
    """Return a number of bytes as people write it."""
    amount = float(count)
    for unit in _UNITS:
        if amount < 1000 or unit == _UNITS[-1]:
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def plural(count: int, noun: str, many: str = "") -> str:
    """Return `1 claim`, `2 claims`; `many` is the plural where it is not the noun with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {many or f'{noun}s'}"
