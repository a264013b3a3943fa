"""Signs: the lines of a page that say what is wrong, what came of it, or how it ended.

Only lines with one of the words of alarm are judged, and each form of line (its numbers apart) once. A form that comes
again and again says less each time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from itertools import accumulate

import msgspec

from muniment.derive.distil.grammar import (
    ALARMS,
    BARE,
    CAPTURED,
    HINT,
    NOTHING,
    PASSED_TESTS,
    PASSING,
    QUIET,
    RESULT,
    RULES,
    SHORT_SUMMARY,
    SUMMARY,
    TEST_HEADING,
    Rule,
)
from muniment.derive.distil.page import Page

_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Sign(msgspec.Struct, frozen=True):
    """A line that says something: what, its worth, and how often its form came before and comes in all."""

    line: int
    establishes: str
    worth: int
    before: int
    times: int


def signs_of(page: Page, *, succeeded: bool = False) -> list[Sign]:
    """Return the signs of a page, in order of lines; these count from 0.

    Where the run is known to have succeeded, nothing but its summary is more than a hint.
    """
    rules: dict[str, Rule | None] = {}
    found: list[tuple[int, str]] = []
    quiet, captured = _of_passed_tests(page.judged), _captured(page.judged)
    for number in _alarming(page.judged):
        if number in quiet:
            continue
        line = page.judged[number]
        form = _NUMBERS.sub("0", line).strip()
        if form not in rules:
            rules[form] = judge(line)
        found.append((number, form))
    times = Counter(form for _, form in found)
    seen: Counter[str] = Counter()
    signs: list[Sign] = []
    for number, form in found:
        rule = rules[form]
        if rule is not None:
            softly = (succeeded and rule.establishes != RESULT) or number in captured
            worth = min(rule.worth, HINT) if softly else rule.worth
            signs.append(Sign(number, rule.establishes, worth, seen[form], times[form]))
            seen[form] += 1
    return signs


def judge(line: str) -> Rule | None:
    """Return the first rule that a line fits, once counts of nothing are taken out; None where none does."""
    if PASSING.match(line) or BARE.match(line):
        return None
    if "0" in line or "no " in line or "No " in line:
        line = NOTHING.sub("", line)
    low = line.lower()
    quiet = QUIET.match(line) is not None
    for rule in RULES:
        if quiet and rule.worth > SUMMARY:
            return None
        if rule.fits(line, low):
            return rule
    return None


def _of_passed_tests(lines: list[str]) -> range:
    """Return the lines that pytest shows of what passed tests printed, up to its last summary."""
    if PASSED_TESTS not in lines:
        return range(0)
    begin = lines.index(PASSED_TESTS)
    ends = (number for number in range(len(lines) - 1, begin, -1) if SHORT_SUMMARY.match(lines[number]))
    return range(begin, next(ends, begin))


def _captured(lines: list[str]) -> set[int]:
    """Return the lines that pytest shows of what a failed test printed: what matters of a test stands before them."""
    found: set[int] = set()
    inside = False
    for number, line in enumerate(lines):
        if line[:1] in "-_=" and line:
            inside = CAPTURED.match(line) is not None or (inside and TEST_HEADING.match(line) is None)
        if inside:
            found.add(number)
    return found


def _alarming(lines: list[str]) -> list[int]:
    """Return the numbers of the lines that hold a word of alarm, in order."""
    low = "\n".join(lines).lower()
    ends = list(accumulate(len(line) + 1 for line in lines))
    if not ends or ends[-1] - 1 != len(low):  # lowering changed a length: rare letters do that
        return [number for number, line in enumerate(lines) if any(word in line.lower() for word in ALARMS)]
    found: set[int] = set()
    for word, standing in ALARMS.items():
        place = low.find(word)
        while place >= 0:
            if standing is None or standing.match(low, place):
                number = bisect_right(ends, place)
                found.add(number)
                place = low.find(word, ends[number])
            else:
                place = low.find(word, place + len(word))
    return sorted(found)
