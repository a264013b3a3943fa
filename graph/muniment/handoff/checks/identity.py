"""Identity: each id leads to one thing, of the kind that its place asks for, by an author who may say it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.packet import PacketItem, Problem
from muniment.model.nodes import (
    Boundary,
    Decision,
    Delegation,
    Fact,
    Message,
    Node,
    Packet,
    Question,
    Task,
    Timer,
    View,
    kind_of,
)

_KINDS: Final[dict[str, tuple[type[Node], ...]]] = {
    "facts": (Fact, Message),
    "tasks": (Task,),
    "settled": (Task,),
    "next_actions": (Task,),
    "decisions": (Decision,),
    "delegations": (Delegation,),
    "timers": (Timer,),
    "questions": (Question,),
}
"""Field → the kinds of what it may name; any kind where it is not here."""
_ANY: Final = ("failed", "absent", "pointers", "turns", "tail")
SAYS_NOTHING: Final = (Packet, View, Boundary)
"""Kinds that prove nothing: what a compactor or the store made of other things."""


def known(inquiry: Inquiry) -> Iterable[Problem]:
    """Every id leads to one thing of the right kind; what was purged is no such thing."""
    lost = [each for field in _KINDS for each in _named(inquiry, field) if _of(inquiry, field, each) is None]
    lost += [each for field in _ANY for each in _named(inquiry, field) if inquiry.main(each) is None]
    if lost:
        yield Problem(code="id_unknown", ids=tuple(dict.fromkeys(lost)))


def authors(inquiry: Inquiry) -> Iterable[Problem]:
    """What is said to bind is a fact stated as such or a user's own message: nobody else's words bind."""
    found = [(each, _of(inquiry, "facts", each)) for each in inquiry.said.facts]
    wrong = [each for each, node in found if isinstance(node, Message) and not node.binding]
    wrong += [item.id for item in inquiry.items if item.by and _author(inquiry, item) not in ("", item.by)]
    if wrong:
        yield Problem(code="citation_invalid", ids=tuple(dict.fromkeys(wrong)), message="its author is another one")


def labels(inquiry: Inquiry) -> Iterable[Problem]:
    """The kind, handle and record beside an id are those of the thing."""
    wrong = []
    for item in inquiry.items:
        node = inquiry.main(item.id)
        if node is not None and (kind_of(node), node.handle, node.record) != (item.kind, item.handle, item.record):
            wrong.append(item.id)
    if wrong:
        yield Problem(code="id_unknown", ids=tuple(dict.fromkeys(wrong)), message="it is called by another's name")


def citations(inquiry: Inquiry) -> Iterable[Problem]:
    """What prose, decisions and claims cite is there, and is no other packet, view, or word of a compactor."""
    cited = [each for said in inquiry.said.prose for each in _cites(said.get("cites"))]
    cited += [each for item in inquiry.items for each in item.cites]
    wrong = [each for each in dict.fromkeys(cited) if not _can_be_cited(inquiry, each)]
    if wrong:
        yield Problem(code="citation_invalid", ids=tuple(wrong))


def _can_be_cited(inquiry: Inquiry, reference: str) -> bool:
    node = inquiry.main(reference)
    if node is None or isinstance(node, SAYS_NOTHING):
        return False
    return getattr(node, "by", "") != "compactor"


def _named(inquiry: Inquiry, field: str) -> Iterable[str]:
    named: Iterable[str] | None = getattr(inquiry.said, field)
    return named or ()


def _of(inquiry: Inquiry, field: str, reference: str) -> Node | None:
    return inquiry.of_kinds(reference, _KINDS[field])


def _author(inquiry: Inquiry, item: PacketItem) -> str:
    return getattr(inquiry.main(item.id), "by", "")


def _cites(value: object) -> tuple[str, ...]:
    given = value if isinstance(value, list | tuple) else ()
    return tuple(each if isinstance(each, str) else type(each).__name__ for each in given)
