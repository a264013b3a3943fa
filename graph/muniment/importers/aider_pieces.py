"""The pieces of aider's chat history, a text for people: starts, what the user typed, notices, and what the model said.

* The user's lines begin with `#### ` and end with two spaces, behind an empty line. So does hardly anything that a
  model writes; within a fenced block of its answer it never counts: quoting must not win the user's authority.
* A notice begins with `> `. A notice of several lines has the mark on its first line only; it goes on to the first
  line that ends with two spaces.
* All else is the model's answer. An open fence ends where the program speaks again.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.model.entries import JSON_OBJECT

START, USER, NOTICE, AGENT = "start", "user", "notice", "agent"
STARTED = "# aider chat started at "
_TYPED, _QUOTED, _ENDED = "#### ", "> ", "  "


def pieces_of(text: str) -> list[JSON_OBJECT]:
    """Return the pieces of a history, in order: `{kind, text}`; empty lines around them are in none."""
    found: list[JSON_OBJECT] = []
    kind, lines = "", list[str]()
    for here, line in _kinds(text.replace("\r\n", "\n").split("\n")):
        if here != kind or here == START:
            _close(found, kind, lines)
            kind, lines = here, []
        lines.append(line)
    _close(found, kind, lines)
    return found


def _close(found: list[JSON_OBJECT], kind: str, lines: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        found.append({"kind": kind, "text": text})


def _kinds(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line with the kind of piece that it is of; an empty line is of the piece before it."""
    kind, before, fenced, spilling = AGENT, "", False, False
    for line in lines:
        if line.startswith(STARTED):
            kind, fenced, spilling = START, False, False
        elif spilling:
            spilling = not line.endswith(_ENDED)
        elif line.startswith(_QUOTED) and (line.endswith(_ENDED) or not fenced):
            kind, fenced, spilling = NOTICE, False, not line.endswith(_ENDED)
        elif _is_typed(line) and not fenced and (kind in (USER, NOTICE) or not before.strip()):
            kind = USER
        elif line.strip():
            kind = AGENT
            fenced ^= line.lstrip().startswith("```")
        yield kind, line
        before = line


def _is_typed(line: str) -> bool:
    return line.startswith(_TYPED) and line.endswith(_ENDED)
