"""What searches and git print with numbers: hits, patches and blames, read line by line.

* A hit's line is `12:text`, `path:12:text` or, beside a hit, `path-12-text`; its path is taken from the hit beside it.
* Numbers of one file must ascend; what does not fit ends the run.
* A patch's hunks say themselves how long they are.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.streams import Hits

_BARE: Final = re.compile(r"(\d+)([:-])(.*)\Z", re.DOTALL)
_NAMED: Final = re.compile(r"(.+?):(\d+):(.*)\Z", re.DOTALL)
_ODD_PATH: Final = re.compile(r": |\t| \Z")
_COLUMN: Final = re.compile(r"(\d+)[:-](.*)\Z", re.DOTALL)
_OMITTED: Final = re.compile(r"\[Omitted long (?:matching |context )?line")
_BREAK: Final = "--"
_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FILE: Final = re.compile(r"\+\+\+ (?:\"?)(.*?)(?:\"?)(?:\t.*)?\Z")
_HEADER: Final = re.compile(
    r"diff --(?:git|cc|combined) |index |old mode|new mode|new file|deleted file|similarity|dissimilarity|rename |copy "
    r"|--- |\+\+\+ |Binary files|GIT binary"
)
_BLAMED: Final = re.compile(
    r"\^?[0-9a-f]{7,40}(?: +\S+)? +\(.*?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} +(\d+)\)(?: (.*)|)\Z", re.DOTALL
)

Line = tuple[str, int, str]
"""Path as printed ("" where none is), number, text."""
HitRun = tuple[int, list[Line]]
"""How many lines are a search's, and what they tell."""


def hit_run(part: Hits, lines: list[str], start: int) -> HitRun:
    """Return how many lines from `start` on are a search's, and what they tell."""
    if part.heading:
        return 0, []
    found = _bare_run(part, lines, start) if part.single else []
    if found:
        return len(found), [line for line in found if line is not None]
    named = _named_run(part, lines, start)
    return len(named), [line for line in named if line is not None]


def _bare_run(part: Hits, lines: list[str], start: int) -> list[Line | None]:
    found: list[Line | None] = []
    last = 0
    for text in lines[start:]:
        if text == _BREAK and found:
            found.append(None)
            continue
        match = _BARE.match(text)
        if match is None or int(match[1]) <= last:
            break
        last = int(match[1])
        found.append(_line("", last, match[3], part.extra if match[2] == ":" else 0))
    while found and found[-1] is None:
        found.pop()
    return found


def _named_run(part: Hits, lines: list[str], start: int) -> list[Line | None]:
    """Lines with paths; those beside a hit are read group by group, since their form alone does not tell the path."""
    found: list[Line | None] = []
    last: dict[str, int] = {}
    at = start
    while at < len(lines):
        stop = at
        while stop < len(lines) and lines[stop] != _BREAK and _could_be_named(lines[stop]):
            stop += 1
        group = _group(part, lines[at:stop], last)
        found += group
        at += len(group)
        if len(group) < stop - (at - len(group)) or at >= len(lines) or lines[at] != _BREAK or not group:
            break
        found.append(None)
        at += 1
    while found and found[-1] is None:
        found.pop()
    return found


def _could_be_named(text: str) -> bool:
    return _NAMED.match(text) is not None or re.match(r".+-\d+-", text) is not None


def _group(part: Hits, group: list[str], last: dict[str, int]) -> list[Line | None]:
    hits = {hit[1] for text in group if (hit := _NAMED.match(text)) is not None and not _ODD_PATH.search(hit[1])}
    # `a.py-12-x:3:y` is a line beside a hit in a.py, if there is one; else a hit in a file of that name.
    beside = {path for path in hits if any(_is_beside(path, other) for other in hits)}
    own = hits - beside
    paths = sorted(own, key=len, reverse=True)
    found: list[Line | None] = []
    for text in group:
        hit = _NAMED.match(text)
        line = _named(part, text, [hit[1]] if hit is not None and hit[1] in own else paths)
        if line is None or line[1] <= last.get(line[0], 0):
            break
        last[line[0]] = line[1]
        found.append(None if line[2] == "\0" else line)
    return found


def _is_beside(path: str, other: str) -> bool:
    return path.startswith(other) and re.match(r"-\d+-", path[len(other) :]) is not None


def _named(part: Hits, text: str, paths: list[str]) -> Line | None:
    for path in paths:
        if text.startswith(path):
            match = _BARE.match(text[len(path) + 1 :])
            mark = text[len(path) : len(path) + 1]
            if match is not None and match[2] == mark:
                line = _line(path, int(match[1]), match[3], part.extra if mark == ":" else 0)
                return line if line is not None else (path, int(match[1]), "\0")
    return None


def _line(path: str, number: int, text: str, extra: int) -> Line | None:
    for _ in range(extra):
        column = _COLUMN.match(text)
        if column is None:
            return None
        text = column[2]
    return None if _OMITTED.match(text) else (path, number, text)


class PatchLines(msgspec.Struct):
    """The new side of a patch: paths as printed, with their lines, hunk by hunk."""

    used: int = 0
    runs: list[tuple[str, int, list[str]]] = []


def patch_run(lines: list[str], start: int) -> PatchLines:
    """Return what a patch's hunks show of the new side, up to where the patch, or what is there of it, ends."""
    found = PatchLines()
    at, path = start, ""
    while at < len(lines):
        text = lines[at]
        hunk = _HUNK.match(text)
        if hunk is not None:
            at, run = _hunk(lines, at + 1, hunk)
            if path and run:
                found.runs.append((path, int(hunk[2]), run))
            continue
        if text.startswith("+++ "):
            name = _FILE.match(text)
            path = name[1] if name and not text.endswith('"') else ""
        elif text.startswith("diff --"):
            path = ""
        elif not _HEADER.match(text) and text[:1] != "\\":
            break
        at += 1
    found.used = at - start
    return found


def _hunk(lines: list[str], at: int, head: re.Match[str]) -> tuple[int, list[str]]:
    old, new = int(head[1] or 1), int(head[3] or 1)
    run: list[str] = []
    while at < len(lines) and (old > 0 or new > 0):
        text = lines[at]
        mark = text[:1] or " "
        if mark not in " +-\\":
            break
        old -= mark in " -"
        new -= mark in " +"
        if mark in " +":
            run.append(text[1:])
        at += 1
    return at, run


def blame_run(lines: list[str], start: int) -> list[tuple[int, str]]:
    """Return the numbered lines of a blame from `start` on."""
    found: list[tuple[int, str]] = []
    for text in lines[start:]:
        match = _BLAMED.match(text)
        if match is None or (found and int(match[1]) <= found[-1][0]):
            break
        found.append((int(match[1]), match[2] or ""))
    return found
