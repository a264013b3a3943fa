"""Rehydration: by an id, the whole thing that it names, or some lines of it. Pure, over a snapshot."""

from __future__ import annotations

import msgspec

from muniment import payload_markers
from muniment.current import current_lines, file_named, files_named
from muniment.derive.symbols import found_again
from muniment.derive.texts import split_lines
from muniment.digest import digest_of
from muniment.errors import AmbiguousIdError, PurgedError, UnknownIdError, UsageError
from muniment.model.edges import EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    SIDE_KINDS,
    AnyNode,
    Call,
    Excerpt,
    File,
    Gap,
    Message,
    Receipt,
    Symbol,
    kind_of,
    text_of,
)
from muniment.model.packing import writable
from muniment.snapshot import Snapshot

PURGED = "purged"


class Rehydrated(msgspec.Struct, frozen=True, kw_only=True):
    """What an id names. `text` is whole, or lines `lines` (1-based, inclusive) of it; `total_lines` counts the whole.

    `digest` is over the stored characters of the whole. `state` is the newest state, or how it ceased to hold; `fields`
    are the node's own.
    """

    id: str
    handle: str
    kind: str
    record: str
    mission: str
    text: str
    lines: tuple[int, int] | None
    total_lines: int
    digest: str
    state: str
    superseded_by: tuple[str, ...]
    flags: tuple[str, ...]
    fields: dict[str, object]


def resolve(snapshot: Snapshot, wanted: str) -> AnyNode | None:
    """Return the node that an id names: of a record the node it is about, else a node by id, else by handle; None where
    there is none.

    Raises:
        AmbiguousIdError: a record's id names several things of equal right.
        PurgedError: all that is left of it is its place.
    """
    found = snapshot.named(wanted)
    main = [node for node in found if not isinstance(node, SIDE_KINDS)] or found
    if len({node.id for node in main}) > 1:
        raise AmbiguousIdError(wanted, tuple(node.id for node in main))
    if main and isinstance(main[0], Gap) and main[0].code == PURGED:
        raise PurgedError(wanted)
    return main[0] if main else None


def with_answers(snapshot: Snapshot, node: AnyNode) -> list[AnyNode]:
    """Return a node and, of a call, what came back: who means a call by its id means that too."""
    edges = snapshot.edges_from(node.id, {EdgeKind.PRODUCED}) if isinstance(node, Call) else ()
    answers = [snapshot.node(edge.target) for edge in edges]
    return [node, *(answer for answer in answers if isinstance(answer, Receipt))]


def before_call(snapshot: Snapshot, call_id: str) -> Snapshot:
    """Return the graph as it was when the model wrote the message that issued a call.

    Raises:
        UnknownIdError: there is no such call.
        AmbiguousIdError: the id names several.
    """
    calls = [node for node in snapshot.named(call_id) if isinstance(node, Call)]
    if not calls:
        raise UnknownIdError(call_id, "`before` takes the id of a tool call of this mission")
    if len(calls) > 1:
        raise AmbiguousIdError(call_id, tuple(call.id for call in calls))
    return snapshot.upto(calls[0].began - 1)


def rehydrate(snapshot: Snapshot, wanted: str, lines: tuple[int, int] | None) -> Rehydrated:
    """Return what an id names, else the file that a path names.

    Raises:
        UnknownIdError: nothing has this id or path.
        AmbiguousIdError: several things have.
        PurgedError: it was purged.
        UsageError: `lines` is no interval.
    """
    node = resolve(snapshot, wanted)
    if node is None and not files_named(snapshot, wanted):
        raise UnknownIdError(wanted)
    node = node or file_named(snapshot, wanted)
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        raise UsageError(f"lines {lines[0]}-{lines[1]} is no interval: count from 1, first before last")
    whole = _whole_text(snapshot, node)
    total = len(split_lines(whole))
    shown = whole if lines is None else "\n".join(split_lines(whole)[lines[0] - 1 : lines[1]])
    enders = snapshot.edges_to(node.id, {EdgeKind.SUPERSEDES})
    found = Rehydrated(
        id=node.id,
        handle=node.handle,
        kind=kind_of(node),
        record=node.record,
        mission=snapshot.mission,
        text=_encodable(shown),
        lines=lines,
        total_lines=total,
        digest=digest_of(payload_markers.text_bytes(whole)),
        state=snapshot.ended(node.id) or snapshot.state(node.id),
        superseded_by=tuple(edge.source for edge in enders),
        flags=_flags(node, whole),
        fields=_fields(node),
    )
    return writable(found)


def current_text(snapshot: Snapshot, state: LedgerState) -> str:
    """Return the current lines of a file; runs of lines that are not known are one line that says so."""
    out: list[str] = []
    place = 1
    for segment in state.segments:
        if segment.start > place:
            out.append(f"[lines {place}-{segment.start - 1} not seen]")
        excerpt = snapshot.node(segment.excerpt)
        if isinstance(excerpt, Excerpt):
            lines = split_lines(snapshot.text(excerpt.text))
            out += lines[segment.offset : segment.offset + segment.count]
        place = segment.stop
    if state.total is not None and place <= state.total:
        out.append(f"[lines {place}-{state.total} not seen]")
    return "".join(f"{line}\n" for line in out)


def _whole_text(snapshot: Snapshot, node: AnyNode) -> str:
    if isinstance(node, File):
        return current_text(snapshot, snapshot.ledger(node.id) or LedgerState())
    if isinstance(node, Symbol):
        return _definition(snapshot, node)
    text = text_of(node)
    return "" if text is None else snapshot.text(text)


def _definition(snapshot: Snapshot, symbol: Symbol) -> str:
    """Return the lines of a definition as they are now, wherever edits have moved it; "" where it is not there."""
    file = snapshot.node(symbol.file)
    state = snapshot.ledger(symbol.file)
    if not isinstance(file, File) or state is None:
        return ""
    lines = current_lines(snapshot, state)
    place = found_again(symbol, file.path, lines)
    return "" if place is None else "".join(f"{line or ''}\n" for line in lines[place.first - 1 : place.last])


def _flags(node: AnyNode, text: str) -> tuple[str, ...]:
    if isinstance(node, Receipt):
        return node.flags
    repaired = isinstance(node, Message) and node.repaired
    return ("text_repaired",) if repaired or _encodable(text) != text else ()


def _fields(node: AnyNode) -> dict[str, object]:
    fields: dict[str, object] = msgspec.to_builtins(node)
    return {name: value for name, value in fields.items() if name not in ("id", "handle", "record", "kind")}


def _encodable(text: str) -> str:
    """Return text that UTF-8 can hold: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
