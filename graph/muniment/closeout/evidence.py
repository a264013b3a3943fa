"""Evidence: the reads of a snapshot that the rules share, made once for each closeout.

* A receipt counts as proof only if a tool or the harness wrote it, and neither it nor its call was withdrawn or purged.
* A cited id may be a node's id or a record's id. A cited excerpt stands for the receipt that showed it, a cited call
  for its answer, a cited claim for what proves that one. What leads nowhere, was purged, is not proven itself, or is no
  proof makes its citation bad, each with its own reason; so does a claim that is its own support.
* A read or write keeps its force while nothing has changed since that may have changed its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import cached_property

import msgspec

from muniment.closeout.changes import Change, Changes
from muniment.closeout.verdict import PROVEN, UNPROVEN, Ruling
from muniment.derive.carrying import Segments
from muniment.derive.coverage import standing
from muniment.derive.paths import Rules, file_key
from muniment.model.edges import EdgeKind
from muniment.model.nodes import (
    Agent,
    AnyNode,
    Call,
    Claim,
    Excerpt,
    File,
    FileVersion,
    Gap,
    Message,
    Node,
    Receipt,
    Text,
    Workspace,
    kind_of,
)
from muniment.snapshot import Snapshot

PROOF_AUTHORS = frozenset({"tool", "harness"})

_PROSE = (".md", ".txt", ".rst", ".adoc")
_APART = re.compile(r"(?:/private)?/(?:tmp|var/tmp|var/folders|dev)/|(?:/home/[^/]+|/Users/[^/]+|/root)/\.")
_MADE_BESIDE = frozenset({"excerpt", "file", "file_version", "agent", "workspace", "mission", "gap"})


CIRCULAR = "circular_support"
_WITHDRAWN = frozenset({EdgeKind.WITHDRAWS})


class Supposed(msgspec.Struct, frozen=True, kw_only=True):
    """What to take as so against the record: files that changed, and ids that were withdrawn, or were not."""

    changed: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()


AS_RECORDED = Supposed()


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """What a claim cites: the node, or the fault of the citation."""

    wanted: str
    node: AnyNode | None = None
    fault: str = ""


class Stale(msgspec.Struct, frozen=True, kw_only=True):
    """Why a receipt no longer holds: the reason, what made it so, and the file concerned where one is known."""

    reason: str
    cause: str
    path: str | None = None


class Evidence:
    """Shared reads over one snapshot, and what was found of each claim so far. `rule` judges a claim; `shared` holds
    what rules made once for all claims.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        rule: Callable[[Evidence, Claim], Ruling] | None = None,
        supposed: Supposed = AS_RECORDED,
    ) -> None:
        self.snapshot = snapshot
        self.changes = Changes(snapshot, supposed.changed)
        self._supposed = supposed
        self.shared: dict[str, object] = {}
        self._rule = rule
        self._rulings: dict[str, Ruling] = {}
        self._judging: list[str] = []
        self._stands: dict[str, Segments] = {}
        self._work: dict[str, list[File]] = {}

    def ruling(self, claim: Claim) -> Ruling:
        """Return what the rule of its type says of a claim. One that is judged for its own sake is its own support."""
        if claim.id in self._rulings:
            return self._rulings[claim.id]
        if claim.id in self._judging or self._rule is None:
            ring = tuple(self._judging[self._judging.index(claim.id) :]) if claim.id in self._judging else ()
            return Ruling(status=UNPROVEN, reason=CIRCULAR, because=ring, next_step="cite the receipt that shows it")
        self._judging.append(claim.id)
        try:
            self._rulings[claim.id] = self._rule(self, claim)
        finally:
            self._judging.pop()
        return self._rulings[claim.id]

    def text(self, text: Text | None) -> str:
        """Return the characters of a text, "" for none."""
        return "" if text is None else self.snapshot.text(text)

    def is_proof(self, receipt: Receipt) -> bool:
        """Tell whether a receipt is of an author whose word proves, and stands."""
        return receipt.by in PROOF_AUTHORS and self.stands(receipt)

    def shows_content(self, receipt: Receipt) -> bool:
        """Tell whether a receipt proves what a file holds: as `is_proof`, and a write tells what it wrote."""
        return self.stands(receipt) and (
            receipt.by in PROOF_AUTHORS or (receipt.tool == "write" and receipt.by == "agent")
        )

    def stands(self, node: Node) -> bool:
        """Tell whether a node was neither withdrawn nor purged."""
        flags = node.flags if isinstance(node, Receipt) else ()
        gone = "purged" in flags or node.record in self.purged
        ids = (node.id, node.call) if isinstance(node, Receipt) and node.call is not None else (node.id,)
        return not gone and not any(self.is_withdrawn(each) for each in ids)

    def is_withdrawn(self, node: str) -> bool:
        """Tell whether a node was taken out of force, or is supposed to have been."""
        return node in self._withdrawn

    @cached_property
    def _withdrawn(self) -> frozenset[str]:
        """The ids of what was withdrawn, or is supposed to have been. All that withdraws is an agent or a user's
        message; there are few of them.
        """
        withdrawing = (*self.snapshot.of_kind(Agent), *(m for m in self.snapshot.of_kind(Message) if m.by == "user"))
        edges = (edge for node in withdrawing for edge in self.snapshot.edges_from(node.id, _WITHDRAWN))
        recorded = frozenset(edge.target for edge in edges)
        return (recorded - self._supposed.restored) | self._supposed.withdrawn

    @cached_property
    def purged(self) -> frozenset[str]:
        """The ids of the records that were purged."""
        return frozenset(gap.record for gap in self.snapshot.of_kind(Gap) if gap.code == "purged")

    @cached_property
    def receipts(self) -> list[Receipt]:
        """The receipts that can be proof, by ordinal."""
        written = (receipt for receipt in self.snapshot.of_kind(Receipt) if receipt.by in PROOF_AUTHORS)
        if not self._withdrawn and not self.purged:  # most missions: nothing is to be looked up for each of them
            return [receipt for receipt in written if "purged" not in receipt.flags]
        return [receipt for receipt in written if self.stands(receipt)]

    def workspace(self, claim: Claim) -> str:
        """Return the workspace in which a claim was made."""
        return self.changes.workspace(claim.session)

    def in_workspace(self, receipt: Receipt, workspace: str) -> bool:
        """Tell whether a receipt is of a workspace; where either is not known, it is."""
        own = self.changes.workspace(receipt.session)
        return not own or not workspace or own == workspace

    def citations(self, claim: Claim) -> list[Citation]:
        """Return what a claim cites, in its order."""
        return [citation for wanted in claim.cites for citation in self._cited(wanted)]

    def _cited(self, wanted: str) -> Iterator[Citation]:
        node = self.find(wanted)
        if node is None:
            yield Citation(wanted=wanted, fault="support_purged" if wanted in self.purged else "support_unresolved")
            return
        node = self._receipt_of(node)
        if self.is_withdrawn(node.id):
            yield Citation(wanted=wanted, node=node, fault="support_unresolved")
        elif not self.stands(node):
            yield Citation(wanted=wanted, node=node, fault="support_purged")
        elif isinstance(node, Claim):
            yield from self._behind(wanted, node)
        else:
            yield Citation(wanted=wanted, node=node)

    def _behind(self, wanted: str, claim: Claim) -> Iterator[Citation]:
        """Yield what proves a claim that is cited."""
        ruling = self.ruling(claim)
        if ruling.status != PROVEN:
            fault = CIRCULAR if ruling.reason == CIRCULAR else "support_unproven"
            yield Citation(wanted=wanted, node=claim, fault=fault)
            return
        for proof in ruling.by:
            yield Citation(wanted=wanted, node=self.snapshot.node(proof))

    def find(self, wanted: str) -> AnyNode | None:
        """Return the node that a record means by an id: a node's or a record's. A handle is none."""
        node = self.snapshot.node(wanted)
        if node is not None:
            return node
        main = [node for node in self.made_by(wanted) if kind_of(node) not in _MADE_BESIDE]
        return main[0] if main else None

    def made_by(self, record: str) -> list[AnyNode]:
        """Return the nodes that a record made."""
        return [node for node in self.snapshot.named(record) if node.record == record]

    def _receipt_of(self, node: AnyNode) -> AnyNode:
        if isinstance(node, Excerpt):
            return self.snapshot.node(node.receipt) or node
        if isinstance(node, Call):
            for edge in self.snapshot.edges_from(node.id, {EdgeKind.PRODUCED}):
                found = self.snapshot.node(edge.target)
                if isinstance(found, Receipt):
                    return found
        return node

    def file_of(self, claim: Claim) -> File | None:
        """Return the file that a claim is about, None where no such file is on record."""
        for edge in self.snapshot.edges_from(claim.id, {EdgeKind.ABOUT}):
            node = self.snapshot.node(edge.target)
            if isinstance(node, File) and self.changes.current(node.id) is not None:
                return node
        return self.file_named(claim.path, self.workspace(claim)) if claim.path else None

    def file_named(self, path: str, workspace: str) -> File | None:
        """Return the file with this path, else the one file whose path ends so; None for none or several."""
        found = self.files_named(path, workspace)
        return found[0] if len(found) == 1 else None

    def files_named(self, path: str, workspace: str) -> list[File]:
        """Return the files with this path, else those whose path ends so; of one workspace, or ("") of any."""
        files = [f for f in self.snapshot.of_kind(File) if not workspace or f.workspace == workspace]
        exact: list[File] = []
        ending: list[File] = []
        for file in files:
            key = self.key(path, file.workspace)
            if file.path == path or file.key == key:
                exact.append(file)
            elif file.key.endswith("/" + self.key(path, file.workspace, placed=False).lstrip("/")):
                ending.append(file)
        return exact or ending

    def key(self, path: str, workspace: str, *, placed: bool = True) -> str:
        """Return a path in the form of a workspace's keys; not `placed`: without the workspace's root before it."""
        space = self.snapshot.node(workspace)
        if not isinstance(space, Workspace):
            return file_key(path, root=None, cwd=None, rules=Rules())
        rules = Rules(
            style=space.fs_style,
            case_sensitive=space.case_sensitive,
            normalization_sensitive=space.normalization_sensitive,
        )
        return file_key(path, root=space.root if placed else None, cwd=None, rules=rules)

    def folder_of(self, receipt: Receipt, folder: str) -> str | None:
        """Return the key of the folder that a command ran in, given where its line went: "" for the workspace's own,
        None outside of it.

        A folder outside of the declared one is the workspace's own if the newest file that the mission had written lies
        in it: it works in another worktree then. Where none was declared, it is if any of its work lies there.
        """
        workspace = self.changes.workspace(receipt.session)
        space, key = self.snapshot.node(workspace), self.place_of(receipt, folder)
        if not isinstance(space, Workspace) or not key:
            return ""
        if space.root is None:
            written = [file.key.startswith(f"{key}/") for file in self.work(workspace)]
            return "" if any(written) or not written or not key.startswith("/") else None
        root = self.key(space.root, workspace)
        if key == root or (folder.startswith("~") and root.endswith(folder.lstrip("~"))):
            return ""
        if key.startswith(root.rstrip("/") + "/"):
            return key
        return "" if self._worked_in(key, workspace, receipt) else None

    def place_of(self, receipt: Receipt, folder: str) -> str:
        """Return the key of the folder that a command's line went to; "" where it began at home and went nowhere, and
        where nobody knows.
        """
        if "$" in folder or not (folder or receipt.folder):
            return ""
        placed = folder if folder.startswith(("/", "~")) else "/".join(filter(None, (receipt.folder, folder)))
        return self.key(placed, self.changes.workspace(receipt.session))

    def _worked_in(self, folder: str, workspace: str, receipt: Receipt) -> bool:
        """Tell whether the newest work before a receipt lies in a folder."""
        for change in reversed(self.changes.all):
            files = change.files if change.ordinal < receipt.ordinal else ()
            for file in map(self.snapshot.node, files):
                if not isinstance(file, File) or file.workspace != workspace or file.key.endswith(_PROSE):
                    continue
                inside = file.key.startswith(f"{folder}/")
                if inside or not self.is_apart(file.id):
                    return inside
        return False

    def work(self, workspace: str) -> list[File]:
        """Return the files of a workspace that the mission wrote, but for prose."""
        if workspace not in self._work:
            written = dict.fromkeys(file for change in self.changes.all for file in change.files)
            nodes = [node for node in map(self.snapshot.node, written) if isinstance(node, File)]
            self._work[workspace] = [f for f in nodes if f.workspace == workspace and not f.key.endswith(_PROSE)]
        return self._work[workspace]

    def is_apart(self, file: str, folder: str = "") -> bool:
        """Tell whether a file is known to be no part of what its workspace, or another `folder`, holds: it lies in a
        place for scratch files, or for settings of a user. Where no root is known, only the folder tells.
        """
        node = self.snapshot.node(file)
        space = self.snapshot.node(node.workspace) if isinstance(node, File) else None
        if not isinstance(node, File) or not isinstance(space, Workspace):
            return False
        if space.root is None and not folder.startswith("/"):
            return False
        homes = [self.key(each, space.id) for each in (space.root, folder) if each]
        scratch = _APART.match(f"{folder}/") if space.root is None else None
        if scratch is not None:  # the work may be anywhere below the one scratch folder that the run was in
            homes.append(scratch[0] + folder[scratch.end() :].split("/")[0])
        inside = any(node.key.startswith(f"{home.rstrip('/')}/") for home in homes)
        return not inside and _APART.match(node.key) is not None

    def may_be_apart(self, file: str) -> bool:
        """Tell whether a file lies where scratch files do, whatever is known of its workspace."""
        node = self.snapshot.node(file)
        return isinstance(node, File) and (self.is_apart(file) or _APART.match(node.key) is not None)

    def current_lines(self, file: File) -> list[tuple[int, str, str]]:
        """Return the current lines of a file that are known: number, text, and the excerpt that shows it.

        After a read that showed that the file had changed unseen, only what was seen since is known.
        """
        found: list[tuple[int, str, str]] = []
        for segment in self._standing(file.id):
            node = self.snapshot.node(segment.excerpt)
            if isinstance(node, Excerpt):
                lines = self.snapshot.text(node.text).split("\n")[segment.offset : segment.offset + segment.count]
                found += [(segment.start + place, line, node.id) for place, line in enumerate(lines)]
        return found

    def _standing(self, file: str) -> Segments:
        if file in self._supposed.changed:
            return ()
        if file not in self._stands:
            self._stands[file] = standing(self.snapshot, file)
        return self._stands[file]

    def receipt_of_excerpt(self, excerpt: str) -> Receipt | None:
        """Return the receipt that showed an excerpt."""
        node = self.snapshot.node(excerpt)
        receipt = self.snapshot.node(node.receipt) if isinstance(node, Excerpt) else None
        return receipt if isinstance(receipt, Receipt) else None

    def seen_since(self, file: File) -> list[Receipt]:
        """Return the receipts that read or wrote a file, by ordinal."""
        versions = self.snapshot.edges_to(file.id, {EdgeKind.VERSION_OF})
        found: dict[str, Receipt] = {}
        for version in versions:
            for edge in self.snapshot.edges_to(version.source, {EdgeKind.READS, EdgeKind.WRITES}):
                node = self.snapshot.node(edge.source)
                if isinstance(node, Receipt):
                    found[node.id] = node
        return sorted(found.values(), key=lambda receipt: receipt.ordinal)

    def file_stale(self, receipt: Receipt, file: File) -> Stale | None:
        """Return what may have changed one file since a receipt, None where nothing did."""
        after = self.changes.after(receipt)
        told = [c for c in after if file.id in c.files and not c.pending]
        return stale_by(told, file.path) or unsure_of(after, {file.id})

    def path_of(self, file: str) -> str | None:
        """Return the path of a file, as first met."""
        node = self.snapshot.node(file)
        return node.path if isinstance(node, File) else None

    def is_absent(self, version: FileVersion | None) -> bool:
        """Tell whether a version says that the file is gone."""
        return version is not None and version.grade == "absent"


def stale_by(changes: list[Change], path: str | None) -> Stale | None:
    """Return staleness by the newest of some known changes."""
    return Stale(reason="subject_changed", cause=changes[-1].cause, path=path) if changes else None


def unsure_of(changes: list[Change], files: Set[str] | None = None) -> Stale | None:
    """Return staleness by the newest change of which nobody knows what it touched, or that goes on and may have touched
    some files (None: any).
    """
    blind = [change for change in changes if change.blind or (change.pending and _meets(change, files))]
    return Stale(reason="effect_unknown", cause=blind[-1].cause) if blind else None


def _meets(change: Change, files: Set[str] | None) -> bool:
    return bool(change.files) and (files is None or not files.isdisjoint(change.files))
