"""What is asked of the builder of packets."""

from __future__ import annotations

import msgspec

from muniment.handoff.packet import BUDGET


class PacketRequest(msgspec.Struct, frozen=True, kw_only=True):
    """For which session and agent, in how many tokens, with which focus.

    `session` is the source's session id, a handle or a node id; None: the newest. `agent` "" or None is the session's
    root agent. `covers_to` names the last record that the packet is to speak for; None: the newest. `focus` are words:
    what matches them yields last. `provider` names for whom it is, where the policy withholds something from it.
    `head` is the journal's head.
    """

    budget: int = BUDGET
    session: str | None = None
    agent: str | None = None
    model: str | None = None
    provider: str | None = None
    focus: str = ""
    covers_to: str | None = None
    head: str = ""
