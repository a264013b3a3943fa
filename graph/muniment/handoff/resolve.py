"""Resolve: a stored proposal as a packet again, with its texts looked up anew.

* It is shown as of what it covers, from the graph as it is now: what was purged since is not there any more, so there
  is nothing to show but that; what was withdrawn since says so and shows no text, what was superseded says so.
* All that it names is shown; what it does not name is not. Digests of files and verdicts on claims are those that it
  holds, whatever the graph says by now: whether they are right is for the check to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from muniment.errors import UnknownIdError
from muniment.handoff.bounded import whole
from muniment.handoff.build import handles_in, parts_of, sources_of
from muniment.handoff.covered import ordinal_covered
from muniment.handoff.packet import BUDGET, Attachment, Owner, Packet, PacketItem, Prose
from muniment.handoff.parts import Part, Sources, item_of
from muniment.handoff.request import PacketRequest
from muniment.handoff.sections.files import workspace_of
from muniment.model import nodes
from muniment.model.nodes import AnyNode, text_of
from muniment.model.packing import writable
from muniment.snapshot import Snapshot
from muniment.tokens import TokenCounter

PURGED, WITHDRAWN, SUPERSEDED = "purged", "withdrawn", "superseded"
_LISTED = (
    "delegations",
    "questions",
    "timers",
    "decisions",
    "failed",
    "absent",
    "settled",
    "pointers",
    "turns",
    "tail",
)


def resolved(snapshot: Snapshot, node: nodes.Packet, counter: TokenCounter) -> Packet:
    """Return the packet that was stored as `node`; `snapshot` is of all that is on record by now.

    Raises:
        UnknownIdError: nothing is left on record of what it covers.
    """
    covered = ordinal_covered(snapshot, node.covers_to) or min(node.upto or 0, snapshot.ordinal)
    if not covered:
        raise UnknownIdError(str(node.covers_to), "nothing is on record of what the packet covers")
    budget = node.budget or BUDGET
    then = snapshot.upto(covered)
    sources = sources_of(then, _request(then, node, budget), counter)
    made = parts_of(sources)
    parts = _in_order(made, [*_named(sources, snapshot, made, node), *_next(made, node)])
    prose = tuple(Prose(text=snapshot.text(said.text), cites=said.cites) for said in node.prose)
    held = workspace_of(sources)
    frame = Packet(
        id=node.id,
        mission=snapshot.mission,
        base=node.base or "",
        covers_to=str(node.covers_to or ""),
        ordinal=covered,
        budget=budget,
        estimator=counter.name,
        focus=node.focus,
        owner=Owner(session=node.session, agent=node.agent, model=node.model),
        workspace=held if held.digest == node.workspace else msgspec.structs.replace(held, digest=node.workspace),
        prose=prose,
        compactor=node.compactor,
        attachments=tuple(Attachment(provider="", kind="", digest=digest) for digest in node.attachments),
        left_out=_left_out(made, parts),
        handles=handles_in(sources, parts, node.base or ""),
    )
    return writable(whole(sources.desk, frame, parts, sources.words))


def _request(then: Snapshot, node: nodes.Packet, budget: int) -> PacketRequest:
    """Return the request of which the packet came, as far as its session and agent were known then."""
    session = node.session if any(each.session == node.session for each in then.sessions()) else None
    agent = node.agent if any(each.agent == node.agent for each in then.of_kind(nodes.Agent)) else None
    return PacketRequest(budget=budget, session=session, agent=agent, focus=node.focus)


def _named(sources: Sources, snapshot: Snapshot, made: Iterable[Part], node: nodes.Packet) -> Iterable[Part]:
    """Yield the parts that a proposal names, as they were made anew, or for what they are by now."""
    known = {(part.section, _id(part)): part for part in made}
    paths = {part.item.path: part.item.id for part in made if isinstance(part.item, PacketItem) and part.item.path}
    for section, wanted in _listed(node):
        for each, told in wanted.items():
            found = _resolve(snapshot, paths.get(each, each) if section == "files" else each)
            place = (section, found.id if found is not None else each)
            if place[0] == "claims":
                place = next((at for at in (("verified", each), ("unverified", each)) if at in known), place)
            part = known.get(place) or _part(sources, section, each, found)
            yield _as_told(snapshot, part, section, told)
    yield from (part for part in made if part.section == "losses")


def _in_order(made: Iterable[Part], parts: Iterable[Part]) -> list[Part]:
    """Return parts in the order in which they were made anew, what was not behind: a stored object has no order."""
    places = {(part.section, _id(part)): place for place, part in enumerate(made)}
    return sorted(parts, key=lambda part: places.get((part.section, _id(part)), len(places)))


def _listed(node: nodes.Packet) -> Iterable[tuple[str, Mapping[str, str]]]:
    yield "binding", dict.fromkeys(node.facts, "")
    yield "tasks", node.tasks or {}
    for section in _LISTED:
        yield section, dict.fromkeys(getattr(node, section) or (), "")
    yield "files", node.files or {}
    yield "claims", node.claims or {}


def _resolve(snapshot: Snapshot, wanted: str) -> AnyNode | None:
    """Return what an id or a path names."""
    found = snapshot.node(wanted)
    if found is not None:
        return found
    made = [node for node in snapshot.named(wanted) if not isinstance(node, nodes.SIDE_KINDS)]
    if made:
        return made[0]
    return next((file for file in snapshot.of_kind(nodes.File) if wanted in (file.path, file.key)), None)


def _part(sources: Sources, section: str, wanted: str, node: AnyNode | None) -> Part:
    """Return what is named and was not made anew."""
    if node is None:
        kind = "claim" if section == "claims" else wanted.partition(":")[0]
        item = PacketItem(id=wanted, handle="", kind=kind, record="", state=PURGED)
        return Part(section=_shown(section, ""), item=item)
    text = text_of(node)
    path = node.path if isinstance(node, nodes.File) else None
    shown = sources.desk.text(text) if text is not None else ""
    return Part(section=_shown(section, ""), item=item_of(node, path=path), text=shown, ordinal=node.ordinal)


def _as_told(snapshot: Snapshot, part: Part, section: str, told: str) -> Part:
    """Return a part with what the packet says of it, and with what became of it since."""
    item = part.item
    if not isinstance(item, PacketItem):
        return part
    ended = snapshot.ended(item.id) if item.state != PURGED else ""
    if section == "files":
        item = msgspec.structs.replace(item, digest=told or item.digest)
    elif section in ("tasks", "claims") and told and item.state != PURGED:
        item = msgspec.structs.replace(item, state=told)
    if ended == WITHDRAWN:
        item = msgspec.structs.replace(item, state=WITHDRAWN, why="", path=None, rejected=())
        return msgspec.structs.replace(part, item=item, text="")
    if ended:
        item = msgspec.structs.replace(item, state=ended)
    return msgspec.structs.replace(part, item=item, section=_shown(part.section, item.state))


def _left_out(made: Iterable[Part], named: Iterable[Part]) -> dict[str, int]:
    """Return how many things of each section, as they were then, the packet does not name."""
    carried = {_id(part) or repr(part.item) for part in named}
    return dict(Counter(part.section for part in made if (_id(part) or repr(part.item)) not in carried))


def _next(made: Iterable[Part], node: nodes.Packet) -> Iterable[Part]:
    """Yield the next actions that hold as of then and are for tasks that the packet names, or for none."""
    for part in made:
        if part.section == "next_actions" and getattr(part.item, "task", "") in ("", *node.next_actions):
            yield part


def _shown(section: str, state: str) -> str:
    """Return the section in which something is shown: claims by what the packet says of them."""
    if section not in ("claims", "verified", "unverified"):
        return section
    return "verified" if state == "proven" else "unverified"


def _id(part: Part) -> str:
    return part.item.id if isinstance(part.item, PacketItem) else ""
