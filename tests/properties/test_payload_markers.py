"""Lifting and restoring: whatever the JSON, it comes back as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment import canonical
from muniment.model.entries import JSON_OBJECT
from muniment.payload_markers import THRESHOLD, lift, marked_in, restore, text_bytes

ANY_TEXT = st.text(alphabet=st.characters(codec=None, categories=None, exclude_categories=()), max_size=40)
LONG_TEXT = st.builds(lambda text, times: text * times, ANY_TEXT, st.integers(0, 2000))
KEYS = st.one_of(ANY_TEXT, st.sampled_from(["$payload", "$$payload", "$$$payload", "chars", "$", "a$payload"]))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), LONG_TEXT)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)
BODIES = st.dictionaries(KEYS, JSON, max_size=6)


@given(BODIES)
def test_what_is_lifted_comes_back(body: JSON_OBJECT) -> None:
    lifted, payloads = lift(body)
    assert restore(lifted, payloads.__getitem__) == (body, False)


@given(BODIES)
def test_what_is_lifted_comes_back_after_it_was_written_and_read(body: JSON_OBJECT) -> None:
    lifted, payloads = lift(body)
    encoded = canonical.encode(lifted)
    assert set(marked_in(encoded)) == set(payloads)
    decoded = canonical.decode(encoded)
    assert isinstance(decoded, dict)
    assert restore({**decoded}, payloads.__getitem__) == (body, False)


@given(BODIES)
def test_no_long_string_stays_in_a_body(body: JSON_OBJECT) -> None:
    assert all(len(text_bytes(text)) <= THRESHOLD for text in _values(lift(body)[0]))


@given(BODIES)
def test_a_purged_payload_is_told_of(body: JSON_OBJECT) -> None:
    lifted, payloads = lift(body)
    _, purged = restore(lifted, lambda digest: None)
    assert purged == bool(payloads)


def _values(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _values(part)]
