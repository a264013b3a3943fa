"""Doubts about a run that its line gives: whether it was the runner that it is called, and whether what is printed is
its.

* A runner is the environment's or the project's own: found by its name, or by a path into a folder of programs
  (`.venv/bin/pytest`) or to a script that projects keep (`./gradlew`). One at another path may print anything.
* The same holds where the line gives its name to something else (`alias`, `hash -p`), or puts a folder that is none of
  programs before all others in `PATH`.
* What stands behind `||` runs only if something failed: status 0 of the line says nothing of it.
* Where its output went into a file, what the line prints is of the run only if all that prints shows that very file.
* Where the line also shows another file that may hold the results of an earlier run, nobody knows whose they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from muniment.derive.run_options import says_nothing, settings_that_hide
from muniment.derive.run_words import RunWords
from muniment.derive.shell import Simple, base_name

_PROGRAMS: Final = re.compile(r"(?:.*/)?(?:\.?s?bin|Scripts|shims)/[^/]+")
_PROJECTS: Final = frozenset(
    [
        *("gradlew", "mvnw", "sbt", "lein", "bazel", "bazelisk", "build", "build.sh", "manage.py", "runtests.py"),
        *("flutter", "rebar3", "mill", "activator"),
    ]
)
"""Scripts that projects keep, and that stand where they like."""
_FOLDER_OF_PROGRAMS: Final = re.compile(r"(?:.*/)?(?:\.?s?bin|Scripts|shims)/?|\$\{?\w+\}?|\$\(.*\)|`.*`|", re.DOTALL)
_SCRATCH: Final = re.compile(r"/(?:private/)?(?:tmp|var/tmp|dev/shm)/")
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*")
_EXITS: Final = re.compile(r"\b(?:exit|exec)\b")
_SHOW_FILES: Final = frozenset({"cat", "tail", "head", "less", "more", "tac", "bat", "type"})
_KNOWN_TEXT: Final = re.compile(
    r".*\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|ex|exs|swift|scala|sh|json|toml|ya?ml|ini|cfg"
    r"|md|rst|html|css|sql|lock|mod|gradle|proto|vue|svelte)|.*(?:Makefile|Dockerfile|\.gitignore|\.env)"
)
"""Files that hold no results of runs."""


def is_doubtful(simples: Sequence[Simple], place: int, found: RunWords) -> bool:
    """Tell whether status 0 of a line does not say that the runner at `place` ran and succeeded."""
    simple, before = simples[place], simples[:place]
    if simple.before == "||" or not _is_own(simple.words) or _is_given_away(simple, before):
        return True
    exported = [word for other in before if other.words[:1] == ("export",) for word in other.words[1:]]
    settings = (*exported, *simple.settings)
    if any(map(_leads_astray, settings)) or any(settings_that_hide(settings)) or _optimised(simple.words):
        return True
    words = (base_name(simple.words[0]), *simple.words[1:])
    return says_nothing(words, found.tool, found.family)


def leans_on(simples: Sequence[Simple], place: int) -> tuple[str, ...]:
    """Return the files and folders, as written, that decide what runs under the name of the runner at `place`: its own
    path, scripts that were sourced before it, and folders for scratch files in which it looks for programs or modules.
    """
    simple, before = simples[place], simples[:place]
    exported = [word for other in before if other.words[:1] == ("export",) for word in other.words[1:]]
    found = [simple.words[0]] if "/" in simple.words[0] and base_name(simple.words[0]) not in _PROJECTS else []
    found += [other.words[1] for other in before if other.words[:1] in (("source",), (".",)) and len(other.words) > 1]
    for setting in (*exported, *simple.settings):
        name, _, value = setting.partition("=")
        if name in ("PATH", "PYTHONPATH", "NODE_PATH"):
            found += [each for each in value.strip("'\"").split(":") if _SCRATCH.match(each)]
    return tuple(found)


def _is_own(words: Sequence[str]) -> bool:
    program = words[0]
    return "/" not in program or base_name(program) in _PROJECTS or _PROGRAMS.fullmatch(program) is not None


def _is_given_away(simple: Simple, before: Sequence[Simple]) -> bool:
    """Tell whether a line makes something else of a program's name before, or ends with a status of its own."""
    name = simple.words[0]
    for other in before:
        if other.words[:1] == ("alias",) and any(word.startswith(f"{name}=") for word in other.words[1:]):
            return True
        if other.words[:2] == ("hash", "-p") and name in other.words[3:]:
            return True
        if other.words[:1] == ("trap",) and any(map(_EXITS.search, other.words[1:])):
            return True
    return False


def _leads_astray(setting: str) -> bool:
    name, _, value = setting.partition("=")
    if name != "PATH":
        return False
    first = re.split(r":(?=(?:[^()]*\([^()]*\))*[^()]*$)", value.strip("'\""))[0]
    return _FOLDER_OF_PROGRAMS.fullmatch(first) is None


def _optimised(words: Sequence[str]) -> bool:
    """Tell whether Python was told to leave out assertions."""
    if _PYTHON.fullmatch(base_name(words[0])) is None:
        return False
    options = words[1 : words.index("-m")] if "-m" in words else words[1:2]
    return any(option in ("-O", "-OO") for option in options)


def prints_others(simples: Sequence[Simple], place: int, others: Sequence[Simple]) -> bool:
    """Tell whether what a line prints as results may be of another run; `others` are the commands that may print such
    lines beside the one at `place`.
    """
    last = place
    while last + 1 < len(simples) and simples[last].after == "|":
        last += 1
    into = [file for each in {place, last} for file in simples[each].into if simples[each].mute]
    if into:
        return not others or not all(_shows(other, into) for other in others)
    return any(map(_may_replay, others))


def _shows(simple: Simple, files: Sequence[str]) -> bool:
    return any(file in simple.words[1:] or file in simple.source for file in files)


def _may_replay(simple: Simple) -> bool:
    """Tell whether a command shows a file that may hold results."""
    if not simple.words or base_name(simple.words[0]) not in (
        "cat",
        "tail",
        "head",
        "less",
        "more",
        "tac",
        "bat",
        "type",
    ):
        return False
    operands = [word for word in simple.words[1:] if not word.startswith(("-", "+")) and not word.isdecimal()]
    return any(_KNOWN_TEXT.fullmatch(each) is None for each in (*operands, *simple.source))
