"""What was said last, what came after the packet's end, and where the newest large outputs are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.derive.texts import readable
from muniment.handoff.parts import Part, Sources, item_of, ranked
from muniment.model.nodes import Decision, Delegation, Fact, Message, Node, Question, Receipt, Task, Timer, text_of
from muniment.selection.pieces import size_of
from muniment.selection.steps import heading_of
from muniment.snapshot import LiveReads

MOST_TURNS: Final = 6
TURN_SIZES: Final = (160,)
TAIL_SIZES: Final = (160, 48, 16)
LARGE: Final = 1_000
"""Tokens from which on an output is large."""
MOST_LARGE: Final = 8
_BINDS: Final = (Fact, Message, Task, Decision, Question, Delegation, Timer)


def turns(sources: Sources) -> Iterable[Part]:
    """Return what the agent said last, oldest first. What users said stands with what binds."""
    said = [
        message
        for message in sources.live.newest([Message])
        if message.role in ("answer", "prompt") and not message.binding and _speaks(sources, message)
    ]
    return reversed(ranked(_turn(sources, message) for message in said[:MOST_TURNS]))


def tail(sources: Sources) -> Iterable[Part]:
    """Yield what came after the record that the packet covers up to: all that binds or is to be done."""
    later = sources.later
    if later is None:
        return
    for node in reversed(later.newest(_BINDS)):
        if node.ordinal > sources.live.ordinal and _counts(later, node):
            state = readable(later.state(node.id)) if isinstance(node, Task) else ""
            what = readable(node.class_) if isinstance(node, Fact) else ""
            text = text_of(node)
            yield Part(
                section="tail",
                item=item_of(node, what=what, state=state, by=getattr(node, "by", "")),
                text=sources.desk.text(text) if text is not None else "",
                sizes=(400,) if isinstance(node, Fact) else TAIL_SIZES,
                ordinal=node.ordinal,
            )


def large_outputs(sources: Sources) -> Iterable[Part]:
    """Return pointers to the newest large outputs of the agent."""
    found = [
        receipt
        for receipt in sources.live.newest([Receipt])
        if size_of(receipt.output) >= LARGE and sources.focus.covers(receipt) and not sources.live.ended(receipt.id)
    ]
    return ranked(_pointer(sources, receipt) for receipt in found[:MOST_LARGE])


def _turn(sources: Sources, message: Message) -> Part:
    return Part(
        section="turns",
        item=item_of(message, by=message.by, what="asked" if message.role == "prompt" else "said"),
        text=sources.desk.text(message.text),
        sizes=TURN_SIZES,
        ordinal=message.ordinal,
    )


def _pointer(sources: Sources, receipt: Receipt) -> Part:
    heading = heading_of(sources.desk, receipt).removeprefix(f"{receipt.handle} ")
    return Part(
        section="pointers",
        item=item_of(receipt, tokens=size_of(receipt.output)),
        text=heading,
        sizes=(24,),
        ordinal=receipt.ordinal,
    )


def _speaks(sources: Sources, message: Message) -> bool:
    return sources.focus.covers(message) and not sources.live.ended(message.id)


def _counts(later: LiveReads, node: Node) -> bool:
    return (not isinstance(node, Message) or node.binding) and not later.ended(node.id)
