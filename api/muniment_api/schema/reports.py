"""Reports of closeouts on the wire: one format each, as a text that is a whole file."""

from __future__ import annotations

from enum import Enum

import strawberry

from muniment.closeout.reports.render import CloseoutReport as DomainReport
from muniment_api.schema.declare import said, typed


@strawberry.enum(description="The form of a report.")
class ReportFormat(Enum):
    """The form of a report; values are the domain's words."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"
    SARIF = "sarif"
    INTOTO = "intoto"
    PROV = "prov"
    SVG = "svg"


@typed
class CloseoutReport:
    """A closeout as a file, for people, forges, scanners and supply chains."""

    format: ReportFormat = said("Its form.")
    media_type: str = said("What it is to be served as.")
    text: str = said("The whole file.")
    passed: bool = said("Whether it may be called done.")


def report_of(found: DomainReport) -> CloseoutReport:
    """Return a report as it goes over the wire."""
    return CloseoutReport(
        format=ReportFormat(found.format), media_type=found.media_type, text=found.text, passed=found.passed
    )
