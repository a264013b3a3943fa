"""A timeline: what was said, run, read and edited, in causal order, and where the context was replaced.

* The x axis is the ordinal: causal order, no clock. Lanes: the user, runs, then the files that were touched most.
* Shapes tell what happened, colours only repeat it: a ring is a read, a diamond an edit, a square a run that ended
  well, a cross one that did not, a triangle one whose end is not known. A dashed line is a context boundary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from muniment.drawing.markup import (
    LIGHT,
    MONO,
    MONO_WIDTH,
    Markup,
    common_folder,
    cut,
    cut_front,
    frame,
    number,
    tag,
    words,
)
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Boundary, File, FileVersion, Message, Receipt
from muniment.pictures.picture import Picture, said
from muniment.snapshot import Snapshot

WIDTH, LEFT, RIGHT, TOP, LANE = 920.0, 236.0, 24.0, 80.0, 24.0
MOST_FILES = 12
MOST_MARKS = 4000
SIZE = 5.0

READ, EDIT, RUN, FAILED, OPEN, SAID = "read", "edit", "ran, exit 0", "failed", "end unknown", "user"
COLORS = {READ: "#0969da", EDIT: "#bc4c00", RUN: "#1a7f37", FAILED: "#cf222e", OPEN: "#9a6700", SAID: "#8250df"}


class Mark(msgspec.Struct, frozen=True):
    """Something that happened: when, in which lane, what, and in words."""

    ordinal: int
    lane: str
    what: str
    told: str


def timeline(snapshot: Snapshot) -> Picture:
    """Return the timeline of a mission; only the newest `MOST_MARKS` things, and the most touched files, are shown."""
    every = sorted([*_said(snapshot), *_runs(snapshot), *_files(snapshot)], key=lambda mark: (mark.ordinal, mark.lane))
    marks = every[-MOST_MARKS:]
    counted = Counter(mark.lane for mark in marks if mark.what in (READ, EDIT))
    files = sorted(counted, key=lambda path: (-counted[path], path))
    lanes = ["user", "runs", *files[:MOST_FILES]]
    left_out = len(files[MOST_FILES:])
    folder = common_folder(files[:MOST_FILES])
    first, last = (marks[0].ordinal, snapshot.ordinal) if marks else (0, 1)

    def across(ordinal: int) -> float:
        return LEFT + 14 + (ordinal - first) / max(last - first, 1) * (WIDTH - LEFT - RIGHT - 28)

    height = TOP + len(lanes) * LANE + 46
    pieces = [words(16, 26, "What happened, in causal order", size=13, font_weight=600), *_legend()]
    for place, lane in enumerate(lanes):
        pieces += _lane(place, lane.removeprefix(folder), counted.get(lane, 0))
    boundaries = [boundary for boundary in snapshot.of_kind(Boundary) if boundary.ordinal >= first]
    pieces += _boundaries([(across(boundary.ordinal), boundary) for boundary in boundaries], height)
    marks.sort(key=lambda mark: mark.what in (FAILED, OPEN))  # what went wrong is drawn over what went well
    rows = {lane: TOP + place * LANE + LANE / 2 for place, lane in enumerate(lanes)}
    pieces += [_mark(mark, across(mark.ordinal), rows[mark.lane]) for mark in marks if mark.lane in rows]
    pieces += _axis(first, last, across, height, _notes(folder, left_out, len(every) - len(marks)))
    return Picture(frame(WIDTH, height, "Timeline", *pieces))


def _said(snapshot: Snapshot) -> list[Mark]:
    told = [message for message in snapshot.of_kind(Message) if message.binding]
    return [Mark(each.ordinal, "user", SAID, f"{each.handle}: {said(snapshot, each)}") for each in told]


def _runs(snapshot: Snapshot) -> list[Mark]:
    found = []
    for receipt in snapshot.of_kind(Receipt):
        if receipt.command is not None:
            ends = {0: RUN, None: RUN if receipt.status == "ok" else OPEN if receipt.status == "unknown" else FAILED}
            what = ends.get(receipt.exit_code, FAILED)
            ending = "" if receipt.exit_code is None else f" → exit {receipt.exit_code}"
            found.append(Mark(receipt.ordinal, "runs", what, f"{receipt.handle}: {said(snapshot, receipt)}{ending}"))
    return found


def _files(snapshot: Snapshot) -> list[Mark]:
    marks: dict[tuple[int, str, str], Mark] = {}
    for version in snapshot.of_kind(FileVersion):
        file = snapshot.node(version.file)
        for edge in snapshot.edges_to(version.id, {EdgeKind.READS, EdgeKind.WRITES}):
            source = snapshot.node(edge.source)
            if isinstance(file, File) and source is not None:
                what = READ if edge.kind is EdgeKind.READS else EDIT
                mark = Mark(edge.ordinal, file.path, what, f"{source.handle}: {what} {file.path}")
                marks[edge.ordinal, file.path, what] = mark
    # What is written is seen as well; then the edit is what happened.
    return [mark for key, mark in marks.items() if mark.what == EDIT or (*key[:2], EDIT) not in marks]


def _lane(place: int, lane: str, count: int) -> list[Markup]:
    y = TOP + place * LANE
    label = cut_front(lane, int((LEFT - 60) / (11 * MONO_WIDTH))) if count else lane
    font = {"font_family": MONO} if count else {"font_weight": 600}
    pieces = [words(LEFT - 34, y + 16, label, size=11, text_anchor="end", **font)]
    if count:
        pieces.append(words(LEFT - 26, y + 16, str(count), size=10, class_="mn-dim"))
    if place % 2 == 0:
        ground = tag("rect", class_="mn-box", x=LEFT, y=y, width=WIDTH - LEFT - RIGHT, height=LANE, fill=LIGHT["box"])
        pieces.insert(0, ground)
    return pieces


def _mark(mark: Mark, x: float, y: float) -> Markup:
    color, told = COLORS[mark.what], tag("title", cut(mark.told, 300))
    if mark.what == READ:
        return tag("circle", told, cx=x, cy=y, r=SIZE - 1, fill="none", stroke=color, stroke_width=1.7)
    if mark.what == SAID:
        return tag("circle", told, cx=x, cy=y, r=SIZE, fill=color)
    return tag("path", told, d=_outline(mark.what, x, y), fill=color, stroke=color,
               stroke_width=2.2 if mark.what == FAILED else 0)  # fmt: skip


def _outline(what: str, x: float, y: float) -> str:
    s = SIZE
    points = {
        EDIT: [(x, y - s - 1), (x + s + 1, y), (x, y + s + 1), (x - s - 1, y)],
        RUN: [(x - s + 1, y - s + 1), (x + s - 1, y - s + 1), (x + s - 1, y + s - 1), (x - s + 1, y + s - 1)],
        OPEN: [(x, y - s), (x + s, y + s - 1), (x - s, y + s - 1)],
    }
    if what == FAILED:
        ends = (x - s + 1, y - s + 1, x + s - 1, y + s - 1, x - s + 1, y + s - 1, x + s - 1, y - s + 1)
        return "M{} {}L{} {}M{} {}L{} {}".format(*map(number, ends))
    return "M" + "L".join(f"{number(px)} {number(py)}" for px, py in points[what]) + "Z"


def _legend() -> list[Markup]:
    pieces: list[Markup] = []
    x = LEFT + 14
    for what in (SAID, RUN, FAILED, OPEN, READ, EDIT):
        pieces += [_mark(Mark(0, "", what, what), x, 50), words(x + 11, 54, what, size=11)]
        x += 36 + len(what) * 6.4
    return pieces


def _boundaries(found: list[tuple[float, Boundary]], height: float) -> list[Markup]:
    """Return a line for each boundary, with what it is called above it where there is room."""
    pieces: list[Markup] = []
    free = 0.0
    for x, boundary in found:
        name = f"{boundary.handle} context {boundary.outcome}"
        pieces.append(tag("line", tag("title", name), x1=x, x2=x, y1=TOP - 8, y2=height - 40, stroke=COLORS[FAILED],
                          stroke_dasharray="4 3", stroke_width=1.4))  # fmt: skip
        length = len(name) * 5.6
        if x - length / 2 > free:
            pieces.append(words(x, TOP - 11, name, size=10, class_="mn-dim", text_anchor="middle"))
            free = x + length / 2 + 8
    return pieces


def _notes(folder: str, files: int, older: int) -> str:
    notes = [
        "ordinal",
        f"paths under {cut_front(folder, 60)}" if folder else "",
        f"not shown: {files} more files" if files else "",
        f"not shown: {older} older marks" if older else "",
    ]
    return " · ".join(filter(None, notes))


def _axis(first: int, last: int, across: Callable[[int], float], height: float, notes: str) -> list[Markup]:
    y = height - 40
    pieces = [tag("line", class_="mn-grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=LIGHT["grid"])]
    for step in range(5):
        ordinal = first + (last - first) * step // 4
        pieces.append(words(across(ordinal), y + 15, str(ordinal), size=10, class_="mn-dim", text_anchor="middle"))
    return [*pieces, words(LEFT + 14, y + 31, notes, size=10, class_="mn-dim")]
