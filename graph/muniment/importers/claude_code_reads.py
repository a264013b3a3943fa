"""What a Read of Claude Code showed.

* `totalLines` and `numLines` count the empty line after a final newline; here that line is none.
* Content of a part of a file ends every line that the file goes on after; so it has as many line ends as lines, but
  perhaps at the very end.
* A whole file has no `lines`, and only where it is certain that all of it was shown. `total_lines` of a part may be
  one too high: whether the file ends with a newline is known only from its end.
* An empty last line in a text with numbers is the end of the file only where fewer lines came than were asked for;
  else nobody knows whether it is a line, and it is left out.
* Where the structured result is missing, the numbers in front of the lines that the model saw tell the lines. A
  result whose numbers do not fit its text (a redacted one, for example) gives no content at all.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from muniment.importers.lenient import integer, maybe_string, string
from muniment.model.entries import JSON_OBJECT

DEFAULT_LIMIT: Final = 2000
LONGEST_LINE: Final = 2000
"""The runtime cuts longer lines for the model."""
_GUTTER: Final = re.compile(r" *(\d+)[→\t]")
_REMINDERS: Final = re.compile(r"(?:\s*<system-reminder>.*?</system-reminder>)+\s*\Z", re.DOTALL)


class Shown(NamedTuple):
    """What is known of the content: None where nothing is certain; `lines` None with content is the whole file."""

    content: str | None = None
    lines: tuple[int, int] | None = None
    total: int | None = None


def shown_by_file(file: JSON_OBJECT) -> Shown:
    """Return what the structured result `file {content, numLines, startLine, totalLines}` shows."""
    content = maybe_string(file, "content")
    start, count, total = integer(file, "startLine"), integer(file, "numLines"), integer(file, "totalLines")
    if content is None or start is None or count is None or total is None:
        return Shown()
    start = max(start, 1)
    if not content and total <= 1 and start == 1:
        return Shown("", None, 0)
    if count < 1 or content.count("\n") + 1 != count:
        return Shown(None, None, total)
    return _shown(content, start, count, total)


def shown_by_gutters(text: str, given: JSON_OBJECT) -> Shown:
    """Return what a model-facing text with numbered lines shows; `given` is the input of the call."""
    lines: list[str] = []
    first = 0
    rest = text.split("\n")
    for place, line in enumerate(rest):
        match = _GUTTER.match(line)
        if match is None or (lines and int(match[1]) != first + len(lines)):
            rest = rest[place:]
            break
        first = first or int(match[1])
        lines.append(line[match.end() :])
    else:
        rest = []
    if not lines or first < 1 or any(len(line) >= LONGEST_LINE for line in lines):
        return Shown()
    noted = bool(_REMINDERS.sub("", "\n".join(rest)).strip())
    asked = integer(given, "limit") or DEFAULT_LIMIT
    reached_end = len(lines) < asked and not noted
    if reached_end and lines[-1] == "":
        last = first + len(lines) - 1
        return _shown("\n".join(lines), first, len(lines), last)
    if lines[-1] == "":
        del lines[-1]
    ending = "" if reached_end else "\n"
    return Shown("\n".join(lines) + ending, (first, first + len(lines) - 1)) if lines else Shown()


def cut_in(shown: Shown, text: str) -> tuple[int, ...]:
    """Return the lines that the model was not shown whole; `text` is what it saw."""
    if shown.content is None or len(shown.content) <= LONGEST_LINE:
        return ()
    first = shown.lines[0] if shown.lines is not None else 1
    long = ((n, line) for n, line in enumerate(shown.content.split("\n"), first) if len(line) > LONGEST_LINE)
    return tuple(number for number, line in long if line not in text)


def without_reminders(text: str) -> str:
    """Return a tool's output without the reminders that the harness hung on to it."""
    return _REMINDERS.sub("", text) if text.rstrip().endswith("</system-reminder>") else text


def _shown(content: str, start: int, count: int, total: int) -> Shown:
    """`count` lines from `start`, where `total` counts as the runtime does."""
    last = start + count - 1
    if last < total:
        return Shown(content + "\n", (start, last), total)
    if content.endswith("\n"):
        last -= 1
    if start == 1:
        return Shown(content, None, last)
    return Shown(content, (start, last), last) if last >= start else Shown(None, None, last)


def file_of(result: JSON_OBJECT) -> JSON_OBJECT | None:
    """Return the `file` of a structured result that shows text, else None."""
    file = result.get("file")
    return file if isinstance(file, dict) and string(result, "type") in ("", "text") else None
