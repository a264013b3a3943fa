"""Where text was replaced in a file, in whole lines: what a hunk needs.

* `changed_region` compares a file before and after; `within_snippet` finds the new text in the numbered lines that a
  tool showed around it; `around` is for replaced texts that are whole lines by themselves, whose place is not known.
* What is not told in one way only gives no hunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.model.records import Hunk

CONTEXT = 4
"""Lines that editors show before the place of an edit."""


def changed_region(before: str, after: str) -> Hunk | None:
    """Return the one hunk that makes `after` of `before`; None where they are equal."""
    old, new = _lines(before), _lines(after)
    return region(old, new, first=1)


def region(old: Sequence[str], new: Sequence[str], *, first: int) -> Hunk | None:
    """Return the hunk that makes lines `new` of lines `old`, which begin at line `first`; None where they are equal."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    removed, added = old[start : len(old) - end], new[start : len(new) - end]
    if not removed and not added:
        return None
    return Hunk(first + start, first + start, (*(f"-{line}" for line in removed), *(f"+{line}" for line in added)))


def within_snippet(shown: Sequence[tuple[int, str]], old: str, new: str) -> Hunk | None:
    """Return the hunk that put `new` in the place of `old`, by the numbered lines that were shown afterwards."""
    if not shown or not new.strip():
        return None
    text = "\n".join(line for _, line in shown)
    places = _places(text, new)
    if not places:
        return None
    place = min(places, key=lambda at: abs(text.count("\n", 0, at) - CONTEXT))
    start, stop = text.rfind("\n", 0, place) + 1, text.find("\n", place + len(new))
    head, tail = text[start:place], text[place + len(new) : stop if stop >= 0 else len(text)]
    line = shown[0][0] + text.count("\n", 0, place)
    removed, added = f"{head}{old}{tail}".split("\n"), f"{head}{new}{tail}".split("\n")
    return region(removed, added, first=line)


def around(old: str, new: str) -> Hunk | None:
    """Return a hunk of unknown place for a replaced text that is whole lines: it ends, or begins, with a line's end.

    A text without any could be a part of its line, so there is no hunk.
    """
    if not old or not (old.endswith("\n") and (new.endswith("\n") or not new)):
        return None
    removed, added = _lines(old), _lines(new)
    return Hunk(0, 0, (*(f"-{line}" for line in removed), *(f"+{line}" for line in added)))


def _places(text: str, wanted: str) -> list[int]:
    found: list[int] = []
    place = text.find(wanted)
    while place >= 0:
        found.append(place)
        place = text.find(wanted, place + 1)
    return found


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []
