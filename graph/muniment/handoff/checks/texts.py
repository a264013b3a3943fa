"""Texts: what a packet says in words is what the graph says, or less of it; and no secret is in it.

* A text may be shortened: whatever stands between its marks of omission is there in the graph's text, in this order.
* White space does not count. What a thing is called by, a file or a command, is made of the graph and is not compared.
* Words of a compactor are compared with nothing; but neither there nor elsewhere may a secret stand, nor anything of a
  record that was purged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from muniment.derive.texts import readable
from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.packet import PacketItem, Problem
from muniment.model.nodes import (
    INSTRUCTIONS,
    AnyNode,
    Decision,
    Delegation,
    Fact,
    Message,
    Question,
    Task,
    Timer,
    text_of,
)
from muniment.secret_detection import find_secrets

_SAID = (Fact, Message, Task, Decision, Question, Delegation, Timer)
"""Kinds whose text is what somebody said."""
_OMISSION = re.compile(r"\[… [\d,]+ \w+ (?:more|omitted): [^\]\n]*\]")


def alike(inquiry: Inquiry) -> Iterable[Problem]:
    """Texts and reasons are those of the graph."""
    wrong = [item.id for item in inquiry.items if not _is_told(inquiry, item)]
    if wrong:
        yield Problem(code="text_differs", ids=tuple(dict.fromkeys(wrong)))


def clean(inquiry: Inquiry) -> Iterable[Problem]:
    """Nothing that was redacted or purged is back."""
    back = [item.id for item in inquiry.items if item.text and inquiry.was_purged(item.id)]
    back += [item.id for item in inquiry.items if not _is_told(inquiry, item) and _has_secret(item.text, item.why)]
    if _has_secret(*_words(inquiry)):
        back.append(inquiry.name)
    if back:
        yield Problem(code="redacted_returned", ids=tuple(dict.fromkeys(back)))


def _is_told(inquiry: Inquiry, item: PacketItem) -> bool:
    node = inquiry.main(item.id)
    if not isinstance(node, _SAID) or (isinstance(node, Fact) and node.class_ == INSTRUCTIONS):
        return True
    reasons = isinstance(node, Decision) and node.reason is not None
    why = not isinstance(node, Decision) or _is_part(item.why, inquiry.snapshot.text(node.reason) if reasons else "")  # type: ignore[arg-type]
    return why and _is_part(item.text, _text(inquiry, node))


def _text(inquiry: Inquiry, node: AnyNode) -> str:
    text = text_of(node)
    return inquiry.snapshot.text(text) if text is not None else ""


def _is_part(said: str, whole: str) -> bool:
    """Tell whether a text is another one, or that with parts left out where it says so."""
    told, place = _plain(whole), 0
    for piece in _OMISSION.split(said):
        wanted = _plain(piece)
        found = told.find(wanted, place)
        if found < 0:
            return False
        place = found + len(wanted)
    return True


def _plain(text: str) -> str:
    return " ".join(readable(text).split())


def _words(inquiry: Inquiry) -> Iterable[str]:
    yield from inquiry.words
    if inquiry.whole is not None:
        yield from (text for each in inquiry.whole.next_actions for text in (each.why, each.command))


def _has_secret(*texts: str) -> bool:
    return bool(find_secrets("\n".join(filter(None, texts))))
