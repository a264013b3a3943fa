"""Pieces: the parts that a view's text is put together from, and the tools with which they are cut to size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from muniment.derive.texts import readable, split_lines
from muniment.model.nodes import AnyNode, Message, Receipt, Text, kind_of
from muniment.selection.stock import ByText, stock_of
from muniment.selection.view import CURRENT, DISTILLED, FULL, POINTER, Omitted, ViewItem
from muniment.snapshot import LiveReads
from muniment.tokens import TokenCounter

POINTER_TOKENS: Final = 1_000
"""Most tokens of what a pointer leads to."""
A_TOKEN: Final = 3
"""Characters of a token, at least: a pointer must not lead to more than it may."""
RUNS_TOLD: Final = 1
"""Runs of lines that a pointer in the text names."""
MOST_RUNS: Final = 64
"""Runs of a long text that are pointed to: the last, where results stand."""
POINTING: Final = frozenset({"files", "commands", "doubted"})
"""Sections whose parts only point to things."""
CURRENT_TEXT: Final = frozenset({"text", "settled"})
"""Sections that show lines of files as they are now."""
FOR_NAMES: Final = "it holds names that are likely to be used next"
"""Why something is shown that was chosen for the names in it."""
SHORTENED = "shortened"
BUDGET = "budget"
_POINTER_TOKENS = 12
"""What `[… 1,234 tokens more: U12]` costs; a text that is longer than allowed by less than this is not cut."""
_HEAD_AND_TAIL = 48
"""From so many tokens on a cut keeps a tail as well as a head."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a view's text, about `node`. `tokens` counts the text and its line end, `left_out` what was cut off.

    `names` are those for which it was chosen.
    """

    node: AnyNode
    section: str
    text: str
    tokens: int
    why: str
    role: str = CURRENT
    path: str | None = None
    lines: tuple[int, int] | None = None
    receipts: tuple[str, ...] = ()
    left_out: int = 0
    names: tuple[str, ...] = ()

    @property
    def level(self) -> str:
        """How much of the node it shows."""
        if self.section in POINTING:
            return POINTER
        return DISTILLED if self.left_out else FULL

    def item(self, at: tuple[int, int] = (0, 0)) -> ViewItem:
        """Return what the view says of this piece, which has the characters `at` of its text."""
        return ViewItem(
            id=self.node.id,
            handle=self.node.handle,
            kind=kind_of(self.node),
            record=self.node.record,
            role=self.role,
            section=self.section,
            tokens=self.tokens,
            why=self.why,
            path=self.path,
            lines=self.lines,
            receipts=self.receipts,
            at=at,
            level=self.level,
            names=self.names,
        )


Needed = Callable[[Message | Receipt], bool]


NOTHING_BESIDE: Final[Mapping[str, str]] = MappingProxyType({})


def any_step(_: Message | Receipt) -> bool:
    """Tell of each step that it may be shown."""
    return True


class Desk:
    """What one selection works with: the reads, the counter and the budget, which steps may be shown at all, what
    another text tells beside, by node, and what earlier selections have made. Texts are read once.
    """

    def __init__(
        self,
        live: LiveReads,
        counter: TokenCounter,
        budget: int,
        needed: Needed = any_step,
        beside: Mapping[str, str] = NOTHING_BESIDE,
    ) -> None:
        self.live = live
        self.counter = counter
        self.budget = budget
        self.needed = needed
        self.beside = beside
        self.stock = stock_of(live, counter.name)
        self._lines: dict[str, list[str]] = {}

    @property
    def narrow(self) -> bool:
        """Whether only some steps may be shown."""
        return self.needed is not any_step

    def text(self, text: Text | None) -> str:
        """Return a stored text fit to be shown: no control characters, no white space at its ends."""
        return _fit_to_show(self.live.text(text)) if text is not None else ""

    def lines(self, node: str, text: Text) -> list[str]:
        """Return the lines of the text of `node`, as they are stored."""
        known = self._lines.get(node)
        if known is None:
            known = self._lines[node] = split_lines(self.live.text(text))
        return known

    def cost(self, text: str) -> int:
        """Return what a piece with this text costs: its tokens and those of its line end."""
        return self.counter.count(text + "\n")


@ByText
def _fit_to_show(text: str) -> str:
    return readable(text).strip()


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.partition("\n")[0].rstrip()


@ByText
def _empty_lines_before(text: str) -> int:
    shown = readable(text)
    return shown[: len(shown) - len(shown.lstrip())].count("\n")


def pointed(
    desk: Desk, handle: str, text: Text | None, missing: Sequence[tuple[int, int]], *, as_stored: bool = False
) -> str:
    """Return what names the missing lines of a text: its handle and, where the text is longer than a pointer may lead
    to, the last runs of its lines that are missing, none longer than that: `R12:40-80,95-120`.

    `missing` are runs of lines (1-based, inclusive) of the text as `Desk.text` gives it, or as it is stored.
    """
    size = characters_of(text)
    if text is None or size <= POINTER_TOKENS * A_TOKEN or text.lines <= 1:
        return handle
    before = 0 if as_stored else _empty_lines_before(desk.live.text(text))
    step = max(POINTER_TOKENS * A_TOKEN * text.lines // size, 1)
    runs = [
        (start + before, min(start + step - 1, last) + before)
        for first, last in missing
        for start in range(first, last + 1, step)
    ]
    told = ",".join(f"{first}-{last}" for first, last in runs[-RUNS_TOLD:])
    return f"{handle}:{told}" if told else handle


def shortened(desk: Desk, text: str, tokens: int, handle: str) -> tuple[str, int]:
    """Cut something said to about `tokens`: head, tail and a pointer, or with few tokens its first line and a pointer.

    Returns what is left, and how many tokens of the text are not in it.
    """
    counter = desk.counter
    if counter.fits(text, tokens + _POINTER_TOKENS):
        return text, 0
    if tokens >= _HEAD_AND_TAIL:
        head, tail = counter.cut(text, tokens * 2 // 3).rstrip(), counter.cut(text, tokens // 3, end=True).lstrip()
    else:
        head, tail = counter.cut(first_line(text), tokens).rstrip(), ""
    missing = max(counter.count(text) - counter.count(head) - counter.count(tail), 1)
    pointer = f"[… {missing:,} tokens more: {handle}]"
    joint = "\n" if tail else " "
    return f"{head}{joint}{pointer}{joint}{tail}".rstrip(), missing


def excerpted(desk: Desk, output: Text, tokens: int, handle: str) -> tuple[str, int]:
    """Cut an output to about `tokens`: its head and, larger, its tail, where results stand; lines left out are counted.

    Returns what is left, and about how many tokens of the text are not in it.
    """
    counter, text = desk.counter, desk.text(output)
    if counter.fits(text, tokens + _POINTER_TOKENS):
        return text, 0
    head = counter.cut(text, tokens // 3).rstrip()
    tail = counter.cut(text, tokens - tokens // 3, end=True).lstrip("\n")
    characters = len(text) - len(head) - len(tail)
    lines = text.count("\n") - head.count("\n") - tail.count("\n") - 1
    told = f"{lines:,} lines" if lines > 0 else f"{characters:,} characters"
    last = text.count("\n") + 1 - tail.count("\n")
    where = pointed(desk, handle, output, [(head.count("\n") + 1, last)])
    return f"{head}\n[… {told} omitted: {where}]\n{tail}", max(characters // 4, 1)


def characters_of(text: Text | None) -> int:
    """Return how many characters a stored text has, without reading it."""
    if text is None:
        return 0
    return len(text.inline) if text.inline is not None else text.size


def size_of(text: Text | None) -> int:
    """Return about how many tokens a stored text has, without reading it."""
    return characters_of(text) // 4


def runs_of(text: Text | None) -> tuple[tuple[int, int], ...]:
    """Return the lines of a long text in runs, each about as long as a pointer may lead to; none where all of it is no
    longer. The text is not read: its lines are taken to be equally long.
    """
    size = characters_of(text)
    if text is None or size <= POINTER_TOKENS * A_TOKEN or text.lines <= 1:
        return ()
    step = max(POINTER_TOKENS * A_TOKEN * text.lines // size, 1)
    first = max(text.lines - step * MOST_RUNS, 0) + 1
    return tuple((start, min(start + step - 1, text.lines)) for start in range(first, text.lines + 1, step))


def omission(
    node: AnyNode, reason: str, tokens: int, *, path: str | None = None, lines: Sequence[tuple[int, int]] = ()
) -> Omitted:
    """Return the note that `node` is not, or not wholly, in the view; `lines` are runs that can be asked for."""
    return Omitted(
        id=node.id,
        handle=node.handle,
        kind=kind_of(node),
        record=node.record,
        reason=reason,
        tokens=tokens,
        path=path,
        lines=tuple(lines),
    )
