"""Bars: a stacked one for parts of a whole, and a list of them for comparing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.drawing.markup import LIGHT, MONO, MONO_WIDTH, Markup, cut, cut_front, frame, tag, words

COLORS = ("#0969da", "#1a7f37", "#bf8700", "#8250df", "#bc4c00", "#cf222e", "#1b7c83", "#6e7781")
"""Fills of parts, in their order; each can be told from the grounds of light and dark."""

WIDTH = 720.0
MARGIN = 16.0
MOST_ROWS = 40
MOST_PARTS = len(COLORS)
_ROW = 22.0


class Part(msgspec.Struct, frozen=True):
    """A part of a whole, or a row of a list: what it is called, how big it is, its colour, what to say beside."""

    label: str
    value: float
    color: str = ""
    note: str = ""


def amount(value: float, unit: str) -> str:
    """Return a number with its unit; `unit` is in the plural."""
    return f"{value:.0f} {unit.removesuffix('s') if value == 1 else unit}"


def gathered(parts: Sequence[Part], most: int) -> list[Part]:
    """Return at most `most` parts: where there are more, the last ones become one."""
    if len(parts) <= most:
        return list(parts)
    rest = parts[most - 1 :]
    return [*parts[: most - 1], Part(f"{len(rest)} more", sum(part.value for part in rest))]


def stacked_bar(parts: Sequence[Part], whole: float, title: str, *, unit: str) -> Markup:
    """Return a bar as long as `whole`, filled by its parts in their order, with a legend."""
    shown = gathered([part for part in parts if part.value > 0], MOST_PARTS)
    scale = (WIDTH - 2 * MARGIN) / max(whole, sum(part.value for part in shown), 1)
    used = sum(part.value for part in shown)
    pieces = [
        words(MARGIN, 26, title, size=13, font_weight=600),
        tag("rect", class_="mn-box", x=MARGIN, y=38, width=WIDTH - 2 * MARGIN, height=22, rx=3, fill=LIGHT["box"]),
    ]
    x = MARGIN
    colors = [part.color or color for part, color in zip(shown, COLORS, strict=False)]
    for part, color in zip(shown, colors, strict=True):
        length = part.value * scale
        told = tag("title", f"{part.label}: {amount(part.value, unit)}")
        pieces.append(tag("rect", told, x=x, y=38, width=max(length - 1, 0.5), height=22, fill=color))
        x += length
    rows = [(part.label, part.value, color) for part, color in zip(shown, colors, strict=True)]
    if whole > used:
        rows.append(("free", whole - used, ""))
    for place, (label, value, color) in enumerate(rows):
        pieces += _legend(place, label, f"{amount(value, unit)} · {value / max(whole, 1):.0%}", color)
    return frame(WIDTH, 78 + (len(rows) + 2) // 3 * _ROW, title, *pieces)


def bar_list(rows: Sequence[Part], title: str, *, unit: str, color: str = COLORS[0]) -> Markup:
    """Return one bar for each row, longest first as given; beside it its value and its note."""
    shown = gathered(rows, MOST_ROWS)
    most = max((row.value for row in shown), default=1) or 1
    start, room = 300.0, 200.0
    pieces = [words(MARGIN, 26, title, size=13, font_weight=600)]
    for place, row in enumerate(shown):
        y = 42 + place * _ROW
        length = max(row.value / most * room, 1)
        told = tag("title", f"{row.label}: {amount(row.value, unit)}")
        label = cut_front(row.label, int((start - 2 * MARGIN) / (11 * MONO_WIDTH)))
        pieces += [
            words(start - 10, y + 14, label, size=11, font_family=MONO, text_anchor="end"),
            tag("rect", told, x=start, y=y + 3, width=length, height=14, rx=2, fill=color),
            words(start + length + 8, y + 14, amount(row.value, unit), size=11),
        ]  # fmt: skip
        if row.note:
            pieces.append(words(start + room + 84, y + 14, cut(row.note, 22), size=11, class_="mn-dim"))
    return frame(WIDTH, 56 + len(shown) * _ROW, title, *pieces)


def _legend(place: int, label: str, told: str, color: str) -> list[Markup]:
    x, y = MARGIN + place % 3 * 232, 72 + place // 3 * _ROW
    look = {"fill": color} if color else {"class_": "mn-box mn-grid", "fill": LIGHT["box"], "stroke": LIGHT["grid"]}
    return [
        tag("rect", x=x, y=y, width=11, height=11, rx=2, **look),
        words(x + 17, y + 10, cut(label, 16), size=11, font_weight=600),
        words(x + 218, y + 10, told, size=11, class_="mn-dim", text_anchor="end"),
    ]
