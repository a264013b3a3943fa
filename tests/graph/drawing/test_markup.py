"""Markup: whatever the text, the document is well formed and says just that text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.drawing.bars import COLORS, MOST_PARTS, Part, bar_list, stacked_bar
from muniment.drawing.cards import MOST_ROWS, badge, card, table
from muniment.drawing.graphs import drawn
from muniment.drawing.layered import Arrow, Box, placed
from muniment.drawing.markup import Markup, common_folder, cut, cut_front, escaped, frame, number, tag, words
from muniment.errors import UsageError

TEXTS = st.text(st.characters(), max_size=30) | st.sampled_from(
    ['"><script>alert(1)</script>', "a & b", "\x00", "\ud800"]
)


def told(markup: str) -> str:
    """Return all text of a document; it must be well formed."""
    return "".join(ElementTree.fromstring(markup).itertext())


@given(TEXTS)
def test_any_text_is_shown_as_it_is(text: str) -> None:
    plain = "".join(character if escaped(character) != "?" else "?" for character in text)
    assert told(tag("p", text)).replace("\r", "\n") == plain.replace("\r", "\n")
    assert told(tag("p", "x", title=text)) == "x"
    assert "<script" not in tag("p", text, title=text)


def test_markup_is_not_escaped_twice_and_text_always_is() -> None:
    assert tag("p", tag("b", "<")) == "<p><b>&lt;</b></p>"
    assert tag("p", "<b>") == "<p>&lt;b&gt;</p>"
    assert tag("i", class_="a", stroke_width=1.0, x=None) == '<i class="a" stroke-width="1"/>'


@pytest.mark.parametrize("name", ["onclick", "onload", "a b", 'x"'])
def test_an_attribute_that_could_be_a_script_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        tag("p", "x", **{name: "y"})


def test_numbers_are_short_and_texts_are_cut_at_the_right_end() -> None:
    assert [number(value) for value in (1.0, 1.25, 0.04)] == ["1", "1.2", "0"]
    assert (cut("a  b\nc", 9), cut("abcdef", 4)) == ("a b c", "abc…")
    assert (cut_front("src/a.py", 9), cut_front("src/long/a.py", 6)) == ("src/a.py", "…/a.py")


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["/w/a/x.py", "/w/b/y.py"], "/w/"),
        (["/w/a/x.py", "/w/a/y.py"], "/w/a/"),
        (["src/x.py", "docs/y.py"], ""),
        (["/w/x.py", "x.py"], ""),
        (["/w/x.py"], ""),
        ([], ""),
    ],
)
def test_the_folder_of_several_paths(paths: list[str], folder: str) -> None:
    assert common_folder(paths) == folder


@given(st.lists(st.tuples(TEXTS, st.floats(0, 1e9)), max_size=60), TEXTS)
def test_bars_of_anything_are_well_formed(rows: list[tuple[str, float]], title: str) -> None:
    parts = [Part(label, value, note=label) for label, value in rows]
    told(stacked_bar(parts, 100, title, unit="tokens"))
    told(bar_list(parts, title, unit="tokens"))


def test_a_bar_with_too_many_parts_says_how_many_are_gathered() -> None:
    shown = told(stacked_bar([Part(f"p{n}", 1) for n in range(20)], 40, "t", unit="tokens"))
    assert f"{20 - MOST_PARTS + 1} more" in shown
    assert "p0" in shown
    assert "free20 tokens · 50%" in shown
    assert "1 token ·" in shown
    assert len(set(COLORS)) == len(COLORS) == MOST_PARTS


def test_a_card_and_a_table_say_what_they_leave_out() -> None:
    rows = [(str(number), "<i>") for number in range(MOST_ROWS + 5)]
    shown = told(card("head", "under", table(("a", "b"), rows), badge("✓ proven", "#000000")))
    assert "… and 5 more" in shown
    assert "<i>" in shown
    assert "✓ proven" in shown


@given(
    st.lists(st.integers(0, 4), max_size=20), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=60)
)
def test_no_two_boxes_are_in_one_place(columns: list[int], pairs: list[tuple[int, int]]) -> None:
    boxes = [Box(id=str(place), column=column, head=f"b{place}") for place, column in enumerate(columns)]
    arrows = [Arrow(source=str(source), target=str(target), label="leads") for source, target in pairs]
    places = placed(boxes, arrows)
    assert len(set(places.values())) == len(places) == len(boxes)
    assert drawn(boxes, arrows, "t") == drawn(boxes, arrows, "t")
    told(drawn(boxes, arrows, "t", ["note"]))


def test_boxes_are_ordered_so_that_arrows_do_not_cross() -> None:
    boxes = [Box(id=name, column=column, head=name) for name, column in (("a", 0), ("b", 0), ("y", 1), ("x", 1))]
    places = placed(boxes, [Arrow(source="a", target="x"), Arrow(source="b", target="y")])
    above, below = (places["a"][1] < places["b"][1]), (places["x"][1] < places["y"][1])
    assert above == below


def test_a_frame_has_a_ground_and_a_title_and_both_grounds() -> None:
    picture = frame(10, 10, "what it is", words(1, 1, "x"))
    assert "<title>what it is</title>" in picture
    assert "prefers-color-scheme:dark" in picture
    assert 'class="mn-bg"' in picture
    assert isinstance(picture, Markup)
