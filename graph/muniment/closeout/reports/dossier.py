"""The dossier of a closeout: all that a report tells, as plain cleaned values; the one part of reports that reads a
snapshot.

* `things` are what the closeout names by id, what its inferred claims were read in, and what the receipts among them
  saw, left and were made by: the support of the claims, no more of the graph.
* `links` say how they are joined, from what rests to what it rests on.
* `contents` are the files that proven claims are about, with the digests of what they hold now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from muniment.closeout.reports.cleaning import cleaned
from muniment.closeout.reports.contents import Content, contents_of
from muniment.closeout.reports.rule_facts import told_rules
from muniment.closeout.rules.listing import ListedRule
from muniment.closeout.verdict import CONTRADICTED, PROVEN, ClaimVerdict, Closeout
from muniment.describing import described, one_line
from muniment.model.edges import EdgeKind
from muniment.model.ids import is_derived_id
from muniment.model.nodes import (
    Agent,
    AnyNode,
    Artifact,
    Excerpt,
    Fact,
    File,
    FileVersion,
    Message,
    Receipt,
    Task,
    Workspace,
    kind_of,
)
from muniment.snapshot import Snapshot

MOST_TEXT = 300
"""Characters of what a thing says; the whole of it is behind its id."""

_SUPPORT = {EdgeKind.READS: "reads", EdgeKind.WRITES: "writes", EdgeKind.ABOUT: "about"}


class Thing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of the graph that a closeout names or rests on: what it is, and what it says in a line.

    `path`: the file that it is or concerns. `status` and `exit_code` are those of a receipt, `grade` and `digest` those
    of a file's version.
    """

    id: str
    handle: str
    kind: str
    record: str
    text: str = ""
    by: str = ""
    path: str | None = None
    status: str = ""
    exit_code: int | None = None
    grade: str = ""
    digest: str = ""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """How two things are joined: `source` rests on, or came of, `target`.

    `role`: proven by, contradicted by, falls short with, by way of, undone by, waived by, said in, asked for in;
    reads, writes, about, version of, answers, done by.
    """

    role: str
    source: str
    target: str


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """A closeout with all that its reports tell beside it. `places`: a claim's id → the current lines (first, last) of
    its file that what undid it left. `rules`: all that there are, with the severity that each had.
    """

    closeout: Closeout
    things: dict[str, Thing]
    links: tuple[Link, ...]
    contents: tuple[Content, ...]
    roots: tuple[str, ...]
    places: dict[str, tuple[int, int]]
    rules: tuple[ListedRule, ...] = ()

    def linked(self, source: str, role: str) -> list[Thing]:
        """Return what a thing or claim is joined to in this way."""
        ends = [link.target for link in self.links if link.source == source and link.role == role]
        return [self.things[end] for end in ends if end in self.things]

    def handle(self, wanted: str) -> str:
        """Return the handle of a thing or claim, its id where it has none here."""
        claims = {claim.id: claim.handle for claim in self.closeout.claims}
        thing = self.things.get(wanted)
        return thing.handle if thing is not None else claims.get(wanted, wanted)

    def relative(self, path: str) -> str:
        """Return a path as seen from the workspace that it is in, with forward slashes."""
        told = path.replace("\\", "/") if "\\" in path and "/" not in path else path
        for root in self.roots:
            if told.startswith(root):
                return told[len(root) :]
        return told


def gathered(snapshot: Snapshot, closeout: Closeout, rules: Sequence[ListedRule] | None = None) -> Dossier:
    """Return the dossier of a closeout that was given over this snapshot, by these rules (None: those of Muniment)."""
    links = list(_links(snapshot, closeout))
    ids = [*_named(msgspec.to_builtins(closeout)), *(end for link in links for end in (link.source, link.target))]
    nodes = [node for wanted in dict.fromkeys(ids) if (node := snapshot.node(wanted)) is not None]
    nodes.sort(key=lambda node: (node.ordinal, node.id))
    dossier = Dossier(
        closeout=closeout,
        things={node.id: _thing(snapshot, node) for node in nodes},
        links=tuple(dict.fromkeys(links)),
        contents=tuple(contents_of(snapshot, closeout)),
        roots=tuple(_roots(snapshot)),
        places=dict(_places(snapshot, closeout)),
    )
    return msgspec.structs.replace(cleaned(dossier), rules=told_rules(rules))


def _named(value: object) -> Iterator[str]:
    """Yield all ids of nodes that an answer holds, wherever they stand in it."""
    if isinstance(value, str):
        if is_derived_id(value):
            yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _named(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _named(part)


def _links(snapshot: Snapshot, closeout: Closeout) -> Iterator[Link]:
    ends: list[str] = []
    for claim in closeout.claims:
        for link in _links_of_claim(snapshot, claim):
            ends.append(link.target)
            yield link
    for receipt in dict.fromkeys(ends):
        node = snapshot.node(receipt)
        if isinstance(node, Receipt):
            yield from _links_of_receipt(snapshot, node)


def _links_of_claim(snapshot: Snapshot, claim: ClaimVerdict) -> Iterator[Link]:
    by = {PROVEN: "proven by", CONTRADICTED: "contradicted by"}.get(claim.status, "falls short with")
    roles: list[tuple[str, Iterable[str]]] = [(by, claim.by), ("by way of", claim.via), ("undone by", claim.because)]
    if claim.receipt is not None and claim.receipt not in claim.by:
        roles.append(("falls short with", (claim.receipt,)))
    if claim.waived is not None:
        roles.append(("waived by", (claim.waived,)))
    if claim.inferred:
        said = [node for node in snapshot.named(claim.record) if isinstance(node, Message | Task | Fact)]
        roles.append(("asked for in", [node.id for node in said if isinstance(node, Fact)]))
        roles.append(("said in", [node.id for node in said if not isinstance(node, Fact)]))
    for role, ends in roles:
        yield from (Link(role=role, source=claim.id, target=end) for end in ends)


def _links_of_receipt(snapshot: Snapshot, receipt: Receipt) -> Iterator[Link]:
    for edge in snapshot.edges_from(receipt.id, _SUPPORT):
        yield Link(role=_SUPPORT[edge.kind], source=receipt.id, target=edge.target)
        version = snapshot.node(edge.target)
        if isinstance(version, FileVersion):
            yield Link(role="version of", source=version.id, target=version.file)
    for edge in snapshot.edges_to(receipt.id, {EdgeKind.PRODUCED}):
        yield Link(role="answers", source=receipt.id, target=edge.source)
    for agent in snapshot.of_kind(Agent):
        if (agent.session, agent.agent) == (receipt.session, receipt.agent):
            yield Link(role="done by", source=receipt.id, target=agent.id)


def _thing(snapshot: Snapshot, node: AnyNode) -> Thing:
    receipt = node if isinstance(node, Receipt) else None
    version = node if isinstance(node, FileVersion) else None
    return Thing(
        id=node.id,
        handle=node.handle,
        kind=kind_of(node),
        record=node.record,
        text=one_line(described(snapshot, node), MOST_TEXT),
        by=getattr(node, "by", ""),
        path=_path(snapshot, node),
        status=receipt.status if receipt else "",
        exit_code=receipt.exit_code if receipt else None,
        grade=version.grade if version else "",
        digest=version.digest if version else "",
    )


def _path(snapshot: Snapshot, node: AnyNode) -> str | None:
    if isinstance(node, File | Artifact | Receipt):
        return node.path
    owner = node.file if isinstance(node, FileVersion | Excerpt) else None
    file = snapshot.node(owner) if owner else None
    return file.path if isinstance(file, File) else None


def _roots(snapshot: Snapshot) -> list[str]:
    """Return the folders of the workspaces with a slash at their end, the deepest first."""
    found = {space.root.rstrip("/") + "/" for space in snapshot.of_kind(Workspace) if space.root}
    return sorted(found, key=lambda root: (-len(root), root))


def _places(snapshot: Snapshot, closeout: Closeout) -> Iterator[tuple[str, tuple[int, int]]]:
    for claim in closeout.claims:
        for cause in claim.because if claim.path else ():
            place = _lines_left(snapshot, claim.path or "", cause)
            if place is not None:
                yield claim.id, place
                break


def _lines_left(snapshot: Snapshot, path: str, receipt: str) -> tuple[int, int] | None:
    """Return the first run of a file's current lines that came by a receipt."""
    for edge in snapshot.edges_from(receipt, {EdgeKind.WRITES}):
        version = snapshot.node(edge.target)
        file = snapshot.node(version.file) if isinstance(version, FileVersion) else None
        ledger = snapshot.ledger(file.id) if isinstance(file, File) and file.path == path else None
        for segment in ledger.segments if ledger is not None else ():
            source = snapshot.node(segment.excerpt)
            if isinstance(source, Excerpt) and source.receipt == receipt:
                return segment.start, segment.stop - 1
    return None
