"""What views keep for the next one: made once of the same thing, anew of another, and never more than there is room."""

from __future__ import annotations

from muniment.selection import ViewRequest, select
from muniment.selection.stock import MOST_CHARACTERS, MOST_OF_TEXTS, ByText, Stock
from muniment.tokens import o200k
from tests.support.graphs import Story


def test_a_thing_is_made_once_and_made_anew_of_another() -> None:
    stock, made = Stock(), list[str]()

    def make() -> str:
        made.append("made")
        return "x"

    for of in ("one", "one", "two", "one"):
        assert stock.once(("parts", "id"), of, make, len) == "x"
    assert len(made) == 3


def test_what_is_above_the_room_is_given_up_and_made_again() -> None:
    stock, large = Stock(), MOST_CHARACTERS // 2
    made: list[str] = []

    def keep(key: str) -> None:
        stock.once(("parts", key), key, lambda: made.append(key), lambda _: large)

    for key in ("a", "a", "b", "a"):
        keep(key)
    assert made == ["a", "b", "a"]


def test_texts_are_remembered_up_to_so_many_characters() -> None:
    seen: list[int] = []

    def measure(text: str) -> int:
        seen.append(len(text))
        return len(text)

    length = ByText(measure)
    for text in ("one", "one", "x" * MOST_OF_TEXTS, "one"):
        assert length(text) == len(text)
    assert seen == [3, MOST_OF_TEXTS, 3]


def test_a_graph_that_grows_apart_keeps_nothing_of_the_other() -> None:
    story = Story()
    story.read("a.py", "def alpha_one():\n    return beta_two\n")
    reads = story.snapshot()
    select(reads, ViewRequest(budget=1000), o200k())
    assert reads.made
    assert not reads._graph.copied().made
