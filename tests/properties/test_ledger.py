"""The ledger against a simulator that holds the real file: it never claims a line that is not so, and forgets none."""

from __future__ import annotations

from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.ledger import (
    added_text,
    covered,
    edited,
    forgotten,
    hunks_between,
    known_lines,
    located,
    replaced,
    shown,
    splices_of,
)
from muniment.derive.texts import split_lines
from muniment.model.ledger import NOTHING_KNOWN, LedgerState
from muniment.model.records import Hunk

LINE = st.sampled_from(["a", "b", "c", "", "}", "x\r", "end"])
CONTENT = st.lists(LINE, max_size=14)


class World(msgspec.Struct):
    """The real file, which of its lines were told, whether its length was, and the ledger beside."""

    real: list[str]
    told: list[bool]
    length_told: bool = False
    state: LedgerState = NOTHING_KNOWN
    texts: dict[str, str] = {}

    def excerpt(self, text: str) -> str:
        name = f"E{len(self.texts)}"
        self.texts[name] = text
        return name

    def read(self, first: int, count: int, *, with_total: bool) -> None:
        lines = self.real[first - 1 : first - 1 + count]
        excerpt = self.excerpt("".join(f"{line}\n" for line in lines))
        total = len(self.real) if with_total else None
        self.state = shown(self.state, ((first, first + len(lines) - 1),), excerpt=excerpt, total=total, version="v")
        self.told[first - 1 : first - 1 + len(lines)] = [True] * len(lines)
        self.length_told |= with_total

    def write(self, lines: list[str]) -> None:
        excerpt = self.excerpt("".join(f"{line}\n" for line in lines))
        self.state = replaced(len(lines), excerpt=excerpt, version="w")
        self.real, self.told, self.length_told = lines, [True] * len(lines), True

    def edit(self, lines: list[str], hunks: tuple[Hunk, ...]) -> None:
        splices = splices_of(hunks, self.excerpt(added_text(hunks)))
        self.state = edited(self.state, splices, version="e")
        for splice in reversed(splices):
            self.told[splice.start - 1 : splice.stop - 1] = [True] * splice.added
        self.real = lines

    def forget(self, lines: list[str]) -> None:
        self.state = forgotten(self.state, "f")
        self.real, self.told, self.length_told = lines, [False] * len(lines), False

    def check(self) -> None:
        known = known_lines(self.state, lambda excerpt: split_lines(self.texts[excerpt]))
        padded = [*known, *[None] * (len(self.real) - len(known))]
        assert padded == [line if told else None for line, told in zip(self.real, self.told, strict=True)]
        claimed = [line for first, last in covered(self.state) for line in range(first, last + 1)]
        assert claimed == [number for number, told in enumerate(self.told, 1) if told]
        assert self.state.total == (len(self.real) if self.length_told else None)
        assert self.state.complete == (self.length_told and all(self.told))
        self.check_form()

    def check_form(self) -> None:
        segments = self.state.segments
        assert all(segment.count > 0 for segment in segments)
        for last, segment in pairwise(segments):
            assert last.stop <= segment.start
            joinable = last.excerpt == segment.excerpt and last.offset + last.count == segment.offset
            assert not (joinable and last.stop == segment.start)


def with_context(old: list[str], hunks: tuple[Hunk, ...], most: int) -> tuple[Hunk, ...]:
    """Give hunks kept lines before them, as far as the hunk before allows."""
    grown: list[Hunk] = []
    reached = 1
    for hunk in hunks:
        before = min(most, hunk.old_start - reached)
        kept = tuple(f" {line}" for line in old[hunk.old_start - 1 - before : hunk.old_start - 1])
        grown.append(Hunk(hunk.old_start - before, hunk.new_start - before, (*kept, *hunk.lines)))
        reached = hunk.old_start + sum(line.startswith("-") for line in hunk.lines)
    return tuple(grown)


def step(world: World, data: st.DataObject) -> None:
    what = data.draw(st.sampled_from(["read", "read", "edit", "edit", "seek", "write", "forget"]))
    if what == "read":
        first = data.draw(st.integers(1, len(world.real) + 1))
        world.read(first, data.draw(st.integers(0, 8)), with_total=data.draw(st.booleans()))
    elif what == "write":
        world.write(data.draw(CONTENT))
    elif what == "forget":
        world.forget(data.draw(CONTENT))
    else:
        lines = changed(world.real, data)
        hunks = with_context(world.real, hunks_between(world.real, lines), data.draw(st.integers(0, 3)))
        sought = what == "seek" and world.state.complete
        found = located(tuple(Hunk(0, 0, hunk.lines) for hunk in hunks), list(world.real)) if sought else hunks
        if found is None:
            world.forget(lines)
        else:
            world.edit(lines, found)


def changed(lines: list[str], data: st.DataObject) -> list[str]:
    result = list(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(result)))
        stop = data.draw(st.integers(start, min(len(result), start + 3)))
        result[start:stop] = data.draw(st.lists(LINE, max_size=3))
    return result


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_the_ledger_claims_what_was_told_and_nothing_else(data: st.DataObject) -> None:
    content = data.draw(CONTENT)
    world = World(real=content, told=[False] * len(content))
    for _ in range(data.draw(st.integers(1, 10))):
        step(world, data)
        world.check()


@settings(max_examples=200, deadline=None)
@given(
    CONTENT, st.lists(st.tuples(st.integers(-1, 9), st.integers(0, 3), st.integers(0, 2)), max_size=4), st.booleans()
)
def test_any_hunks_however_wrong_leave_a_well_formed_ledger(
    content: list[str], wanted: list[tuple[int, int, int]], whole: bool
) -> None:
    world = World(real=content, told=[])
    world.state = replaced(len(content), excerpt="E", version="v") if whole else NOTHING_KNOWN
    hunks = tuple(Hunk(start, start, ("-r",) * removed + ("+a",) * added) for start, removed, added in wanted)
    world.state = edited(world.state, splices_of(hunks, "X"), version="w")
    world.check_form()
    assert world.state.total is None or all(segment.stop - 1 <= world.state.total for segment in world.state.segments)
