"""Redirections of one command or group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from muniment.shell.simple import Simple
from muniment.shell.words import Word

_INTO: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_FROM: Final = frozenset({"<", "<>"})


class Redirects:
    """Where a command writes to and reads from. `more` are words behind a target, which are the command's."""

    def __init__(self) -> None:
        self.into: list[str] = []
        self.source: list[str] = []
        self.mute = False
        self.fed_text: str | None = None
        self.more: list[Word] = []

    def add(self, operator: str, target: str, *, mute: bool = True) -> None:
        """A redirection to or from a file; another descriptor is no file. `mute`: it is not of errors alone."""
        descriptor = operator in (">&", "<&") and (target.isdigit() or target == "-")
        if operator in _INTO and not descriptor:
            self.into.append(target)
            self.mute = self.mute or mute
        if operator in _FROM:
            self.source.append(target)

    def feed(self, text: str | None) -> None:
        """A here-document or here-string, of which the text is known or not."""
        self.fed_text = text

    def joined(self, other: Redirects) -> Redirects:
        """Return both together."""
        both = Redirects()
        both.mute = self.mute or other.mute
        both.into, both.source = self.into + other.into, self.source + other.source
        both.fed_text = other.fed_text if other.fed_text is not None else self.fed_text
        both.more = self.more + other.more
        return both


def with_redirects(found: Sequence[Simple], redirects: Redirects, made: Simple, *, chain: bool = False) -> list[Simple]:
    """Give a group's redirections to its commands: what is read to the first, what is written to the last.

    `made` has what is inside of the redirections' words. `chain`: it is no group but a pipe or a chain of `&&`, whose
    last command has all of them.
    """
    if not found:
        return list(found)
    replace = msgspec.structs.replace
    placed = list(found)
    reader = len(placed) - 1 if chain else 0
    placed[reader] = replace(
        placed[reader],
        source=placed[reader].source + tuple(redirects.source),
        fed_text=placed[reader].fed_text if redirects.fed_text is None else redirects.fed_text,
    )
    last = placed[-1]
    placed[-1] = replace(
        last,
        into=last.into + tuple(redirects.into),
        mute=last.mute or redirects.mute,
        inner=last.inner + made.inner,
        nested=last.nested + made.nested,
        words=last.words + tuple(word.text for word in redirects.more),
    )
    return placed
