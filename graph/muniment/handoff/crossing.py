"""What comes of crossing a boundary on purpose: a fold by hand, words of a compactor, a fork. Values, no verbs."""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.digest import digest_of
from muniment.errors import UsageError
from muniment.handoff.acceptance import Acceptance
from muniment.handoff.compactor import FAILURES, CompactorError
from muniment.handoff.packet import Packet, Problem
from muniment.handoff.proposal import proposal_of
from muniment.model.records import Message, PacketProposed, SessionForked

FAILED: Final = "compactor_failed"
"""Code of a problem: a compactor gave nothing that can be used."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of asking a compactor. `failure` is a word of `compactor.FAILURES`; `problems` what the check found in
    what it gave; `record` names the refusal that is on record of it.
    """

    compactor: str
    taken: bool
    failure: str = ""
    problems: tuple[Problem, ...] = ()
    record: str = ""


class Folded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a fold. `reason` says why nothing was folded, `about` by what; else `acceptance` what came of it,
    and `packet` is the packet whose text goes on.
    """

    folded: bool
    reason: str = ""
    about: tuple[str, ...] = ()
    packet: Packet | None = None
    acceptance: Acceptance | None = None
    attempt: Attempt | None = None


class Forked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a fork: the session, and the packet that is its whole history; or what is wrong with that."""

    forked: bool
    mission: str
    session: str
    parent: str
    packet: str = ""
    of: str = ""
    text: str = ""
    problems: tuple[Problem, ...] = ()


def owned_by(packet: Packet, session: str) -> Packet:
    """Return a packet as the first one of another session's root agent."""
    owner = msgspec.structs.replace(packet.owner, session=session, agent="")
    return msgspec.structs.replace(packet, id="", base="", owner=owner)


def beside_session(problems: tuple[Problem, ...], session: str) -> tuple[Problem, ...]:
    """Return problems without the one that a session is not known yet which is about to be opened."""
    left = []
    for problem in problems:
        ids = tuple(each for each in problem.ids if each != session or problem.code != "id_unknown")
        if ids or not problem.ids:
            left.append(msgspec.structs.replace(problem, ids=ids))
    return tuple(left)


def opening(packet: Packet, session: str, of: str) -> list[SessionForked | Message]:
    """Return the records with which a forked session begins: it holds no text but the name of its packet.

    Raises:
        UsageError: the session has no name.
    """
    if not session.strip():
        raise UsageError("a forked session needs a name of its own")
    forked = SessionForked(
        id=f"fork:{session}",
        by="harness",
        session=session,
        parent=packet.owner.session,
        root=packet.workspace.root or None,
        workspace=packet.workspace.root,
    )
    words = f"This session continues session {packet.owner.session}; its whole history is the packet {of}."
    return [forked, Message(id=f"fork:{session}:packet", by="harness", session=session, role="answer", text=words)]


def attempted(packet: Packet, compactor: str, error: CompactorError) -> tuple[PacketProposed, Problem]:
    """Return what is recorded of a compactor that failed: an attempt of its own, and what was wrong with it."""
    said = proposal_of(packet)
    name = f"packet:{digest_of(f'{said.id} {compactor} {error.reason}'.encode())[:32]}"
    said = msgspec.structs.replace(said, id=name, compactor=compactor)
    return said, Problem(code=FAILED, ids=(name,), message=f"{compactor}: {FAILURES[error.reason]}")
