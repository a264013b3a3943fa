"""What proven claims are about, as content: files with the digests of what they hold now.

* A claim about a file is about that file. One that a run succeeded is about what the run says it was about; where it
  does not say, about all files of its workspace that the mission wrote: that is what it ran on.
* A digest of the graph is BLAKE3 over a file's lines, or over what is known of them, under a domain of its own: the
  grade says which. Where all lines are on record unredacted, there is a SHA-256 beside, of the text with each line
  ended, as `sha256sum` gives it for a text file.
* A file that is gone has no content, and is none here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from muniment.closeout.changes import Changes
from muniment.closeout.verdict import PROVEN, ClaimVerdict, Closeout
from muniment.derive.texts import needs_repair
from muniment.derive.versions import whole_digest
from muniment.digest import sha256_of
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Excerpt, File, FileVersion, Receipt
from muniment.secret_detection import MARKER
from muniment.snapshot import Snapshot


class Content(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that proven claims (by their handles) are about, and what it holds now."""

    file: str
    path: str
    version: str
    grade: str
    digest: str
    claims: tuple[str, ...]
    sha256: str | None = None


def contents_of(snapshot: Snapshot, closeout: Closeout) -> Iterator[Content]:
    """Yield what the proven claims of a closeout are about, by path."""
    claims: dict[str, list[str]] = defaultdict(list)
    for claim in closeout.claims:
        if claim.status == PROVEN:
            for wanted in dict.fromkeys(_files_of(snapshot, claim)):
                claims[wanted].append(claim.handle)
    files = [node for wanted in claims if isinstance(node := snapshot.node(wanted), File)]
    for file in sorted(files, key=lambda file: (file.path, file.id)):
        ledger = snapshot.ledger(file.id)
        version = snapshot.node(ledger.version) if ledger is not None else None
        if isinstance(version, FileVersion) and version.grade != "absent":
            yield Content(
                file=file.id,
                path=file.path,
                version=version.id,
                grade=version.grade,
                digest=version.digest,
                claims=tuple(claims[file.id]),
                sha256=_sha256(snapshot, file.id, version),
            )


def _files_of(snapshot: Snapshot, claim: ClaimVerdict) -> Iterator[str]:
    for wanted in (*claim.by, *claim.via):
        receipt = snapshot.node(wanted)
        if isinstance(receipt, Receipt):
            seen = list(_files_seen(snapshot, receipt))
            if claim.path is not None:
                yield from (file for file in seen if _is_called(snapshot, file, claim.path))
            else:
                yield from seen or _written(snapshot, receipt)


def _files_seen(snapshot: Snapshot, receipt: Receipt) -> Iterator[str]:
    yield from receipt.subject or ()
    for edge in snapshot.edges_from(receipt.id, {EdgeKind.READS, EdgeKind.WRITES, EdgeKind.ABOUT}):
        node = snapshot.node(edge.target)
        if isinstance(node, FileVersion):
            yield node.file
        elif isinstance(node, File):
            yield node.id


def _is_called(snapshot: Snapshot, file: str, path: str) -> bool:
    node = snapshot.node(file)
    return isinstance(node, File) and node.path == path


def _written(snapshot: Snapshot, receipt: Receipt) -> Iterable[str]:
    """Yield the files of a receipt's workspace that the mission wrote."""
    if receipt.tool != "command":
        return
    space = Changes(snapshot).workspace(receipt.session)
    for file in snapshot.of_kind(File):
        versions = (edge.source for edge in snapshot.edges_to(file.id, {EdgeKind.VERSION_OF}))
        if (not space or file.workspace == space) and any(
            snapshot.edges_to(version, {EdgeKind.WRITES}) for version in versions
        ):
            yield file.id


def _sha256(snapshot: Snapshot, file: str, version: FileVersion) -> str | None:
    """Return the SHA-256 of a file's text where every line of this version is on record as it was."""
    ledger = snapshot.ledger(file)
    if version.grade != "lines" or ledger is None:
        return None
    lines: list[str] = []
    for segment in ledger.segments:
        excerpt = snapshot.node(segment.excerpt)
        if not isinstance(excerpt, Excerpt) or segment.start != len(lines) + 1:
            return None
        lines += snapshot.text(excerpt.text).split("\n")[segment.offset : segment.offset + segment.count]
    text = "".join(f"{line}\n" for line in lines)
    if whole_digest(text) != version.digest or MARKER.search(text) or needs_repair(text):
        return None
    return sha256_of(text.encode("utf-8"))
