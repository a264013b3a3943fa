"""Proposals: what is offered as a packet, brought into the one form that is checked and stored.

* A packet as it was built, a record that proposes one, either as a JSON object, and the node of one that is stored: all
  give a proposal. Anything else, of whatever size, depth or type, gives a problem, never an exception.
* What is stored is the record: ids, and prose with what it cites. Its id is made of what it says, so that the same
  packet proposed twice is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from muniment.digest import digest_of
from muniment.errors import FieldError
from muniment.handoff.packet import VERSION, WORKED_ON, Packet, Problem
from muniment.model import nodes
from muniment.model.codec import parse_record, record_object
from muniment.model.packing import pack, writable
from muniment.model.records import PacketProposed
from muniment.snapshot import LiveReads

KIND: Final = "packet_proposed"
OFFERED: Final = "packet"
"""What a proposal is called that has no id yet."""
LONGEST_NAME: Final = 200
"""Characters of what a broken packet calls itself that are told."""
MOST_VALUES: Final = 50_000
MOST_CHARACTERS: Final = 1_000_000
DEEPEST: Final = 16
"""Values, characters of all texts, and depth that a packet may have: far above what fits any budget."""

_SAME: Final = tuple(
    name for name in PacketProposed.__struct_fields__ if name in nodes.Packet.__struct_fields__ and name != "prose"
)
_NOT_SAID: Final = frozenset({"attachments", "id", "record", "ordinal", "handle"})


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What is checked. `name` is what problems call it; `node` its node's id, "" where it is not stored; `whole` the
    packet with its texts, where those were given.
    """

    name: str
    said: PacketProposed
    node: str = ""
    whole: Packet | None = None


def proposal_of(packet: Packet, *, by: str = "harness") -> PacketProposed:
    """Return the record that proposes a packet: its ids, and its prose.

    `by`: who wrote it; the store builds in the harness's name.
    """
    said = PacketProposed(
        id="",
        by="compactor" if packet.prose else by,
        session=packet.owner.session,
        agent=packet.owner.agent,
        base=packet.base,
        covers_to=packet.covers_to,
        upto=packet.ordinal,
        facts=_ids(packet.binding),
        tasks={item.id: item.state or "open" for item in packet.tasks},
        delegations=_ids(packet.delegations),
        next_actions=tuple(
            dict.fromkeys(each.task for each in packet.next_actions if each.task and each.action in WORKED_ON)
        ),
        tail=_ids(packet.tail),
        prose=tuple(msgspec.to_builtins(each) for each in packet.prose),
        timers=_ids(packet.timers),
        questions=_ids(packet.questions),
        decisions=_ids(packet.decisions),
        files={item.path or item.id: item.digest or "" for item in packet.files},
        claims={item.id: item.state for item in (*packet.verified, *packet.unverified)},
        failed=_ids(packet.failed),
        absent=_ids(packet.absent),
        settled=_ids(packet.settled),
        pointers=_ids(packet.pointers),
        turns=_ids(packet.turns),
        attachments=tuple(msgspec.to_builtins(each) for each in packet.attachments),
        workspace=packet.workspace.digest,
        budget=packet.budget,
        focus=packet.focus,
        model=packet.owner.model,
        compactor=packet.compactor,
    )
    return named(said)


def named(said: PacketProposed) -> PacketProposed:
    """Return a proposal under an id that is made of what it says, where it has none."""
    if said.id:
        return said
    told = record_object(said)
    return msgspec.structs.replace(said, id=f"packet:{digest_of(pack(told))[:32]}")


def stored(live: LiveReads, node: nodes.Packet) -> Proposal:
    """Return the proposal that a node is of."""
    told = {name: getattr(node, name) for name in _SAME if name not in _NOT_SAID}
    told = {name: value for name, value in told.items() if value is not None}
    prose = tuple({"text": live.text(each.text), "cites": list(each.cites)} for each in node.prose)
    said = PacketProposed(id=node.record, **told, prose=prose)  # type: ignore[arg-type]  # fields of one name are alike
    return Proposal(name=node.record, said=said, node=node.id)


def said_alike(one: PacketProposed, other: PacketProposed) -> bool:
    """Tell whether two proposals say the same of the same agent's context."""
    return all(_said(one, name) == _said(other, name) for name in (*_SAME, "prose", "session", "agent"))


def _said(record: PacketProposed, name: str) -> object:
    if name == "attachments":
        return [str(each.get("digest", "")) for each in record.attachments]
    if name == "prose":
        return [(each.get("text"), list(each.get("cites") or ())) for each in record.prose]  # type: ignore[call-overload]
    return getattr(record, name)


def unreadable(problem: Problem, session: str, position: int) -> Proposal:
    """Return what is put on record in the place of a packet that could not be read: nothing of it."""
    said = PacketProposed(id=f"packet:unreadable:{position}", by="compactor", session=session)
    return Proposal(name=problem.ids[0], said=said)


def offered(value: object) -> Proposal | Problem:
    """Return the proposal that a value is, or what is wrong with it."""
    built = isinstance(value, Packet)
    if isinstance(value, Packet | PacketProposed):
        try:
            value = msgspec.to_builtins(value)
        except (RecursionError, TypeError, ValueError, OverflowError):
            return _no_packet("holds what is no JSON value")
    if not isinstance(value, Mapping):
        return _no_packet(f"expected an object, found {type(value).__name__}")
    wrong = _oversize(value, built=built)
    if wrong is not None:
        return wrong
    told = dict(value)
    try:
        return _record(told) if "kind" in told or "facts" in told else _packet(told)
    except FieldError as error:
        return _no_packet(str(error), _name(told))
    except (msgspec.ValidationError, RecursionError, TypeError, ValueError, OverflowError) as error:
        return _no_packet(str(error), _name(told))


def _record(told: dict[str, object]) -> Proposal | Problem:
    nameless = {"id": OFFERED, **told, "kind": told.get("kind", KIND)}
    record = parse_record(nameless)
    if not isinstance(record, PacketProposed):
        return _no_packet(f"expected a {KIND}, found a {nameless['kind']}", _name(told))
    if "id" not in told:
        record = named(msgspec.structs.replace(record, id=""))
    return Proposal(name=record.id, said=record)


def _packet(told: dict[str, object]) -> Proposal | Problem:
    packet = msgspec.convert(told, Packet)
    if packet.version != VERSION:
        return _no_packet(f"is of version {packet.version}, known is {VERSION}", packet.id)
    said = proposal_of(packet)
    return Proposal(name=packet.id or said.id, said=said, whole=packet)


def _ids(items: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(getattr(item, "id", "")) for item in items))


def _name(told: Mapping[str, object]) -> str:
    name = told.get("id")
    return name[:LONGEST_NAME] if isinstance(name, str) and name else OFFERED


def _no_packet(message: str, name: str = OFFERED) -> Problem:
    return writable(Problem(code="schema", ids=(name or OFFERED,), message=message[:400]))


def _oversize(value: Mapping[str, object], *, built: bool) -> Problem | None:
    """Return what is wrong where a value is too large, too deep or in a ring: found before anything recurses.

    What is `built` as a packet may be as large as what binds needs: its tokens are counted later.
    """
    waiting: list[tuple[object, int]] = [(value, 1)]
    values = characters = 0
    while waiting:
        part, depth = waiting.pop()
        values += 1
        characters += len(part) if isinstance(part, str) else 0
        if depth > DEEPEST:
            return _no_packet(f"is nested deeper than {DEEPEST}", _name(value))
        if not built and (values > MOST_VALUES or characters > MOST_CHARACTERS):
            return Problem(code="too_large", ids=(_name(value),), message="is far above any budget")
        if isinstance(part, Mapping):
            if not all(isinstance(name, str) for name in part):
                return _no_packet("has a name that is no text", _name(value))
            waiting += [(inner, depth + 1) for pair in part.items() for inner in pair]
        elif isinstance(part, list | tuple):
            waiting += [(inner, depth + 1) for inner in part]
    return None
