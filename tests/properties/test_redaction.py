"""Redaction of whatever: twice is once, lines stay, and without a finding nothing changes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.model.entries import JSON_OBJECT
from muniment.redaction import Redactor
from tests.support.made_up_secrets import HARMLESS, private_key, secrets

REDACTOR = Redactor(bytes(range(32)))
PIECES = (
    [text for text, _ in secrets(1).values()]
    + [secret for _, secret in secrets(2).values()]
    + [private_key(1), *HARMLESS]
)
JOINTS = st.sampled_from(
    ["", " ", "\n", "=", ":", "password=", "'", '"', "\\n", "@", "/", "Bearer ", "\ud83d", "[redacted:", "]"]
)
TEXT = st.lists(st.one_of(st.sampled_from(PIECES), JOINTS, st.text(max_size=12)), max_size=8).map("".join)
BODY = st.dictionaries(
    st.one_of(st.sampled_from(["text", "password", "apiKey", "signature"]), TEXT),
    st.recursive(
        TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_size=4,
)


@given(BODY)
@settings(max_examples=150)
def test_redacting_twice_is_redacting_once(body: JSON_OBJECT) -> None:
    once, _ = REDACTOR.redact(body)
    assert REDACTOR.redact(once) == (once, ())


@given(TEXT)
@settings(max_examples=150)
def test_the_number_of_lines_stays(text: str) -> None:
    assert REDACTOR.redact_text(text)[0].count("\n") == text.count("\n")


@given(BODY)
@settings(max_examples=150)
def test_a_body_changes_only_where_something_was_found(body: JSON_OBJECT) -> None:
    redacted, kinds = REDACTOR.redact(body)
    assert (redacted is body) or kinds or redacted == body
