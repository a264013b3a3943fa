"""Making records where a source tells each thing once: messages, calls, results, token usage.

* A :class:`Spot` is the entry that is being read, with its clock and the model response that it is part of.
* An :class:`OpenCall` is what a normaliser remembers of a call until its result comes; it is plain, so that it can be
  saved.
* Arguments are kept small: what the record says elsewhere is left out, long values are cut.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

import msgspec

from muniment import canonical
from muniment.importers.exit_status import own_status
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import FileChange, Message, ProcessEnded, TokensUsed, ToolCalled, ToolReturned

ARGUMENT_LIMIT = 500


class Place(TypedDict):
    """What all records of an entry share."""

    session: str
    agent: str
    clock: str | None


class Spot(msgspec.Struct, frozen=True):
    """The entry that is being read, its clock, and the turn that what the agent says or calls there belongs to.

    `agent` is the child agent that an entry of its parent's stream tells of.
    """

    entry: Entry
    clock: str | None = None
    turn: str = ""
    agent: str = ""

    @property
    def place(self) -> Place:
        """Session, agent and clock of what happened there."""
        return Place(session=self.entry.session, agent=self.agent or self.entry.stream, clock=self.clock)

    def ident(self, role: str) -> str:
        """Return a record's id that is made of the entry's own."""
        return f"{self.entry.source_id}:{role}"


class OpenCall(msgspec.Struct):
    """A call, until it has a result. `kept` are the arguments that its result is read with."""

    ident: str
    name: str
    tool: str = "other"
    command: str | None = None
    path: str | None = None
    cwd: str | None = None
    kept: dict[str, str] = {}
    turn: str = ""


class Outcome(msgspec.Struct):
    """What came back from a call. `lines` and `total` tell which lines of the path `content` shows."""

    output: str | None = None
    status: str | None = None
    exit_code: int | None = None
    own: bool | None = None
    content: str | None = None
    lines: tuple[int, int] | None = None
    total: int | None = None
    path: str | None = None
    changes: tuple[FileChange, ...] = ()
    effect: str | None = None
    truncated: bool = False
    duration_ms: int | None = None
    pattern: str | None = None
    running: bool = False


def said(
    spot: Spot, ident: str, text: str, *, by: str, role: str, parent: str | None = None, final: bool = False
) -> list[Message]:
    """Return the message, or none where nothing was said."""
    if not text.strip():
        return []
    return [
        Message(
            id=ident,
            by=by,
            **spot.place,
            turn=spot.turn if by == "agent" else "",
            text=text,
            parent=parent,
            role=role,
            final=final,
        )
    ]


def called(spot: Spot, call: OpenCall, arguments: JSON_OBJECT | None = None, *, by: str = "agent") -> ToolCalled:
    """Return the record of a call."""
    left_out = {"command"} if call.command is not None else set()
    return ToolCalled(
        id=call.ident,
        by=by,
        **spot.place,
        turn=spot.turn,
        tool=call.tool,
        name=call.name,
        command=call.command,
        path=call.path,
        arguments=small(arguments or {}, left_out),
        cwd=call.cwd,
    )


def returned(spot: Spot, call: OpenCall, outcome: Outcome, *, by: str = "tool") -> ToolReturned:
    """Return the record of what a call gave back."""
    path = outcome.path or call.path
    if path is None and len(outcome.changes) == 1:
        path = outcome.changes[0].path
    own = call.command is None or own_status(call.command) if outcome.own is None else outcome.own
    return ToolReturned(
        id=f"{call.ident}:result",
        by=by,
        **spot.place,
        tool=call.tool,
        name=call.name,
        call=call.ident,
        command=call.command,
        path=path,
        lines=outcome.lines,
        total_lines=outcome.total,
        content=outcome.content,
        output=outcome.output,
        status=outcome.status or _status(call, outcome),
        exit_code=outcome.exit_code,
        own_status=own,
        effect=outcome.effect,
        writes=tuple(written for change in outcome.changes for written in (change.path, change.to) if written),
        changes=outcome.changes,
        pattern=outcome.pattern,
        truncated=outcome.truncated,
        duration_ms=outcome.duration_ms,
        cwd=call.cwd,
        running=outcome.running,
    )


def process_ended(spot: Spot, call: str, code: int | None = None) -> ProcessEnded:
    """Return the end of a command that went on after its call was answered."""
    return ProcessEnded(id=f"{call}:process-ended", by="harness", call=call, exit_code=code, **spot.place)


def used(
    spot: Spot, model: str | None, *, given: int, output: int, read: int = 0, written: int = 0
) -> list[TokensUsed]:
    """Return the usage of a response; `given` are all tokens of the request, from and for the cache too."""
    if not given and not output:
        return []
    return [
        TokensUsed(
            id=spot.ident("tokens"),
            by="harness",
            **spot.place,
            turn=spot.turn,
            model=model,
            input=max(given - read - written, 0),
            output=output,
            cache_read=read,
            cache_write=written,
        )
    ]


def small(arguments: JSON_OBJECT, left_out: Collection[str] = ()) -> JSON_OBJECT | None:
    """Return the arguments without what the record says elsewhere and with long values cut; None where none are."""
    kept: JSON_OBJECT = {}
    for name, value in arguments.items():
        if name in left_out or value is None:
            continue
        if isinstance(value, str):
            kept[name] = value if len(value) <= ARGUMENT_LIMIT else value[:ARGUMENT_LIMIT] + "…"
        elif isinstance(value, bool | int | float) or len(canonical.encode(value)) <= ARGUMENT_LIMIT:
            kept[name] = value
    return kept or None


def _status(call: OpenCall, outcome: Outcome) -> str:
    if outcome.exit_code is not None:
        return "ok" if outcome.exit_code == 0 else "failed"
    return "unknown" if call.tool == "command" else "ok"
