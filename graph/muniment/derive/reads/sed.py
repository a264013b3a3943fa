"""`sed`: scripts that only choose lines, by number. Everything else makes the text unknown.

* With `-n`, what `p` prints; without, all but what `d` deletes. `q` and `Q` end it. Regular expressions as addresses
  are not known before the output; a script that prints a line twice, or changes one, gives no lines of a file.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.options import given
from muniment.derive.reads.pagers import files_of, joined
from muniment.derive.reads.spans import SOME, Op, Span, overlapping
from muniment.derive.reads.streams import Stream, blurred, selected

_VALUED: Final = frozenset({"-e", "--expression", "-f", "--file", "-l", "--line-length"})
_ADDRESS: Final = r"(?:\d+|\$|/(?:\\.|[^/\\])*/I?)"
_COMMAND: Final = re.compile(
    rf"\s*(?:(?P<first>{_ADDRESS})(?:~(?P<step>\d+))?(?:\s*,\s*(?P<last>{_ADDRESS}|[+~]\d+))?)?\s*(?P<not>!?)\s*"
    r"(?P<what>\{(?P<body>[^{}]*)\}|[pdqQ=l])\s*(?:;|\n|\Z)"
)
_BLANK: Final = re.compile(r"[\s;]*")


class _Rule(msgspec.Struct, frozen=True):
    span: Span | None  # None: by a regular expression
    negated: bool
    what: str


class _Selection(msgspec.Struct):
    printed: list[Span]
    dropped: list[Span]
    end: int | None = None
    unknown: bool = False


def sed(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """Return what a call of sed shows; nothing of it where it writes into its files."""
    told = given(words[1:], _VALUED)
    if told.has("-i", "--in-place") or any(word.startswith(("-i", "--in-place=")) for word in words[1:]):
        return ()
    scripts = told.values("-e", "--expression")
    operands = told.operands
    if not told.has("-e", "--expression", "-f", "--file"):
        scripts, operands = list(operands[:1]), operands[1:]
    streams = files_of(operands, stdin, folder, "sed")
    quiet = told.has("-n", "--quiet", "--silent")
    ops = None if told.has("-f", "--file", "-z", "--null-data") else operations("\n".join(scripts), quiet=quiet)
    if ops is None or (len(streams) != 1 and not told.has("-s", "--separate")):
        return blurred(joined(streams))
    return joined([_applied(stream, ops) for stream in streams])


def operations(script: str, *, quiet: bool) -> tuple[Op, ...] | None:
    """Return the selection that a script makes, None where it does something else."""
    rules = _rules(script)
    if rules is None:
        return None
    chosen = _Selection([], [])
    for rule in rules:
        if not _take(chosen, rule, quiet=quiet):
            return None
    if chosen.unknown:
        return (SOME,)
    if quiet:
        return _printed(chosen)
    ops = (Op("keep", (Span(1, chosen.end),)),) if chosen.end is not None else ()
    return (*ops, Op("drop", tuple(chosen.dropped))) if chosen.dropped else ops


def _printed(chosen: _Selection) -> tuple[Op, ...] | None:
    if not chosen.printed or overlapping(tuple(chosen.printed)):
        return None
    if chosen.end is None:
        return (Op("keep", tuple(chosen.printed)),)
    if any(span.first < 0 or (span.last or 0) < 0 for span in chosen.printed):
        return None
    return (Op("keep", (Span(1, chosen.end),)), Op("keep", tuple(chosen.printed)))


def _rules(script: str) -> list[_Rule] | None:
    found: list[_Rule] = []
    at = _past_blank(script, 0)
    while at < len(script):
        match = _COMMAND.match(script, at)
        address = None if match is None else _address(match)
        if match is None or address is None:
            return None
        span = address if isinstance(address, Span) else None
        found += [_Rule(span, match["not"] == "!", letter) for letter in _letters(match)]
        at = _past_blank(script, match.end())
    return found if all(rule.what in ("p", "d", "q", "Q") for rule in found) else None


def _past_blank(script: str, at: int) -> int:
    match = _BLANK.match(script, at)
    return match.end() if match else at


def _letters(match: re.Match[str]) -> list[str]:
    body = match["body"]
    if body is None:
        return [match["what"]]
    return [part.strip() or "?" for part in body.strip().rstrip(";").split(";")] if body.strip() else ["?"]


def _address(match: re.Match[str]) -> Span | str | None:
    """Return the lines of an address, "expression" where it is none of numbers, None where sed knows no such thing."""
    first, last, step = match["first"], match["last"], match["step"]
    if first is None:
        return Span(1, None)
    if first.startswith("/") or (last or "").startswith("/"):
        return "expression"
    begin = -1 if first == "$" else int(first)
    if step is not None:
        return _stepped(begin, int(step)) if last is None else None
    if begin == 0:
        return None
    return Span(begin, begin) if last is None else _until(begin, last)


def _stepped(begin: int, size: int) -> Span | None:
    if size:
        return Span(begin or size, None, size)
    return Span(begin, begin) if begin else None


def _until(begin: int, last: str) -> Span | None:
    if last == "$":
        return Span(begin, None)
    if last.startswith("+"):
        return Span(begin, begin + int(last[1:])) if begin > 0 else Span(begin, begin)
    if last.startswith("~"):
        size = int(last[1:])
        return Span(begin, -(-begin // size) * size) if begin > 0 and size else None
    if begin < 0:
        return Span(begin, begin)
    return Span(begin, max(begin, int(last)))


def _take(chosen: _Selection, rule: _Rule, *, quiet: bool) -> bool:
    """Add a rule to a selection; false where the two do not go together."""
    if rule.span is None:
        chosen.unknown = True
        return rule.what == ("p" if quiet else "d")
    if rule.what in ("q", "Q"):
        return _stop(chosen, rule, rule.span)
    if quiet != (rule.what == "p") or (quiet and chosen.end is not None):
        return False
    into = chosen.printed if quiet else chosen.dropped
    if not rule.negated:
        into.append(rule.span)
        return quiet or rule.span.step == 1
    into += _outside(rule.span)
    return rule.span.step == 1


def _outside(span: Span) -> list[Span]:
    found = [] if span.first == 1 else [Span(1, span.first - 1)]
    return found if span.last in (None, -1) else [*found, Span((span.last or 0) + 1, None)]


def _stop(chosen: _Selection, rule: _Rule, span: Span) -> bool:
    """`q` ends behind its line, `Q` before it; a line that was deleted before does not come to either."""
    if rule.negated or span.first < 1 or span.step != 1 or chosen.end is not None:
        return False
    if any(drop.first <= span.first and (drop.last is None or drop.last >= span.first) for drop in chosen.dropped):
        return False
    chosen.end = span.first if rule.what == "q" else span.first - 1
    return chosen.end > 0


def _applied(stream: Stream, ops: tuple[Op, ...]) -> Stream:
    for op in ops:
        stream = selected(stream, op)
    return stream
