"""JSON as reports write it: strict, in UTF-8, the same bytes for the same value."""

from __future__ import annotations

import json


def strict_json(value: object) -> str:
    """Return a value of plain types as indented JSON, keys in their order, without a line end at its end."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
