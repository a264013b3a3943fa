"""Delta: how one view is made out of an earlier one, so that a runtime can send what is new instead of all of it.

* The hunks applied to the earlier text give the later text, character for character. They are whole lines.
* An item is the same in both views by its node and path, in the order of the text. It has changed where its text, its
  role or its section has.
* A runtime whose transcript only grows sends `appendix`; one that may replace the end of its prompt sends everything
  behind `kept`, which keeps the cache of what stands before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from muniment.derive.diff import hunks_between
from muniment.digest import digest_of
from muniment.errors import UsageError
from muniment.tokens import TokenCounter, encodable

HANDLES_TOLD: Final = 40


class Shown(Protocol):
    """What is compared of an item; `at` are the characters of the view's text that it has."""

    @property
    def id(self) -> str:
        """The node's id."""

    @property
    def handle(self) -> str:
        """The node's handle."""

    @property
    def kind(self) -> str:
        """The node's kind."""

    @property
    def section(self) -> str:
        """The section that it stands in."""

    @property
    def role(self) -> str:
        """What it is for the reader."""

    @property
    def tokens(self) -> int:
        """What it costs."""

    @property
    def path(self) -> str | None:
        """The file of which it shows lines."""

    @property
    def lines(self) -> tuple[int, int] | None:
        """The lines."""

    @property
    def at(self) -> tuple[int, int]:
        """Its first character in the text, and the one behind its last."""


class DeltaItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item that came, went or changed. Of one that went: as it was."""

    id: str
    handle: str
    kind: str
    section: str
    tokens: int
    path: str | None = None
    lines: tuple[int, int] | None = None


class TextHunk(msgspec.Struct, frozen=True, kw_only=True):
    """Characters `start`..`stop - 1` of the earlier text give way to `text`."""

    start: int
    stop: int
    text: str


class ViewDelta(msgspec.Struct, frozen=True, kw_only=True):
    """What leads from the view of `since` to that of `ordinal`.

    `base` is the digest of the earlier text, `kept` how many characters both begin with. `tokens` counts the texts of
    the hunks, `tail_tokens` all of the later text behind `kept`, `appendix_tokens` the appendix.
    """

    mission: str
    since: int
    ordinal: int
    base: str
    added: tuple[DeltaItem, ...]
    removed: tuple[DeltaItem, ...]
    changed: tuple[DeltaItem, ...]
    hunks: tuple[TextHunk, ...]
    kept: int
    appendix: str
    tokens: int
    tail_tokens: int
    appendix_tokens: int
    estimator: str

    def applied(self, previous: str) -> str:
        """Return the later text.

        Raises:
            UsageError: `previous` is not the text that the delta was made for.
        """
        if _digest(previous) != self.base:
            raise UsageError("the delta was made for another text: ask for the whole view")
        parts: list[str] = []
        place = 0
        for hunk in self.hunks:
            parts += [previous[place : hunk.start], hunk.text]
            place = hunk.stop
        return "".join([*parts, previous[place:]])


class Side(msgspec.Struct, frozen=True):
    """One of the two views."""

    text: str
    items: Sequence[Shown]
    ordinal: int


def delta_between(mission: str, previous: Side, now: Side, counter: TokenCounter) -> ViewDelta:
    """Return how `now` is made out of `previous`."""
    hunks = _hunks(previous.text, now.text)
    kept = _common(previous.text, now.text)
    added, removed, changed = _compared(previous, now)
    appendix = _appendix(now.text, [*added, *changed], removed)
    return ViewDelta(
        mission=mission,
        since=previous.ordinal,
        ordinal=now.ordinal,
        base=_digest(previous.text),
        added=tuple(map(_told, added)),
        removed=tuple(map(_told, removed)),
        changed=tuple(map(_told, changed)),
        hunks=hunks,
        kept=kept,
        appendix=appendix,
        tokens=sum(counter.count(hunk.text) for hunk in hunks),
        tail_tokens=counter.count(now.text[kept:]),
        appendix_tokens=counter.count(appendix),
        estimator=counter.name,
    )


def _hunks(old: str, new: str) -> tuple[TextHunk, ...]:
    """Return hunks of characters. Lines are compared with their line ends, so both texts are thought to end in one."""
    before, after = old.split("\n"), new.split("\n")
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line) + 1)
    found: list[TextHunk] = []
    for hunk in hunks_between(before, after):
        first = hunk.old_start - 1
        gone = sum(line.startswith("-") for line in hunk.lines)
        text = "".join(f"{line[1:]}\n" for line in hunk.lines if line.startswith("+"))
        found.append(_real(starts[first], starts[first + gone], text, len(old)))
    return tuple(found)


def _real(start: int, stop: int, text: str, size: int) -> TextHunk:
    """Return a hunk of a text of `size` characters, which ends in no line end, or not in the one that was added."""
    if stop <= size:
        return TextHunk(start=start, stop=stop, text=text)
    if not text:
        return TextHunk(start=max(start - 1, 0), stop=size, text="")
    joint = "\n" if start > size else ""
    return TextHunk(start=min(start, size), stop=size, text=joint + text[:-1])


def _common(old: str, new: str) -> int:
    limit = min(len(old), len(new))
    if old[:limit] == new[:limit]:
        return limit
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
    return low


def _compared(previous: Side, now: Side) -> tuple[list[Shown], list[Shown], list[Shown]]:
    """Return what was added, removed and changed, each in the order of its text."""
    before: dict[tuple[str, str | None], list[Shown]] = defaultdict(list)
    for item in previous.items:
        before[item.id, item.path].append(item)
    added: list[Shown] = []
    changed: list[Shown] = []
    for item in now.items:
        waiting = before[item.id, item.path]
        if not waiting:
            added.append(item)
        elif _looks(previous, waiting.pop(0)) != _looks(now, item):
            changed.append(item)
    gone = {id(item) for waiting in before.values() for item in waiting}
    return added, [item for item in previous.items if id(item) in gone], changed


def _looks(side: Side, item: Shown) -> tuple[str, str, str]:
    return item.section, item.role, side.text[item.at[0] : item.at[1]]


def _appendix(text: str, shown: Sequence[Shown], removed: Sequence[Shown]) -> str:
    parts = [text[item.at[0] : item.at[1]] for item in sorted(shown, key=lambda item: item.at)]
    handles = list(dict.fromkeys(item.handle for item in removed))
    if handles:
        more = f" and {len(handles) - HANDLES_TOLD} more" if len(handles) > HANDLES_TOLD else ""
        parts.append(f"[no longer in the view: {', '.join(handles[:HANDLES_TOLD])}{more}]")
    return "\n".join(parts)


def _told(item: Shown) -> DeltaItem:
    return DeltaItem(
        id=item.id,
        handle=item.handle,
        kind=item.kind,
        section=item.section,
        tokens=item.tokens,
        path=item.path,
        lines=item.lines,
    )


def _digest(text: str) -> str:
    return digest_of(encodable(text).encode("utf-8"))
