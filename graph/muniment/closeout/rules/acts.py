"""Acts: what commands did that a constraint may forbid, as words, and the runs of a command that is required.

* A command that was refused did nothing; one that failed did not push or commit. A dry run is no act.
* Words inside other words are no act: `echo "git push"` prints, `grep 'git commit'` reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muniment.closeout.evidence import Evidence
from muniment.derive.shell import Simple, base_name, simple_commands
from muniment.model.nodes import Receipt

_GIT_VALUES: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
_FORCE: Final = ("+", "-f", "--force", "--force-with-lease", "--force-if-includes")
_INSTALLING: Final = {
    **dict.fromkeys(("pip", "gem", "brew", "apt", "apt-get", "conda", "mamba"), ("install",)),
    **dict.fromkeys(("npm", "pnpm"), ("install", "i", "add")),
    **dict.fromkeys(("yarn", "poetry", "uv", "bun"), ("add", "install")),
    "cargo": ("add", "install"),
    "go": ("get",),
}
"""Package manager → its words for installing."""
_ENDING: Final = frozenset({"--abort", "--quit", "--show-current-patch", "list", "show"})


def commands(evidence: Evidence, since: int, words: tuple[str, ...]) -> Iterator[tuple[Receipt, list[Simple]]]:
    """Yield the commands that an agent asked for behind an ordinal and whose text holds one of some words, cut up."""
    for receipt in reversed(evidence.snapshot.of_kind(Receipt)):
        if receipt.ordinal <= since:
            return
        if receipt.tool != "command" or receipt.by == "user" or receipt.status == "refused":
            continue
        if evidence.changes.asked(receipt) <= since or not evidence.stands(receipt):
            continue
        text = evidence.text(receipt.command)
        if any(word in text for word in words):
            yield receipt, list(_flat(simple_commands(text) or ()))


def acts_of(simple: Simple) -> frozenset[str]:
    """Return which acts a command is: push, force-push, commit, amend, rebase, stash, pull-request, install."""
    words = [word for word in simple.words if word]
    if not words:
        return frozenset()
    if base_name(words[0]) == "gh" and words[1:3] == ["pr", "create"]:
        return frozenset() if "--dry-run" in words else frozenset({"pull-request"})
    if base_name(words[0]) != "git":
        return frozenset({"install"}) if _installs(words) else frozenset()
    verb, rest = _git(words[1:])
    if "--dry-run" in rest or "--help" in rest or (verb == "push" and "-n" in rest):
        return frozenset()
    if verb == "push":
        forced = any(word.startswith(_FORCE) for word in rest)
        return frozenset({"push", "force-push"} if forced else {"push"})
    if verb == "commit":
        return frozenset({"commit", "amend"} if "--amend" in rest else {"commit"})
    if verb in ("rebase", "stash") and not _ENDING.intersection(rest[:1]):
        return frozenset({verb})
    return frozenset()


def _installs(words: list[str]) -> bool:
    """Tell whether a command installs a package that it names; what a project's own list names is no such thing."""
    manager = base_name(words[0])
    rest = [word for word in words[1:] if word != "-y"]
    if manager.startswith("python") and rest[:2] == ["-m", "pip"]:
        manager, rest = "pip", rest[2:]
    if manager == "uv" and rest[:1] == ["pip"]:
        rest = rest[1:]
    if not rest or rest[0] not in _INSTALLING.get(manager.removesuffix("3"), ()):
        return False
    return any(not word.startswith(("-", ".", "/")) and "requirements" not in word for word in rest[1:])


def pushes_to(simple: Simple, branch: str) -> bool:
    """Tell whether a push names a branch."""
    _, rest = _git([word for word in simple.words if word][1:])
    named = [word.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/") for word in rest if word[:1] != "-"]
    return branch in named[1:]


def runs(simple: Simple, wanted: tuple[str, ...]) -> bool:
    """Tell whether a command is the wanted one, perhaps with more words behind it."""
    own = (base_name(simple.words[0]), *simple.words[1:]) if simple.words else ()
    return bool(wanted) and own[: len(wanted)] == wanted


def words_of(command: str) -> tuple[str, ...]:
    """Return the words of a command as it is named in a constraint; () where it is not one simple command."""
    simples = simple_commands(command) or ()
    if len(simples) != 1 or not simples[0].words:
        return ()
    return (base_name(simples[0].words[0]), *simples[0].words[1:])


def _git(words: list[str]) -> tuple[str, list[str]]:
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in _GIT_VALUES else 1
    return (words[place], words[place + 1 :]) if place < len(words) else ("", [])


def _flat(simples: tuple[Simple, ...]) -> Iterator[Simple]:
    for simple in simples:
        yield simple
        yield from _flat(simple.nested)
