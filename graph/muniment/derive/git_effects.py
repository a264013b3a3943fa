"""Effects of git: its own books are outside, the working tree is not.

* Commits, branches, tags, the index and remotes are version control only; hooks are not looked at.
* What puts other content into the working tree writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muniment.derive.effect_tables import (
    GIT_NONE,
    GIT_OUTSIDE,
    GIT_VALUED,
    GIT_WRITES,
    NONE,
    OUTSIDE_ONLY,
    UNKNOWN,
    WRITES,
)

Words = tuple[str, ...]


def git_effect(words: Words, _root: str | None = None) -> str:
    """Return the effect of a git command, given its words."""
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in GIT_VALUED else rest[1:]
    if not rest:
        return NONE
    verb, options = rest[0], rest[1:]
    if any(word.split("=", 1)[0] in ("--output", "-O", "--ext-diff", "--open-files-in-pager") for word in options):
        return UNKNOWN
    if verb in _GIT_RULES:
        return _GIT_RULES[verb](options)
    if verb in GIT_NONE:
        return NONE
    if verb in GIT_OUTSIDE:
        return OUTSIDE_ONLY
    return WRITES if verb in GIT_WRITES else UNKNOWN


def _git_stash(options: Words) -> str:
    return NONE if options[:1] in (("list",), ("show",)) else OUTSIDE_ONLY if options[:1] == ("drop",) else WRITES


def _git_reset(options: Words) -> str:
    return WRITES if {"--hard", "--merge", "--keep"} & set(options) else OUTSIDE_ONLY


def _git_restore(options: Words) -> str:
    staged = "--staged" in options or "-S" in options
    return OUTSIDE_ONLY if staged and not {"--worktree", "-W"} & set(options) else WRITES


def _git_rm(options: Words) -> str:
    return OUTSIDE_ONLY if "--cached" in options else WRITES


def _git_clean(options: Words) -> str:
    return NONE if {"-n", "--dry-run"} & set(options) else WRITES


def _git_apply(options: Words) -> str:
    return NONE if {"--check", "--stat", "--numstat", "--summary"} & set(options) else WRITES


def _git_checkout(options: Words) -> str:
    created = options[:1] in (("-b",), ("-c",), ("-B",), ("-C",)) and len(options) == 2
    return OUTSIDE_ONLY if created else WRITES


_GIT_RULES: Final[dict[str, Callable[[Words], str]]] = {
    "stash": _git_stash,
    "reset": _git_reset,
    "restore": _git_restore,
    "rm": _git_rm,
    "clean": _git_clean,
    "apply": _git_apply,
    "checkout": _git_checkout,
    "switch": _git_checkout,
}
