"""Known lines: what is kept between edits is what the ledger says."""

from __future__ import annotations

import random

from muniment.derive import ledger
from muniment.derive.hunks import Splice
from muniment.derive.known import FILES, KnownLines
from muniment.derive.state import FileState
from muniment.model.ledger import LedgerState


def file_of(lines: list[str], name: str = "f") -> FileState:
    return FileState(node=name, path=name, ledger=ledger.replaced(len(lines), excerpt="whole", version="v"))


def random_edit(rng: random.Random, length: int, excerpt: str) -> tuple[tuple[Splice, ...], list[str]]:
    """Return some splices in order, and the lines that they put in."""
    splices: list[Splice] = []
    added: list[str] = []
    reached = 1
    for _ in range(rng.randrange(1, 4)):
        start = rng.randrange(reached, length + 2)
        removed = rng.randrange(min(3, length + 2 - start))
        new = [f"{excerpt} {number}" for number in range(rng.randrange(3))]
        splices.append(Splice(start, removed, len(new), excerpt, len(added)))
        added += new
        reached = start + removed
    return tuple(splices), added


def test_after_any_edits_the_lines_that_are_kept_are_those_that_the_ledger_says() -> None:
    for seed in range(50):
        rng = random.Random(seed)
        texts = {"whole": [f"line {number}" for number in range(rng.randrange(12))]}
        file = file_of(texts["whole"])
        known = KnownLines(texts.__getitem__)
        for edit in range(12):
            before = known.of(file)
            splices, texts[f"e{edit}"] = random_edit(rng, len(before), f"e{edit}")
            file.ledger = ledger.edited(file.ledger, splices, version=f"v{edit}")
            known.edited(file, before, splices, texts[f"e{edit}"])
            assert known.of(file) == ledger.known_lines(file.ledger, texts.__getitem__)


def test_lines_of_another_state_of_the_ledger_are_not_given() -> None:
    file = file_of(["a", "b"])
    known = KnownLines({"whole": ["a", "b"], "other": ["c"]}.__getitem__)
    assert known.of(file) == ["a", "b"]
    file.ledger = ledger.shown(file.ledger, ((2, 2),), excerpt="other", total=None, version="v")
    assert known.of(file) == ["a", "c"]
    file.ledger = LedgerState()
    assert known.of(file) == []


def test_only_the_lines_of_the_files_that_were_asked_for_last_are_kept() -> None:
    asked: list[str] = []

    def lines_of(excerpt: str) -> list[str]:
        asked.append(excerpt)
        return ["a"]

    known = KnownLines(lines_of)
    files = [file_of(["a"], f"f{number}") for number in range(FILES + 1)]
    for file in (*files, files[-1], files[0]):
        known.of(file)
    assert len(asked) == len(files) + 1
