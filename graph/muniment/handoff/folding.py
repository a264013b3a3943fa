"""Whether there is something to fold now: a packet that somebody asks for by hand is made at the end of a turn.

* While a tool of that agent has been called and has not answered, a turn goes on: what it will say is not known yet.
* Where nothing came since the packet in force but packets, views and verdicts, there is nothing to fold.
"""

from __future__ import annotations

from typing import Final

from muniment.handoff.acceptance import in_force
from muniment.handoff.covered import ordinal_covered
from muniment.model.nodes import (
    Boundary,
    Call,
    Claim,
    Decision,
    Delegation,
    Event,
    Fact,
    Gap,
    Message,
    Node,
    Packet,
    Question,
    Receipt,
    Task,
    Timer,
)
from muniment.snapshot import Snapshot

RECENT: Final = 8
"""Nodes of a kind that are looked at for what came last."""

REASONS: Final[dict[str, str]] = {
    "mid_turn": "a turn goes on: ask again when it has ended",
    "nothing_to_fold": "nothing came since the packet in force, so there is nothing to fold",
    "empty": "nothing is on record yet, so there is nothing to fold",
}
"""Reason why nothing is folded now → what it says, in words."""
_WORK: Final[tuple[type[Node], ...]] = (
    Call, Claim, Decision, Delegation, Event, Fact, Gap, Message, Question, Receipt, Task, Timer
)  # fmt: skip
_SAID_OR_DONE: Final[tuple[type[Node], ...]] = tuple(kind for kind in _WORK if kind not in (Call, Event, Gap))


def unready(snapshot: Snapshot, session: str, agent: str) -> tuple[str, tuple[str, ...]]:
    """Return why an agent's context cannot be folded now, and ids of what stands in the way; "" where it can."""
    calls = [call for call in snapshot.newest([Call]) if (call.session, call.agent) == (session, agent)]
    answered = {receipt.call for receipt in snapshot.newest([Receipt])}
    waiting = [call for call in calls if call.id not in answered and not _left_behind(snapshot, call)]
    if waiting:
        return "mid_turn", tuple(call.id for call in waiting)
    if not _newest(snapshot, _WORK):
        return "empty", ()
    current = covering(snapshot, session, agent, _WORK)
    return ("", ()) if current is None else ("nothing_to_fold", (current.id,))


def covering(
    snapshot: Snapshot, session: str, agent: str, kinds: tuple[type[Node], ...] = _SAID_OR_DONE
) -> Packet | None:
    """Return the packet in force, if nothing was said or done that it does not cover; else None."""
    current = in_force(snapshot, session, agent)
    if current is None or _newest(snapshot, kinds) > ordinal_covered(snapshot, current.covers_to):
        return None
    return current


def _newest(snapshot: Snapshot, kinds: tuple[type[Node], ...]) -> int:
    return max((node.ordinal for node in snapshot.newest(kinds, RECENT) if _is_work(node)), default=0)


def _is_work(node: Node) -> bool:
    return not (isinstance(node, Message) and node.by == "harness")


def _left_behind(snapshot: Snapshot, call: Call) -> bool:
    """Tell whether a call was given up: its agent was spoken to, spoke, or had its context replaced since."""
    since: list[Message | Boundary] = [*snapshot.newest([Message], RECENT), *snapshot.newest([Boundary], RECENT)]
    mine = [each for each in since if (each.session, each.agent) == (call.session, call.agent)]
    return any(each.ordinal > call.ordinal for each in mine)
