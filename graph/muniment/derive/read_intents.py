"""Read intents: what a shell command means to read, in one form for all programs.

* One intent for each path: what for (`family`), which lines (`intervals`, where the words tell), of the worktree or of
  a revision. What only its output could tell has no intervals; what changes the text, or is not understood, is an
  *unknown* read of these paths.
* `grade`: inferred from the words alone; exact where an output showed it so; attempted where the command failed, or its
  output was cut short.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from muniment.derive.reads.evaluate import evaluated
from muniment.derive.reads.git import TOP
from muniment.derive.reads.options import placed
from muniment.derive.reads.output import Sighting
from muniment.derive.reads.script import UNKNOWN
from muniment.derive.reads.spans import FAR, Op, Span, from_the_start, kept
from muniment.derive.reads.streams import Blame, Hits, Lines, Literal, Part, Patch, Told, paths_of

READ: Final = "read"
UNKNOWN_READ: Final = "unknown"
Intervals = tuple[Span, ...]


class ReadIntent(msgspec.Struct, frozen=True, kw_only=True):
    """One read that a command means to do.

    `family`: read, search, list, diff, metadata or unknown. `path` is joined with the folders but not resolved, None
    where nobody knows it. `intervals`: the lines, None where not known. `unit`: lines, bytes or none. `revision` None
    is the worktree. `grade`: exact, inferred or attempted.
    """

    family: str
    path: str | None
    intervals: Intervals | None = None
    unit: str = "none"
    revision: str | None = None
    pattern: str | None = None
    grade: str = "inferred"


def read_intents(command: str, cwd: str | None = None) -> tuple[ReadIntent, ...]:
    """Return what a command line means to read, in order of output, then what it reads without showing it."""
    told = evaluated(command)
    if told is None:
        return (ReadIntent(family=UNKNOWN_READ, path=None),)
    found = [intent for each in told.shown for intent in _intents(each.part)]
    found += [
        ReadIntent(family=UNKNOWN_READ, path=intent.path, revision=intent.revision)
        if intent.family == READ or isinstance(part, Hits | Patch)
        else intent
        for part in told.unseen
        for intent in _intents(part)
    ]
    return tuple(_seen_from(intent, cwd) for intent in dict.fromkeys(found))


def graded(
    intents: tuple[ReadIntent, ...], seen: Iterable[Sighting], cwd: str | None = None, *, succeeded: bool
) -> tuple[ReadIntent, ...]:
    """Return intents with the grade that an output gives them."""
    shown = {(place_of(sighting.path, cwd), sighting.revision) for sighting in seen}
    return tuple(
        msgspec.structs.replace(intent, grade="exact")
        if succeeded and (intent.path, intent.revision) in shown
        else intent
        if succeeded
        else msgspec.structs.replace(intent, grade="attempted")
        for intent in intents
    )


def place_of(path: str, cwd: str | None) -> str:
    """Return a path as seen from a folder; one from the top of the repository as if that were the folder."""
    return placed(cwd, path.removeprefix(TOP))


def intervals_of(ops: tuple[Op, ...]) -> Intervals | None:
    """Return the lines that selections keep of any file that is long enough, None where only an output could tell."""
    selecting = [op for op in ops if op.kind in ("keep", "drop", "some")]
    if any(op.kind == "some" for op in selecting):
        return None
    if from_the_start(tuple(selecting)):
        return tuple(_open(each) for each in kept(tuple(selecting), FAR))
    if len(selecting) != 1:
        return None
    only = selecting[0]
    if only.kind == "keep":
        return only.spans
    behind = only.spans[0]
    return (Span(1, behind.first - 1),) if len(only.spans) == 1 and behind.last in (None, -1) else None


def _open(each: range) -> Span:
    first, last = min(each[0], each[-1]), max(each[0], each[-1])
    return Span(first, None if last > FAR // 1024 else last, abs(each.step) if len(each) > 1 else 1)


def _intents(part: Part) -> list[ReadIntent]:
    if isinstance(part, Literal):
        return []
    if isinstance(part, Lines | Blame):
        spans = intervals_of(part.ops)
        return [ReadIntent(family=READ, path=part.path, intervals=spans, unit="lines", revision=part.revision)]
    family, unit, pattern = UNKNOWN_READ, "none", None
    if isinstance(part, Hits):
        family, unit, pattern = "search", "lines", part.pattern
    elif isinstance(part, Patch):
        family, unit = "diff", "lines"
    elif isinstance(part, Told):
        family, unit, pattern = part.family, part.unit, part.pattern
    paths: tuple[str, ...] = paths_of((part,))
    if isinstance(part, Patch) and not paths:
        paths = (part.folder or ".",)
    pattern = None if pattern is not None and UNKNOWN in pattern else pattern
    return [ReadIntent(family=family, path=p, unit=unit, revision=part.revision, pattern=pattern) for p in paths]


def _seen_from(intent: ReadIntent, cwd: str | None) -> ReadIntent:
    path = intent.path
    if path is None or UNKNOWN in path:
        return msgspec.structs.replace(intent, path=None)
    return msgspec.structs.replace(intent, path=place_of(path, cwd))
