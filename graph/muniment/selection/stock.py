"""The stock: what views make of things that never change, kept for the next view of the same graph.

* It stands in `LiveReads.made`, so it goes with the graph that it is of: after a purge nothing of it is left.
* What is kept follows from its key and from the thing it was made of, so it is what would be made again: which views
  were asked for before changes none. Each counter has a stock of its own.
* It holds at most `MOST_CHARACTERS` of texts: what is above is given up with all the rest, and made again.

What follows from the characters of a text alone is kept by the text (`ByText`), for all graphs: a purged one is never
read again, so what was made of it is not found again either.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Final, Generic, TypeVar, cast

from muniment.snapshot import LiveReads

MOST_CHARACTERS: Final = 8_000_000
"""Eight times what a history of 250,000 tokens has."""
MOST_OF_TEXTS: Final = 2_000_000
_AN_ENTRY: Final = 200
"""Characters that an entry counts beside its texts."""

T = TypeVar("T")
Key = tuple[str, str]
"""What was made, and the id of the thing of which it was made."""


class Stock:
    """What was made of the nodes and files of one graph, by what it is and of which thing."""

    def __init__(self) -> None:
        self._kept: dict[Key, tuple[object, object]] = {}
        self._characters = 0

    def once(self, key: Key, of: object, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return what `make` returns, made now or before of the same thing (`of`); `size`: characters that it holds."""
        found = self._kept.get(key)
        if found is not None and (found[0] is of or found[0] == of):
            return cast(T, found[1])
        made = make()
        self._keep(key, of, made, size(made) + _AN_ENTRY)
        return made

    def _keep(self, key: Key, of: object, made: object, size: int) -> None:
        self._characters += size
        if self._characters > MOST_CHARACTERS:
            self._kept.clear()
            self._characters = size
        self._kept[key] = (of, made)


class ByText(Generic[T]):
    """A function of a text that remembers what it made, of at most `MOST_OF_TEXTS` characters of texts in all."""

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make
        self._kept: dict[str, T] = {}
        self._characters = 0
        update_wrapper(self, make)

    def __call__(self, text: str) -> T:
        """Return what is made of a text, now or before."""
        made = self._kept.get(text)
        if made is None:
            made = self._make(text)
            self._characters += len(text) + _AN_ENTRY
            if self._characters > MOST_OF_TEXTS:
                self._kept.clear()
                self._characters = len(text) + _AN_ENTRY
            self._kept[text] = made
        return made


def stock_of(live: LiveReads, counter: str) -> Stock:
    """Return the stock of what was made for a counter."""
    stock = live.made.setdefault((Stock, counter), Stock())
    assert isinstance(stock, Stock)
    return stock
