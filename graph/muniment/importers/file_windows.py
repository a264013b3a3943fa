"""The windows of SWE-agent's editor: `[File: path (N lines total)]` and the numbered lines of it that are shown.

A window tells what a file holds in its lines now. Two windows of one file, before and after an edit, tell what the edit
changed, where both show it.
"""

from __future__ import annotations

import re

import msgspec

from muniment.importers.replacing import region
from muniment.model.records import FileChange, Hunk

_HEADER = re.compile(r"^\[File: (?P<path>.+?) \((?P<total>\d+) lines total\)\]$", re.MULTILINE)
_LINE = re.compile(r"(\d+):(.*)\Z")
_CURSOR = re.compile(r"<<<<< (?:START|END) CURSOR >>>>>\Z")
_ABOVE = re.compile(r"\(\d+ more lines? above\)\Z")


class Window(msgspec.Struct):
    """Lines `first`.. of a file of `total` lines."""

    path: str
    total: int
    first: int
    lines: list[str]

    @property
    def last(self) -> int:
        """The number of the last line shown."""
        return self.first + len(self.lines) - 1

    @property
    def whole(self) -> bool:
        """Whether it shows all of the file."""
        return self.first == 1 and len(self.lines) == self.total

    @property
    def content(self) -> str:
        """The lines as text, each with its end."""
        return "".join(f"{line}\n" for line in self.lines)


def window_in(text: str) -> Window | None:
    """Return the first window in a text whose line ends are line feeds; None where there is none."""
    match = _HEADER.search(text)
    if match is None:
        return None
    first, lines = 0, list[str]()
    for line in text[match.end() + 1 :].split("\n"):
        shown = _LINE.match(line)
        if shown is not None and (not lines or int(shown[1]) == first + len(lines)):
            first = first or int(shown[1])
            lines.append(shown[2])
        elif not _CURSOR.match(line) and not _ABOVE.match(line):
            break
    if not lines:
        return None
    return Window(path=match["path"], total=int(match["total"]), first=first, lines=lines)


def change_between(before: Window | None, after: Window, *, created: bool) -> FileChange:
    """Return what an edit did to a file, as far as the windows before and after it tell."""
    change = "created" if created else "written"
    if after.whole:
        return FileChange(path=after.path, change=change, content=after.content)
    hunk = _hunk(before, after) if before is not None else None
    return FileChange(path=after.path, change=change, hunks=() if hunk is None else (hunk,))


def _hunk(before: Window, after: Window) -> Hunk | None:
    """Return the change between two windows, if both show it with a line that stays on either side of it."""
    first = max(before.first, after.first)
    grown = after.total - before.total
    last = min(before.last, after.last - grown)
    old = before.lines[first - before.first : last + 1 - before.first]
    new = after.lines[first - after.first : last + grown + 1 - after.first]
    if not old or not new:
        return None
    hunk = region(old, new, first=first)
    if hunk is None:
        return None
    removed = sum(line.startswith("-") for line in hunk.lines)
    begins = hunk.old_start > first or first == 1
    ends = hunk.old_start + removed <= last or last == before.total
    return hunk if begins and ends else None
