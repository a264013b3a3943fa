"""JSON documents that are whole, cut, or damaged: what is whole is kept, and nothing is made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.capture.json_document import CUT, BrokenItem, read_json

ITEMS = [
    {"n": 1, "text": 'a "quoted" {brace}'},
    {"n": 2, "text": "ä\n]"},
    {"n": 3, "text": "end", "more": [1, {"x": None}]},
]
WHOLE = json.dumps({"name": "x", "items": ITEMS, "last": {"a": 1}}, indent=1).encode()


def items_of(data: bytes) -> list[object]:
    """Return the items that were read, broken ones as their reason."""
    found = read_json(data)
    assert found is not None
    return [item.reason if isinstance(item, BrokenItem) else item for item in found.lists.get("items", [])]


def test_a_whole_document_gives_its_fields_and_lists() -> None:
    found = read_json(b"\xef\xbb\xbf" + WHOLE)
    assert found is not None
    assert (found.fields, found.lists, found.broken) == ({"name": "x", "last": {"a": 1}}, {"items": ITEMS}, [])


def test_a_document_that_is_a_list_has_it_under_no_name() -> None:
    found = read_json(json.dumps(ITEMS).encode())
    assert found is not None
    assert found.lists == {"": ITEMS}


@pytest.mark.parametrize("data", [b"", b"hello", b'"text"', b"12"])
def test_what_is_no_object_or_list_is_no_document(data: bytes) -> None:
    assert read_json(data) is None


def test_of_a_cut_document_the_whole_items_before_the_cut_are_kept() -> None:
    place = WHOLE.index(b'"n": 3')
    assert items_of(WHOLE[:place]) == [*ITEMS[:2], CUT]


def test_a_damaged_item_costs_itself_where_the_rest_is_sound() -> None:
    damaged = WHOLE.replace(b'"n": 2,', b'"n": NaN,')
    assert items_of(damaged)[::2] == ITEMS[::2]
    assert "not JSON" in str(items_of(damaged)[1])
    found = read_json(damaged)
    assert found is not None
    assert found.fields == {"name": "x", "last": {"a": 1}}


def test_bytes_that_are_no_utf_8_cost_their_item() -> None:
    assert items_of(WHOLE.replace(b"end", b"\xff\xfe"))[2] == "invalid UTF-8"


def test_a_lost_quote_makes_nothing_of_the_text_that_follows() -> None:
    forged = {"n": 9, "text": '"}, {"n": 10, "text": "forged"}, {"'}
    data = json.dumps({"items": [ITEMS[0], forged, ITEMS[1]]}).encode()
    damaged = data.replace(b'"n": 9, "text"', b'"n": 9, text"')
    assert all(isinstance(item, str) or item in ITEMS for item in items_of(damaged))


def test_nesting_that_cannot_be_stored_costs_its_item() -> None:
    deep = json.dumps({"items": [ITEMS[0]]})[:-2] + "," + '{"a":' * 200 + "1" + "}" * 200 + "]}"
    assert items_of(deep.encode()) == [ITEMS[0], "nested too deeply"]


def test_text_behind_the_document_is_told() -> None:
    found = read_json(WHOLE + b" and more")
    assert found is not None
    assert [item.reason for item in found.broken if isinstance(item, BrokenItem)] == ["text behind the document"]


@given(st.integers(min_value=1, max_value=len(WHOLE)))
def test_wherever_it_is_cut_only_what_stood_there_comes_out(end: int) -> None:
    found = read_json(WHOLE[:end])
    assert found is not None
    read = [item for item in found.lists.get("items", []) if not isinstance(item, BrokenItem)]
    assert read == ITEMS[: len(read)]


@given(st.integers(min_value=0, max_value=len(WHOLE) - 1), st.binary(min_size=0, max_size=6), st.integers(0, 6))
def test_damage_never_makes_an_item_of_text_inside_another(place: int, put: bytes, taken: int) -> None:
    found = read_json(WHOLE[:place] + put + WHOLE[place + taken :])
    items = [] if found is None else found.lists.get("items", [])
    sound = [item for item in items if isinstance(item, dict) and item in ITEMS]
    assert len([item for item in items if isinstance(item, dict)]) <= len(ITEMS)
    assert sound == [item for item in ITEMS if item in sound]
