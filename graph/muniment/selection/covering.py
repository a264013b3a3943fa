"""Covering: what is worth showing, once the newest is in.

What comes next will use names: identifiers, paths, words of commands. So the names are the things to cover, each once:

    worth(name)  = exp(1.5 [it looks like a path, or was given as code] - 1.5 [only tools ever printed it]
                       + 1.5 exp(-distance / 16,000) + 0.5 ln(1 + min(uses, 10)))
    value(span)  = edit(span) + the sum of worth(name) over its names that the view does not hold yet
    edit(span)   = 0 unless it is current text of a file, else
                   0.5 exp(ln(1 + sum over its names of exp(-acts since last use / 12))
                           + exp(-distance / 32,000) + [a file at hand] + 2.5 likeness)
    likeness     = BM25 of the span's names against those at hand, over the best span's

A name that is in more than 15 % of all spans tells nothing apart, and is worth nothing. Spans are taken by value for
each token that they cost, until the room is full: sums of what is new have diminishing returns, so an old value is
never too low, and only what comes to the top is valued anew. Distances are in tokens. The formula and its constants are
those of a study on recorded sessions of four runtimes, which found them flat: each may change by 40 %, for at most 2
points.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter, mul
from typing import Final

from muniment.derive.names import is_path_like
from muniment.selection.parts import Names
from muniment.selection.past import Past

PATH: Final = 1.5
PRINTED: Final = 1.5
RECENT: Final = 1.5
USED: Final = 0.5
FADING: Final = 16_000
FADING_TEXT: Final = 32_000
FADING_ACTS: Final = 12
MOST_USES: Final = 10
COMMON: Final = 0.15
FEWEST_COMMON: Final = 3
A_TENTH: Final = 0.1
EDIT: Final = 0.5
LIKENESS: Final = 2.5
OVERHEAD: Final = 6
"""Tokens that are added to each cost: many small spans break a view up."""
NAMES_TOLD: Final = 6
REMEMBERED: Final = 16_384
_USED: Final = tuple(math.exp(USED * math.log1p(uses)) for uses in range(MOST_USES + 1))
_PATH: Final = math.exp(PATH)
_ONLY_PRINTED: Final = math.exp(-PRINTED)
_K1: Final = 1.2
_B: Final = 0.75


@dataclass(slots=True, eq=False)
class Span:
    """Something that could be shown: the names in it, and about how many tokens it costs; `file`: the path of the file
    it is text of.
    """

    names: Names
    estimate: int
    file: str | None = None


Shown = tuple[Names, int]
"""The names and the distance of what the view shows already."""


class Cover:
    """What spans are worth beside the names that a view holds already."""

    def __init__(self, spans: Sequence[Span], distances: Sequence[int], shown: Sequence[Shown], past: Past) -> None:
        """Begin; `distances` are those of the spans, in tokens."""
        self._spans = spans
        self._worth, held = _worths(spans, distances, shown, past)
        for names, _ in shown:
            self.add(names)
        self._edits = _for_edits(spans, distances, past, held, len(spans) + len(shown))

    def value(self, place: int) -> float:
        """Return what a span adds to what is shown."""
        return self._edits.get(place, 0.0) + sum(map(self._worth.__getitem__, self._spans[place].names))

    def add(self, names: Iterable[str]) -> None:
        """Say that these names are shown now: showing them again is worth nothing."""
        worth = self._worth
        for name in names:
            if name in worth:
                worth[name] = 0.0

    def telling(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of some names that no part shows yet and that are worth most: what a span is taken for."""
        worth = self._worth
        new = {name: worth[name] for name in names if worth.get(name, 0.0) > 0}
        return tuple(heapq.nsmallest(NAMES_TOLD, new, key=lambda name: (-new[name], name)))

    def best(self, cost: Callable[[int], int | None]) -> Iterable[int]:
        """Yield the places of spans, the best first; `cost` tells what one costs now, None where it cannot be taken.

        Whoever takes a span calls `add` before asking for the next one.
        """
        worth = self._worth.__getitem__
        values = [sum(map(worth, span.names)) for span in self._spans]
        for place, edit in self._edits.items():
            values[place] += edit
        heap = [
            (-value / (s.estimate + OVERHEAD), i) for i, (value, s) in enumerate(zip(values, self._spans, strict=True))
        ]
        heapq.heapify(heap)
        while heap:
            _, place = heapq.heappop(heap)
            price = cost(place)
            if price is None:
                continue
            density = self.value(place) / (price + OVERHEAD)
            if density <= 0:
                continue
            if heap and (-density, place) > heap[0]:
                heapq.heappush(heap, (-density, place))
                continue
            yield place


def _worths(
    spans: Sequence[Span], distances: Sequence[int], shown: Sequence[Shown], past: Past
) -> tuple[dict[str, float], Counter[str]]:
    """Return what each name is worth, and in how many spans it is."""
    all_spans = [*shown, *((span.names, distance) for span, distance in zip(spans, distances, strict=True))]
    held = Counter(chain.from_iterable([names for names, _ in all_spans]))
    nearest: dict[str, int] = {}
    keep = nearest.setdefault
    for names, distance in sorted(all_spans, key=itemgetter(1)):
        for name in names:
            keep(name, distance)
    near = {distance: math.exp(RECENT * math.exp(-distance / FADING)) for distance in set(nearest.values())}
    printed = map(mul, map(_LIKED.__getitem__, nearest), repeat(_ONLY_PRINTED))
    worth = dict(zip(nearest, map(mul, map(near.__getitem__, nearest.values()), printed), strict=True))
    for name in past.said:
        if name in worth:
            worth[name] = near[nearest[name]] * _LIKED[name]
    for name in past.literal:
        if name in worth and _LIKED[name] == 1.0:
            worth[name] *= _PATH
    for name, used in past.uses.items():
        if name in worth:
            worth[name] *= _USED[min(used, MOST_USES)]
    most = max(FEWEST_COMMON, COMMON * len(all_spans))
    worth.update((name, 0.0) for name, spans_with in held.items() if spans_with > most)
    return worth, held


class _Liked(dict[str, float]):
    """What a name is liked for its looks; worked out once, as long as there is room."""

    def __missing__(self, name: str) -> float:
        if len(self) >= REMEMBERED:
            self.clear()
        liked = self[name] = _PATH if is_path_like(name) else 1.0
        return liked


_LIKED: Final = _Liked()


def _for_edits(
    spans: Sequence[Span], distances: Sequence[int], past: Past, held: Counter[str], count: int
) -> dict[int, float]:
    """Return what text of files is worth for being edited, by the places of the spans."""
    places = [place for place, span in enumerate(spans) if span.file is not None]
    if not places:
        return {}
    mean = sum(len(span.names) for span in spans) / len(spans) + 1
    rarity = dict.fromkeys(held, 0.0)
    rarity |= {name: math.log1p((count - held[name] + 0.5) / (held[name] + 0.5)) for name in past.at_hand if held[name]}
    alike = [_likeness(spans[place], rarity, mean) for place in places]
    best = max(alike) or 1.0
    most = max(FEWEST_COMMON, COMMON * count)
    use = dict.fromkeys(held, 0.0)
    for name, ago in past.last_use.items():
        if name in use:
            use[name] = math.exp(-ago / FADING_ACTS) * (1.0 if held[name] <= most else A_TENTH)
    edits: dict[int, float] = {}
    for place, likeness in zip(places, alike, strict=True):
        used = sum(map(use.__getitem__, spans[place].names))
        exponent = math.log1p(used) + math.exp(-distances[place] / FADING_TEXT) + LIKENESS * likeness / best
        edits[place] = EDIT * math.exp(exponent + (spans[place].file in past.files))
    return edits


def _likeness(span: Span, rarity: dict[str, float], mean: float) -> float:
    length = _K1 * (1 - _B + _B * len(span.names) / mean)
    return sum(map(rarity.__getitem__, span.names)) * (_K1 + 1) / (1 + length)
