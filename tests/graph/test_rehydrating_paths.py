"""A pointer of a view names a path and lines: both are asked for as they stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.errors import AmbiguousIdError, UnknownIdError
from muniment.store import EvidenceStore
from tests.support.graphs import Story


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    story = Story()
    story.read("src/a.py", "one\ntwo\nthree\n")
    story.read("lib/b.py", "b\n"), story.read("src/b.py", "other b\n")
    opened = EvidenceStore.open(tmp_path / "s", create=True)
    opened.record(story.records)
    return opened


def test_a_path_gives_the_lines_of_the_file_as_it_is_now(store: EvidenceStore) -> None:
    with store:
        assert store.rehydrate("src/a.py").text == "one\ntwo\nthree\n"
        assert store.rehydrate("a.py", lines=(2, 3)).text == "two\nthree"


def test_a_path_that_is_unknown_or_names_several_is_refused(store: EvidenceStore) -> None:
    with store:
        with pytest.raises(UnknownIdError):
            store.rehydrate("src/c.py")
        with pytest.raises(AmbiguousIdError):
            store.rehydrate("b.py")
        assert store.rehydrate("lib/b.py").text == "b\n"


def test_nothing_is_withdrawn_or_purged_by_a_path(store: EvidenceStore) -> None:
    with store:
        for refused in (store.withdraw, store.purge):
            with pytest.raises(UnknownIdError):
                refused("src/a.py", "not this one")
