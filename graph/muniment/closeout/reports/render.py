"""The list of report formats, and the one function that makes a report of a closeout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from muniment.closeout.reports.document import document
from muniment.closeout.reports.dossier import Dossier, gathered
from muniment.closeout.reports.github import github
from muniment.closeout.reports.intoto import intoto
from muniment.closeout.reports.junit import junit
from muniment.closeout.reports.picture import svg
from muniment.closeout.reports.prov import prov
from muniment.closeout.reports.sarif import sarif
from muniment.closeout.reports.text import text
from muniment.closeout.rules.listing import ListedRule
from muniment.closeout.verdict import Closeout
from muniment.errors import UsageError
from muniment.snapshot import Snapshot

FORMATS: Final[dict[str, tuple[str, Callable[[Dossier], str]]]] = {
    "text": ("text/plain; charset=utf-8", text),
    "json": ("application/json", document),
    "junit": ("application/xml", junit),
    "github": ("text/plain; charset=utf-8", github),
    "sarif": ("application/sarif+json", sarif),
    "intoto": ("application/vnd.in-toto+json", intoto),
    "prov": ("application/json", prov),
    "svg": ("image/svg+xml", svg),
}
"""Format → the media type of its reports, and the function that writes them."""


class CloseoutReport(msgspec.Struct, frozen=True, kw_only=True):
    """A closeout in a format: `text` is the whole file, in UTF-8 when it is written, with a line end at its end."""

    format: str
    media_type: str
    text: str
    passed: bool


def rendered(
    snapshot: Snapshot, closeout: Closeout, format_: str, rules: Sequence[ListedRule] | None = None
) -> CloseoutReport:
    """Return a closeout, which was given over this snapshot by these rules (None: those of Muniment), as a report.

    Raises:
        UsageError: there is no such format.
    """
    return written(gathered(snapshot, closeout, rules), check_format(format_))


def written(dossier: Dossier, format_: str) -> CloseoutReport:
    """Return the report of a dossier in one of the formats."""
    media_type, write = FORMATS[format_]
    passed = dossier.closeout.passed
    return CloseoutReport(format=format_, media_type=media_type, text=write(dossier) + "\n", passed=passed)


def check_format(format_: str) -> str:
    """Return a format's name if there is such a one.

    Raises:
        UsageError: there is none.
    """
    if format_ not in FORMATS:
        raise UsageError(f"no report format {format_!r}; there are {', '.join(FORMATS)}")
    return format_
