"""What a mission's files are now: found by name, their known lines, and what those define. Pure, over a snapshot.

A line that only a withdrawn receipt shows is not known.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.derive.definitions import Definition, current_definitions
from muniment.derive.ledger import known_lines
from muniment.derive.texts import split_lines
from muniment.errors import AmbiguousIdError, UnknownIdError
from muniment.model.ledger import NOTHING_KNOWN, LedgerState, Segment
from muniment.model.nodes import Excerpt, File
from muniment.snapshot import LiveReads, Snapshot


class Definitions(msgspec.Struct, frozen=True, kw_only=True):
    """What the known lines of a file define: `known` of its `total` lines (None: not known how many there are)."""

    file: str
    handle: str
    path: str
    total: int | None
    known: int
    definitions: tuple[Definition, ...]


def file_named(snapshot: Snapshot, wanted: str) -> File:
    """Return the file that an id, a handle or a path names; a path may be the end of the file's own.

    Raises:
        UnknownIdError: no file is named so.
        AmbiguousIdError: several are.
    """
    found = files_named(snapshot, wanted)
    if not found:
        raise UnknownIdError(wanted, "no file of this mission has this path; `muniment search` finds files by name")
    if len(found) > 1:
        raise AmbiguousIdError(wanted, tuple(file.path for file in found))
    return found[0]


def files_named(snapshot: Snapshot, wanted: str) -> list[File]:
    """Return the files that an id, a handle or a path names; a path may be the end of a file's own."""
    files = snapshot.of_kind(File)
    same = [file for file in files if wanted in (file.id, file.handle, file.path, file.key)]
    ending = "/" + wanted.removeprefix("./").lstrip("/")
    return same or [file for file in files if file.key.endswith(ending) or file.path.endswith(ending)]


def still_shown(live: LiveReads, segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Return the segments without those of withdrawn receipts: these stay readable, and support nothing."""
    kept = [(segment, live.node(segment.excerpt)) for segment in segments]
    receipts = {node.receipt for _, node in kept if isinstance(node, Excerpt)}
    withdrawn = {receipt for receipt in receipts if live.ended(receipt)}
    return tuple(s for s, node in kept if not isinstance(node, Excerpt) or node.receipt not in withdrawn)


def current_ledger(live: LiveReads, file: str) -> LedgerState:
    """Return which lines of a file are known as it is now, without those that a withdrawn receipt showed."""
    state = live.ledger(file) or NOTHING_KNOWN
    segments = still_shown(live, state.segments)
    if len(segments) == len(state.segments):
        return state
    return msgspec.structs.replace(state, segments=segments, complete=False)


def current_lines(live: LiveReads, state: LedgerState) -> list[str | None]:
    """Return the lines of a file as they are now, None where a line is not known."""

    def lines_of(excerpt: str) -> list[str]:
        node = live.node(excerpt)
        return split_lines(live.text(node.text)) if isinstance(node, Excerpt) else []

    return known_lines(state, lines_of)


def definitions_of(snapshot: Snapshot, wanted: str) -> Definitions:
    """Return what a file defines now; it is named as for `file_named`, which says what is raised."""
    file = file_named(snapshot, wanted)
    state = current_ledger(snapshot, file.id)
    lines = current_lines(snapshot, state)
    return Definitions(
        file=file.id,
        handle=file.handle,
        path=file.path,
        total=state.total,
        known=sum(line is not None for line in lines),
        definitions=current_definitions(file.path, lines),
    )
