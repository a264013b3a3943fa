"""The report as JUnit XML, as test dashboards and forges read it.

* The suite `claims` has a case for each claim: it passes where the claim is proven. The suite `rules` has one for each
  finding that says more than the claims do: it fails where the finding does; warnings and notes pass and say so.
* What a user waived is skipped. Nothing fails exactly where the closeout passes.
* There are no times: nothing was run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.text import beside_claims, in_order, reasons, why
from muniment.closeout.verdict import PROVEN, ClaimVerdict, Finding
from muniment.describing import one_line
from muniment.drawing.markup import Markup, joined, tag

NAME = 120
"""Characters of a case's name."""
SAID_OTHERWISE = "the record says otherwise"
_LINE = Markup("\n")


class _Case(msgspec.Struct, frozen=True):
    markup: Markup
    failed: bool = False
    skipped: bool = False


def junit(dossier: Dossier) -> str:
    """Return a closeout as JUnit XML, without a line end at its end."""
    suites = [
        ("claims", [_of_claim(dossier, claim) for claim in in_order(dossier.closeout.claims)]),
        ("rules", [_of_finding(finding) for finding in beside_claims(dossier)]),
    ]
    cases = [case for _, found in suites for case in found]
    inside = [_element("testsuite", name, found, [case.markup for case in found]) for name, found in suites if found]
    title = f"closeout of {dossier.closeout.mission}: {dossier.closeout.verdict}"
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _element("testsuites", title, cases, inside)


def _element(name: str, title: str, cases: Sequence[_Case], inside: Sequence[Markup]) -> Markup:
    counts = {"tests": len(cases), "failures": sum(case.failed for case in cases), "errors": 0}
    counts["skipped"] = sum(case.skipped for case in cases)
    lines = [part for each in inside for part in (_LINE, each)]
    return tag(name, *lines, *([_LINE] if lines else []), name_=title, **counts, time="0")


def _of_claim(dossier: Dossier, claim: ClaimVerdict) -> _Case:
    name = f"{claim.handle} {one_line(claim.text, NAME)}"
    told = "\n".join(reasons(dossier, claim))
    if claim.status == PROVEN:
        return _case("closeout.claims", f"{claim.type}: {name}", tag("system-out", told) if told else Markup(""))
    if claim.waived is not None:
        skipped = tag("skipped", told, message=f"waived: {one_line(claim.waiver, NAME)}")
        return _case("closeout.claims", f"{claim.type}: {name}", skipped, skipped=True)
    kind = claim.reason or claim.status
    failure = tag("failure", told, message=f"{claim.status}: {why(claim) or SAID_OTHERWISE}", type=kind)
    return _case("closeout.claims", f"{claim.type}: {name}", failure, failed=True)


def _of_finding(finding: Finding) -> _Case:
    name = f"{finding.code}: {one_line(finding.message, NAME)}"
    if finding.severity == "error":
        failure = tag("failure", finding.message, message=one_line(finding.message, NAME), type=finding.code)
        return _case("closeout.rules", name, failure, failed=True)
    return _case("closeout.rules", name, tag("system-out", f"{finding.severity}: {finding.message}"))


def _case(kind: str, name: str, inside: Markup, *, failed: bool = False, skipped: bool = False) -> _Case:
    markup = tag("testcase", joined(inside), classname=kind, name_=name, time="0")
    return _Case(markup, failed=failed, skipped=skipped)
