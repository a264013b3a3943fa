"""Streams: what a command puts out, as far as its words tell, in parts one after another.

* `Lines` are lines of one file, chosen by operations; `Hits` are lines that a search found, each with its number;
  `Patch` and `Blame` are forms of git that number their lines; `Literal` is text that is known beforehand.
* `Noise` is anything else. Its paths are what it read, if it did: an *unknown read of these paths*.
"""

from __future__ import annotations

import msgspec

from muniment.derive.reads.spans import Op, from_the_start


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one file; `revision` None is the worktree's. `of` is the program that shows them.

    `ending`: an empty line may come behind the file's last one.
    """

    path: str
    ops: tuple[Op, ...] = ()
    revision: str | None = None
    of: str = ""
    ending: bool = False


class Hits(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that a search found.

    `places` are the files and folders that it looks into; `single`: it prints no paths, and numbers belong to the one
    place, or to what `ops` make of it. `numbered` is false where it prints lines without numbers, `whole` where it
    prints something else than whole lines. `extra` is how many numbers stand between the line's number and its text.
    """

    places: tuple[str, ...]
    pattern: str | None = None
    single: bool = False
    ops: tuple[Op, ...] = ()
    numbered: bool = True
    whole: bool = True
    heading: bool = False
    extra: int = 0
    revision: str | None = None
    folder: str | None = None
    of: str = ""


class Patch(msgspec.Struct, frozen=True, kw_only=True):
    """A diff in git's form. `revision` None: its new side is the worktree; else a revision ("" one that is not named).

    `named` are the paths that the command named, seen from `folder`; `relative`: paths in the diff are too.
    """

    named: tuple[str, ...] = ()
    revision: str | None = None
    folder: str | None = None
    relative: bool = False
    prefixed: bool = True
    plain: bool = True


class Blame(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a file, each with who wrote it."""

    path: str
    ops: tuple[Op, ...] = ()
    revision: str | None = None


class Literal(msgspec.Struct, frozen=True, kw_only=True):
    """Text that the command itself holds: whole lines, without their ends."""

    lines: tuple[str, ...]


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A command that reads something and prints none of its lines: `family` is list, search, metadata, diff or read."""

    family: str
    paths: tuple[str, ...]
    unit: str = "none"
    pattern: str | None = None
    revision: str | None = None
    silent: bool = False


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """Output that nothing is known of, made of these files."""

    paths: tuple[str, ...] = ()
    revision: str | None = None


Part = Lines | Hits | Patch | Blame | Literal | Told | Noise
Stream = tuple[Part, ...]


def paths_of(stream: Stream) -> tuple[str, ...]:
    """Return the files that a stream is made of."""
    found: list[str] = []
    for part in stream:
        if isinstance(part, Lines | Blame):
            found.append(part.path)
        elif isinstance(part, Hits):
            found += part.places
        elif isinstance(part, Patch):
            found += part.named
        elif isinstance(part, Noise | Told):
            found += part.paths
    return tuple(dict.fromkeys(found))


def blurred(stream: Stream) -> Stream:
    """Return what a filter that changes texts leaves of a stream: its paths."""
    paths = paths_of(stream)
    revision = next((part.revision for part in stream if isinstance(part, Lines | Hits | Patch | Blame | Noise)), None)
    return (Noise(paths=paths, revision=revision),)


def selected(stream: Stream, op: Op) -> Stream:
    """Return what is left after a selection of lines, where it can still be told which they are; else its paths."""
    if len(stream) != 1:
        return blurred(stream)
    part = stream[0]
    if isinstance(part, Told) and part.family in ("list", "metadata") and op.kind in ("keep", "drop", "some"):
        return stream
    if isinstance(part, Lines):
        return (msgspec.structs.replace(part, ops=(*part.ops, op)),) if _goes_on(part, op) else blurred(stream)
    if op.kind in ("number", "strip", "reverse"):
        return blurred(stream)
    if isinstance(part, Hits):
        return stream
    if isinstance(part, Patch | Blame) and op.kind in ("keep", "drop"):
        simple = op.kind == "keep" and len(op.spans) == 1 and op.spans[0].step == 1
        return stream if simple or isinstance(part, Blame) else blurred(stream)
    return blurred(stream)


def _goes_on(part: Lines, op: Op) -> bool:
    """Tell whether lines can still be told after one more operation."""
    kinds = {each.kind for each in part.ops}
    if part.ending:
        return op.kind == "keep" and from_the_start((op,))
    if op.kind in ("number", "strip"):
        return kinds.isdisjoint({"number", "strip"})
    return op.kind != "reverse" or "reverse" not in kinds
