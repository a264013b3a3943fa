"""Texts: slices of payloads, lines, what is binary, what may be shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.texts import INLINE_BYTES, Texts, is_binary, line_count, needs_repair, readable, split_lines
from muniment.digest import digest_of
from muniment.model.nodes import Text

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def payloads(*texts: str) -> dict[str, str]:
    return {digest_of(text.encode("utf-8", "surrogatepass")): text for text in texts}


def test_a_short_text_is_held_inline_even_where_it_is_a_payload() -> None:
    text = "a" * INLINE_BYTES
    assert Texts(payloads(text)).refer(text) == Text(inline=text, lines=1, size=INLINE_BYTES)


def test_short_is_measured_in_bytes() -> None:
    fits, too_long = "\u6f22" * 341, "\u6f22" * 342
    assert Texts(payloads(fits)).refer(fits).inline == fits
    assert Texts(payloads(too_long)).refer(too_long).inline is None


def test_a_payload_is_referred_to_whole() -> None:
    text = "line\n" * 1000
    (digest,) = held = payloads(text)
    assert Texts(held).refer(text) == Text(digest=digest, start=0, stop=5000, lines=1000, size=5000)


def test_a_part_of_a_payload_is_a_slice_in_characters() -> None:
    part = "\U0001f600 b\n" * 500
    (digest,) = held = payloads("\u00e9\u00e9" + part + "tail")
    reference = Texts(held).refer(part)
    assert reference == Text(digest=digest, start=2, stop=2 + len(part), lines=500, size=len(part))
    assert held[digest][reference.start : reference.stop] == part


def test_a_whole_payload_goes_before_a_part_of_another_and_order_does_not_matter() -> None:
    text = "x" * 2000
    held = payloads("a" + text, text, text + "b")
    whole = digest_of(text.encode())
    backwards = dict(reversed(held.items()))
    assert Texts(held).refer(text).digest == Texts(backwards).refer(text).digest == whole
    part = "x" * 1999
    assert Texts(held).refer(part) == Texts(backwards).refer(part)


def test_a_long_text_of_no_payload_is_held_inline() -> None:
    text = "y" * 2000
    assert Texts(payloads("x" * 2000)).refer(text) == Text(inline=text, lines=1, size=2000)


def test_lone_surrogates_are_found_in_their_payload() -> None:
    text = "\ud83d" * 2000
    assert Texts(payloads(text)).refer(text).digest is not None


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\n", ["a", ""]), ("a\r\nb", ["a\r", "b"])],
)
def test_lines_end_at_newlines_only(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
    assert line_count(text) == len(lines)


def test_other_line_separators_end_no_line() -> None:
    assert split_lines("a\x0bb\x0cc\u2028d\x85e\r") == ["a\x0bb\x0cc\u2028d\x85e\r"]


@given(ANY_TEXT)
def test_counting_lines_and_making_them_agree(text: str) -> None:
    assert line_count(text) == len(split_lines(text))
    assert "".join(f"{line}\n" for line in split_lines(text)) in (text, f"{text}\n")


def test_only_lone_surrogates_need_repair() -> None:
    assert needs_repair("cut \ud83d")
    assert not needs_repair("whole \U0001f600 \ufffd \x00")


@pytest.mark.parametrize("data", [b"\xff\x00\x10", b"\xfe\x00\x10", b"a\x00b", b"caf\xe9 au lait", b"\xed\xa0\x80"])
def test_nul_and_what_is_no_utf_8_is_binary(data: bytes) -> None:
    assert is_binary(data)


def test_a_character_cut_at_the_end_makes_no_binary() -> None:
    assert not is_binary("\u6f22".encode() * 333 + b"\xe6")
    assert is_binary("\u6f22".encode() * 333 + b"\xe6" + b"a")


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), st.data())
def test_no_piece_of_a_text_is_binary(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    begin = data.draw(st.integers(0, len(raw)))
    assert not is_binary(raw[begin : data.draw(st.integers(begin, len(raw)))])


def test_what_may_be_shown_stays_as_it_is() -> None:
    text = "a\tb\n\u6f22 \U0001f600 \u202e"
    assert readable(text) is text


def test_what_may_not_be_shown_is_made_visible_or_goes() -> None:
    assert readable("a\x00b\x7f\x85\ud800\ufffd") == "a\u2400b\u2421???"
    assert readable("\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b") == "red \u241b"
    assert readable("a\r\nb\rc") == "a\nb\u240dc"


@given(ANY_TEXT)
def test_what_is_shown_is_always_valid(text: str) -> None:
    shown = readable(text)
    shown.encode()
    assert not any((c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or c == "\ufffd" for c in shown)
    assert readable(shown) == shown
    assert shown.count("\n") <= text.count("\n")
