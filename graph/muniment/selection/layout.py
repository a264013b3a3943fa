"""Layout: in which order the sections of a view stand, and how its text is put together.

What is stable and binds comes first, so that a model's prompt cache can keep it; then evidence by file in order of
lines, then the recent steps in order of time; what is in focus comes last, next to where the model goes on.

A line inside a part that reads like one of the view's own headings, or like the label of something that the view says
(`U7: ...`, `T3 task [open]: ...`, `R5 $ ... → exit 0`), is moved by a space: what a tool printed must not pass for what
the user said, for a task, or for a receipt. What the view says itself begins a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from muniment.derive.texts import readable
from muniment.selection.pieces import Piece

HEADINGS = {
    "frame": "# Mission",
    "facts": "# Facts in force",
    "user": "# The user said",
    "decisions": "# Decisions in force",
    "settled": "# Current text, known for longer",
    "earlier": "# Earlier steps",
    "doubted": "# Perhaps changed since",
    "open": "# Still open",
    "files": "# Files known",
    "commands": "# Commands run",
    "text": "# Current text",
    "steps": "# Recent steps",
    "focus": "# In focus",
}
"""Section → heading, in the order of the text."""

HEADING_TOKENS = 5
"""What a heading and the empty line before it cost."""

EVIDENCE_HEADINGS = 7 * HEADING_TOKENS

_NAMES = "|".join(re.escape(heading.removeprefix("# ")) for heading in HEADINGS.values())
_LIKE_OUR_OWN = re.compile(
    rf"""^(?=
        \#+[^\S\n]*(?i:{_NAMES})[^\S\n]*:?[^\S\n]*$
        | U\d+[a-z]*(?:: | [ ](?:the[ ])?(?:user|agent|harness|compactor|somebody|child|instructions)\b)
        | [KD]\d+[a-z]*(?:: | [ ]CONFLICT | [ ][a-z]+(?:[ ]\([^)\n]*\))?:[ ])
        | W\d+[a-z]*[ ]works[ ]in:[ ]
        | [TG]\d+[a-z]*[ ](?:task[ ]|running[ ]|\[)
        | [QIZ]\d+[a-z]*[ ](?:open|armed|loss)[ ]
        | R\d+[a-z]*[ ][^\n]*→[ ](?:exit[ ]\d|ok\b|failed\b|refused\b|unknown\b)
        | [^\s:]+:\d+-\d+[ ]\(R\d
    )""",
    re.MULTILINE | re.VERBOSE,
)

_PLACE = {section: place for place, section in enumerate(HEADINGS)}


def arranged(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces in the order of the text: by section; within one as they come."""
    return sorted(pieces, key=lambda piece: _PLACE[piece.section])


def compose(pieces: Iterable[Piece]) -> str:
    """Return the text of a view."""
    sections: dict[str, list[str]] = {}
    for piece in arranged(pieces):
        sections.setdefault(piece.section, [HEADINGS[piece.section]]).append(_plain(piece.text))
    return readable("\n\n".join("\n".join(parts) for parts in sections.values()))


def placed(pieces: Sequence[Piece], text: str) -> Iterable[tuple[Piece, tuple[int, int]]]:
    """Yield arranged pieces with the characters of the text that each has."""
    place = 0
    for piece in pieces:
        shown = _plain(piece.text)
        start = text.find(shown, place)
        if start < 0:  # characters that make one only where two pieces meet: nobody can say whose they are
            start, shown = place, ""
        place = start + len(shown)
        yield piece, (start, place)


def _plain(text: str) -> str:
    """Return a part's text, each line but its first moved by a space where it reads like the view's own."""
    first, newline, rest = readable(text).partition("\n")
    return f"{first}{newline}{_LIKE_OUR_OWN.sub(' ', rest)}"
