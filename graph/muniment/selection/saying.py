"""Saying: who said a message, in words.

* A view shows what agents, their children and the runtime said beside what the user said. Each says who it was, so that
  nothing but the user's own words reads as the user's.
* The words come from the record's author alone, never from the message's text.
"""

from __future__ import annotations

from typing import Final

from muniment.derive.texts import readable
from muniment.model.nodes import Message
from muniment.model.records import CHILD_AUTHOR

_AUTHORS: Final = frozenset({"user", "agent", "harness", "compactor"})
_DID: Final = {"prompt": " asked", "instructions": " instructed", "notice": " noted", "summary": " summed up"}
_LONGEST: Final = 64
"""Characters of a child's name."""


def author_of(message: Message) -> str:
    """Return who said a message: user, agent, harness, compactor, somebody, or `child` and its name."""
    if message.by.startswith(CHILD_AUTHOR):
        return f"child {' '.join(readable(message.by.removeprefix(CHILD_AUTHOR)).split())[:_LONGEST]}"
    return message.by if message.by in _AUTHORS else "somebody"


def saying(message: Message) -> str:
    """Return who said a message and as what, as its label in a view says it: `U5 agent`, `U7 harness noted`.

    Labels are short: a view has dozens of messages, and each word of a label costs as many tokens.
    """
    return f"{message.handle} {author_of(message)}{_DID.get(message.role, '')}"
