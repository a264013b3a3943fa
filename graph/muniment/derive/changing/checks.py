"""What test runners, linters, type checkers and formatters change.

* Runners, linters and type checkers count as reading only, as far as the files that people keep go, but for the reports
  that they are told to write, and for what they are told to update or to repair.
* Formatters write what they are given, unless they are told to check, or print.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from muniment.derive.changing.effect import (
    ANYTHING,
    NOTHING,
    OUTSIDE_ALONE,
    SOMETHING,
    Command,
    Effect,
    together,
)
from muniment.derive.effect_tables import UPDATING, WRITES_FILE
from muniment.derive.run_reports import MAKERS, reported
from muniment.derive.run_words import run_words

Rule = Callable[[Command], Effect]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILT_ASIDE: Final = _words("go cargo mix maven gradle dotnet cmake ninja")
"""Builds that write into a build folder or a cache only."""
_CHECKS: Final = _words("--check -c --diff -l --list-different --check-formatted -d --dry-run -n --test --verify")
_PRINTS_UNLESS: Final = {
    "shfmt": _words("-w --write"),
    "clang-format": _words("-i"),
    "autopep8": _words("-i --in-place"),
    "yapf": _words("-i --in-place"),
    "gofmt": _words("-w"),
    "goimports": _words("-w"),
    "gofumpt": _words("-w"),
    "terraform-docs": _words("--output-file"),
    "prettier": _words("--write -w"),
    "sqlformat": _words("--outfile"),
    "stylua": frozenset(),
    "buf": _words("-w"),
    "swift-format": _words("-i --in-place"),
    "taplo": frozenset(),
    "jsonlint": _words("-i --in-place"),
    "xmllint": _words("--output"),
    "pyupgrade": frozenset(),
    "autoflake": _words("-i --in-place"),
}
"""Formatters → the options without which they print; none: they always write."""
_VALUED: Final = _words(
    """--config -c --line-length -l --target-version -t --select --ignore --parser --ext --style --tab-width -p
    --dialect --templater --rules --exclude-rules --processes"""
)


def runner(command: Command) -> Effect:
    """The effect of a known runner: none, but for what options tell it to write, and what a build leaves."""
    run = run_words(command.words)
    if run is None:
        return ANYTHING
    if any(word.split("=", 1)[0] in UPDATING for word in command.words):
        return _updated(command) if run.family == "lint" else SOMETHING
    reports = command.made(*_reports(command), *_coverage_reports(command.words))
    if run.tool == "tsc":
        return together([NOTHING if command.has("--noEmit") else SOMETHING, reports])
    if run.family == "build" and run.tool == "docker":
        return together([OUTSIDE_ALONE, reports])
    if run.family == "build" and run.tool not in _BUILT_ASIDE:
        return ANYTHING
    return reports


def _updated(command: Command) -> Effect:
    """A linter that repairs what it looks at."""
    operands = [word for word in command.operands(_VALUED) if word not in ("check", "lint", "run", "fix", "format")]
    return command.wrote(*(operands or ["."]))


def _reports(command: Command) -> list[str]:
    """Return the reports that a runner is told to write: what it found, which nobody keeps."""
    words = command.words
    found = list(reported(msgspec.structs.replace(command.simple, words=words, into=()), ()).files)
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in WRITES_FILE:
            found.append(value if equals else words[place + 1] if place + 1 < len(words) else word)
    return found


_COVERAGE_FILES: Final = {"html": "htmlcov", "xml": "coverage.xml", "json": "coverage.json", "lcov": "coverage.lcov"}


def _coverage_reports(words: tuple[str, ...]) -> list[str]:
    """Return what pytest-cov writes: its data, and each report where it is told, or else where it is used to."""
    if not any(re.match(r"--cov(?:=|-report|\Z)", word) for word in words):
        return []
    found = [".coverage"]
    for place, word in enumerate(words):
        if word.split("=", 1)[0] == "--cov-report":
            told = word.partition("=")[2] or (words[place + 1] if place + 1 < len(words) else "")
            kind, _, into = told.partition(":")
            found += [into or _COVERAGE_FILES[kind]] if kind in _COVERAGE_FILES else []
            found += ["*,cover"] if kind == "annotate" else []
    return found


def _formatter(command: Command) -> Effect:
    """Formatters write what they are given unless told to check; some print unless told to write."""
    needed = _PRINTS_UNLESS.get(command.name, frozenset())
    if command.has(*_CHECKS) or (needed and not command.has(*needed)):
        return NOTHING
    operands = [word for word in command.operands(_VALUED) if word != "format"]
    if command.simple.fed:
        return SOMETHING
    return NOTHING if operands == ["-"] else command.wrote(*(operands or ["."]))


def _ruff(command: Command) -> Effect:
    if command.has("--fix", "--fix-only", "--unsafe-fixes", "--add-noqa") and not command.has("--diff"):
        return _updated(command)
    if command.rest[:1] == ("format",):
        return _formatter(msgspec.structs.replace(command, words=("black", *command.rest[1:])))
    looks = command.rest[:1] in (("rule",), ("config",), ("linter",), ("version",), ("analyze",))
    return NOTHING if looks else OUTSIDE_ALONE if command.rest[:1] == ("clean",) else runner(command)


def _biome(command: Command) -> Effect:
    if command.has("--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"):
        return _updated(command)
    return (
        NOTHING
        if command.rest[:1] in (("check",), ("lint",), ("format",), ("ci",), ("explain",), ("rage",))
        else ANYTHING
    )


def _checker(command: Command) -> Effect:
    """Linters that are no known runners: they read, unless told to repair."""
    changing = any(word.split("=", 1)[0] in UPDATING or word == "fix" for word in command.rest)
    return _updated(command) if changing else command.made(*_reports(command))


def _sqlfluff(command: Command) -> Effect:
    if command.rest[:1] in (("fix",), ("format",)):
        return _updated(msgspec.structs.replace(command, words=(command.words[0], *command.rest[1:])))
    return (
        NOTHING
        if command.rest[:1] in (("lint",), ("parse",), ("rules",), ("version",), ("dialects",), ("render",))
        else ANYTHING
    )


def _coverage(command: Command) -> Effect:
    verb = command.rest[0] if command.rest else "help"
    if verb == "run":
        rest = command.rest[1:]
        while rest and rest[0].startswith("-") and rest[0] != "-m":
            rest = rest[2:] if rest[0] in ("--source", "--omit", "--include", "--rcfile", "--data-file") else rest[1:]
        return together([command.made(".coverage"), command.as_words(("python", *rest))])
    return (
        NOTHING
        if verb in ("report", "debug", "help", "--version")
        else command.made("htmlcov", "coverage.*", ".coverage")
    )


def _pre_commit(command: Command) -> Effect:
    verb = command.rest[0] if command.rest else "run"
    if verb in ("run", "autoupdate", "migrate-config"):
        return SOMETHING
    return NOTHING if verb in ("help", "validate-config", "sample-config", "--version") else OUTSIDE_ALONE


def _report_maker(command: Command) -> Effect:
    """What turns a runner's output into a report: it prints it, or writes it where it is told to."""
    return command.made(*(value for option in ("-out", "--out") if (value := command.value(option))))


_FORMATTERS: Final = ("black", "isort", "rustfmt", *_PRINTS_UNLESS)
_CHECKERS: Final = _words(
    """eslint flake8 pylint stylelint rubocop golangci-lint oxlint markdownlint markdownlint-cli2 yamllint hadolint
    actionlint tflint shellcheck bandit codespell vulture pydocstyle pycodestyle pyflakes pyroma vale semgrep
    ktlint swiftlint phpstan psalm phpcs cspell knip depcheck madge lychee htmlhint standard xo staticcheck
    errcheck gosec ineffassign lint-imports deptry interrogate radon xenon mypy pyright pyre pytype ty
    basedpyright ultracite djlint credo dialyzer cppcheck clang-tidy cpplint"""
)
RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(_CHECKERS, _checker),
    **dict.fromkeys(_FORMATTERS, _formatter),
    **dict.fromkeys(MAKERS - {"gotestsum"}, _report_maker),
    "ruff": _ruff,
    "biome": _biome,
    "sqlfluff": _sqlfluff,
    "coverage": _coverage,
    "pre-commit": _pre_commit,
}
"""Program → rule."""
