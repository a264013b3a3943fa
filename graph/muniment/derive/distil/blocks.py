"""Blocks: how far what a sign says reaches.

* A block is a run of lines: signs, and what goes on after them: deeper lines, frames, code with its marks, notes, lines
  with the same tag. A blank line inside is part of it where the block goes on behind.
* A report of a failing test is a block from its heading to the next heading, whatever stands in it.
* A ruler (`------`) between two signs does not part them.
* What is essential in a block are its first line, the three lines from its weightiest sign on (whoever explains a
  failure begins with them), and the weightiest signs behind these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from math import sqrt

import msgspec

from muniment.derive.distil.grammar import CAUSE, DETAIL, FAILING_TEST, HINT, RULER, WARNING_LEVEL
from muniment.derive.distil.page import Page
from muniment.derive.distil.signs import Sign

OPENING = 3
"""Lines of a block that come before all others."""
LONGEST = 1_000
"""Lines of a block at most."""
OFTEN = 4
"""Lines of one form from which on even the first says less: noise of what goes on is of few forms."""
KEY_SIGNS = 2
"""Signs behind its first lines that are essential too: the first of each kind that is not among these."""

_TAG = re.compile(r"\[(?:ERROR|FATAL|SEVERE|WARN(?:ING)?)\]|npm (?:ERR!|error)|E  |INTERNALERROR>|[│╷╵]|#\d+ ")
_DASHES = re.compile(r"-{20,}$")
_MARK = re.compile(r"\s*[\^~]+[\^~\s]*$")
_HEADED = re.compile(r"_{3,} .+ _{3,}$|(?:FAIL|ERROR): |\s*● |---- .+ ----$")
"""Headings of reports that reach to the next heading, blank lines or not."""
_NEXT = re.compile(
    r"_{3,} .+ _{3,}$|=+ (?!test session starts|no tests ran).+ =+$|={20,}$|\s*● |---- .+ ----$|failures:|Ran \d"
    r"|test result|Tests?:? |Test Suites:"
)


class Block(msgspec.Struct, frozen=True):
    """Lines `first`..`last` (from 0), the signs among them, the weightiest, and the lines that come before all others:
    `essential`, or at least its `core`.

    `worth` is that of the weightiest sign, less where lines of its form came before or come often, or after a warning.
    """

    first: int
    last: int
    signs: tuple[Sign, ...]
    essential: tuple[int, ...]
    core: tuple[int, ...]
    best: Sign
    worth: float


def blocks_of(page: Page, signs: list[Sign]) -> list[Block]:
    """Return the blocks of a page, in order; no line is in two."""
    by_line = {sign.line: sign for sign in signs}
    found: list[Block] = []
    end = -1
    for sign in signs:
        if sign.line > end:
            end = _end(page.judged, sign, by_line)
            inside = tuple(by_line[number] for number in range(sign.line, end + 1) if number in by_line)
            found.append(_block(page, end, inside))
    return found


def _block(page: Page, last: int, signs: tuple[Sign, ...]) -> Block:
    first, highest = signs[0].line, max(sign.worth for sign in signs)
    heaviest = [sign for sign in signs if sign.worth == highest]
    opening = range(heaviest[0].line, min(heaviest[0].line + OPENING, last + 1))
    kinds = {sign.establishes for sign in signs if sign.line in opening}
    others = {sign.establishes: sign.line for sign in reversed(heaviest) if sign.establishes not in kinds}
    behind = sorted(others.values())
    best = min(heaviest, key=lambda sign: sign.before)
    most = HINT if WARNING_LEVEL.match(page.judged[first]) else highest
    keys = {line for key in behind[:KEY_SIGNS] for line in _tagged(page.judged, key, last, behind)}
    essential = tuple(sorted({first, *opening, *keys}))
    often = sqrt(max(best.times / OFTEN, 1))
    core = (heaviest[0].line, *behind[:1])
    return Block(first, last, signs, essential, core, best, min(most, highest) / (1 + best.before) / often)


def _tagged(lines: list[str], key: int, last: int, others: Collection[int]) -> Iterator[int]:
    """Yield a key line and those right behind it that go on under the same tag, three at most; not other key lines."""
    yield key
    tag = _tag(lines[key])
    for number in range(key + 1, min(key + OPENING, last + 1)):
        if not tag or _tag(lines[number]) != tag or number in others:
            return
        yield number


def _end(lines: list[str], sign: Sign, signs: Mapping[int, Sign]) -> int:
    """Return the last line of the block that begins with a sign."""
    stop = min(sign.line + LONGEST, len(lines))
    headed = sign.establishes == FAILING_TEST and _HEADED.match(lines[sign.line])
    return _headed_end(lines, sign.line, stop) if headed else _run_end(lines, sign.line, stop, signs)


def _headed_end(lines: list[str], first: int, stop: int) -> int:
    last = first
    ruled = False
    for number in range(first + 1, stop):
        line = lines[number]
        if _NEXT.match(line):
            break
        if _DASHES.match(line):  # unittest: one below the heading, one behind the report
            if ruled:
                break
            ruled = True
        if line.strip():
            last = number
    return last


def _run_end(lines: list[str], first: int, stop: int, signs: Mapping[int, Sign]) -> int:
    depth, tag = _depth(lines[first]), _tag(lines[first])
    last = _below_marked_code(lines, first, stop)
    for number in range(last + 1, stop):
        if number <= last:
            continue
        line = lines[number]
        if not line.strip():
            if number > last + 1:
                break
            continue
        sign = signs.get(number)
        blank = number > last + 1
        if sign is None and RULER.match(line) and number + 1 in signs:
            continue
        if sign is not None and sign.establishes == FAILING_TEST and sign.worth == CAUSE:
            break
        goes_on = _depth(line) > depth or (tag and _tag(line) == tag) or (not blank and (sign or DETAIL.match(line)))
        if not goes_on:
            break
        if number > last:
            last = _below_marked_code(lines, number, stop) if sign else number
    return last


def _below_marked_code(lines: list[str], first: int, stop: int) -> int:
    """Return the line with the mark (`^`) under the code that a message is about; its own where there is none."""
    marks = (number for number in range(first + 1, min(first + 4, stop)) if _MARK.match(lines[number]))
    return next(marks, first)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tag(line: str) -> str:
    found = _TAG.match(line)
    return found[0] if found else ""
