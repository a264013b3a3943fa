"""Currency: files are as the workspace holds them now, and no claim stands better than closeout says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.closeout.claims import claims_of
from muniment.closeout.evidence import Evidence
from muniment.closeout.judge import ruling_on
from muniment.closeout.verdict import CONTRADICTED, PROVEN, UNPROVEN
from muniment.handoff.checks.inquiry import Inquiry
from muniment.handoff.packet import Problem
from muniment.handoff.sections.files import held_in
from muniment.model.nodes import File, FileVersion

_RANK: Final = {CONTRADICTED: 0, UNPROVEN: 1, PROVEN: 2}
"""Verdict → how good it is; a word that is none of them is the best that could be said."""


def files(inquiry: Inquiry) -> Iterable[Problem]:
    """Each file's version is the newest that was observed."""
    if not inquiry.said.files:
        return
    known = _files(inquiry)
    lost = [path for path in inquiry.said.files if path not in known]
    stale = [
        path
        for path, digest in inquiry.said.files.items()
        if path in known and not _is_now(inquiry, known[path], digest)
    ]
    if lost:
        yield Problem(code="id_unknown", ids=tuple(lost))
    if stale:
        yield Problem(code="version_stale", ids=tuple(stale))


def workspace(inquiry: Inquiry) -> Iterable[Problem]:
    """The digest of the workspace is the one that it has now, or had when the packet was built."""
    said = inquiry.said.workspace
    if said and said != held_in(inquiry.snapshot)[0] and said != held_in(inquiry.snapshot.upto(inquiry.covers))[0]:
        yield Problem(code="version_stale", ids=(said,), message="the workspace is another one")


def claims(inquiry: Inquiry) -> Iterable[Problem]:
    """No claim has a better verdict than closeout gives it now."""
    said = inquiry.said.claims
    if not said:
        return
    evidence = Evidence(inquiry.snapshot, ruling_on)
    standing = {name: claim for claim in claims_of(inquiry.snapshot) for name in (claim.record, claim.handle, claim.id)}
    lost = [each for each in said if each not in standing]
    better = [
        each
        for each, verdict in said.items()
        if each in standing
        and _rank(verdict) > _RANK[CONTRADICTED]
        and _rank(verdict) > _rank(evidence.ruling(standing[each]).status)
    ]
    if lost:
        yield Problem(code="id_unknown", ids=tuple(lost), message="no such claim stands")
    if better:
        yield Problem(code="claim_overstated", ids=tuple(better))


def _rank(verdict: str) -> int:
    return _RANK.get(verdict, len(_RANK))


def _files(inquiry: Inquiry) -> dict[str, File]:
    found: dict[str, File] = {}
    for file in inquiry.snapshot.of_kind(File):
        for name in (file.path, file.key, file.handle, file.id):
            found.setdefault(name, file)
    return found


def _is_now(inquiry: Inquiry, file: File, digest: str) -> bool:
    """Tell whether a digest is that of a file's newest version; with no digest nothing is said of it."""
    state = inquiry.snapshot.ledger(file.id)
    version = inquiry.snapshot.node(state.version) if state is not None else None
    if not digest:
        return True
    return isinstance(version, FileVersion) and digest in (version.digest, version.id)
