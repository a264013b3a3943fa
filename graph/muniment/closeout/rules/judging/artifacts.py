"""Claims that a file or artifact exists, with the content that it is said to have.

* It is there if a receipt that stands wrote or showed it and nothing since may have removed it. A file that is known to
  be gone contradicts; an empty one is no result.
* A digest is compared with what is known of the file as it is now: with all of it, or not at all. It may be the store's
  own, `sha256:` or `blake3:` of the bytes. An artifact that was recorded with its content has to hold that still.
"""

from __future__ import annotations

import msgspec

from muniment.closeout.evidence import Evidence, Stale
from muniment.closeout.rules.judging.files import bad_citation, is_empty, makers_of
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN, Ruling
from muniment.digest import digest_of, sha256_of
from muniment.model.nodes import Artifact, Claim, File, FileVersion, Receipt

WHOLE = frozenset({"bytes", "lines"})


def artifact_exists(evidence: Evidence, claim: Claim) -> Ruling:
    """The file is there, holds something, and is what it is said to be."""
    artifact = artifact_of(evidence, claim)
    file = evidence.snapshot.node(artifact.file) if artifact is not None else evidence.file_of(claim)
    path = claim.path or (artifact.path if artifact is not None else None)
    step = f"write {path}, or look whether it is there: wc {path}"
    if not isinstance(file, File):
        return Ruling(status=UNPROVEN, reason="no_receipt", path=path, next_step=step)
    base = Ruling(status=UNPROVEN, path=file.path, next_step=step)
    current = evidence.changes.current(file.id)
    if current is None:
        return msgspec.structs.replace(base, reason="no_receipt")
    if current.grade == "absent":
        return msgspec.structs.replace(base, status=CONTRADICTED, by=makers_of(evidence, current))
    seen = [receipt for receipt in evidence.seen_since(file) if evidence.shows_content(receipt)]
    bad = bad_citation(evidence, claim)
    if bad or not seen:
        return msgspec.structs.replace(base, reason=bad or "no_receipt")
    stale = evidence.file_stale(seen[-1], file)
    if stale is not None:
        return _unsure(base, stale, seen[-1])
    if is_empty(current):
        return msgspec.structs.replace(base, reason="artifact_empty", receipt=seen[-1].id)
    return _as_said(evidence, claim, artifact, file, msgspec.structs.replace(base, receipt=seen[-1].id))


def artifact_of(evidence: Evidence, claim: Claim) -> Artifact | None:
    """Return the newest artifact that a claim names as its target, or by its path."""
    named = evidence.find(claim.target or "") if claim.target else None
    if isinstance(named, Artifact) and (not claim.path or _is_at(evidence, claim, named)):
        return named
    file = evidence.file_of(claim) if claim.path else None
    found = [each for each in evidence.snapshot.of_kind(Artifact) if file is not None and each.file == file.id]
    standing = [each for each in found if not evidence.snapshot.ended(each.id)]
    return standing[-1] if standing else None


def _is_at(evidence: Evidence, claim: Claim, artifact: Artifact) -> bool:
    """Tell whether an artifact lies at the path that a claim names: another one that is there shows nothing of it."""
    found = evidence.files_named(claim.path or "", evidence.workspace(claim))
    return artifact.path == claim.path or artifact.file in [file.id for file in found]


def _as_said(evidence: Evidence, claim: Claim, artifact: Artifact | None, file: File, base: Ruling) -> Ruling:
    """Compare what the file holds with the digests that are told of it."""
    current = evidence.changes.current(file.id)
    told = [digest for digest in (claim.digest, artifact.digest if artifact is not None else None) if digest]
    for digest in told:
        same = has_digest(evidence, file, current, digest)
        if same is None:
            return msgspec.structs.replace(base, reason="coverage_incomplete", next_step=f"read {file.path}, whole")
        if not same:
            by = makers_of(evidence, current) if current is not None else ()
            return msgspec.structs.replace(base, status=CONTRADICTED, by=by)
    return Ruling(status=PROVEN, by=(base.receipt,) if base.receipt else (), path=file.path)


def has_digest(evidence: Evidence, file: File, version: FileVersion | None, digest: str) -> bool | None:
    """Tell whether a file's content has a digest; None where too little of it is known to say."""
    if version is None or version.grade not in WHOLE:
        return None
    if version.digest == digest:
        return True
    algorithm, _, value = digest.partition(":")
    if algorithm not in ("sha256", "blake3"):
        return False
    lines = [text for _, text, _ in evidence.current_lines(file)]
    if len(lines) != version.total_lines:
        return None
    whole = "\n".join(lines)
    of = sha256_of if algorithm == "sha256" else digest_of
    if value.lower() in [of(form.encode()) for form in (f"{whole}\n", whole, whole.replace("\n", "\r\n") + "\r\n")]:
        return True
    return False if version.grade == "bytes" else None


def _unsure(base: Ruling, stale: Stale, receipt: Receipt) -> Ruling:
    step = f"look at {base.path} again: wc {base.path}"
    return msgspec.structs.replace(
        base,
        reason=stale.reason,
        receipt=receipt.id,
        because=(stale.cause,),
        path=stale.path or base.path,
        next_step=step,
    )
