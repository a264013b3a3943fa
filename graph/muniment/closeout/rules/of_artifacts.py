"""Rules about results: artifacts that are gone, empty or other than they were, and secrets in what is handed over.

* Of several artifacts at one path the newest counts. One that the harness gave with its content needs no file.
* A secret counts in artifacts and in files that a claim says were written, as far as their lines are known. Files that
  are there to hold secrets (`.env`) are left out, examples of them are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from muniment.closeout.evidence import Evidence
from muniment.closeout.rules.rule import ERROR, Inquiry, Noticed, Rule
from muniment.derive.versions import whole_digest
from muniment.model.nodes import Artifact, File, FileVersion
from muniment.secret_detection import MARKER, find_secrets

_EMPTY: Final = whole_digest("")
_CLAIMED: Final = frozenset({"file_written", "artifact_exists", "file_exists"})
_HOLDS_SECRETS: Final = re.compile(r"(?:^|/)\.env(?:\.(?!example|sample|template|dist)\w+)?$|\.(?:pem|key)$")


def _missing(inquiry: Inquiry) -> Iterator[Noticed]:
    for artifact in _newest(inquiry):
        version = inquiry.evidence.changes.current(artifact.file)
        told = _fault(inquiry.evidence, artifact, version)
        if told is not None:
            code, message = told
            yield Noticed(message=message, ids=(artifact.id,), code=code)


def _fault(evidence: Evidence, artifact: Artifact, version: FileVersion | None) -> tuple[str, str] | None:
    named = f"{artifact.handle} ({artifact.path})"
    if version is not None and evidence.is_absent(version):
        return "missing_artifact", f"{named} is not there any more"
    if artifact.digest == _EMPTY or (version is not None and version.grade == "lines" and version.digest == _EMPTY):
        return "empty_artifact", f"{named} is empty"
    if version is None or artifact.digest is None or version.ordinal <= artifact.ordinal:
        return None
    if version.grade == "lines" and version.digest != artifact.digest:
        return "changed_artifact", f"{named} was changed after it was produced"
    return None


def _newest(inquiry: Inquiry) -> list[Artifact]:
    found: dict[str, Artifact] = {}
    for artifact in inquiry.snapshot.of_kind(Artifact):
        if not inquiry.snapshot.ended(artifact.id):
            found[artifact.file] = artifact
    return list(found.values())


def _secrets(inquiry: Inquiry) -> Iterator[Noticed]:
    evidence = inquiry.evidence
    for owner, file in _handed_over(inquiry).items():
        if _HOLDS_SECRETS.search(file.path):
            continue
        for number, line, excerpt in evidence.current_lines(file):
            kinds = _kinds(line)
            if kinds:
                message = f"line {number} of {file.path} holds a secret ({', '.join(kinds)})"
                yield Noticed(message=message, ids=(owner, excerpt))
                break


def _handed_over(inquiry: Inquiry) -> dict[str, File]:
    """Return the files that are results, by the artifact or claim that says so; each file once."""
    found: dict[str, File] = {}
    for artifact in _newest(inquiry):
        file = inquiry.snapshot.node(artifact.file)
        if isinstance(file, File):
            found[artifact.id] = file
    met = {file.id for file in found.values()}
    for claim in inquiry.claims:
        named = inquiry.evidence.file_of(claim) if claim.type in _CLAIMED and claim.path else None
        if named is not None and named.id not in met:
            found[claim.id] = named
            met.add(named.id)
    return found


def _kinds(line: str) -> list[str]:
    marked = [match[0].split(":")[1] for match in MARKER.finditer(line)]
    return list(dict.fromkeys([*marked, *(secret.kind for secret in find_secrets(line))]))


ARTIFACT_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="missing-artifact",
        severity=ERROR,
        title="a result is gone, empty, or other than it was",
        why="A result that is not there, or holds nothing, was not delivered. One that changed is another.",
        fix="Produce it again, and look at it.",
        check=_missing,
        tags=("artifacts",),
        codes=("empty_artifact", "changed_artifact"),
    ),
    Rule(
        id="secret-in-artifact",
        severity=ERROR,
        title="a result holds a secret",
        why="What is handed over is read by others; a secret in it is known to all of them.",
        fix="Take it out, read it from the environment, and replace the secret: it has been written down.",
        check=_secrets,
        tags=("artifacts",),
    ),
)
