"""The report as SARIF 2.1.0, as code scanning and editors read it.

* A result for each finding, of the rule that made it; what is proven or waived is no result, since forges show every
  result as a problem. It is in the run's properties, and the proven files with their digests in its artifacts.
* Each result has a place, since some forges refuse those without: the file that is concerned, as seen from the
  workspace, else the workspace itself (`.`). The claim, receipt or task is its logical location.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import msgspec

from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.noticed import Noticed, noticed
from muniment.closeout.reports.strict_json import strict_json
from muniment.closeout.reports.tool import NAME, VERSION
from muniment.closeout.rules.listing import OFF, ListedRule
from muniment.closeout.verdict import PROVEN
from muniment.digest import digest_of

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "munimentFinding/v1"
FINGERPRINT_HEX: Final = 32
WORKSPACE: Final = "."

Object = dict[str, object]


def sarif(dossier: Dossier) -> str:
    """Return a closeout as a SARIF log, without a line end at its end."""
    found = list(noticed(dossier))
    rules = {rule.id: rule for rule in (*dossier.rules, *(each.rule for each in found))}
    places = {rule: place for place, rule in enumerate(rules)}
    run: Object = {
        "tool": {"driver": {**_driver(), "rules": [_descriptor(rule) for rule in rules.values()]}},
        "automationDetails": {"id": "muniment/closeout/"},
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if dossier.closeout.passed else 1}],
        "columnKind": "unicodeCodePoints",
        "artifacts": [_artifact(dossier, content.path, content.sha256) for content in dossier.contents],
        "results": [_result(dossier, each, places) for each in found],
        "properties": _sum(dossier),
    }
    return strict_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver() -> Object:
    return {"name": NAME, "version": VERSION, "semanticVersion": VERSION}


def _descriptor(rule: ListedRule) -> Object:
    told: Object = {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"enabled": False} if rule.severity == OFF else {"level": rule.severity},
    }
    if rule.why:
        told["fullDescription"] = {"text": rule.why}
    if rule.fix or rule.page:
        told["help"] = {"text": rule.fix or rule.title, **({"markdown": rule.page} if rule.page else {})}
    if rule.tags:
        told["properties"] = {"tags": list(rule.tags)}
    return told


def _result(dossier: Dossier, each: Noticed, places: dict[str, int]) -> Object:
    named = "\n".join([each.rule.id, each.code, *each.ids, *([] if each.ids else [each.message])])
    return {
        "ruleId": each.rule.id,
        "ruleIndex": places[each.rule.id],
        "kind": "fail",
        "level": each.severity,
        "message": {"text": each.message},
        "locations": [_location(dossier, each)],
        "partialFingerprints": {FINGERPRINT: digest_of(named.encode("utf-8"))[:FINGERPRINT_HEX]},
        "properties": {"code": each.code, "ids": list(each.ids)},
    }


def _location(dossier: Dossier, each: Noticed) -> Object:
    physical: Object = {"artifactLocation": {"uri": uri_of(each.path)}}
    if each.lines is not None:
        physical["region"] = {"startLine": each.lines[0], "endLine": each.lines[1]}
    logical = [
        {"name": dossier.handle(wanted), "fullyQualifiedName": wanted, "kind": wanted.partition(":")[0]}
        for wanted in each.ids
    ]
    return {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}


def uri_of(path: str | None) -> str:
    """Return a path as a reference to it: relative as it is, else as a file's URI; without a path, the workspace."""
    if not path:
        return WORKSPACE
    return quote(path) if not path.startswith("/") else f"file://{quote(path)}"


def _artifact(dossier: Dossier, path: str, sha256: str | None) -> Object:
    told: Object = {"location": {"uri": uri_of(dossier.relative(path))}}
    return {**told, "hashes": {"sha-256": sha256}} if sha256 else told


def _sum(dossier: Dossier) -> Object:
    closeout = dossier.closeout
    proven = [claim for claim in closeout.claims if claim.status == PROVEN]
    waived = [claim for claim in closeout.claims if claim.status != PROVEN and claim.waived is not None]
    return {
        "mission": closeout.mission,
        "verdict": closeout.verdict,
        "passed": closeout.passed,
        "journalHead": closeout.head,
        "ordinal": closeout.ordinal,
        "proven": [msgspec.to_builtins({"id": c.id, "handle": c.handle, "type": c.type, "by": c.by}) for c in proven],
        "waived": [msgspec.to_builtins({"id": c.id, "handle": c.handle, "by": c.waived}) for c in waived],
    }
