"""Shell reads against the shell itself: random commands are run on random files, and what is claimed must be so."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.reads.evaluate import evaluated
from muniment.derive.reads.layout import Known
from muniment.derive.reads.output import Sighting, sightings
from muniment.derive.texts import split_lines
from tests.support.shell_lines import ALONE, random_files, random_line, run


def trimmed(output: str) -> str:
    """Return an output as a runtime keeps it that takes empty lines off both ends."""
    lines = output.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def claims(line: str, output: str, files: dict[str, str], *, raw: bool, known: bool) -> list[Sighting]:
    """Return what an output is said to show; with `known`, the files are known already."""
    told = evaluated(line)
    assert told is not None, line

    def known_of(path: str) -> Known | None:
        lines = split_lines(files[path]) if path in files else None
        return Known(list(lines), len(lines)) if known and lines is not None else None

    return sightings(told.shown, output, known_of, raw=raw) if output else []


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(min_value=0, max_value=10**9), known=st.booleans())
def test_a_claimed_line_is_in_the_file_and_a_claimed_length_is_its_length(seed: int, known: bool) -> None:
    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        files = random_files(rng, Path(folder))
        line = random_line(rng)
        status, output = run(line, Path(folder))
    for raw in (True, False) if status == 0 else ():
        shown = output if raw else trimmed(output)
        for sighting in claims(line, shown, files, raw=raw, known=known):
            lines = split_lines(files[sighting.path.removeprefix("./")])
            first = sighting.first - 1
            assert lines[first : first + len(sighting.lines)] == list(sighting.lines), (line, output)
            assert sighting.total in (None, len(lines)), (line, output)


@pytest.mark.parametrize(("line", "numbers"), ALONE, ids=[line for line, _ in ALONE])
def test_a_command_that_reads_one_file_alone_claims_all_that_it_shows(
    line: str, numbers: list[int], tmp_path: Path
) -> None:
    text = "".join(f"line {number}\n" if number % 4 else "\n" for number in range(1, 31))
    (tmp_path / "a.txt").write_text(text)
    status, output = run(line, tmp_path)
    assert status == 0
    told = claims(line, output, {"a.txt": text}, raw=True, known=False)
    assert sorted(n for each in told for n in range(each.first, each.first + len(each.lines))) == numbers
    assert all(each.path == "a.txt" for each in told)
