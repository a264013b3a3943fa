"""Packing: what is packed comes back, also with texts that msgpack refuses."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.model.nodes import Fact, Text
from muniment.model.packing import pack, unpack, writable

TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)


class Packed(msgspec.Struct):
    """All shapes that a saved fold has."""

    text: str
    by_text: dict[str, list[str]]
    by_pair: dict[tuple[str, str], int]
    some: set[str]
    data: bytes


@given(TEXTS, TEXTS, st.binary(max_size=8))
def test_any_texts_come_back_as_they_were(one: str, other: str, data: bytes) -> None:
    value = Packed(one, {one: [other, "\\ud83d"]}, {(one, other): 1}, {one, other}, data)
    assert unpack(pack(value), Packed) == value


def test_a_node_with_half_an_emoji_comes_back() -> None:
    fact = Fact(
        id="i", ordinal=1, handle="K1", record="r", by="user", session="", class_="absence", text=Text("\ud83d")
    )
    assert unpack(pack(fact), Fact) == fact


def test_ordinary_values_cost_one_byte_more_than_msgpack() -> None:
    assert len(pack(["a", 1])) == len(msgspec.msgpack.encode(["a", 1])) + 1


def test_other_bytes_are_refused() -> None:
    with pytest.raises(msgspec.MsgspecError):
        unpack(b"p\xff\x00", Packed)
    with pytest.raises(msgspec.MsgspecError):
        unpack(b"e\x91\x01", Packed)


def test_what_goes_out_can_be_written_and_sound_values_stay_themselves() -> None:
    fact = Fact(
        id="i", ordinal=1, handle="K1", record="r", by="user", session="", class_="absence", text=Text("a\ud83d")
    )
    assert msgspec.json.decode(msgspec.json.encode(writable(fact)), type=Fact).text == Text("a?")
    sound = {"a": ["b", 1]}
    assert writable(sound) is sound
