"""Programs that read files and show none of their lines, those that print known text, and those that print nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from muniment.derive.reads.options import given, is_known, names, placed
from muniment.derive.reads.script import UNKNOWN
from muniment.derive.reads.streams import Literal, Noise, Stream, Told, blurred, paths_of

SILENT: Final = names(
    """cd true : test [ export set unset mkdir touch rm cp mv ln chmod chown sleep wait trap shopt ulimit exit
    return
    alias unalias source . local declare readonly false umask"""
)
"""Programs that print nothing when they succeed, as they are called by agents."""
LISTS: Final = frozenset({"ls", "tree", "eza", "exa", "du", "dir", "lsd"})
FINDERS: Final = frozenset({"find", "fd", "fdfind", "locate"})
METADATA: Final = names(
    "wc stat file md5sum sha1sum sha256sum shasum cksum readlink realpath basename dirname b2sum b3sum getfacl"
)
BYTES: Final = frozenset({"xxd", "od", "hexdump", "strings", "base64", "hd", "base32"})
COMPARERS: Final = frozenset({"diff", "cmp", "comm", "colordiff", "sdiff", "vimdiff", "delta"})
FILTERS: Final = names(
    """sort uniq tr cut column fmt fold expand unexpand paste rev shuf join jq yq xq perl iconv dos2unix
    xmllint
    pr awk gawk mawk ruby node yamllint csvlook mlr hjson json_pp dasel gron pandoc zcat gunzip
    bzcat xzcat"""
)
"""Programs that show a file's content in another form: reads of these paths, of lines that nobody knows."""
_FILTER_VALUED: Final = names("-k -t -d -f -c -b -n -w -s -o --arg --argjson --indent -F --key -S -L -i -C -e")
_PROGRAM_FIRST: Final = frozenset(
    {"jq", "yq", "xq", "tr", "perl", "ruby", "node", "mlr", "dasel", "awk", "gawk", "mawk"}
)
_VALUED_WORDS: Final = re.compile(r"-(?:maxdepth|mindepth|name|type|path|depth|e|E|d|t|g|L|I|P)\Z")


def printed(words: tuple[str, ...], _: Stream | None, _folder: str | None) -> Stream:
    """`echo`, `printf`: the text itself, where it is known."""
    name, rest = words[0], words[1:]
    if any(UNKNOWN in word for word in rest):
        return (Noise(),)
    if name == "printf":
        return _format(rest)
    escapes = False
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        if "n" in rest[0]:
            return (Noise(),)
        escapes = "e" in rest[0]
        rest = rest[1:]
    text = " ".join(rest)
    if "\\" in text:
        # Some shells take escapes without being told to.
        if not escapes or re.search(r"\\[^n\\t]", text):
            return (Noise(),)
        text = _escaped(text)
    return (Literal(lines=tuple(text.split("\n"))),)


def _format(rest: tuple[str, ...]) -> Stream:
    if not rest or (rest[0].startswith("-") and rest[0] != "--"):
        return (Noise(),)
    form, *values = rest[1:] if rest[0] == "--" else rest
    if len(re.findall(r"%", form)) != len(re.findall(r"%s", form)) or form.count("%s") != len(values):
        return (Noise(),)
    if re.search(r"\\[^n\\t\"]", form):
        return (Noise(),)
    parts = _escaped(form).split("%s")
    text = parts[0] + "".join(value + part for value, part in zip(values, parts[1:], strict=True))
    return (Literal(lines=tuple(text[:-1].split("\n"))),) if text.endswith("\n") else (Noise(),)


def _escaped(text: str) -> str:
    known = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", '\\"': '"'}
    return re.sub(r"\\.", lambda found: known.get(found[0], found[0]), text)


def told(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream | None:
    """Return what a program of the tables here shows; None for any other."""
    name = words[0]
    if name in SILENT:
        return ()
    if name in LISTS or name in FINDERS:
        return (Told(family="list", paths=_places(words, folder)),)
    if name in METADATA or name in BYTES:
        paths = _operands(words, folder) or (paths_of(stdin) if stdin else ())
        raw = name in BYTES
        return (Told(family="read" if raw else "metadata", paths=paths, unit="bytes" if raw else "none"),)
    if name in COMPARERS:
        return (Told(family="diff", paths=_operands(words, folder)),)
    if name == "dd":
        paths = tuple(placed(folder, word[3:]) for word in words if word.startswith("if="))
        return (Told(family="read", paths=paths, unit="bytes"),)
    if name in FILTERS:
        return _filtered(words, stdin, folder)
    return None


def _filtered(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    operands = given(words[1:], _FILTER_VALUED).operands
    if words[0] == "tr":
        operands = ()
    elif words[0] in _PROGRAM_FIRST:
        operands = operands[1:]
    paths = tuple(placed(folder, word) for word in operands if word != "-")
    known = blurred(stdin) if stdin is not None else ()
    return (Noise(paths=(*paths_of(known), *paths)),)


def _operands(words: tuple[str, ...], folder: str | None) -> tuple[str, ...]:
    valued = frozenset() if words[0] in ("wc", "file") else frozenset({"-n", "-c", "-f", "-t", "-U", "-N", "-j", "-a"})
    return tuple(placed(folder, word) for word in given(words[1:], valued).operands if word != "-")


def _places(words: tuple[str, ...], folder: str | None) -> tuple[str, ...]:
    """Return the folders that a listing looks into: operands before the first test or option of its own."""
    if words[0] == "find":
        rest = [word for word in words[1:] if word not in ("-L", "-H", "-P")]
        at = next((i for i, word in enumerate(rest) if word.startswith(("-", "(", "!"))), len(rest))
        places = tuple(rest[:at])
    else:
        operands = [
            word for before, word in pairwise(words) if not word.startswith("-") and not _VALUED_WORDS.match(before)
        ]
        places = tuple(operands[1:] if words[0] in ("fd", "fdfind") else operands)
    return tuple(placed(folder, place) for place in places if is_known(place)) or (placed(folder, "."),)
