"""The corpus of mutated sessions, in small: each mutation once, on one recorded run of each format.

The whole of it is `make bench-closeout`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.closeout import MUTATIONS, bases_of
from tests.bench.closeout_case import Judged, judged, judged_all
from tests.bench.closeout_mutations import FALSE, HONEST

SMALL = (
    ("opencode", "oc03-gatomia-54.json"),
    ("mini-swe-agent", "ms11-pylint-dev__astroid-1196-unresolved.traj.json"),
    ("claude-code", "cc04-entire-62.jsonl"),
    ("openhands", "oh03-v1-6e57"),
    ("codex", "cx03-agentv-220.jsonl"),
)


def said(sessions: Path, form: str, name: str, folder: Path, *, part: int) -> list[Judged]:
    """Judge every fifth mutation on the first run of a session."""
    base = bases_of(form, sessions / form / name, 1)[0]
    return judged_all(base, MUTATIONS[part :: len(SMALL)], folder)


@pytest.mark.parametrize(("form", "name"), SMALL)
def test_false_claims_are_caught_and_honest_ones_proven_each_with_the_right_reason(
    sessions: Path, tmp_path: Path, form: str, name: str
) -> None:
    part = SMALL.index((form, name))
    found = [each for each in said(sessions, form, name, tmp_path, part=part) if each.said]
    assert {each.kind for each in found} == {FALSE, HONEST}
    assert [each for each in found if not each.right] == []


def test_a_session_that_grew_is_judged_as_one_that_came_whole(sessions: Path, tmp_path: Path) -> None:
    form, name = SMALL[0]
    base = bases_of(form, sessions / form / name, 1)[0]
    chosen = [
        each for each in MUTATIONS if each.name in ("edit_after_run", "reverted", "failing_run", "subset_for_all")
    ]
    grown = judged_all(base, chosen, tmp_path)
    assert grown == [judged(base, each, tmp_path / each.name, None) for each in chosen]
    assert len({each.said for each in grown}) == len(chosen)


def test_what_a_session_has_no_place_for_is_told_with_its_reason(sessions: Path, tmp_path: Path) -> None:
    form, name = SMALL[1]
    base = bases_of(form, sessions / form / name, 1)[0]
    mutation = next(each for each in MUTATIONS if each.name == "asked_after_run")
    assert judged(base, mutation, tmp_path / "case", None).why == "nobody writes to mini-swe-agent while it works"
