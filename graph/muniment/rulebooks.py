"""Rulebooks of a store: its settings for closeouts, and the rules that are installed beside Muniment's own.

* Settings are in `muniment.toml`, in the store's folder, else beside it: one file for the command line, hooks and
  server. A file that is there and cannot be understood is an error.
* Installed rules are entry points of the group `muniment.rules`: a `Rule`, or several in a tuple or list. They are
  loaded once per process, at its first closeout, and are as good as Muniment's own; but what goes wrong in one is an
  error finding that names it, and neither ends the closeout nor passes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from muniment.closeout.rules.cypher import FAILED, failed
from muniment.closeout.rules.registry import BY_ID, RULES
from muniment.closeout.rules.rule import ERROR, SEVERITIES, Inquiry, Noticed, Rule
from muniment.closeout.rules.rulebook import Rulebook, Wishes, rulebook, wishes_in
from muniment.closeout.verdict import Finding
from muniment.errors import StoreError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FILE_NAME: Final = "muniment.toml"
GROUP: Final = "muniment.rules"


def rulebook_for(
    folder: Path, config: Path | None = None, select: Sequence[str] | None = None, ignore: Sequence[str] = ()
) -> Rulebook:
    """Return the rules that a store's closeouts go by: its settings or those in `config`, and what a caller wants.

    Raises:
        StoreError: the file of settings cannot be read.
        UsageError: it is not understood, or a rule that is named is not known.
    """
    wishes = settings_for(folder, config).and_also(select, ignore)
    rules, faults = installed()
    return rulebook((*RULES, *rules), wishes, faults)


def settings_for(folder: Path, config: Path | None = None) -> Wishes:
    """Return the settings in `config`, else those of a store; the usual ones where there is no file.

    Raises:
        StoreError: the file cannot be read.
        UsageError: it is not understood, or `config` is not there.
    """
    for path in (config,) if config is not None else (folder / FILE_NAME, folder.parent / FILE_NAME):
        try:
            return wishes_in(path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError as error:
            if config is not None:
                raise UsageError(f"{path}: no such file") from error
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path} cannot be read: {error}") from error
    return Wishes()


@lru_cache(maxsize=1)
def installed() -> tuple[tuple[Rule, ...], tuple[Finding, ...]]:
    """Return the rules that are installed, and an error for each that cannot be had."""
    rules: dict[str, Rule] = {}
    faults: list[Finding] = []
    points = import_module("importlib.metadata").entry_points(group=GROUP)
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        try:
            for rule in _loaded(point):
                rules[_new(rule.id, rules)] = guarded(rule, point.value)
        except (Exception, SystemExit) as error:  # noqa: BLE001  somebody else's module may raise anything
            faults.append(failed(point.name, f"{point.value}: {_words(error)}"))
    return tuple(rules.values()), tuple(faults)


def _new(rule: str, met: Mapping[str, Rule]) -> str:
    if rule in met or rule in BY_ID:
        raise UsageError(f"the id {rule} is that of another rule")
    return rule


def guarded(rule: Rule, origin: str) -> Rule:
    """Return a rule of which whatever goes wrong is an error finding."""

    def check(inquiry: Inquiry) -> list[Noticed]:
        try:
            return [_checked(noticed) for noticed in rule.check(inquiry)]
        except (Exception, SystemExit) as error:  # noqa: BLE001  somebody else's function may raise anything
            message = f"the rule {rule.id} ({origin}) failed: {_words(error)}"
            return [Noticed(message=message, code=FAILED, severity=ERROR)]

    return replace(rule, check=check)


def _loaded(point: EntryPoint) -> Iterator[Rule]:
    found = point.load()
    for rule in found if isinstance(found, tuple | list) else (found,):
        if not isinstance(rule, Rule):
            raise TypeError(f"a Rule is expected, or a tuple or list of them, and not {type(rule).__name__}")
        if rule.severity not in SEVERITIES:
            raise ValueError(f"severity {rule.severity!r} of {rule.id}: there are {', '.join(SEVERITIES)}")
        yield rule


def _checked(noticed: object) -> Noticed:
    if not isinstance(noticed, Noticed):
        raise TypeError(f"it yielded {type(noticed).__name__}, and not Noticed")
    if noticed.severity not in ("", *SEVERITIES):
        raise ValueError(f"severity {noticed.severity!r}: there are {', '.join(SEVERITIES)}")
    if {type(each) for each in (noticed.message, noticed.code, *noticed.ids)} != {str}:
        raise TypeError("message, code and ids are texts")
    return noticed


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
