"""Narrowing: the cheapest command that would show what is claimed, made of one that ran.

* Never narrower than the claim: a command that was made here is taken only if it is known again as a run, by the same
  runner, of a scope that covers all that is claimed. Else the whole command stays.
* Only names that are places (files, folders, packages, tests in files) are put into a command; expressions are not.
* What hides the run's own status goes: what it is piped into, and what stands beside it in its line. A folder that the
  line goes into stays.
"""

from __future__ import annotations

import re
import shlex

from muniment.closeout.assessing import covers
from muniment.derive.run_words import Scope
from muniment.derive.runs import Run, runs_of

_PLACE = re.compile(r"\.{0,2}/?[\w.@+-]+(?:/[\w.@+-]+)*/?(?:\.{3})?(?:::[\w.\[\]-]+)*")
_TAKES_PLACES = frozenset(
    {"biome", "bun", "eslint", "go", "jest", "mix", "mypy", "pyright", "pytest", "rspec", "ruff", "vitest"}
)
"""Runners that run no more than the places that they are given; a script or a target of make may do anything."""
_BEFORE = re.compile(r"[^;&|()\n]*\Z")


def narrowed(run: Run, claimed: Scope, line: str) -> str:
    """Return a command that runs all that is claimed and as little else as can be; `line` where none is known."""
    own = _own(run, line)
    for command in (*_candidates(run, claimed, own), _in_folder(run, own)) if own else ():
        if _suffices(run, claimed, command):
            return command
    return line


def bare(run: Run, line: str) -> str:
    """Return the run's own command out of its line, so that its own status is seen; "" where it is not known to be."""
    own = _own(run, line)
    command = _in_folder(run, own)
    return command if own and _suffices(run, run.scope, command) else ""


def _own(run: Run, line: str) -> str:
    place = line.find(run.command)
    if place < 0:
        return ""
    before = _BEFORE.search(line[:place])
    return f"{before[0] if before else ''}{run.command}".strip()


def _candidates(run: Run, claimed: Scope, own: str) -> list[str]:
    """Return narrower commands, cheapest first."""
    names = () if isinstance(claimed, str) else claimed
    if run.tool not in _TAKES_PLACES or not names:
        return []
    if not all(_PLACE.fullmatch(name) and ("/" in name or "." in name) for name in names):
        return []
    had = {"./..."} if isinstance(run.scope, str) else set(run.scope)
    words = " ".join(word for word in own.split(" ") if word not in had)
    return [_in_folder(run, f"{words} {' '.join(shlex.quote(name) for name in names)}")]


def _in_folder(run: Run, command: str) -> str:
    return f"cd {shlex.quote(run.folder)} && {command}" if run.folder else command


def _suffices(run: Run, claimed: Scope, command: str) -> bool:
    found = [each for each in runs_of(command) if each.family == run.family]
    if len(found) != 1 or found[0].tool != run.tool or found[0].masked or found[0].folder != run.folder:
        return False
    return covers(found[0].scope, claimed) and covers(run.scope, found[0].scope)
