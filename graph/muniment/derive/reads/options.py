"""Words of a command: options and operands, as most programs take them; and places as seen from a folder."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.script import UNKNOWN
from muniment.shell.scope import UNKNOWN_FOLDER

NUMBER: Final = "-NUM"
"""The option that `-20` is."""
_WINDOWS: Final = re.compile(r"(?:[A-Za-z]:|\\\\)")


def names(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


class Given(msgspec.Struct, frozen=True):
    """What a command was given. `options` has each option's values in order ("" for none)."""

    options: dict[str, list[str]]
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Tell whether one of these options is there."""
        return any(name in self.options for name in names)

    def value(self, *names: str) -> str | None:
        """Return the last value of an option under any of its names."""
        found = [self.options[name][-1] for name in names if name in self.options]
        return found[-1] if found else None

    def values(self, *names: str) -> list[str]:
        """Return all values of an option under any of its names."""
        return [value for name in names for value in self.options.get(name, ())]


def given(words: tuple[str, ...], valued: frozenset[str], *, numbers: bool = False) -> Given:
    """Take words (without the program) apart; `valued` are the options that take a value, perhaps in the next word."""
    options: dict[str, list[str]] = {}
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            if not equals and name in valued and rest:
                value = rest.pop(0)
            options.setdefault(name, []).append(value)
        elif numbers and re.fullmatch(r"-\d+", word):
            options.setdefault(NUMBER, []).append(word[1:])
        else:
            _cluster(word, valued, options, rest)
    return Given(options, tuple(operands))


def _cluster(word: str, valued: frozenset[str], options: dict[str, list[str]], rest: list[str]) -> None:
    for place, letter in enumerate(word[1:], start=1):
        name = f"-{letter}"
        if name not in valued:
            options.setdefault(name, []).append("")
            continue
        value = word[place + 1 :] or (rest.pop(0) if rest else "")
        options.setdefault(name, []).append(value)
        return


_NO_FILE: Final = re.compile(r"/(?:dev|proc)/")


def is_known(path: str) -> bool:
    """Tell whether a word names one file: nothing in it is unknown, it is no pattern, and no stream or device."""
    return bool(path) and UNKNOWN not in path and "*" not in path and "?" not in path and not _NO_FILE.match(path)


def placed(folder: str | None, path: str) -> str:
    """Return a path as seen from where the line began; one that holds UNKNOWN where nobody knows."""
    if path.startswith(("/", "~")) or _WINDOWS.match(path) or not path:
        return path
    if folder == UNKNOWN_FOLDER:
        return f"{UNKNOWN}/{path}"
    while path.startswith("./") and len(path) > len("./"):
        path = path[2:].lstrip("/") or "."
    return f"{folder.rstrip('/')}/{path}" if folder else path


def number_of(text: str | None) -> int | None:
    """Return a plain number, None for anything else."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,12}", text) else None
