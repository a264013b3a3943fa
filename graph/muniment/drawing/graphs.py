"""Graphs of boxes and arrows, as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from muniment.drawing.layered import Arrow, Box, placed
from muniment.drawing.markup import LIGHT, MONO, MONO_WIDTH, Markup, cut, frame, joined, number, tag, words

BOX_WIDTH, BOX_HEIGHT = 214.0, 40.0
GAP_X, GAP_Y = 92.0, 14.0
MARGIN = 20.0
HEAD_SIZE, LINE_SIZE, LABEL_SIZE = 11.5, 11.0, 10.0
MOST_BOXES = 80

MOST_LABELS = 16
"""Arrows up to which each has its label beside it; where there are more, a legend tells by colour and dashes."""
STYLES = (
    *(("#0969da", ""), ("#1a7f37", "6 3"), ("#bc4c00", "2 3"), ("#8250df", "8 3 2 3"), ("#9a6700", "4 4")),
    *(("#1b7c83", "1 3"), ("#cf222e", "10 4"), ("#6e7781", "3 6")),
)

Point = tuple[float, float]


class Curve(msgspec.Struct, frozen=True):
    """How an arrow runs: from `start` to `end`; `way` is 1 to the right, -1 to the left, 0 inside a column."""

    start: Point
    end: Point
    way: float

    def at(self, part: float) -> Point:
        """Return the point at a part (0 to 1) of the curve."""
        points = self._points()
        rest = 1 - part
        weights = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
        across = sum(weight * point[0] for weight, point in zip(weights, points, strict=True))
        return across, sum(weight * point[1] for weight, point in zip(weights, points, strict=True))

    def path(self) -> str:
        """Return the curve as SVG writes it."""
        first, *others = (f"{number(x)},{number(y)}" for x, y in self._points())
        return f"M{first} C{' '.join(others)}"

    def _points(self) -> tuple[Point, Point, Point, Point]:
        (sx, sy), (tx, ty) = self.start, self.end
        bend = GAP_X * 0.5 * (self.way or 0.8)
        tip = 6 * (self.way or -1)
        return (sx, sy), (sx + bend, sy), (tx - tip - (bend if self.way else -bend), ty), (tx - tip, ty)


def drawn(boxes: Sequence[Box], arrows: Sequence[Arrow], title: str, notes: Sequence[str] = ()) -> Markup:
    """Return a picture of at most `MOST_BOXES` boxes in columns, with a title and notes under it."""
    boxes = boxes[:MOST_BOXES]
    places = placed(boxes, arrows)
    seen = [arrow for arrow in arrows if arrow.source in places and arrow.target in places]
    styles = _styles(seen)
    rows = [row for _, row in places.values()] or [0.0]
    top = 46.0 + 16 * len(notes) + (20 if styles else 0)
    corners = {
        node: (MARGIN + column * (BOX_WIDTH + GAP_X), top + (row - min(rows)) * (BOX_HEIGHT + GAP_Y))
        for node, (column, row) in places.items()
    }
    curves = [(arrow, _curve(corners[arrow.source], corners[arrow.target])) for arrow in seen]
    pieces = [words(MARGIN, 28, title, size=13, font_weight=600)]
    pieces += [words(MARGIN, 46 + 16 * place, note, size=11.5, class_="mn-dim") for place, note in enumerate(notes)]
    pieces += _legend(styles, top - 14)
    pieces += [_arrow(arrow, curve, styles.get(arrow.label, (arrow.color, ""))) for arrow, curve in curves]
    pieces += [piece for box in boxes for piece in _box(box, corners[box.id])]
    pieces += _labels([(arrow, curve) for arrow, curve in curves if arrow.strong or not styles])
    right = max((x for x, _ in corners.values()), default=0) + BOX_WIDTH + MARGIN
    bulge = GAP_X if any(not curve.way and curve.start[0] + MARGIN >= right for _, curve in curves) else 0
    tall = (max(rows) - min(rows) + 1) * (BOX_HEIGHT + GAP_Y)
    return frame(max(right + bulge, 560), top + tall + MARGIN - GAP_Y, title, *pieces)


def _styles(arrows: Sequence[Arrow]) -> dict[str, tuple[str, str]]:
    """Return colour and dashes for each label, where there are too many arrows to label them one by one."""
    plain = [arrow.label for arrow in arrows if arrow.label and not arrow.strong]
    labels = sorted(set(plain)) if len(plain) > MOST_LABELS else []
    return {label: STYLES[place % len(STYLES)] for place, label in enumerate(labels)}


def _legend(styles: dict[str, tuple[str, str]], y: float) -> list[Markup]:
    pieces: list[Markup] = []
    x = MARGIN
    for label, (color, dashes) in styles.items():
        pieces.append(tag("line", x1=x, x2=x + 24, y1=y - 4, y2=y - 4, stroke=color, stroke_width=1.6,
                          stroke_dasharray=dashes or None))  # fmt: skip
        pieces.append(words(x + 29, y, label, size=LABEL_SIZE + 0.5, class_="mn-dim"))
        x += 46 + len(label) * 6.2
    return pieces


def _box(box: Box, corner: Point) -> list[Markup]:
    x, y = corner
    room = int((BOX_WIDTH - 20) / (LINE_SIZE * MONO_WIDTH))
    told = tag("title", cut(box.tooltip or f"{box.head} {box.line}", 600))
    return [
        tag("rect", told, class_="mn-box", x=x, y=y, width=BOX_WIDTH, height=BOX_HEIGHT, rx=4, fill=LIGHT["box"],
            stroke=box.color, stroke_width=1.2),
        tag("rect", x=x, y=y, width=5, height=BOX_HEIGHT, rx=2, fill=box.color),
        words(x + 13, y + 16, cut(box.head, 32), size=HEAD_SIZE, font_weight=600),
        words(x + 13, y + 31, cut(box.line, room), size=LINE_SIZE, font_family=MONO, class_="mn-dim"),
    ]  # fmt: skip


def _curve(source: Point, target: Point) -> Curve:
    (sx, sy), (tx, ty) = source, target
    half = BOX_HEIGHT / 2
    if sx == tx:
        return Curve((sx + BOX_WIDTH, sy + half), (tx + BOX_WIDTH, ty + half), 0)
    way = 1.0 if tx > sx else -1.0
    begin, end = (sx + BOX_WIDTH, tx) if way > 0 else (sx, tx + BOX_WIDTH)
    return Curve((begin, sy + half), (end, ty + half), way)


def _arrow(arrow: Arrow, curve: Curve, style: tuple[str, str]) -> Markup:
    color, dashes = (arrow.color, "") if arrow.strong else style
    told = tag("title", arrow.label) if arrow.label else ""
    line = tag("path", told, d=curve.path(), fill="none", stroke=color, stroke_dasharray=dashes or None,
               stroke_width=1.8 if arrow.strong else 1.1)  # fmt: skip
    tx, ty = curve.end
    tip = 7.0 * (curve.way or -1)
    points = f"{number(tx)},{number(ty)} {number(tx - tip)},{number(ty - 3.5)} {number(tx - tip)},{number(ty + 3.5)}"
    return joined(line, tag("polygon", points=points, fill=color))


def _labels(curves: Sequence[tuple[Arrow, Curve]]) -> list[Markup]:
    """Return the labels, each at the less crowded end of its arrow; equal ones at one place once."""
    crowd = Counter(point for _, curve in curves for point in (curve.start, curve.end))
    pieces: list[Markup] = []
    told: set[tuple[Point, str]] = set()
    for arrow, curve in curves:
        late = crowd[curve.end] <= crowd[curve.start]
        key = (curve.end if late else curve.start, arrow.label)
        if not arrow.label or key in told:
            continue
        told.add(key)
        x, y = curve.at((0.58 if late else 0.36) if curve.way else 0.5)
        length = len(arrow.label) * LABEL_SIZE * 0.58 + 6
        ground = tag("rect", class_="mn-bg", x=x - length / 2, y=y - 7, width=length, height=13, rx=3,
                     fill=LIGHT["bg"], opacity=0.9)  # fmt: skip
        label = words(x, y + 3.5, arrow.label, size=LABEL_SIZE, class_="mn-dim", text_anchor="middle")
        pieces += [ground, label]
    return pieces
