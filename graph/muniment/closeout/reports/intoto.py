"""The report as an in-toto statement (v1) with a test result (v0.1) as its predicate: what was proven, by digest.

* Subjects are the mission, by the journal's head that the verdict was given with, and the files that proven claims are
  about, by what they hold now: `sha256` where all of a file's text is on record, and the digest of the graph.
* Digests of the graph are named by what they are over: `muniment-lines-v1`, `muniment-partial-v1`, `muniment-bytes-v1`
  (see `derive/versions.py`), `muniment-journal-v1`.
* `PASSED` only if the closeout passes; `WARNED` if it does and there are warnings or waived claims; else `FAILED`.
* It is not signed, and has no time of its own: whoever signs it says when.
"""

from __future__ import annotations

from typing import Final

from muniment.closeout.reports.contents import Content
from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.rule_facts import off
from muniment.closeout.reports.strict_json import strict_json
from muniment.closeout.reports.text import beside_claims, in_order
from muniment.closeout.reports.tool import VERSION
from muniment.closeout.verdict import PROVEN, ClaimVerdict
from muniment.digest import digest_of

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"

Object = dict[str, object]


def intoto(dossier: Dossier) -> str:
    """Return a closeout as an in-toto statement in JSON, without a line end at its end."""
    statement = {
        "_type": STATEMENT,
        "subject": [_mission(dossier), *(_file(dossier, content) for content in dossier.contents)],
        "predicateType": PREDICATE,
        "predicate": _predicate(dossier),
    }
    return strict_json(statement)


def _mission(dossier: Dossier) -> Object:
    closeout = dossier.closeout
    position, _, digest = closeout.head.partition(":")
    mission = {"muniment-mission-v1": closeout.mission.partition(":")[2]}
    told: Object = {"ordinal": closeout.ordinal, "verdict": closeout.verdict}
    if not digest:
        return {"name": closeout.mission, "digest": mission, "annotations": told}
    digests = {"muniment-journal-v1": digest, **mission}
    return {"name": closeout.mission, "digest": digests, "annotations": {"journalPosition": position, **told}}


def _file(dossier: Dossier, content: Content) -> Object:
    digests = {"sha256": content.sha256} if content.sha256 else {}
    digests[f"muniment-{content.grade}-v1"] = content.digest
    told = {"claims": list(content.claims), "grade": content.grade}
    return {"name": dossier.relative(content.path), "digest": digests, "annotations": told}


def _predicate(dossier: Dossier) -> Object:
    closeout = dossier.closeout
    claims = in_order(closeout.claims)
    beside = beside_claims(dossier)
    warnings = [_name(claim) for claim in claims if claim.status != PROVEN and claim.waived is not None]
    warnings += [finding.code for finding in beside if finding.severity == "warning"]
    failed = [_name(claim) for claim in claims if claim.status != PROVEN and claim.waived is None]
    failed += [finding.code for finding in beside if finding.severity == "error"]
    result = ("WARNED" if warnings else "PASSED") if closeout.passed else "FAILED"
    return {
        "result": result,
        "configuration": [_rules(dossier)],
        "passedTests": [_name(claim) for claim in claims if claim.status == PROVEN],
        "warnedTests": list(dict.fromkeys(warnings)),
        "failedTests": list(dict.fromkeys(failed)),
    }


def _rules(dossier: Dossier) -> Object:
    """Return by what it was judged: the version, and the severity of each rule, by a digest; which rules were off."""
    severities = "\n".join(f"{rule.id} {rule.severity}" for rule in sorted(dossier.rules, key=lambda rule: rule.id))
    digest = {"muniment-rules-v1": digest_of(severities.encode("utf-8"))}
    return {"name": "rules", "digest": digest, "annotations": {"version": VERSION, "off": off(dossier.rules)}}


def _name(claim: ClaimVerdict) -> str:
    return f"{claim.handle} {claim.type}"
