"""The report for programs: JSON, with a published schema.

* It is the closeout as it is, `passed`, and in `things` what its ids stand for. Fields that have their default value
  are left out; fields may be added later, none is renamed while `format` stays the same.
* The schema (JSON Schema 2020-12) is made from the types. It lies beside this file as `closeout.schema.json`, and
  `muniment schema closeout` prints it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from muniment.closeout.reports.dossier import Dossier, Thing
from muniment.closeout.reports.strict_json import strict_json
from muniment.closeout.verdict import CONTRADICTED, NOTHING_CLAIMED, PROVEN, UNPROVEN, WAIVED, Closeout

FORMAT: Final = "muniment-closeout/1"
SCHEMA_FILE: Final = "closeout.schema.json"

_WORDS: Final[dict[tuple[str, str], list[str]]] = {
    ("CloseoutDocument", "format"): [FORMAT],
    ("CloseoutDocument", "verdict"): [PROVEN, UNPROVEN, CONTRADICTED, NOTHING_CLAIMED, WAIVED],
    ("ClaimVerdict", "status"): [PROVEN, UNPROVEN, CONTRADICTED],
    ("Finding", "severity"): ["error", "warning", "note"],
}
"""Closed sets of words, which the types hold as plain texts."""


class CloseoutDocument(Closeout, frozen=True, kw_only=True):
    """The verdict on a mission or task, with what its ids stand for."""

    format: str
    passed: bool
    things: dict[str, Thing]


def report_of(dossier: Dossier) -> dict[str, object]:
    """Return the report as a JSON object."""
    closeout = dossier.closeout
    plain: dict[str, object] = msgspec.to_builtins(closeout)
    return {"format": FORMAT, **plain, "passed": closeout.passed, "things": msgspec.to_builtins(dossier.things)}


def document(dossier: Dossier) -> str:
    """Return a closeout as a JSON document."""
    return strict_json(report_of(dossier))


def schema_text() -> str:
    """Return the schema of the document as JSON, with a line end at its end."""
    made = msgspec.json.schema(CloseoutDocument)
    parts = made["$defs"]
    for (name, field), words in _WORDS.items():
        parts[name]["properties"][field]["enum"] = words
    told = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:muniment:{FORMAT.replace('/', ':')}",
        "title": "Closeout of a mission",
    }
    return strict_json({**told, **made}) + "\n"
