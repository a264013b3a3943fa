"""Distillation: the excerpts of an output, what each establishes, what was left out, and what it costs to show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from muniment.derive.distil.blocks import Block, blocks_of
from muniment.derive.distil.grammar import FOREIGN, FRAME, PROJECT_FRAME
from muniment.derive.distil.packing import Packing, fill, pack
from muniment.derive.distil.page import Page, clipped, page_of
from muniment.derive.distil.showing import shows_files, shows_log
from muniment.derive.distil.signs import Sign, signs_of
from muniment.tokens import TokenCounter, o200k

FIRST_LINES = "first lines"
LAST_LINES = "last lines"
CONTEXT = "context"
PLACES = frozenset({FIRST_LINES, LAST_LINES, CONTEXT, f"{FIRST_LINES}, {LAST_LINES}"})
"""What is said of lines that were chosen for where they stand alone."""
FEWEST_CHARACTERS = 120
MOST_CHARACTERS = 480
"""Characters of a line that are shown at least and at most; between them a third of the budget's tokens, which is
about a twelfth of the budget."""


PROJECT_WORTH = 2.0
FOREIGN_WORTH = 0.5
"""How much more a frame in a file of the project says than another line, and how much less one in a library."""


class Span(msgspec.Struct, frozen=True):
    """Lines `first`..`last` of an output (from 1, inclusive), and what they establish, weightiest first."""

    first: int
    last: int
    establishes: tuple[str, ...]


class Distillation(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of an output: `excerpts` in order of lines, disjoint; `omitted` are the line ranges between.

    `text` is how it is shown, with a mark for each gap, and `tokens` what that costs: at most the budget.
    """

    excerpts: tuple[Span, ...]
    omitted: tuple[tuple[int, int], ...]
    lines: int
    text: str
    tokens: int


def distil(
    text: str,
    *,
    command: str | None = None,
    status: str | int | None = None,
    budget: int,
    counter: TokenCounter | None = None,
) -> Distillation:
    """Return the lines of an output that matter most, in at most `budget` tokens.

    `command` and `status` (ok, failed, unknown, or an exit code) say what printed it and how that ended.
    """
    page = page_of(text)
    run = Run(command, status)
    return _distilled(page, range(1, len(page) + 1), len(page), frozenset(), run, budget, counter or o200k())


def narrowed(
    lines: Mapping[int, str],
    length: int,
    *,
    first: Collection[int] = (),
    run: Run | None = None,
    budget: int,
    counter: TokenCounter | None = None,
) -> Distillation:
    """Return a smaller distillation: what matters most of some lines (number → line) of an output of `length` lines.

    The lines `first` come before all others.
    """
    numbers = sorted(lines)
    page = page_of("".join(f"{lines[number]}\n" for number in numbers))
    wanted = frozenset(place for place, number in enumerate(numbers) if number in first)
    return _distilled(page, numbers, length, wanted, run or Run(), budget, counter or o200k())


def _distilled(
    page: Page,
    numbers: Sequence[int],
    length: int,
    first: frozenset[int],
    run: Run,
    budget: int,
    counter: TokenCounter,
) -> Distillation:
    signs = [] if shows_files(run.command, run.status) else signs_of(page, succeeded=run.succeeded)
    blocks = blocks_of(page, signs)
    shown = Shown(page, numbers, min(max(FEWEST_CHARACTERS, budget // 4), MOST_CHARACTERS), counter)
    packing = Packing(numbers, length, budget, shown.cost)
    packing.take_each(sorted(first))
    frames = frames_of(page, blocks)
    if run.succeeded:
        packing.take_tail(budget // 2)
    pack(packing, blocks, page, frames)
    if not run.filled:
        return _made(shown, packing, signs, frames, length)
    fill(packing, blocks, page)
    made = _made(shown, packing, signs, frames, length)
    if length <= len(packing.chosen) or not 0 < made.tokens < budget:
        return made
    packing.spent = made.tokens  # the sum of the parts was a little more
    pack(packing, blocks, page, frames)
    fill(packing, blocks, page)
    fuller = _made(shown, packing, signs, frames, length)
    return fuller if fuller.tokens <= budget else made


def _made(shown: Shown, packing: Packing, signs: list[Sign], frames: Mapping[int, float], length: int) -> Distillation:
    spans = _spans(shown, sorted(packing.chosen), signs, frames)
    text = _composed(shown, spans, length)
    return Distillation(
        excerpts=tuple(spans),
        omitted=tuple(_gaps(spans, length)),
        lines=length,
        text=text,
        tokens=shown.counter.count(text),
    )


class Run(msgspec.Struct, frozen=True):
    """What printed an output, and how that ended: ok, failed, unknown, or an exit code.

    `filled`: whether room that is left is filled with what stands around what matters.
    """

    command: str | None = None
    status: str | int | None = None
    filled: bool = True

    @property
    def succeeded(self) -> bool:
        """Whether it is known to have succeeded: what it printed of errors was then no failure of its own."""
        return self.status in ("ok", 0) and not shows_log(self.command)


class Shown:
    """The lines of a page as they are shown, each made and counted once; `numbers` are theirs in the output."""

    def __init__(self, page: Page, numbers: Sequence[int], most: int, counter: TokenCounter) -> None:
        self.page = page
        self.numbers = numbers
        self.places = {number: place for place, number in enumerate(numbers)}
        self.counter = counter
        self._most = most
        self._lines: dict[int, str] = {}
        self._costs: dict[int, int] = {}

    def line(self, place: int) -> str:
        """Return a line as it is shown."""
        if place not in self._lines:
            self._lines[place] = clipped(self.page.shown[place], self._most)
        return self._lines[place]

    def cost(self, place: int) -> int:
        """Return what showing a line costs."""
        if place not in self._costs:
            self._costs[place] = self.counter.count(self.line(place) + "\n")
        return self._costs[place]


def frames_of(page: Page, blocks: Iterable[Block]) -> dict[int, float]:
    """Return for each line of a block that is a frame how much more or less it says than another line."""
    found: dict[int, float] = {}
    for block in blocks:
        for number in range(block.first, block.last + 1):
            frame = FRAME.match(page.judged[number])
            if frame:
                foreign = any(FOREIGN.search(part) for part in frame.groups() if part)
                found[number] = FOREIGN_WORTH if foreign else PROJECT_WORTH
    return found


def _spans(shown: Shown, chosen: list[int], signs: list[Sign], frames: Mapping[int, float]) -> list[Span]:
    """Return the chosen lines as spans of the output, with what each establishes."""
    by_line = {sign.line: sign for sign in signs}
    last_place = len(shown.page) - 1
    found: list[Span] = []
    for run in _runs(chosen, shown.numbers):
        said = sorted((by_line[place] for place in run if place in by_line), key=lambda s: (-s.worth, s.line))
        names = list(dict.fromkeys(sign.establishes for sign in said))
        names += [PROJECT_FRAME] if any(frames.get(place) == PROJECT_WORTH for place in run) else []
        names += [FIRST_LINES] if run[0] == 0 else []
        names += [LAST_LINES] if run[-1] == last_place else []
        found.append(Span(shown.numbers[run[0]], shown.numbers[run[-1]], tuple(names) or (CONTEXT,)))
    return found


def _runs(chosen: list[int], numbers: Sequence[int]) -> list[list[int]]:
    """Return the chosen places in runs whose numbers follow one another."""
    runs: list[list[int]] = []
    for place in chosen:
        if runs and numbers[runs[-1][-1]] + 1 == numbers[place]:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _gaps(spans: list[Span], length: int) -> Iterable[tuple[int, int]]:
    """Yield the line ranges that no span holds."""
    begin = 1
    for span in spans:
        if span.first > begin:
            yield begin, span.first - 1
        begin = span.last + 1
    if begin <= length:
        yield begin, length


def _composed(shown: Shown, spans: list[Span], length: int) -> str:
    """Return the text of a distillation."""
    parts: list[tuple[int, str]] = [(first, _omission(last - first + 1)) for first, last in _gaps(spans, length)]
    for span in spans:
        parts += [(number, shown.line(shown.places[number])) for number in range(span.first, span.last + 1)]
    return "\n".join(part for _, part in sorted(parts))


def _omission(lines: int) -> str:
    return f"[…{lines} line{'s' if lines != 1 else ''}]"
