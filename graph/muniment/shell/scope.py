"""What a shell line itself makes known to its later commands: variables, functions, and the folder it is in.

* Only literal values count. What a branch or a loop may or may not have set is forgotten behind it.
* A folder is relative as written or absolute; None is the folder in which the line began, "?" one that is not known.
* A `cd` may fail, and the commands behind the next `;` then run where it was: those folders are the strays. In a chain
  of `&&`, and under `set -e`, there are none.
"""

from __future__ import annotations

import posixpath
from typing import Final

from tree_sitter import Node

UNKNOWN_FOLDER: Final = "?"


class Scope:
    """One shell's knowledge. A subshell gets a copy."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.functions: dict[str, tuple[Node, ...]] = {}
        self.folder: str | None = None
        self.strays: frozenset[str | None] = frozenset()
        self.left: frozenset[str | None] = frozenset()
        """Folders that a `cd` in this chain has left."""
        self.tentative: set[str] = set()
        """Variables that were set only if what stands before them in this chain succeeded."""
        self.pushed: tuple[str | None, ...] = ()
        self.before: str | None = UNKNOWN_FOLDER
        self.exits_on_failure = False
        self.pipefail = False

    def copy(self) -> Scope:
        """Return a scope that knows the same."""
        other = Scope()
        other.__dict__.update(self.__dict__)
        other.values, other.lists = dict(self.values), dict(self.lists)
        other.functions, other.tentative = dict(self.functions), set(self.tentative)
        return other

    def value_of(self, name: str) -> str | None:
        """Return a variable's value, None where it is not known."""
        if name in self.values:
            return self.values[name]
        if name == "PWD":
            return None if self.folder == UNKNOWN_FOLDER or self.strays else "."
        return "~" if name == "HOME" else None

    def list_of(self, name: str) -> tuple[str, ...] | None:
        """Return the values that `$@`, `$*` or `${a[@]}` stands for, None where they are not known."""
        if name in ("@", "*"):
            return self.lists.get("@")
        return self.lists.get(name[:-3]) if name.endswith(("[@]", "[*]")) else None

    def know(self, name: str, value: str | None) -> None:
        """A variable was set, to a literal value or to one that is not known (None)."""
        self.forget(name)
        if value is not None:
            self.values[name] = value

    def forget(self, name: str) -> None:
        """Nobody knows any more what a variable holds."""
        self.values.pop(name, None)
        self.lists.pop(name, None)

    def given(self, arguments: tuple[str, ...]) -> None:
        """The positional parameters are these."""
        self.lists["@"] = arguments
        for place in range(1, 10):
            self.know(str(place), arguments[place - 1] if place <= len(arguments) else "")

    def enter(self, target: str | None) -> None:
        """A `cd` went to a folder, None where it is not known which."""
        self.left |= {self.folder} | self.strays
        self.before = self.folder
        self.strays = frozenset(joined(stray, target) for stray in self.strays)
        self.folder = joined(self.folder, target)
        self.strays -= {self.folder}

    def end_of_chain(self, *, plain: bool) -> None:
        """Behind a `;` or a line end: what a failing `cd` would have prevented runs all the same, but behind a `plain`
        command under `set -e`.
        """
        if not (self.exits_on_failure and plain):
            self.strays = (self.strays | self.left) - {self.folder}
            for name in self.tentative:
                self.forget(name)
        self.tentative.clear()
        self.left = frozenset()

    def merge(self, others: list[Scope]) -> None:
        """One of these scopes is what this one has become; where they differ nobody knows."""
        last = others[-1]
        self.values = {k: v for k, v in last.values.items() if all(o.values.get(k) == v for o in others)}
        self.lists = {k: v for k, v in last.lists.items() if all(o.lists.get(k) == v for o in others)}
        for other in others:
            for name, bodies in other.functions.items():
                known = self.functions.get(name, ())
                self.functions[name] = known + tuple(body for body in bodies if body not in known)
        folders = frozenset().union(*({o.folder} | o.strays | o.left for o in others))
        self.folder = last.folder
        self.strays, self.left = folders - {last.folder}, frozenset()
        self.pushed, self.before = last.pushed, UNKNOWN_FOLDER
        self.exits_on_failure = all(other.exits_on_failure for other in others)


def joined(folder: str | None, target: str | None) -> str | None:
    """Return the folder that `cd target` leads to from another; a target of None is not known."""
    if target is None:
        return UNKNOWN_FOLDER
    if target.startswith(("/", "~")):
        return posixpath.normpath(target)
    if folder == UNKNOWN_FOLDER:
        return UNKNOWN_FOLDER
    whole = posixpath.normpath(posixpath.join(folder or "", target))
    return None if whole == "." else whole
