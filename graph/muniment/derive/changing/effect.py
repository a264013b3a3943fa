"""The effect of a command, and what a rule sees of the command that it is asked about.

* Effects add up: the widest kind, all paths; what one part does not name, the whole does not.
* A path is canonical as far as words go: joined with the working directory and what `cd` made of it. It stands for
  everything below it, and may be a pattern.
* Where a `cd` may have failed, the path in the other folder is written too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from muniment.derive.effect_tables import NONE, OUTSIDE_ONLY, UNKNOWN, WRITES
from muniment.shell.prefixes import base_name
from muniment.shell.scope import UNKNOWN_FOLDER
from muniment.shell.simple import Simple

ORDER: Final = (NONE, OUTSIDE_ONLY, WRITES, UNKNOWN)
_NOWHERE: Final = re.compile(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)\Z|&\d\Z|-\Z|\Z")
_EXPANDS: Final = re.compile(r"[$`]")
_HOME: Final = re.compile(r"/(?:home|Users)/[^/]+|/root(?=/|\Z)")
_BOOKS: Final = re.compile(r"(?:\A|/)\.git(?:/|\Z)")
_PATTERN: Final = re.compile(r"[*?\[{]")
_PRIVATE: Final = re.compile(r"/private(?=/(?:tmp|var)(?:/|\Z))")


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a command may have changed.

    `kind`: none (it only reads), outside (version control's own books, a remote, files outside of the workspace only),
    writes, or unknown. `paths` are what it writes in the workspace; `named`: they are all of it. `aside` are those of
    them that hold nothing that people keep: folders just made, build products, installed packages.
    `environment`: packages, settings of the machine or the like, on which runs depend, may be others now.
    """

    kind: str = NONE
    paths: tuple[str, ...] = ()
    named: bool = True
    aside: tuple[str, ...] = ()
    environment: bool = False


NOTHING: Final = Effect()
OUTSIDE_ALONE: Final = Effect(kind=OUTSIDE_ONLY)
ANYTHING: Final = Effect(kind=UNKNOWN, named=False)
SOMETHING: Final = Effect(kind=WRITES, named=False)
"""It writes in the workspace, and nobody can say where."""
INSTALLED: Final = Effect(kind=OUTSIDE_ONLY, environment=True)


def together(effects: Iterable[Effect]) -> Effect:
    """Return the effect of all of these."""
    parts = [effect for effect in effects if effect != NOTHING]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    aside = {path for effect in parts for path in effect.aside}
    kept = {path for effect in parts for path in effect.paths if path not in effect.aside}
    return Effect(
        kind=max((effect.kind for effect in parts), key=ORDER.index),
        paths=tuple(dict.fromkeys(path for effect in parts for path in effect.paths)),
        named=all(effect.named for effect in parts),
        aside=tuple(sorted(aside - kept)),
        environment=any(effect.environment for effect in parts),
    )


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What is known around a command line: the workspace's root, the working directory, and the texts of files.

    `text_of` gives the whole text of a file by its canonical path, None where it is not known. `scripts` are scripts of
    the project by their names, as a runner printed them; "" is the only one that it ran.
    """

    root: str | None = None
    cwd: str | None = None
    text_of: Callable[[str], str | None] | None = None
    scripts: Mapping[str, str] = {}


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A simple command as a rule sees it."""

    words: tuple[str, ...]
    simple: Simple
    ground: Ground
    asked: Callable[[Command], Effect]
    """The effect of another command in the same place."""

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return base_name(self.words[0])

    @property
    def rest(self) -> tuple[str, ...]:
        """The words behind the program."""
        return self.words[1:]

    def has(self, *options: str) -> bool:
        """Tell whether one of these words is among the options, with or without a value."""
        return any(word.split("=", 1)[0] in options for word in self.rest)

    def operands(self, valued: frozenset[str] = frozenset()) -> list[str]:
        """Return the words that are no options and no values of these options."""
        found: list[str] = []
        words = iter(self.rest)
        for word in words:
            if word == "--":
                found += words
            elif not word.startswith("-") or word == "-":
                found.append(word)
            elif word in valued:
                next(words, None)
        return found

    def value(self, *options: str) -> str | None:
        """Return the value of an option, in its word or in the next; None where it is not given."""
        for place, word in enumerate(self.rest):
            for option in options:
                if word == option:
                    return self.rest[place + 1] if place + 1 < len(self.rest) else ""
                if word.startswith(f"{option}="):
                    return word[len(option) + 1 :]
        return None

    def verbs(self, valued: frozenset[str] = frozenset()) -> list[str]:
        """Return the words that are no options, as far as a tool with sub-commands goes."""
        return self.operands(valued)

    def as_words(self, words: tuple[str, ...]) -> Effect:
        """Return the effect that other words would have in the same place."""
        return self.asked(msgspec.structs.replace(self, words=words)) if words else NOTHING

    def wrote(self, *targets: str) -> Effect:
        """Return the effect of writing to these paths, as they are written in the command."""
        return together(self._written(target) for target in targets)

    def made(self, *targets: str, environment: bool = False) -> Effect:
        """Return the effect of writing to paths that hold nothing that people keep."""
        effect = self.wrote(*targets)
        return msgspec.structs.replace(effect, aside=effect.paths, environment=environment)

    def _written(self, target: str) -> Effect:
        if _NOWHERE.match(target):
            return NOTHING
        if _EXPANDS.search(target):
            return SOMETHING
        folders = [self.simple.folder, *(stray or None for stray in self.simple.strays)]
        return together(self._in_folder(target, folder) for folder in folders)

    def _in_folder(self, target: str, folder: str | None) -> Effect:
        path = self.placed(target, folder)
        if path is None:
            return SOMETHING
        books = _BOOKS.search(path) is not None
        return Effect(kind=WRITES, paths=(path,)) if self.is_inside(path) and not books else OUTSIDE_ALONE

    def is_inside(self, path: str) -> bool:
        """Tell whether a canonical path may lie in the workspace."""
        return self.ground.root is None or _is_inside(path, self.ground.root)

    def path(self, target: str) -> str | None:
        """Return the canonical path of a file that a word names, None where it is not known."""
        folders = {self.simple.folder, *(stray or None for stray in self.simple.strays)}
        found = {self.placed(target, folder) for folder in folders} if not _EXPANDS.search(target) else set()
        return found.pop() if len(found) == 1 else None

    def placed(self, target: str, folder: str | None) -> str | None:
        """Return a path joined with a folder and the working directory; None in a folder that is not known."""
        if target.startswith("~"):
            return self._at_home(target)
        if folder == UNKNOWN_FOLDER and not target.startswith("/"):
            return None
        base = self.ground.cwd or self.ground.root or ""
        return posixpath.normpath(posixpath.join(base, self._at_home(folder or ""), target))

    def _at_home(self, path: str) -> str:
        home = _HOME.match(self.ground.root or "")
        return home[0] + path[1:] if home and path[:1] == "~" and path[1:2] in ("", "/") else path

    def text_of(self, target: str) -> str | None:
        """Return the text of a file that a word names, where the ground knows it."""
        path = self.path(target)
        return None if path is None or self.ground.text_of is None else self.ground.text_of(path)


def _is_inside(path: str, root: str) -> bool:
    """Tell whether a path, or something that a pattern stands for, lies in the workspace or holds it."""
    path, root = _PRIVATE.sub("", path), _PRIVATE.sub("", posixpath.normpath(root)).rstrip("/")
    if path == root or path.startswith(f"{root}/") or f"{root}/".startswith(f"{path.rstrip('/')}/"):
        return True
    pattern = _PATTERN.search(path)
    return pattern is not None and root.startswith(path[: pattern.start()])
