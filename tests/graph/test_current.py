"""Files as they are now: found by name, their definitions, and symbols that edits have moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment.errors import AmbiguousIdError, UnknownIdError
from muniment.model import records as r
from muniment.model.nodes import Symbol
from tests.support.graphs import SESSION

SHOP = "class Shop:\n    def price(self):\n        return 1\n\n\ndef total():\n    return 2\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with EvidenceStore.open(tmp_path / "store", create=True) as opened:
        opened.record([r.SessionOpened(id="session", session=SESSION, root="/repo")])
        yield opened


def mission_of(store: EvidenceStore) -> str:
    return store.missions()[0].mission


def answered(name: str, tool: str, path: str, **fields: object) -> dict[str, object]:
    told = {"kind": "tool_returned", "id": name, "by": "tool", "session": SESSION, "tool": tool, "path": path}
    return {**told, "status": "ok", **fields}


def lines_above(name: str, path: str) -> dict[str, object]:
    """Two lines are put at the top of a file."""
    change = {"path": path, "hunks": [[1, 1, ["+import one", "+import two"]]]}
    return answered(name, "write", path, effect="writes", changes=[change])


def test_a_file_read_whole_has_symbols_once_however_often_it_is_read(store: EvidenceStore) -> None:
    store.record([answered("r1", "read", "/repo/shop.py", content=SHOP)])
    store.record([answered("r2", "read", "/repo/shop.py", content=SHOP)])
    symbols = store.snapshot(mission_of(store)).of_kind(Symbol)
    assert [(each.what, each.name, each.first, each.last) for each in symbols] == [
        ("class", "Shop", 1, 3),
        ("function", "Shop.price", 2, 3),
        ("function", "total", 6, 7),
    ]


def test_a_symbol_is_found_again_after_edits_above_it(store: EvidenceStore) -> None:
    store.record([answered("r1", "read", "/repo/shop.py", content=SHOP), lines_above("w1", "/repo/shop.py")])
    total = store.snapshot(mission_of(store)).of_kind(Symbol)[-1]
    assert (total.first, store.rehydrate(total.handle).text) == (6, "def total():\n    return 2\n")
    told = {each.name: each.first for each in store.symbols("shop.py", mission=mission_of(store)).definitions}
    assert told == {"Shop": 3, "Shop.price": 4, "total": 8}


def test_a_symbol_whose_definition_is_gone_has_no_text_and_the_others_have(store: EvidenceStore) -> None:
    store.record([answered("r1", "read", "/repo/shop.py", content=SHOP)])
    store.record([answered("w1", "write", "/repo/shop.py", content=SHOP.split("\n\n\n")[0] + "\n", effect="writes")])
    shop, _, total = store.snapshot(mission_of(store)).of_kind(Symbol)
    assert store.rehydrate(total.id).text == ""
    assert store.rehydrate(shop.id).text == SHOP.split("\n\n\n")[0] + "\n"


def test_lines_that_were_never_seen_are_counted_and_define_nothing(store: EvidenceStore) -> None:
    store.record(
        [answered("r1", "read", "/repo/shop.py", content="def total():\n    return 2\n", lines=[6, 7], total_lines=7)]
    )
    found = store.symbols("shop.py", mission=mission_of(store))
    assert (found.known, found.total) == (2, 7)
    assert [(each.name, each.first, each.last) for each in found.definitions] == [("total", 6, 7)]


def test_a_path_that_fits_no_file_or_two_is_refused_and_a_longer_one_is_not(store: EvidenceStore) -> None:
    store.record([answered(f"r{i}", "read", f"/repo/{i}/shop.py", content=SHOP) for i in range(2)])
    with pytest.raises(UnknownIdError, match="search"):
        store.symbols("till.py", mission=mission_of(store))
    with pytest.raises(AmbiguousIdError, match=r"/repo/0/shop\.py"):
        store.symbols("shop.py", mission=mission_of(store))
    assert len(store.symbols("1/shop.py", mission=mission_of(store)).definitions) == 3


def replaced(name: str, old: str, new: str) -> dict[str, object]:
    """Line 3 of the shop is edited; the tool says what it found there."""
    change = {"path": "/repo/shop.py", "hunks": [[3, 3, [f"-{old}", f"+{new}"]]]}
    return answered(name, "write", "/repo/shop.py", effect="writes", changes=[change])


@pytest.mark.parametrize(("found", "known"), [("        return 9", 1), ("        return 1", 7)])
def test_an_edit_that_found_other_lines_than_are_known_leaves_none_of_the_old_ones_believed(
    store: EvidenceStore, found: str, known: int
) -> None:
    store.record([answered("r1", "read", "/repo/shop.py", content=SHOP), replaced("w1", found, "        return 5")])
    assert store.symbols("shop.py", mission=mission_of(store)).known == known
