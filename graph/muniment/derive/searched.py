"""Searches by shell commands: what was looked for, where, and what the search could not have seen.

* Known are grep and its kin, rg, ag, git grep, find and fd. A search of what it is piped is none of files.
* `excluded` names what the search passed over: ignored_files, hidden_files, binary_files, untracked_files, and with a
  value `types:py`, `only:*.py`, `not:*.min.js`, `depth:2`. What is not understood is `unknown:OPTION`: it may exclude
  anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from muniment.derive.shell import base_name, simple_commands
from muniment.model.nodes import Receipt

TEXT, NAMES = "text", "names"
IGNORED, HIDDEN, BINARY, UNTRACKED = "ignored_files", "hidden_files", "binary_files", "untracked_files"

_AFTER: Final = frozenset({"head", "tail", "sort", "uniq", "wc", "cat", "less", "true", "echo", "printf", "cd"})
"""Commands beside a search that take nothing from what it saw."""
_FILTERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("-g", "--glob", "--iglob", "--include", "-G"), "only"),
    **dict.fromkeys(("--exclude", "--exclude-dir", "--ignore", "-E"), "not"),
    **dict.fromkeys(("-t", "--type", "-e:fd", "--extension"), "types"),
    **dict.fromkeys(("-T", "--type-not"), "not_types"),
    **dict.fromkeys(("-maxdepth", "--max-depth", "--maxdepth", "-d:fd", "-d:rg", "--depth"), "depth"),
    **dict.fromkeys(("--max-filesize",), "size"),
}
_VALUED: Final = frozenset(
    {
        *("-A", "-B", "-C", "-m", "-f", "-e", "--regexp", "--max-count", "--color", "--colour", "--sort", "-j", "-M"),
        *("--context", "--after-context", "--before-context", "--threads", "--file", "--max-columns"),
    }
)
_PLAIN: Final = frozenset("rRnHhlLcioqsEFPGwxzZU0ISapNu.v")
"""Letters of options that have no value and exclude nothing, or are looked at by themselves."""


_HINT: Final = re.compile(r"\b(?:[ef]?grep|rg|ag|ack|find|fd|fdfind)\b")
_NONE: Final = re.compile(r"(?:(?:[^\n:]+:)?0\n?)*\Z")
"""Outputs of a search that found nothing: none, or counts of nothing."""
NOT_FOUND: Final = {TEXT: 1, NAMES: 0}
"""Exit status by which a search says that it found nothing."""


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """What a command searched: `pattern` in the `within` (text or names) of files below `places`."""

    pattern: str
    within: str
    places: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    piped: bool = False
    """Whether other commands stand beside the search, so that the exit status may be theirs."""


def with_search(receipt: Receipt, command: str | None, printed: str, cwd: str | None) -> Receipt:
    """Return a receipt with what its command searched, where that was all it did and it found nothing."""
    if command is None or receipt.pattern is not None or receipt.tool != "command" or receipt.status == "refused":
        return receipt
    if not _NONE.match(printed.strip()) or _HINT.search(command) is None:
        return receipt
    found = searched_by(command)
    if found is None or receipt.exit_code not in (None, 0, NOT_FOUND[found.within]):
        return receipt
    places = (place if place.startswith(("/", "~")) or not cwd else f"{cwd}/{place}" for place in found.places)
    return msgspec.structs.replace(
        receipt,
        pattern=found.pattern,
        within=found.within,
        searched=tuple(places),
        matches=0,
        excluded=found.excluded,
        own_status=receipt.own_status and not found.piped,
    )


def searched_by(command: str) -> Searched | None:
    """Return the one search that a command line makes; None where it makes none, several, or other things as well."""
    simples = [simple for simple in simple_commands(command) or () if simple.words]
    searches = [simple for simple in simples if _reader(simple.words) is not None]
    beside = [simple for simple in simples if simple not in searches]
    if len(searches) != 1 or any(base_name(simple.words[0]) not in _AFTER for simple in beside):
        return None
    search = searches[0]
    read = _reader(search.words)
    found = read(search.words) if read is not None and not search.live and search.folder != "?" else None
    if found is None or (search.before.startswith("|") and found.places == (".",)):
        return None
    folder = search.folder
    places = tuple(f"{folder}/{place}" if folder and not place.startswith("/") else place for place in found.places)
    return msgspec.structs.replace(found, places=places, piped=search is not simples[-1])


class _Told(msgspec.Struct):
    """The words of a search, sorted."""

    operands: list[str] = []
    patterns: list[str] = []
    flags: set[str] = set()
    excluded: list[str] = []


def _told(words: tuple[str, ...], name: str) -> _Told:
    told = _Told(operands=[], patterns=[], flags=set(), excluded=[])
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word == "--":
            told.operands += words[place:]
            break
        if not word.startswith("-") or word == "-":
            told.operands.append(word)
            continue
        option, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        kind = _FILTERS.get(f"{option}:{name}") or _FILTERS.get(option)
        valued = kind is not None or option in _VALUED
        if valued and not value and place < len(words):
            value = words[place]
            place += 1
        _note(told, option, kind, value)
    return told


def _note(told: _Told, option: str, kind: str | None, value: str) -> None:
    if option in ("-e", "--regexp"):
        told.patterns.append(value)
    elif kind is not None:
        told.excluded.append(f"{kind}:{value}")
    elif option.startswith("--"):
        told.flags.add(option)
    elif option not in _VALUED:
        letters = option[1:]
        told.flags |= set(letters)
        if not set(letters) <= _PLAIN and not letters.lstrip("ABCm").isdigit():
            told.excluded.append(f"unknown:{option}")


def _grep(words: tuple[str, ...]) -> Searched | None:
    told = _told(words[1:], "grep")
    patterns = told.patterns or told.operands[:1]
    places = told.operands if told.patterns else told.operands[1:]
    recursive = bool(told.flags & {"r", "R", "--recursive", "--dereference-recursive"})
    if len(patterns) != 1 or "v" in told.flags or (not places and not recursive) or "-" in places:
        return None
    binary = (BINARY,) if told.flags & {"I"} else ()
    return Searched(
        pattern=patterns[0], within=TEXT, places=tuple(places) or (".",), excluded=(*binary, *told.excluded)
    )


def _rg(words: tuple[str, ...]) -> Searched | None:
    told = _told(words[1:], "rg")
    if told.flags & {"--files", "--type-list", "v", "--invert-match"}:
        return None
    patterns = told.patterns or told.operands[:1]
    places = tuple(told.operands if told.patterns else told.operands[1:])
    if len(patterns) != 1 or "-" in places:
        return None
    unrestricted = sum(word.count("u") for word in words if word.startswith("-u")) + words.count("--unrestricted")
    seen = {
        IGNORED: unrestricted >= 1 or bool(told.flags & {"--no-ignore", "I"}),
        HIDDEN: unrestricted >= 2 or bool(told.flags & {"--hidden", "."}),
        BINARY: unrestricted >= 3 or bool(told.flags & {"a", "--text", "--binary"}),
    }
    excluded = tuple(what for what, looked_at in seen.items() if not looked_at)
    return Searched(pattern=patterns[0], within=TEXT, places=places or (".",), excluded=(*excluded, *told.excluded))


def _git_grep(words: tuple[str, ...]) -> Searched | None:
    told = _told(words[words.index("grep") + 1 :], "git")
    patterns = told.patterns or told.operands[:1]
    places = tuple(told.operands if told.patterns else told.operands[1:])
    if len(patterns) != 1 or "v" in told.flags:
        return None
    tracked = () if "--untracked" in told.flags else (UNTRACKED,)
    return Searched(pattern=patterns[0], within=TEXT, places=places or (".",), excluded=(*tracked, *told.excluded))


def _find(words: tuple[str, ...]) -> Searched | None:
    start = next((place for place, word in enumerate(words[1:], 1) if word.startswith(("-", "(", "!"))), len(words))
    places, tests = words[1:start] or (".",), words[start:]
    names = [tests[i + 1] for i, test in enumerate(tests[:-1]) if test in ("-name", "-iname", "-path")]
    if len(names) != 1:
        return None
    excluded = []
    known = {"-name", "-iname", "-path", "-type", "-print", "-maxdepth", names[0], "f", "d"}
    for place, test in enumerate(tests):
        if test == "-maxdepth" and place + 1 < len(tests):
            excluded.append(f"depth:{tests[place + 1]}")
            known.add(tests[place + 1])
        elif test not in known:
            excluded.append(f"unknown:{test}")
    return Searched(pattern=names[0], within=NAMES, places=tuple(places), excluded=tuple(excluded))


def _fd(words: tuple[str, ...]) -> Searched | None:
    told = _told(words[1:], "fd")
    if not told.operands:
        return None
    looked = told.flags & {"--unrestricted", "u"}
    excluded = [] if looked or told.flags & {"--no-ignore", "I"} else [IGNORED]
    excluded += [] if looked or told.flags & {"--hidden", "H"} else [HIDDEN]
    places = tuple(told.operands[1:]) or (".",)
    return Searched(pattern=told.operands[0], within=NAMES, places=places, excluded=(*excluded, *told.excluded))


_Reader = Callable[[tuple[str, ...]], Searched | None]
_READERS: Final[Mapping[str, _Reader]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), _grep),
    **dict.fromkeys(("rg", "ag", "ack"), _rg),
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "find": _find,
}


def _reader(words: tuple[str, ...]) -> _Reader | None:
    name = base_name(words[0])
    if name == "git" and "grep" in words[1:3]:
        return _git_grep
    return _READERS.get(name)
