"""Connections: pages of nodes, with cursors that name a place and not a number.

* A cursor is (ordinal, kind, id) of a node. What is recorded meanwhile comes behind it: no page
  shifts.
* `first` goes on after `after`, `last` goes back before `before`; without either the first page is given. A page has
  PAGE nodes unless more are asked for, and never more than MOST.
* `totalCount` is counted only if it is asked for.
"""

from __future__ import annotations

import base64
import binascii
import heapq
import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

import strawberry

from muniment.errors import UsageError
from muniment.model.nodes import AnyNode
from muniment_api.schema.declare import said, told, typed
from muniment_api.schema.limits import MOST, PAGE

T = TypeVar("T")
Run = tuple[str, Sequence[AnyNode]]
"""A name, and nodes by ordinal."""
Place = tuple[int, str, str]


@typed
class PageInfo:
    """Where a page lies."""

    has_next_page: bool = said("Whether there is more behind the page.")
    has_previous_page: bool = said("Whether there is more before the page.")
    start_cursor: str | None = said("The cursor of the first node; null on an empty page.")
    end_cursor: str | None = said("The cursor of the last node; null on an empty page.")


@typed
class Edge(Generic[T]):
    """A node of a page with its cursor."""

    cursor: str = said("The place of the node, to go on from.")
    node: T = said("The node.")


@typed
class Connection(Generic[T]):
    """A page of nodes, by causal order."""

    nodes: list[T] = said("The nodes of the page.")
    page_info: PageInfo = said("Where the page lies.")
    cursors: strawberry.Private[list[str]]
    count: strawberry.Private[Callable[[], int]]

    @told
    def edges(self) -> list[Edge[T]]:
        """The nodes of the page, each with its cursor."""
        return [Edge(cursor=cursor, node=node) for cursor, node in zip(self.cursors, self.nodes, strict=True)]

    @told
    def total_count(self) -> int:
        """How many nodes there are on all pages."""
        return self.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What page is wanted."""

    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None

    @property
    def size(self) -> int:
        """The number of nodes that are wanted.

        Raises:
            UsageError: it makes no sense, or is too big.
        """
        if self.first is not None and self.last is not None:
            raise UsageError("first and last exclude one another: give one")
        wanted = self.last if self.last is not None else self.first
        if wanted is not None and not 0 <= wanted <= MOST:
            raise UsageError(f"a page has 0 to {MOST} nodes, {wanted} were asked for")
        return PAGE if wanted is None else wanted


def page(runs: Sequence[Run], request: PageRequest, made: Callable[[AnyNode], T]) -> Connection[T]:
    """Return a page of nodes from runs, merged by ordinal (in one ordinal: in the order of the runs).

    Raises:
        UsageError: a cursor is none, or the size makes no sense.
    """
    size = request.size
    backwards = request.last is not None
    order = {name: place for place, (name, _) in enumerate(runs)}
    low = [0] * len(runs) if request.after is None else _bounds(runs, order, _place(request.after), behind=True)
    high = [len(nodes) for _, nodes in runs]
    if request.before is not None:
        high = _bounds(runs, order, _place(request.before), behind=False)
    spans = [_span(run, low[i], high[i], backwards=backwards) for i, run in enumerate(runs)]
    merged = heapq.merge(*(spans[::-1] if backwards else spans), key=lambda found: found[1].ordinal, reverse=backwards)
    found = list(islice(merged, size + 1))
    more = len(found) > size
    found = found[:size][::-1] if backwards else found[:size]
    cursors = [_cursor((node.ordinal, name, node.id)) for name, node in found]
    info = PageInfo(
        has_next_page=any(high[i] < len(run[1]) for i, run in enumerate(runs)) if backwards else more,
        has_previous_page=more if backwards else any(low),
        start_cursor=cursors[0] if cursors else None,
        end_cursor=cursors[-1] if cursors else None,
    )
    return Connection(
        nodes=[made(node) for _, node in found],
        page_info=info,
        cursors=cursors,
        count=lambda: sum(len(nodes) for _, nodes in runs),
    )


def _span(run: Run, low: int, high: int, *, backwards: bool) -> Iterator[tuple[str, AnyNode]]:
    name, nodes = run
    places: Iterable[int] = range(high - 1, low - 1, -1) if backwards else range(low, high)
    return ((name, nodes[place]) for place in places)


def _bounds(runs: Sequence[Run], order: dict[str, int], place: Place, *, behind: bool) -> list[int]:
    """Return for each run the number of its nodes up to a place; the node there counts if `behind`."""
    ordinal, name, wanted = place
    home = order.get(name, len(runs))
    found = []
    for number, (_, nodes) in enumerate(runs):
        start = bisect_left(nodes, ordinal, key=lambda node: node.ordinal)
        end = bisect_right(nodes, ordinal, key=lambda node: node.ordinal)
        if number == home:
            at = next((i for i in range(start, end) if nodes[i].id == wanted), end - 1)
            found.append(at + 1 if behind else at)
        else:
            found.append(end if number < home else start)
    return found


def _cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode()).decode()


def _place(cursor: str) -> Place:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError, binascii.Error):
        found = None
    if not (isinstance(found, list) and [type(part) for part in found] == [int, str, str]):
        raise UsageError(f"{cursor!r} is no cursor of a page")
    return found[0], found[1], found[2]
