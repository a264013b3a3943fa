"""`awk`: programs that choose lines by their number, and print them as they are or with the number before them."""

from __future__ import annotations

import re
from typing import Final

from muniment.derive.reads.options import given
from muniment.derive.reads.pagers import files_of, joined
from muniment.derive.reads.spans import SOME, WHOLE, Op, Span, overlapping
from muniment.derive.reads.streams import Stream, blurred, selected

_VALUED: Final = frozenset({"-F", "-v", "-f", "--field-separator", "--assign", "--file"})
_RULE: Final = re.compile(
    r"[\s;]*(?P<when>(?:[^{}\"/;\n]|\"(?:\\.|[^\"\\])*\"|/(?:\\.|[^/\\])*/)*)"
    r"(?:\{(?P<does>(?:[^{}\"]|\"(?:\\.|[^\"\\])*\")*)\})?\s*;?"
)
_COMPARED: Final = re.compile(r"F?NR\s*(==|>=|<=|>|<)\s*(\d+)\Z")
_TURNED: Final = re.compile(r"(\d+)\s*(==|>=|<=|>|<)\s*(F?NR)\Z")
_TURNS: Final = {"==": "==", ">=": "<=", "<=": ">=", ">": "<", "<": ">"}
_FROM_TO: Final = re.compile(r"\s*F?NR\s*==\s*(\d+)\s*,\s*F?NR\s*==\s*(\d+)\s*\Z")
_PRINTS_LINE: Final = re.compile(r"\s*print(?:\s+\$0|\s*\(\s*\$0\s*\))?\s*;?\s*\Z")
_PRINTS_NUMBERED: Final = re.compile(r"\s*print\s*\(?\s*F?NR\s*(?P<sep>,|\"(?:\\.|[^\"\\])*\")\s*\$0\s*\)?\s*;?\s*\Z")
_FORMATS: Final = re.compile(
    r"\s*printf\s*\(?\s*\"(?P<before>\s*)%-?0?\d*d(?P<sep>(?:\\.|[^\"\\%])*)%s\\n\"\s*,\s*F?NR\s*,\s*\$0\s*\)?\s*;?\s*\Z"
)
_EXITS: Final = re.compile(r"\s*exit\s*;?\s*\Z")
_ESCAPES: Final = {"\\t": "\t", '\\"': '"', "\\\\": "\\", "\\n": "\n"}


def awk(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """Return what a call of awk shows."""
    told = given(words[1:], _VALUED)
    operands = told.operands
    if told.has("-f", "--file") or not operands:
        return blurred(joined(files_of(operands, stdin, folder, "awk")))
    program, files = operands[0], tuple(word for word in operands[1:] if not re.match(r"\w+=", word))
    for setting in told.values("-v", "--assign"):
        name, _, value = setting.partition("=")
        if re.fullmatch(r"\w+", name) and re.fullmatch(r"\d+", value):
            program = re.sub(rf"\b{name}\b", value, program)
    streams = files_of(files, stdin, folder, "awk")
    ops = operations(program)
    if ops is None or (len(streams) != 1 and "FNR" not in program):
        return blurred(joined(streams))
    return joined([_applied(stream, ops) for stream in streams])


def operations(program: str) -> tuple[Op, ...] | None:
    """Return the selection that a program makes, None where it does something else."""
    rules = _rules(program)
    if rules is None:
        return None
    spans: list[Span] = []
    numbered, end, some = None, None, False
    for when, does in rules:
        chosen = _spans(when)
        if does is not None and _EXITS.match(does):
            if chosen is None or len(chosen) != 1 or end is not None:
                return None
            # Before any print, the line at which it ends is not shown.
            end = chosen[0].first if spans else chosen[0].first - 1
            continue
        gutter = "" if does is None or _PRINTS_LINE.match(does) else _gutter(does)
        if gutter is None or (numbered is not None and gutter != numbered):
            return None
        numbered = gutter
        some = some or chosen is None
        spans += chosen or ()
    return _chosen(spans, numbered, end, some=some)


def _chosen(spans: list[Span], gutter: str | None, end: int | None, *, some: bool) -> tuple[Op, ...] | None:
    if gutter is None or overlapping(tuple(spans)) or (end is not None and end < 1):
        return None
    ops = [Op("number", (), gutter)] if gutter else []
    if end is not None:
        ops.append(Op("keep", (Span(1, end),)))
    if some:
        return (*ops, SOME)
    return (*ops, Op("keep", tuple(spans))) if tuple(spans) != WHOLE else tuple(ops)


def _rules(program: str) -> list[tuple[str, str | None]] | None:
    found: list[tuple[str, str | None]] = []
    at, program = 0, program.strip()
    while at < len(program):
        match = _RULE.match(program, at)
        if match is None or match.end() == at:
            return None
        found.append((match["when"].strip().rstrip(";"), match["does"]))
        at = match.end()
    return found or None


def _spans(when: str) -> tuple[Span, ...] | None:
    """Return the lines for which a pattern holds, None where that depends on more than numbers."""
    if when in ("", "1"):
        return WHOLE
    turn = _FROM_TO.match(when)
    if turn:
        return (Span(int(turn[1]), max(int(turn[1]), int(turn[2]))),)
    found: list[Span] = []
    for either in when.split("||"):
        span = _all_of(either)
        if span is None:
            return None
        found.append(span)
    return tuple(found)


def _all_of(text: str) -> Span | None:
    first, last = 1, None
    for part in text.split("&&"):
        bare = part.strip().strip("()").strip()
        turned = _TURNED.match(bare)
        match = _COMPARED.match(f"{turned[3]} {_TURNS[turned[2]]} {turned[1]}" if turned else bare)
        if match is None:
            return None
        low, high = _bounds(match[1], int(match[2]))
        first = max(first, low)
        last = high if last is None else last if high is None else min(last, high)
    return Span(first, last) if last is None or first <= last else None


def _bounds(operator: str, number: int) -> tuple[int, int | None]:
    if operator == "==":
        return number, number
    if operator in (">", ">="):
        return number + (operator == ">"), None
    return 1, number - (operator == "<")


def _gutter(does: str) -> str | None:
    match = _PRINTS_NUMBERED.match(does) or _FORMATS.match(does)
    if match is None:
        return None
    raw = match["sep"]
    separator = " " if raw == "," else raw[1:-1] if raw.startswith('"') else raw
    separator = re.sub(r"\\.", lambda found: _ESCAPES.get(found[0], found[0]), separator)
    if not separator or "\n" in separator or separator[0].isdigit():
        return None
    return rf" *0*(\d+) *?{re.escape(separator)}(.*)\Z"


def _applied(stream: Stream, ops: tuple[Op, ...]) -> Stream:
    for op in ops:
        stream = selected(stream, op)
    return stream
