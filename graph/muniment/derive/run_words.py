"""Which runner a simple command is: its family (test, build, lint, types), what it was told to run, and what else it
was told.

* Known by its words alone; a script of the project (`npm test`, `make lint`) is known by its conventional name.
* The scope is `suite` where nothing narrows the run, else the named targets and filters. What narrows without a name
  (`--lf`) is named
  by its option.
* Commands that only list, explain or compile tests are no test run.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.run_options import make_flags, option_of, takes_away
from muniment.derive.runners import (
    BUILD,
    CHECK_ONLY,
    NAMES_OF_SCRIPTS,
    NEED_RUN,
    RUNNERS,
    SCRIPT,
    SCRIPT_RUNNERS,
    SCRIPTS_NOT_RUN,
    WHOLE_SCRIPTS,
    Runner,
    as_tool,
)
from muniment.derive.shell import base_name

SUITE: Final = "suite"
Scope = str | tuple[str, ...]

_WITH_GOALS: Final = frozenset({"mvn", "mvnw", "gradle", "gradlew"})
_IDENTIFIERS: Final = re.compile(r"\w[\w.\[\]-]*(?: or \w[\w.\[\]-]*)*")


class RunWords(msgspec.Struct, frozen=True):
    """What the words of a simple command say of a run."""

    family: str
    scope: Scope
    tool: str
    group: str
    options: tuple[str, ...]


def run_words(words: tuple[str, ...]) -> RunWords | None:
    """Return what run a simple command (without prefixes) is, or None where it is none that is known."""
    if not words:
        return None
    words = _goal_first(_python_module((base_name(words[0]), *words[1:])))
    if "n" in make_flags(words):
        return None
    found = _listed(words) or _script_run(words)
    if found is None:
        return None
    runner, rest, given = found
    options = tuple(word.split("=", 1)[0] for word in rest if word.startswith("-"))
    if any(option in runner.no_run for option in (*options, *rest[:1])) or not _checks(runner, options):
        return None
    return RunWords(runner.family, _scope(runner, rest, given), runner.tool, runner.group, options)


def _listed(words: tuple[str, ...]) -> tuple[Runner, tuple[str, ...], tuple[str, ...]] | None:
    for length in (3, 2, 1):
        runner = RUNNERS.get(words[:length]) if len(words) >= length else None
        if runner is not None:
            return runner, words[length:], ()
    return None


def _checks(runner: Runner, options: tuple[str, ...]) -> bool:
    wanted = CHECK_ONLY.get(runner.tool)
    return wanted is None or any(option in wanted for option in options)


def _python_module(words: tuple[str, ...]) -> tuple[str, ...]:
    """`python -X dev -m pytest a` → `pytest a`; `python manage.py test` → `manage.py test`."""
    if re.fullmatch(r"(?:python|pypy)[\d.]*|py", words[0]) is None:
        return words
    for place, word in enumerate(words[1:], start=1):
        if word == "-m":
            return words[place + 1 :] or words
        if words[place - 1] not in ("-X", "-W") and not word.startswith("-"):
            known = base_name(word) in ("manage.py", "runtests.py")
            return (base_name(word), *words[place + 1 :]) if known else words
    return words


def _goal_first(words: tuple[str, ...]) -> tuple[str, ...]:
    """`mvn -q clean test` → `mvn test -q`: what a tool with several goals does last."""
    if words[0] not in _WITH_GOALS:
        return words
    goals = [place for place, word in enumerate(words) if place and (words[0], word) in RUNNERS]
    if not goals:
        return words
    rest = [
        word for place, word in enumerate(words) if place and place != goals[-1] and word not in ("clean", "install")
    ]
    return (words[0], words[goals[-1]], *rest)


def _script_run(words: tuple[str, ...]) -> tuple[Runner, tuple[str, ...], tuple[str, ...]] | None:
    """A script or target of the project, by its conventional name; with what narrows it to a part of the project."""
    name, rest = words[0], list(words[1:])
    if name not in SCRIPT_RUNNERS:
        return None
    given: list[str] = []
    while rest and (rest[0].startswith("-") or rest[0] in ("run", "run-script", "workspace")):
        word = rest.pop(0)
        if word.split("=", 1)[0] in SCRIPTS_NOT_RUN[""] | SCRIPTS_NOT_RUN.get(name, frozenset()):
            return None
        if word in ("-C", "--prefix", "--filter", "-F", "-w", "--workspace", "--cwd", "workspace", "-f") and rest:
            value = rest.pop(0)
            given += [f"{word} {value}"] if takes_away("script", "", word, value) is not False else []
        elif "=" in word:
            given.append(word)
    if name in ("make", "gmake") and not rest and not given:
        return as_tool(BUILD, "make"), (), ()
    told = "run" in words[1:] or name not in NEED_RUN or rest[:1] in (["test"], ["t"])
    family = _script_family(rest[0]) if rest and told else None
    if family is None:
        return None
    if family == "test" and rest[0] not in WHOLE_SCRIPTS:
        given.append(rest[0])
    return msgspec.structs.replace(SCRIPT, family=family), tuple(rest[1:]), tuple(given)


def _script_family(script: str) -> str | None:
    return next((family for family, pattern in NAMES_OF_SCRIPTS if pattern.fullmatch(script)), None)


def _scope(runner: Runner, rest: tuple[str, ...], given: tuple[str, ...]) -> Scope:
    """Return what a run was narrowed to. Targets add up, filters narrow: where both are there, it is one name for the
    lot."""
    targets, filters = _narrowed(runner, rest)
    if not targets and runner.tool == "go" and not runner.whole.intersection(rest):
        targets = ["."]  # the package of the working directory, no more
    if given:
        return (" ".join([*given, *targets, *(name for names in filters for name in names)]),)
    if not filters:
        return tuple(targets) or SUITE
    if targets or len(filters) > 1:
        return (" ".join([*targets, *(name for names in filters for name in names)]),)
    return tuple(filters[0])


def _narrowed(runner: Runner, rest: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """Return the targets among a runner's words, and the names of each filter."""
    targets: list[str] = []
    filters: list[list[str]] = []
    i = 0
    while i < len(rest):
        word = rest[i]
        if not word.startswith("-") or word == "-":
            targets += [] if word in runner.whole else [word]
            i += 1
            continue
        option, value, held = option_of(runner.tool, word)
        takes = option in runner.valued and not held and i + 1 < len(rest)
        value = rest[i + 1] if takes else value
        away = takes_away(runner.tool, runner.family, option, value)
        if away if away is not None else option in runner.narrowing:
            filters.append(_filter_names(option, value))
        i += 1 + takes
    return targets, filters


def _filter_names(option: str, value: str) -> list[str]:
    if option in ("-k", "-t", "-run", "--testNamePattern") and _IDENTIFIERS.fullmatch(value):
        return value.split(" or ")
    return [f"{option} {value}".strip()]
