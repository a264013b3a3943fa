"""Payload markers: what they look like, and where the border is."""

from __future__ import annotations

import pytest

from muniment.digest import digest_of
from muniment.errors import FieldError
from muniment.model.entries import JSON_OBJECT
from muniment.payload_markers import PURGED_TEXT, lift, restore


@pytest.mark.parametrize(
    ("text", "lifted"), [("x" * 1024, False), ("x" * 1025, True), ("é" * 512, False), ("é" * 513, True)]
)
def test_the_border_is_1024_bytes_of_utf8(text: str, lifted: bool) -> None:
    body, payloads = lift({"text": text})
    assert (body != {"text": text}) is lifted
    assert list(payloads.values()) == ([text.encode()] if lifted else [])


def test_a_marker_names_digest_and_length() -> None:
    text = "ab" * 1000
    assert lift({"a": [text]})[0] == {"a": [{"$payload": digest_of(text.encode()), "chars": 2000}]}


def test_an_object_that_looks_like_a_marker_is_no_marker() -> None:
    body: JSON_OBJECT = {"$payload": "0" * 64, "inner": {"$$payload": "1" * 64, "$other": 1}}
    lifted, payloads = lift(body)
    assert (lifted, payloads) == ({"$$payload": "0" * 64, "inner": {"$$$payload": "1" * 64, "$other": 1}}, {})
    assert restore(lifted, payloads.get) == (body, False)


def test_a_purged_text_has_a_stand_in() -> None:
    lifted, _ = lift({"a": "x" * 2000, "b": "short"})
    assert restore(lifted, lambda digest: None) == ({"a": PURGED_TEXT, "b": "short"}, True)


def test_a_body_without_long_texts_is_the_very_same_object() -> None:
    body: JSON_OBJECT = {"a": [1, {"b": "short"}]}
    assert lift(body)[0] is body
    assert restore(body, lambda digest: None)[0] is body


def test_what_is_nested_too_deeply_is_refused() -> None:
    body: dict[str, object] = {}
    for _ in range(5000):
        body = {"d": body}
    with pytest.raises(FieldError, match="nested too deeply"):
        lift(body)
