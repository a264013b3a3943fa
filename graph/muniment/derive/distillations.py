"""Distillations: which lines of a large output matter, by the store itself at once, and by agents when they say so.

* An output is large if it has more tokens than `FoldState.large_output`. What a read showed or a write left is no such
  output: its lines stand in the ledger of its file.
* Each run of lines that was chosen is an Excerpt of the receipt, a slice of its output. The store's own excerpts come
  with the receipt; an agent's stand beside them and replace nothing.
* What an agent names must lie inside the output: lines that are not there, or columns of several lines, are refused
  (a Gap says so), and the rest of what it named counts.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from muniment.derive.builder import Builder
from muniment.derive.distil import distil
from muniment.derive.sessions import session_of
from muniment.model.edges import EdgeKind
from muniment.model.nodes import DISTILLED, Excerpt, Receipt, Text
from muniment.model.records import DistillationMade, SpanGiven, ToolReturned
from muniment.tokens import o200k

MOST_TOKENS: Final = 1_000
"""What a distillation may cost; of outputs that are called large earlier than usual, half of that limit."""
DENSE: Final = 2
SPARSE: Final = 6
"""Characters of a token in texts that have as many tokens, and as few, as outputs of tools have."""
OUTSIDE: Final = "distillation_outside"
UNKNOWN_OUTPUT: Final = "distillation_of_nothing"

_IN_LEDGERS: Final = frozenset({"read", "write"})


def note_output(builder: Builder, record: ToolReturned) -> None:
    """A tool answered: distil what it printed, if that is much."""
    text = record.output if record.output is not None else record.content
    limit = builder.state.large_output
    if text is None or not is_large(text, limit):
        return
    receipt = builder.find_kind(Receipt, record.id)
    if receipt is None or receipt.output is None or (receipt.tool in _IN_LEDGERS and receipt.status == "ok"):
        return
    command = None if receipt.command is None else builder.text_of(receipt.command)
    made = distil(text, command=command, status=status_of(receipt), budget=min(MOST_TOKENS, limit // 2))
    output = Output(builder, receipt, receipt.output, text)
    for span in made.excerpts:
        output.add(record.id, (span.first, span.last), states=", ".join(span.establishes))


def distillation_made(builder: Builder, record: DistillationMade) -> None:
    """Somebody named the decisive lines of an output."""
    session_of(builder, record)
    receipt = builder.find_kind(Receipt, record.of)
    if receipt is None or receipt.output is None:
        builder.refuse(UNKNOWN_OUTPUT, f"{record.id}: {record.of}")
        return
    output = Output(builder, receipt, receipt.output, builder.text_of(receipt.output))
    for place, span in enumerate(record.spans):
        if not output.holds(span):
            builder.refuse(OUTSIDE, f"{record.id}: lines {span.lines[0]} to {span.lines[1]} of {record.of}")
            continue
        output.add(
            record.id,
            span.lines,
            columns=span.columns,
            states=_of_span(record.states, place) or "",
            leaves_open=_of_span(record.leaves_open, place),
            by=record.by,
            agent=record.agent,
            omissions_matter=record.omissions_matter,
        )


def status_of(receipt: Receipt) -> str | int:
    """Return how a run ended, as far as its own status is known."""
    if not receipt.own_status:
        return "unknown"
    return receipt.status if receipt.exit_code is None else receipt.exit_code


def is_large(text: str, limit: int) -> bool:
    """Tell whether a text has more than so many tokens; only where its length leaves that open are they counted."""
    if not DENSE * limit < len(text) < SPARSE * limit:
        return len(text) >= SPARSE * limit
    return not o200k().fits(text, limit)


class Output:
    """What a tool printed, from which excerpts are taken."""

    def __init__(self, builder: Builder, receipt: Receipt, whole: Text, text: str) -> None:
        self._builder = builder
        self._receipt = receipt
        self._whole = whole
        self._text = text
        self._ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
        self._taken: set[str] = set()

    def holds(self, span: SpanGiven) -> bool:
        """Tell whether the lines, and the columns if there are any, are in the output."""
        first, last = span.lines
        if not 1 <= first <= last <= self._whole.lines:
            return False
        if span.columns is None:
            return True
        length = self._ends[first - 1] - self._start(first) - 1
        return first == last and 1 <= span.columns[0] <= span.columns[1] <= length

    def add(
        self,
        record: str,
        lines: tuple[int, int],
        *,
        states: str,
        columns: tuple[int, int] | None = None,
        leaves_open: str | None = None,
        by: str = "",
        agent: str = "",
        omissions_matter: bool | None = None,
    ) -> None:
        """Add an excerpt: lines from 1, inclusive, or columns of one line."""
        first, last = lines
        start, stop = self._start(first), min(self._ends[last - 1] - 1, len(self._text))
        if columns is not None:
            start, stop = start + columns[0] - 1, start + columns[1]
        role = f"distilled:{first}-{last}" + (f":{columns[0]}-{columns[1]}" if columns else "")
        if role in self._taken:
            return
        self._taken.add(role)
        node = Excerpt(
            id=self._builder.node_id(Excerpt, record, role),
            ordinal=self._builder.ordinal,
            handle=self._builder.handle(Excerpt),
            record=record,
            of=self._receipt.id,
            receipt=self._receipt.id,
            first=first,
            last=last,
            text=self._slice(start, stop),
            agent=agent,
            session=self._receipt.session,
            states=states,
            leaves_open=leaves_open,
            how=DISTILLED,
            by=by,
            columns=columns,
            omissions_matter=omissions_matter,
        )
        self._builder.add(node)
        self._builder.edge(EdgeKind.EXCERPT_OF, node.id, self._receipt.id)

    def _start(self, line: int) -> int:
        return self._ends[line - 2] if line > 1 else 0

    def _slice(self, start: int, stop: int) -> Text:
        lines = self._text.count("\n", start, stop) + 1
        if self._whole.digest is None:
            return Text(inline=self._text[start:stop], lines=lines, size=stop - start)
        begin = self._whole.start
        return Text(digest=self._whole.digest, start=begin + start, stop=begin + stop, lines=lines, size=stop - start)


def _of_span(told: str | tuple[str, ...] | None, place: int) -> str | None:
    if told is None or isinstance(told, str):
        return told
    return told[place] if place < len(told) else None
