"""Logs of which it is known which lines explain the failure.

* `build-logs/<name>/fail.log` with `groundtruth`: intervals of lines, counted at every line end and carriage return.
* `eval-runs`: logs of test runs. Of each test that the report (or, where there is none, the log's own list) calls
  failed, the truth is where it is reported, what its assertion says, and where that stands; and the last count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from muniment.derive.distil.page import page_of

Range = tuple[int, ...]


class Log(msgspec.Struct, frozen=True):
    """A log and its true ranges, each as the numbers of its lines in the store, from 0.

    A line of which nobody would see anything, since it was written over, has the number -1.
    """

    name: str
    text: str
    ranges: tuple[Range, ...]


def logs(folder: Path) -> Iterator[Log]:
    """Yield all logs with a known truth under a folder of sessions."""
    for truth in sorted(folder.glob("build-logs/*/groundtruth")):
        text = (truth.parent / "fail.log").read_bytes().decode("utf-8", "replace")
        yield Log(truth.parent.name, text, tuple(_intervals(truth.read_text(), _places(text))))
    for path in sorted([*folder.glob("eval-runs/*.test_output.txt"), *folder.glob("eval-runs/*.eval.log")]):
        text = path.read_bytes().decode("utf-8", "replace")
        lines = page_of(text).shown
        failing = _reported(path) if path.suffix == ".txt" else _listed(lines)
        if failing:
            yield Log(path.name.partition(".")[0], text, tuple(_told(lines, failing)))


def _places(text: str) -> list[int]:
    """Return for each line of the truth its line in the store, or -1 where the terminal wrote over it."""
    found: list[int] = []
    for number, line in enumerate(text.split("\n")):
        parts = line.removesuffix("\r").split("\r")
        seen = max((place for place, part in enumerate(parts) if part.strip()), default=len(parts) - 1)
        found += [number if place == seen else -1 for place in range(len(parts))]
    return found


def _intervals(truth: str, places: list[int]) -> Iterator[Range]:
    for line in truth.splitlines()[1:]:
        if line.strip():
            first, _, last = line.split()[1].partition("-")
            yield tuple(places[int(first) - 1 : int(last or first)])


def _reported(path: Path) -> list[str]:
    report = json.loads(path.with_name(path.name.replace(".test_output.txt", ".report.json")).read_text())
    kinds = [kind for run in report.values() for kind in run.get("tests_status", {}).values()]
    return [test for kind in kinds for test in kind["failure"]]


def _listed(lines: list[str]) -> list[str]:
    """Return the tests of the last list of failures: what tests print of runs of their own stands before it."""
    found: list[str] = []
    for line in reversed(lines):
        listed = re.match(r"FAILED (\S+::\S+)", line)
        if listed:
            found.append(listed[1])
        elif found:
            break
    return found


_HEADING = re.compile(r"_{3,} (.+) _{3,}$|(?:FAIL|ERROR): (.+)$")
_END = re.compile(r"_{3,} .+ _{3,}$|=+ .+ =+$|={20,}$|Ran \d+ tests")


def _told(lines: list[str], failing: list[str]) -> Iterator[Range]:
    names = {test.partition(" ")[0].rpartition("::")[2] for test in failing}
    counted = -1
    for number, line in enumerate(lines):
        heading = _HEADING.match(line)
        named = (heading[1] or heading[2]).partition(" (")[0].rpartition(".")[2] if heading else ""
        if heading and named in names:
            names.remove(named)
            yield (number,)
            yield from _assertion(lines, number)
        elif re.match(r"=+ .*\d+ failed.* =+$|FAILED \((?:failures|errors)=", line):
            counted = number
    if counted >= 0:
        yield (counted,)


def _assertion(lines: list[str], heading: int) -> Iterator[Range]:
    """Yield the first run of lines that say what was wrong, and the line that says where."""
    stop = next((n for n in range(heading + 1, len(lines)) if _END.match(lines[n])), len(lines))
    said = [n for n in range(heading, stop) if re.match(r"E  |(?:\w+\.)*\w*(?:Error|Exception)\b", lines[n])]
    if said:
        last = said[0]
        while last + 1 in said or (last + 1 < stop and lines[said[0]][:2] != "E " and lines[last + 1].startswith("  ")):
            last += 1
        yield tuple(range(said[0], last + 1))
    yield from ((n,) for n in range(heading, stop) if re.match(r"\S+\.py:\d+: \w+(?:Error|Exception|$)", lines[n]))
