"""What is asked of a text search, and what it gives back."""

from __future__ import annotations

import msgspec

from muniment.errors import UsageError

MARK, MARK_END = "⟦", "⟧"
"""What a snippet puts around each match; where the text itself has such a character, square brackets stand for it."""

MOST = 200
"""Hits that one search may ask for."""

KINDS = ("claim", "decision", "fact", "file", "message", "question", "receipt", "task")
"""Kinds of nodes whose text is searched."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One thing whose text matches.

    `title` is a receipt's command or path, or a file's path; `snippet` the place of the match. `line` (1-based) is
    the line of the first match: of the file as it is now, of a receipt's output, or of what was said; None where
    only the title matches. `state`: "" (in force), withdrawn or superseded. `score` is BM25 within the mission: the
    higher, the better.
    """

    id: str
    handle: str
    kind: str
    record: str
    mission: str
    ordinal: int
    score: float
    title: str
    snippet: str
    line: int | None = None
    state: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A search: what for, in which kinds (none: all), how many hits, and whether also in what has ended."""

    text: str
    kinds: frozenset[str] = frozenset()
    limit: int = 20
    history: bool = False

    def check(self) -> None:
        """Refuse what cannot be asked.

        Raises:
            UsageError: a kind is not searched, or the limit is not from 1 to `MOST`.
        """
        unknown = sorted(self.kinds - set(KINDS))
        if unknown:
            raise UsageError(f"no text of kind {', '.join(unknown)} is searched; searched are {', '.join(KINDS)}")
        if not 1 <= self.limit <= MOST:
            raise UsageError(f"a search gives 1 to {MOST} hits, not {self.limit}")
