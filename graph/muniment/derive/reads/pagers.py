"""Programs that show files as they are, or some of their lines: cat, nl, head, tail, tac, bat, less, more, tee.

* Numbers that they put before lines are told by a pattern; what else they add or change makes the text unknown.
* Several files in one head or tail get headers, which are literal text.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.derive.reads.options import NUMBER, Given, given, is_known, number_of, placed
from muniment.derive.reads.spans import REVERSE, WHOLE, Op, Span
from muniment.derive.reads.streams import Lines, Literal, Noise, Part, Stream, Told, blurred, selected

TAB_GUTTER: Final = r" *0*(\d+) *(?:\t(.*)|)\Z"
SPACE_GUTTER: Final = r" *(\d+)(?: (.*)|)\Z"
SOME_GUTTER: Final = r"(?: *0*(\d+) *\t(.*)|[ \t]*()())\Z"
"""Empty lines have no number, and are not counted."""
_CHANGES: Final = (
    "-A",
    "-e",
    "-E",
    "-t",
    "-T",
    "-v",
    "-s",
    "--show-all",
    "--show-ends",
    "--show-tabs",
    "--squeeze-blank",
)
_NL_VALUED: Final = frozenset(
    {"-b", "-d", "-f", "-h", "-i", "-l", "-n", "-s", "-v", "-w", "--body-numbering", "--number-separator"}
)
_HEAD_VALUED: Final = frozenset({"-n", "-c", "--lines", "--bytes", "-s", "--pid"})
_BAT_VALUED: Final = frozenset({"-r", "--line-range", "--style", "-l", "--language", "--theme", "-H", "--color"})


def files_of(operands: tuple[str, ...], stdin: Stream | None, folder: str | None, of: str) -> list[Stream]:
    """Return what each operand is a stream of; standard input where there are none, or where one is `-`."""
    if not operands:
        return [stdin] if stdin is not None else []
    return [(stdin or ()) if operand == "-" else (lines_of(folder, operand, of),) for operand in operands]


def lines_of(folder: str | None, path: str, of: str) -> Part:
    """Return all lines of a file; a read of some paths where the word does not name one file."""
    place = placed(folder, path)
    return Lines(path=place, of=of) if is_known(place) else Noise(paths=(place,))


def joined(streams: list[Stream]) -> Stream:
    """Return streams one after another."""
    return tuple(part for stream in streams for part in stream)


def cat(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`cat`: all lines of all files; with numbers, one count through all of them."""
    told = given(words[1:], frozenset())
    streams = files_of(told.operands, stdin, folder, "cat")
    if told.has(*_CHANGES):
        return blurred(joined(streams))
    if told.has("-b", "--number-nonblank"):
        return _numbered(streams, SOME_GUTTER, kind="strip")
    if told.has("-n", "--number"):
        return _numbered(streams, TAB_GUTTER)
    return joined(streams)


def nl(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`nl`: numbers for all lines (`-ba`), or for those that are not empty."""
    told = given(words[1:], _NL_VALUED)
    streams = files_of(told.operands, stdin, folder, "nl")
    if told.has("-v", "-i", "-d", "-l", "-p"):
        return blurred(joined(streams))
    separator = told.value("-s", "--number-separator")
    every = told.value("-b", "--body-numbering") == "a"
    gutter = TAB_GUTTER if every else SOME_GUTTER
    if separator is not None:
        gutter = gutter.replace(r"\t", re.escape(separator))
    return _numbered(streams, gutter, kind="number" if every else "strip")


def head(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`head`: the first lines."""
    told = given(words[1:], _HEAD_VALUED, numbers=True)
    text = told.value("-n", "--lines", NUMBER) or "10"
    number = number_of(text.lstrip("+-"))
    op = None
    if number is not None:
        op = Op("keep", (Span(1, -number - 1),)) if text.startswith("-") and number else _first(number)
        op = Op("keep", WHOLE) if text == "-0" else op
    return _ends(told, stdin, folder, "head", op)


def tail(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`tail`: the last lines, or those from some line on."""
    rest = words[1:]
    if len(rest) > 0 and re.fullmatch(r"\+\d+", rest[0]):
        rest = ("-n", rest[0], *rest[1:])
    told = given(rest, _HEAD_VALUED, numbers=True)
    text = told.value("-n", "--lines", NUMBER) or "10"
    number = number_of(text.lstrip("+-"))
    op = None
    if number is not None and not told.has("-f", "-F", "--follow"):
        op = Op("keep", (Span(max(number, 1), None),)) if text.startswith("+") else _last(number)
    stream = _ends(told, stdin, folder, "tail", op)
    return blurred(stream) if told.has("-r") else stream


def tac(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`tac`: all lines, the last one first."""
    told = given(words[1:], frozenset({"-s", "--separator"}))
    streams = files_of(told.operands, stdin, folder, "tac")
    if told.options:
        return blurred(joined(streams))
    return joined([selected(stream, REVERSE) for stream in streams])


def bat(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`bat`: as cat, for it decorates nothing that is not a terminal, unless told to; with ranges."""
    told = given(words[1:], _BAT_VALUED)
    streams = files_of(told.operands, stdin, folder, "bat")
    ranges = [_bat_range(text) for text in told.values("-r", "--line-range")]
    if told.has("-A", "--show-all", "--diff", "-d") or None in ranges or told.value("--decorations") == "always":
        return blurred(joined(streams))
    if told.has("-n", "--number") or "numbers" in (told.value("--style") or ""):
        streams = [selected(stream, Op("number", (), SPACE_GUTTER)) for stream in streams]
    spans = tuple(span for span in ranges if span is not None)
    return joined([selected(stream, Op("keep", spans)) for stream in streams] if spans else streams)


def pager(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`less`: where nobody can turn pages it shows all."""
    told = given(words[1:], frozenset({"-p", "-j", "-x", "-P", "-t"}))
    files = tuple(operand for operand in told.operands if not operand.startswith("+"))
    streams = files_of(files, stdin, folder, words[0])
    return joined(streams) if len(files) <= 1 else blurred(joined(streams))


def more(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`more`: some show the name of a file above it where nobody can turn pages, others do not."""
    return blurred(pager(words, stdin, folder))


def tee(_: tuple[str, ...], stdin: Stream | None, _folder: str | None) -> Stream:
    """`tee`: what it is piped."""
    return stdin or (Noise(),)


def _numbered(streams: list[Stream], gutter: str, *, kind: str = "number") -> Stream:
    if len(streams) != 1:
        return blurred(joined(streams))
    return selected(streams[0], Op(kind, (), gutter))


def _first(number: int) -> Op:
    return Op("keep", (Span(1, number),)) if number else Op("drop", WHOLE)


def _last(number: int) -> Op:
    return Op("keep", (Span(-number, None),)) if number else Op("drop", WHOLE)


def _ends(told: Given, stdin: Stream | None, folder: str | None, of: str, op: Op | None) -> Stream:
    streams = files_of(told.operands, stdin, folder, of)
    if told.has("-c", "--bytes"):
        return (
            Told(family="read", paths=tuple(p.path for p in joined(streams) if isinstance(p, Lines)), unit="bytes"),
        )
    if op is None:
        return blurred(joined(streams))
    shown = [selected(stream, op) for stream in streams]
    if len(shown) < 2 and not told.has("-v", "--verbose"):
        return joined(shown)
    if told.has("-q", "--quiet", "--silent"):
        return joined(shown)
    parts: list[Part] = []
    for place, (stream, name) in enumerate(zip(shown, told.operands, strict=False)):
        parts += [Literal(lines=(("",) if place else ()) + (f"==> {name} <==",)), *stream]
    return tuple(parts)


def _bat_range(text: str) -> Span | None:
    match = re.fullmatch(r"(-?\d*):(\+?\d*)", text)
    if match is None:
        number = number_of(text)
        return Span(number, number) if number else None
    first, last = match[1], match[2]
    begin = int(first) if first not in ("", "-") else 1
    if last.startswith("+"):
        return Span(begin, begin + int(last[1:])) if last[1:] else None
    return Span(begin, int(last) if last else None)
