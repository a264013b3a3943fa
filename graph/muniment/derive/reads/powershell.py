"""PowerShell: what its lines show of files. Only pipes of commands with plain words are understood."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.options import is_known, names, number_of, placed
from muniment.derive.reads.spans import Op, Span
from muniment.derive.reads.streams import Hits, Lines, Noise, Part, Stream, Told, blurred, paths_of, selected

_WORD: Final = re.compile(r"\s*(?:'((?:[^']|'')*)'|\"([^\"$`]*)\"|([^\s'\"|;`$(){}]+))")
_INDEXED: Final = re.compile(r"\s*\((.*)\)\[(\d+)\.\.(\d+)\]\s*\Z", re.DOTALL)
_SPLIT: Final = re.compile(r"('(?:[^']|'')*'|\"[^\"]*\")|([|;\n])")
_BEGINS: Final = re.compile(
    r"\s*\(?\s*(?:Get-Content|Select-String|Get-ChildItem|gc|sls|gci|Get-Item)\b(?!\s*=)", re.IGNORECASE
)
_CONTENT: Final = names("get-content gc type cat")
_SEARCH: Final = names("select-string sls findstr")
_LIST: Final = names("get-childitem gci ls dir")
_FACTS: Final = names("get-item gi get-filehash measure-object measure test-path resolve-path")
_PASSING: Final = names("out-string out-host write-output echo")
_OTHER_CHOICES: Final = names("-property -index -expandproperty -skiplast -unique -skipindex")
_FLAGS: Final = names("-raw -wait -force -recurse -file -directory -simplematch -casesensitive -list -quiet -notmatch")


class _Call(msgspec.Struct, frozen=True):
    name: str
    options: dict[str, str]
    operands: tuple[str, ...]

    def value(self, *options: str) -> str | None:
        """Return an option's value under any of its names; a name may be shortened."""
        for given, value in self.options.items():
            if any(len(given) > 1 and option.startswith(given) for option in options):
                return value
        return None

    def number(self, *options: str) -> int | None:
        """Return an option's value as a number."""
        return number_of(self.value(*options))


def is_powershell(command: str) -> bool:
    """Tell whether a line begins as only one of PowerShell does."""
    return _BEGINS.match(command) is not None


def streams_of(script: str, folder: str | None = None) -> list[Stream]:
    """Return what each pipe of a script shows, in order."""
    found: list[Stream] = []
    for pipe in _pipes(script):
        stream: Stream | None = None
        for text in pipe:
            stream = _shown(text, stream, folder)
        if stream:
            found.append(stream)
    return found


def _pipes(script: str) -> list[list[str]]:
    pipes: list[list[str]] = [[""]]
    at = 0
    for mark in _SPLIT.finditer(script):
        pipes[-1][-1] += script[at : mark.end()] if mark[1] else script[at : mark.start()]
        at = mark.end()
        if mark[2] == "|":
            pipes[-1].append("")
        elif mark[2]:
            pipes.append([""])
    pipes[-1][-1] += script[at:]
    return [pipe for pipe in pipes if any(text.strip() for text in pipe)]


def _shown(text: str, stdin: Stream | None, folder: str | None) -> Stream:
    indexed = _INDEXED.match(text)
    if indexed is not None:
        whole = _shown(indexed[1], stdin, folder)
        return selected(whole, Op("keep", (Span(int(indexed[2]) + 1, int(indexed[3]) + 1),)))
    call = _call(text)
    if call is None:
        return blurred(stdin) if stdin else (Noise(),)
    if call.name in _CONTENT:
        return _content(call, folder)
    if call.name in ("select-object", "select"):
        return _select(call, stdin)
    if call.name in _SEARCH:
        return _search(call, stdin, folder)
    paths = tuple(placed(folder, path) for path in _paths(call))
    if call.name in _LIST:
        return (Told(family="list", paths=paths or (placed(folder, "."),)),)
    if call.name in _FACTS:
        return (Told(family="metadata", paths=paths or (paths_of(stdin) if stdin else ())),)
    if call.name in _PASSING and stdin:
        return stdin
    return blurred(stdin) if stdin else (Noise(),)


def _call(text: str) -> _Call | None:
    words: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            return None
        quoted, double, plain = match.groups()
        words.append(quoted.replace("''", "'") if quoted is not None else double if double is not None else plain)
        at = match.end()
    if not words:
        return None
    options: dict[str, str] = {}
    operands: list[str] = []
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and not word[1:2].isdigit():
            name = word.lower()
            options[name] = "" if name in _FLAGS or not rest else rest.pop(0)
        else:
            operands.append(word)
    return _Call(words[0].lower(), options, tuple(operands))


def _paths(call: _Call) -> tuple[str, ...]:
    named = call.value("-path", "-literalpath")
    return tuple(part.strip() for part in (named or "").split(",")) if named else call.operands


def _content(call: _Call, folder: str | None) -> Stream:
    parts: list[Part] = []
    for path in _paths(call):
        place = placed(folder, path)
        parts.append(Lines(path=place, of="powershell") if is_known(place) else Noise(paths=(place,)))
    stream: Stream = tuple(parts)
    first, last = call.number("-totalcount", "-head", "-first"), call.number("-tail", "-last")
    if first:
        stream = selected(stream, Op("keep", (Span(1, first),)))
    return selected(stream, Op("keep", (Span(-last, None),))) if last else stream


def _select(call: _Call, stdin: Stream | None) -> Stream:
    stream = stdin or (Noise(),)
    skip, first, last = call.number("-skip"), call.number("-first"), call.number("-last")
    if call.operands or not _OTHER_CHOICES.isdisjoint(call.options):
        return blurred(stream)
    if skip:
        stream = selected(stream, Op("keep", (Span(skip + 1, None),)))
    if first:
        stream = selected(stream, Op("keep", (Span(1, first),)))
    return selected(stream, Op("keep", (Span(-last, None),))) if last else stream


def _search(call: _Call, stdin: Stream | None, folder: str | None) -> Stream:
    pattern = call.value("-pattern") or (call.operands[0] if call.operands else None)
    if stdin:
        return blurred(stdin)
    named = call.value("-path", "-literalpath")
    places = tuple(part.strip() for part in named.split(",")) if named else call.operands[1:]
    plain = call.value("-context") is None and call.name != "findstr"
    looks = tuple(placed(folder, place) for place in places) or (placed(folder, "."),)
    return (Hits(places=looks, pattern=pattern, numbered=plain, folder=folder, of="powershell"),)
