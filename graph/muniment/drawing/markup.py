"""Markup: escaped elements, and the frame that every picture has.

* Text is escaped, and characters that XML cannot hold are shown as `?`; there is no way around it but `Markup`, which
  only this package makes.
* Colours for light and dark come with the picture (by `prefers-color-scheme`), with a background of its own, so that
  it can be read wherever it is put. Programs that know no style sheets see the light ones.
* No scripts, no links, no fonts or images from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import takewhile

from muniment.errors import UsageError

FONT = "ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, monospace"
MONO_WIDTH = 0.605
"""Width of a character of a monospaced font, in heights of it."""

LIGHT = {"bg": "#ffffff", "fg": "#1f2328", "dim": "#59636e", "line": "#8c959f", "grid": "#d8dee4", "box": "#f6f8fa"}
DARK = {"bg": "#0d1117", "fg": "#e6edf3", "dim": "#9198a1", "line": "#6e7681", "grid": "#2f353d", "box": "#161b22"}

_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*\Z")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Return text that is shown as it is."""
    return Markup(escape(_ODD.sub("?", text)))


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element; children are escaped unless they are markup.

    In attribute names `_` stands for `-`, and one at the end is left out (`class_`); None leaves an attribute out.
    """
    told = []
    for key, value in attributes.items():
        attribute = key.rstrip("_").replace("_", "-")
        if _NAME.match(attribute) is None or attribute.startswith("on"):
            raise UsageError(f"no attribute is called {attribute!r}")
        if value is not None:
            told.append(f' {attribute}="{escaped(number(value) if isinstance(value, float) else str(value))}"')
    inside = "".join(child if isinstance(child, Markup) else escaped(child) for child in children)
    return Markup(f"<{name}{''.join(told)}>{inside}</{name}>" if inside else f"<{name}{''.join(told)}/>")


def number(value: float) -> str:
    """Return a coordinate with at most one decimal place."""
    return f"{value:.1f}".removesuffix(".0")


def joined(*parts: str) -> Markup:
    """Return markup side by side."""
    return Markup("".join(part if isinstance(part, Markup) else escaped(part) for part in parts))


def cut(text: str, most: int) -> str:
    """Return a text on one line, at most `most` characters long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: max(most - 1, 0)]}…"


def cut_front(text: str, most: int) -> str:
    """Return a path on one line, at most `most` characters long; its end stays."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"…{flat[len(flat) - max(most - 1, 0) :]}"


def common_folder(paths: Sequence[str]) -> str:
    """Return the deepest folder that all of several paths are in, with its final slash; "" where there is none."""
    if len(paths) < 2:
        return ""
    parts = [path.split("/")[:-1] for path in paths]
    same = [steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*parts, strict=False))]
    return "".join(f"{step}/" for step in same) if any(same) else ""


def words(x: float, y: float, text: str, *, size: float = 12, **more: object) -> Markup:
    """Return a line of text that begins at (x, y), in the foreground's colour unless `class_` says otherwise."""
    fill = LIGHT["dim" if more.get("class_") == "mn-dim" else "fg"]
    given: dict[str, object] = {"class_": "mn-fg", "font_size": size, "fill": fill, **more}
    return tag("text", text, x=x, y=y, **given)


def frame(width: float, height: float, title: str, *children: str) -> Markup:
    """Return a whole picture: an SVG document of this size with a background, styles and a title for screen readers."""
    ground = tag("rect", class_="mn-bg", width=width, height=height, rx=6, fill=LIGHT["bg"])
    return tag(
        "svg",
        tag("title", title),
        style_sheet(),
        ground,
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        style=f"max-width:100%;height:auto;font-family:{FONT}",
        role="img",
    )


def style_sheet() -> Markup:
    """Return the colours of light and dark, for classes whose names begin with `mn-`."""
    return Markup(f"<style>{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}</style>")


def _rules(colors: dict[str, str]) -> str:
    fills = "".join(f".mn-{name}{{fill:{colors[name]}}}" for name in ("bg", "fg", "dim", "box"))
    strokes = "".join(f".mn-{name}{{stroke:{colors[name]}}}" for name in ("line", "grid"))
    # A card has its light colours in its elements, for programs that know no style sheets: these must win over them.
    card = f"color:{colors['fg']}!important;background:{colors['bg']}!important;border-color:{colors['grid']}!important"
    soft = f".mn-card .mn-soft{{color:{colors['dim']}!important}}"
    return f"{fills}{strokes}.mn-card,.mn-card td,.mn-card th,.mn-card tr{{{card}}}{soft}"
