"""What the graph knows of commands that go on in the background: that one was left running, and that it has ended.

* A receipt says that its command left something running that may still change files (`left_running`); a MOVED edge to
  it says that this has ended.
* What ends one: the runtime's own word (`ProcessEnded`), and a later command that ends it (`going_on.ended_by`).
* A poll of a command that goes on is no start of another.
"""

from __future__ import annotations

from collections.abc import Callable

from muniment.derive.builder import Builder
from muniment.derive.changing.effect import Effect
from muniment.derive.effect_tables import UNKNOWN, WRITES
from muniment.derive.effects import effect_of_simple
from muniment.derive.going_on import Going, ended_by, left_running, may_still_write, pids_in
from muniment.derive.sessions import agent_of, session_of
from muniment.derive.shell import simple_commands
from muniment.derive.state import OpenCall, Rooted
from muniment.model.edges import EdgeKind
from muniment.model.nodes import LEFT_RUNNING, Receipt
from muniment.model.records import ProcessEnded, ToolReturned

_ENDED = "ended"
TextOf = Callable[[str], str | None]


def leaves_running(
    session: Rooted, record: ToolReturned, call: OpenCall | None, effect: Effect, text_of: TextOf
) -> bool:
    """Tell whether a tool's answer leaves something running that may still change files."""
    command = record.command or (call.command if call is not None else None)
    if command is None or _polled_call(record) is not None or record.status == "refused":
        return False
    if effect.kind not in (WRITES, UNKNOWN):
        return False
    if not record.running and "&" not in command:
        return False
    simples = simple_commands(command)
    if simples is None:
        return record.running
    left = simples if record.running else left_running(simples)
    cwd = record.cwd or session.cwd
    return may_still_write(left, lambda each: effect_of_simple(each, session.root, cwd, text_of=text_of))


def polled(builder: Builder, record: ToolReturned) -> str | None:
    """Return the receipt of the start of the command that an answer is a poll of, where that may still change files."""
    going = builder.state.going.get(_polled_call(record) or "")
    return going.receipt if going is not None else None


def _polled_call(record: ToolReturned) -> str | None:
    call = record.extra.get("polled") if record.extra is not None else None
    return call if isinstance(call, str) else None


def note_running(builder: Builder, record: ToolReturned, receipt: Receipt, command: str | None) -> None:
    """Remember what a command left running, and say what it ended."""
    going = builder.state.going
    if command is not None and going and receipt.tool == "command" and receipt.status != "refused":
        for key in ended_by(command, going, succeeded=receipt.status == "ok"):
            builder.edge(EdgeKind.MOVED, receipt.id, going.pop(key).receipt, state=_ENDED)
    if LEFT_RUNNING in receipt.flags:
        pids = pids_in(record.output or "")
        builder.state.going[record.call or record.id] = Going(receipt.id, command or "", pids)


def process_ended(builder: Builder, record: ProcessEnded) -> None:
    """The runtime says that a command which went on has ended."""
    session_of(builder, record)
    going = builder.state.going.pop(record.call, None)
    if going is not None:
        builder.edge(EdgeKind.MOVED, agent_of(builder, record), going.receipt, state=_ENDED)
