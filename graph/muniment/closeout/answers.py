"""Answers that hand something over: what an agent said last before the user spoke again, or before its work ended.

* What was said between two steps of the work is talk, not a result: an answer after which its agent called another tool
  before anybody spoke hands nothing over, unless its source marks it as final.
* The result of a child agent is handed over when its delegation ended well.
* Newest first: what was said later of the same thing takes the place of what was said before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from muniment.model.edges import EdgeKind
from muniment.model.nodes import Call, Delegation, Message
from muniment.snapshot import Snapshot

_END = float("inf")


def handed_over(snapshot: Snapshot) -> list[Message]:
    """Return the answers that handed something over and stand, newest first."""
    calls = _calls(snapshot)
    found: dict[str, Message] = {}
    for (session, agent), messages in _streams(snapshot).items():
        ends = _ended_well(snapshot, agent) if agent else _END
        for answer, until in _last_of_turns(messages):
            at_work = _between(calls[session, agent], answer.ordinal, min(until, ends))
            if answer.final or (not at_work and (not agent or ends != _END)):
                found[answer.id] = answer
    newest = final_answer(snapshot)
    if newest is not None:
        found[newest.id] = newest
    standing = [answer for answer in found.values() if not snapshot.ended(answer.id)]
    return sorted(standing, key=lambda answer: (-answer.ordinal, answer.id))


def final_answer(snapshot: Snapshot) -> Message | None:
    """Return the last answer of the newest session's root agent, None where it gave none."""
    sessions = snapshot.sessions()
    newest = sessions[-1].session if sessions else None
    for message in snapshot.newest([Message]):
        if message.by == "agent" and not message.agent and message.role == "answer" and message.session == newest:
            return message
    return None


def _streams(snapshot: Snapshot) -> dict[tuple[str, str], list[Message]]:
    """Return what each agent of each session was told and said, by ordinal."""
    streams: dict[tuple[str, str], list[Message]] = defaultdict(list)
    for message in snapshot.of_kind(Message):
        if message.role in ("prompt", "answer"):
            streams[message.session, message.agent].append(message)
    return streams


def _last_of_turns(messages: list[Message]) -> Iterator[tuple[Message, float]]:
    """Yield the last answer of each turn, with the ordinal at which the turn ended."""
    last: Message | None = None
    for message in messages:
        if message.role == "answer" and message.by != "user":
            last = message
        elif message.by == "user" and last is not None:
            yield last, message.ordinal
            last = None
    if last is not None:
        yield last, _END


def _calls(snapshot: Snapshot) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for call in snapshot.of_kind(Call):
        found[call.session, call.agent].append(call.ordinal)
    return found


def _between(ordinals: list[int], after: int, until: float) -> bool:
    place = bisect_left(ordinals, after)
    return place < len(ordinals) and ordinals[place] < until


def _ended_well(snapshot: Snapshot, child: str) -> float:
    """Return when the work that was given to a child ended well, infinity where it did not."""
    for delegation in snapshot.of_kind(Delegation):
        if delegation.child == child:
            for edge in snapshot.edges_to(delegation.id, {EdgeKind.MOVED}):
                if edge.state == "done":
                    return edge.ordinal
    return _END
