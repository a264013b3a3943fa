"""A page: the lines of an output as somebody at a terminal would have seen them.

* Lines are the store's: they end at newlines only, and keep their numbers whatever is taken out of them.
* Colours and other escape sequences go. Of a line that was written over and over (progress bars between carriage
  returns) the last state stays.
* Where most lines begin with the time of day, as CI services and loggers write it, that goes too: it costs more tokens
  than many messages. So does what `docker build` and `compose` put before each line, but only for judging a line.
* A very long line is shown by its ends and, where a sign stands in it, by what stands around that.
"""

from __future__ import annotations

import re

import msgspec

from muniment.derive.texts import readable, split_lines

SAMPLE = 200
"""Lines that are looked at to tell whether lines begin with a time."""
MOSTLY = (3, 5)
"""Which share of them must."""
SPARED = 32
"""Characters that are not worth a mark that they are left out."""
LONGEST_JUDGED = 2_000
"""Characters of a line, from each end, in which signs are looked for."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78McDEH])")
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_TIME = re.compile(
    rf"(?:[\w .()/-]+\t[\w .()/-]+\t)?\ufeff?[\[(]?(?:\d{{4}}[-/]\d\d[-/]\d\d[T ])?{_CLOCK}[\])]?(?:\s*[-|:]\s|\s|$)"
)
"""`2024-05-01T10:00:00.123Z `, `[10:00:00] `, and the columns for job and step that `gh run view --log` writes."""
_SOURCE = re.compile(r"(?:#\d+ (?:\d+\.\d+ )?|[\w.@/-]+\s*\| |[@\w/-]+:[a-z][\w-]*: )")
"""`#12 3.456 `, `web_1  | `, `@scope/package:build: `."""


class Page(msgspec.Struct, frozen=True):
    """The lines as they are shown, and as they are judged: without what says where a line comes from."""

    shown: list[str]
    judged: list[str]

    def __len__(self) -> int:
        return len(self.shown)


def page_of(text: str) -> Page:
    """Return the page of an output."""
    plain = _ESCAPES.sub("", text) if "\x1b" in text else text
    lines = split_lines(plain)
    if "\r" in plain:
        lines = [_last_state(line) if "\r" in line else line for line in lines]
    lines = _without(_TIME, lines)
    judged = _without(_SOURCE, lines)
    if len(plain) > LONGEST_JUDGED * 2 and any(len(line) > LONGEST_JUDGED * 2 for line in judged):
        judged = [_ends(line) for line in judged]
    return Page(lines, judged)


def clipped(line: str, most: int, around: int = 0) -> str:
    """Return a line fit to be shown in about `most` characters: its ends, and what stands around a place in it."""
    line = readable(line).rstrip()
    if len(line) <= most + SPARED:
        return line
    part = most // 3
    begin = min(max(around - part // 2, part), len(line) - 2 * part)
    head, middle, tail = line[:part], line[begin : begin + part], line[len(line) - part :]
    if begin <= part or around <= 0:
        return f"{line[: 2 * part]} [… {len(line) - 3 * part:,} characters] {tail}"
    if begin + 2 * part >= len(line):
        return f"{head} [… {len(line) - 3 * part:,} characters] {line[len(line) - 2 * part :]}"
    return f"{head} […] {middle} [… of {len(line):,} characters] {tail}"


def _last_state(line: str) -> str:
    """Return what a line that was written over shows at its end: its last part that holds anything."""
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


def _without(prefix: re.Pattern[str], lines: list[str]) -> list[str]:
    """Return the lines without a prefix that most of them have; the lines themselves where most have none."""
    step = max(len(lines) // SAMPLE, 1)
    sample = [line for line in lines[::step] if line.strip()]
    many, of = MOSTLY
    if not sample or sum(prefix.match(line) is not None for line in sample) * of < len(sample) * many:
        return lines
    return [line[found.end() :] if (found := prefix.match(line)) else line for line in lines]


def _ends(line: str) -> str:
    if len(line) <= LONGEST_JUDGED * 2:
        return line
    return f"{line[:LONGEST_JUDGED]} {line[-LONGEST_JUDGED:]}"
