"""Steps evaluated: which streams a command line shows, in order, and how surely each is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from muniment.derive.reads import others, pagers, searchers
from muniment.derive.reads.awk import awk
from muniment.derive.reads.git import git
from muniment.derive.reads.loud import is_loud
from muniment.derive.reads.options import is_known, placed
from muniment.derive.reads.powershell import is_powershell, streams_of
from muniment.derive.reads.python_source import python
from muniment.derive.reads.script import UNKNOWN, Command, Step, steps_of
from muniment.derive.reads.sed import sed
from muniment.derive.reads.streams import Literal, Noise, Part, Stream, paths_of
from muniment.shell.documents import is_placeholder
from muniment.shell.prefixes import base_name

T = TypeVar("T", "Shown", "Written")
Rule = Callable[[tuple[str, ...], Stream | None, str | None], Stream]

_RULES: Final[dict[str, Rule]] = {
    "cat": pagers.cat, "gcat": pagers.cat, "nl": pagers.nl, "head": pagers.head, "tail": pagers.tail,
    "ghead": pagers.head, "gtail": pagers.tail, "tac": pagers.tac, "bat": pagers.bat, "batcat": pagers.bat,
    "less": pagers.pager, "more": pagers.more, "most": pagers.pager, "tee": pagers.tee,
    "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk,
    "grep": searchers.grep, "egrep": searchers.grep, "fgrep": searchers.grep, "ggrep": searchers.grep,
    "zgrep": searchers.grep, "rg": searchers.ripgrep, "ag": searchers.silver, "ack": searchers.silver,
    "git": git, "echo": others.printed, "printf": others.printed, "python": python, "python3": python,
}  # fmt: skip


_TELLS_OF_ITSELF: Final = frozenset({"--help", "--version"})
_POWERSHELLS: Final = frozenset({"pwsh", "powershell", "powershell.exe", "pwsh.exe"})


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One part of what a line shows. `run`: its command ran in any case; `sure`: it succeeded if the line did; `step`:
    the number of its step, from 0.
    """

    part: Part
    run: bool
    sure: bool
    step: int = 0


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a line writes, whole or at its end, with text that stands in the line itself."""

    path: str
    lines: tuple[str, ...]
    appends: bool
    sure: bool
    step: int = 0


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """All that a line tells: what it shows, what it reads without showing it, and what it writes."""

    shown: tuple[Shown, ...] = ()
    unseen: tuple[Part, ...] = ()
    written: tuple[Written, ...] = ()


def evaluated(command: str) -> Told | None:
    """Return what a command line shows, reads and writes; None where it is not understood."""
    if is_powershell(command):
        return Told(shown=tuple(_of_powershell(streams_of(command))))
    steps = steps_of(command)
    if steps is None:
        return None
    found = [_step(step) for step in steps]
    if is_loud(command):
        return Told(unseen=tuple(part for told in found for part in (*(s.part for s in told.shown), *told.unseen)))
    return Told(
        shown=tuple(_at(each, place) for place, told in enumerate(found) for each in told.shown),
        unseen=tuple(part for told in found for part in told.unseen),
        written=tuple(_at(each, place) for place, told in enumerate(found) for each in told.written),
    )


def _of_powershell(streams: list[Stream]) -> list[Shown]:
    return [
        Shown(part=part, run=True, sure=False, step=place) for place, stream in enumerate(streams) for part in stream
    ]


def _at(each: T, place: int) -> T:
    return msgspec.structs.replace(each, step=place)


def _step(step: Step) -> Told:
    """Evaluate a pipe from left to right."""
    if len(step.commands) == 1 and step.commands[0].inner and step.commands[0].into is None:
        return _group(step.commands[0], step)
    stream: Stream | None = None
    unseen: list[Part] = []
    for command in step.commands:
        given = stream
        stream, aside = _command(command, stream)
        unseen += aside
        if given and not stream:
            unseen += given
    last = step.commands[-1]
    if last.into is None:
        shown = tuple(Shown(part=part, run=step.run, sure=step.sure) for part in stream or ())
        return Told(shown=shown, unseen=tuple(unseen))
    written = _written(last, stream or (), step)
    return Told(unseen=(*unseen, *(stream or ())), written=(written,) if written is not None else ())


def _group(command: Command, step: Step) -> Told:
    inside = [_step(each) for each in command.inner]
    return Told(
        shown=tuple(
            msgspec.structs.replace(each, run=each.run and step.run, sure=each.sure and step.sure)
            for told in inside
            for each in told.shown
        ),
        unseen=tuple(part for told in inside for part in told.unseen),
        written=tuple(msgspec.structs.replace(w, sure=w.sure and step.sure) for told in inside for w in told.written),
    )


def _command(command: Command, stdin: Stream | None) -> tuple[Stream, list[Part]]:
    """Return what a command makes of its input, and what it reads aside."""
    aside = [Noise(paths=paths) for script in command.asides if (paths := _aside_paths(script, command.folder))]
    unseen: list[Part] = [*aside]
    if command.source is not None:
        stdin = (pagers.lines_of(command.folder, command.source, "cat"),)
    if command.fed is not None and UNKNOWN not in command.fed and not _is_python(command):
        text = command.fed.removesuffix("\n")
        stdin = (Literal(lines=tuple(text.split("\n"))),) if command.fed else ()
    if command.inner:
        streams = [_step(step) for step in command.inner]
        unseen += [part for told in streams for part in told.unseen]
        return tuple(each.part for told in streams for each in told.shown), unseen
    if not command.words:
        return (), [*unseen, *(stdin or ())]
    name = base_name(command.words[0])
    words = (name, *command.words[1:])
    if name in ("xargs", "parallel", "while") or not _TELLS_OF_ITSELF.isdisjoint(words):
        named = tuple(placed(command.folder, word) for word in words[1:]) if name == "while" else ()
        return (Noise(paths=paths_of(stdin) if stdin and name == "while" else named),), unseen
    if _is_python(command):
        return python((*words, command.fed or ""), stdin, command.folder), unseen
    if name in _POWERSHELLS and len(words) > 2 and words[-2].lower() in ("-command", "-c"):
        return tuple(part for stream in streams_of(words[-1], command.folder) for part in stream), unseen
    rule = _RULES.get(name)
    if rule is not None:
        return rule(words, stdin, command.folder), unseen
    known = others.told(words, stdin, command.folder)
    if known is not None:
        return known, unseen
    return (Noise(paths=paths_of(stdin) if stdin else ()),), unseen


def _is_python(command: Command) -> bool:
    return command.fed is not None and bool(command.words) and base_name(command.words[0]).startswith("python")


def _aside_paths(script: str, folder: str | None) -> tuple[str, ...]:
    """Return the files that a substitution reads: `$(cat f)`, `$(< f)`, `<(sort f)`; texts in the line are none."""
    bare = script[2:-1] if script[:2] in ("$(", "<(", ">(") else script.strip("`")
    if bare.lstrip().startswith("<"):
        path = bare.lstrip()[1:].strip().strip("'\"")
        return (placed(folder, path),) if is_known(path) and "$" not in path else ()
    told = evaluated(bare) if len(bare) < len(script) else None
    if told is None:
        return ()
    parts = (*(each.part for each in told.shown), *told.unseen)
    paths = (path for part in parts for path in paths_of((part,)))
    return tuple(placed(folder, path) for path in paths if not path.startswith(":/") and not is_placeholder(path))


def _written(command: Command, stream: Stream, step: Step) -> Written | None:
    path = placed(command.folder, command.into or "")
    literal = [part for part in stream if isinstance(part, Literal)]
    if not is_known(path) or path.startswith("/dev/") or len(literal) != len(stream) or len(stream) != 1:
        return None
    return Written(path=path, lines=literal[0].lines, appends=command.appends, sure=step.sure)
