"""Bounded: which parts stand in a packet, and in which size, so that its text keeps to the budget.

* The text that is counted is the rendered one; it is never above the budget.
* Texts that bind and are long shrink to head and tail where they take more than half of the budget, oldest first; the
  rest of the room is for what else is needed to go on.
* Then parts yield in the order of the contract; then what binds shrinks further. If the smallest sizes are above the
  budget, that is an error which says how many tokens would do.
* Room that is left at the end is filled with what yielded last, as far as it fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import msgspec

from muniment.errors import BudgetInfeasibleError
from muniment.handoff.contract import BINDING, HEADING_TOKENS, HEADINGS, YIELDING
from muniment.handoff.packet import NextAction, Packet, PacketItem
from muniment.handoff.parts import Part
from muniment.handoff.render import handles_of, line_of, render, without_step
from muniment.selection.pieces import Desk

_OUT: Final = -1
_REASONS: Final = "reasons"


class _Choice:
    """Which parts stand, and in which size."""

    def __init__(self, desk: Desk, frame: Packet, parts: Sequence[Part], words: Collection[str]) -> None:
        self.desk = desk
        self.parts = parts
        self.frame = frame
        self.words = words
        self.sizes = [0] * len(parts)
        self.bare: set[int] = set()
        self.handles = handles_of(_with(frame, [(part.section, part.item) for part in parts]))
        self.told = {part.item.about for part in parts if isinstance(part.item, NextAction)}
        self.costs = [self._cost(place) for place in range(len(parts))]
        self.total = sum(self.costs)
        self.standing = Counter(part.section for part in parts)

    def line(self, place: int) -> PacketItem | NextAction:
        line = self.parts[place].at(self.desk, self.sizes[place])
        if place in self.bare and isinstance(line, PacketItem):
            return msgspec.structs.replace(line, why="", cites=())
        return line

    def estimate(self) -> int:
        return self.total + HEADING_TOKENS * sum(map(bool, self.standing.values()))

    def shrink(self, places: Iterable[int], size: int, limit: int, taken: Callable[[], int]) -> None:
        for place in places:
            if taken() <= limit:
                return
            if self.sizes[place] != _OUT and self.sizes[place] < size < len(self.parts[place].sizes):
                self._set(place, size)

    def leave(self, place: int) -> None:
        self._set(place, _OUT)

    def strip(self, place: int) -> None:
        self.bare.add(place)
        self._set(place, self.sizes[place])

    def enter(self, place: int, limit: int) -> None:
        self._set(place, 0)
        if self.estimate() > limit:
            self._set(place, _OUT)

    def packet(self) -> Packet:
        lines = [(part.section, self.line(place)) for place, part in enumerate(self.parts) if self.sizes[place] != _OUT]
        left = dict(self.frame.left_out)
        for place, part in enumerate(self.parts):
            if self.sizes[place] == _OUT:
                left[part.section] = left.get(part.section, 0) + 1
        if self.bare:
            left[_REASONS] = len(self.bare)
        packet = msgspec.structs.replace(_with(self.frame, lines), left_out={name: left[name] for name in sorted(left)})
        return msgspec.structs.replace(packet, handles=_cited(packet))

    def matches(self, place: int) -> bool:
        part = self.parts[place]
        item = part.item
        told = [part.text, item.why, *((item.path or "", *item.rejected) if isinstance(item, PacketItem) else ())]
        text = " ".join(told).casefold()
        return any(word in text for word in self.words)

    def _set(self, place: int, size: int) -> None:
        section, was = self.parts[place].section, self.costs[place]
        self.standing[section] += (self.sizes[place] == _OUT) - (size == _OUT)
        self.sizes[place] = size
        self.costs[place] = 0 if size == _OUT else self._cost(place)
        self.total += self.costs[place] - was

    def _cost(self, place: int) -> int:
        line = self.line(place)
        if isinstance(line, PacketItem) and line.id in self.told:
            line = without_step(line)
        return self.desk.cost(line_of(self.parts[place].section, line, self.handles, self.frame.workspace.root))


def whole(desk: Desk, frame: Packet, parts: Sequence[Part], words: Collection[str]) -> Packet:
    """Return `frame` with all of the parts that it names: texts shrink to the budget as when it was built, and nothing
    yields but next actions and reasons, which it does not name.
    """
    choice = _Choice(desk, frame, parts, words)
    unnamed = [place for place in _yielding(choice) if parts[place].section in ("next_actions", "decisions")]
    return _to_budget(choice, unnamed)


def bounded(desk: Desk, frame: Packet, parts: Sequence[Part], words: Collection[str]) -> Packet:
    """Return `frame` with those of the parts that fit its budget, in sizes that do, and its tokens.

    Raises:
        BudgetInfeasibleError: what binds does not fit in its smallest sizes.
    """
    choice = _Choice(desk, frame, parts, words)
    packet = _to_budget(choice, _yielding(choice))
    if packet.tokens > frame.budget:
        raise BudgetInfeasibleError(frame.budget, packet.tokens)
    return packet


def _to_budget(choice: _Choice, yielding: Sequence[int]) -> Packet:
    """Return the packet that keeps to its budget, or the least that there is where none does."""
    parts, budget = choice.parts, choice.frame.budget
    keeping, room = _shrunk(choice, choice.desk, choice.frame)
    while True:
        packet = _fitted(choice, keeping, yielding, room)
        tokens = choice.desk.counter.count(render(packet))
        smallest = all(choice.sizes[place] >= len(parts[place].sizes) - 1 for place in keeping)
        least = smallest and all(choice.sizes[place] == _OUT or place in keeping for place in yielding)
        if tokens <= budget or least:
            return msgspec.structs.replace(packet, tokens=tokens)
        room -= max(tokens - budget, 1)


def _shrunk(choice: _Choice, desk: Desk, frame: Packet) -> tuple[list[int], int]:
    """Shrink what binds and is long to about half of the room; return what binds, in the order of shrinking, and the
    room.
    """
    parts = choice.parts
    keeping = [place for place, part in enumerate(parts) if part.section in BINDING]
    keeping.sort(key=lambda place: (choice.matches(place), parts[place].ordinal, place))
    bare = msgspec.structs.replace(frame, left_out={})
    room = frame.budget - desk.counter.count(render(bare)) - HEADING_TOKENS
    rest = choice.total - sum(choice.costs[place] for place in keeping)
    choice.shrink(keeping, 1, room // 2, lambda: choice.total - rest)
    return keeping, room


def _fitted(choice: _Choice, shrinking: Sequence[int], yielding: Sequence[int], room: int) -> Packet:
    gone: list[int] = []
    for place in yielding:
        if choice.estimate() <= room:
            break
        if choice.parts[place].section not in BINDING and choice.sizes[place] != _OUT:
            choice.leave(place)
            gone.append(place)
        elif choice.parts[place].section in BINDING and place not in choice.bare:
            choice.strip(place)
    for size in (1, 2):
        choice.shrink(shrinking, size, room, choice.estimate)
    for place in reversed(gone):
        choice.enter(place, room)
    return choice.packet()


def _yielding(choice: _Choice) -> list[int]:
    """Return the parts that may yield, first to last; those of decisions yield their reasons only."""

    def turn(place: int) -> tuple[bool, int, int, int]:
        part = choice.parts[place]
        section = _REASONS if part.section == "decisions" else part.section
        return choice.matches(place), YIELDING.index(section), -part.rank, -place

    may = [place for place, part in enumerate(choice.parts) if part.section in YIELDING or part.section == "decisions"]
    return sorted(may, key=turn)


def _cited(packet: Packet) -> dict[str, str]:
    """Return the handles of what a packet cites and does not carry."""
    lines = [line for section in HEADINGS for line in getattr(packet, section)]
    named = {packet.base, *(each for line in lines for each in line.cites)}
    named |= {each for line in lines if isinstance(line, PacketItem) for each in line.after}
    named -= {line.id for line in lines if isinstance(line, PacketItem)}
    return {each: handle for each, handle in sorted(packet.handles.items()) if each in named}


def _with(frame: Packet, lines: Iterable[tuple[str, PacketItem | NextAction]]) -> Packet:
    sections: dict[str, list[PacketItem | NextAction]] = {section: [] for section in HEADINGS}
    for section, line in lines:
        sections[section].append(line)
    filled = {section: tuple(found) for section, found in sections.items() if found}
    return msgspec.structs.replace(frame, **filled)
