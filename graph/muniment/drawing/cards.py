"""Cards: a heading, a picture and a table, as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.drawing.markup import FONT, LIGHT, Markup, joined, style_sheet, tag

MOST_ROWS = 200

_CARD = (
    f"font-family:{FONT};font-size:13px;color:{LIGHT['fg']};background:{LIGHT['bg']};"
    f"border:1px solid {LIGHT['grid']};border-radius:6px;padding:12px 16px;max-width:960px;overflow-x:auto"
)
_TABLE = "border-collapse:collapse;width:100%;margin:8px 0 0"
_CELL = f"text-align:left;vertical-align:top;padding:4px 10px 4px 0;font-size:13px;border-top:1px solid {LIGHT['grid']}"


def card(heading: str, under: str, *children: str) -> Markup:
    """Return a card: a heading, a line under it, and what is inside."""
    head = tag("div", heading, style="font-size:15px;font-weight:600")
    line = tag("div", under, class_="mn-soft", style=f"color:{LIGHT['dim']};margin:2px 0 8px")
    return tag("div", style_sheet(), head, line, *children, class_="mn-card", style=_CARD)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Return a table of at most `MOST_ROWS` rows; the last says how many more there are."""
    head = tag("tr", *(tag("th", cell, style=f"{_CELL};font-weight:600", scope="col") for cell in header))
    body = [tag("tr", *(tag("td", cell, style=_CELL) for cell in row)) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        told = f"… and {len(rows) - MOST_ROWS} more"
        body.append(tag("tr", tag("td", told, style=_CELL, colspan=len(header))))
    return tag("table", tag("thead", head), tag("tbody", *body), style=_TABLE)


def folded(heading: str, inside: str, *, shown: bool) -> Markup:
    """Return something that can be folded away under its heading; `shown`: it is open at first."""
    return tag("details", tag("summary", heading, style="cursor:pointer"), inside, open="" if shown else None)


def badge(text: str, color: str) -> Markup:
    """Return a word on a coloured ground; the word, not the colour, says what is meant."""
    look = f"color:#ffffff;background:{color};border-radius:10px;padding:1px 8px;white-space:nowrap;font-weight:600"
    return tag("span", text, style=look)


def small(text: str) -> Markup:
    """Return a text in small type."""
    return tag("span", text, class_="mn-soft", style=f"color:{LIGHT['dim']};font-size:12px")


def code(text: str) -> Markup:
    """Return a text in a monospaced font."""
    return tag("code", text, style="font-size:12px;white-space:pre-wrap;background:none;color:inherit")


def lines(parts: Sequence[str]) -> Markup:
    """Return parts under one another."""
    return joined(*(tag("div", part) for part in parts))
