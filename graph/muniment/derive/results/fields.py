"""Fields of untyped JSON: what is not of the wished type counts as absent."""

from __future__ import annotations

from muniment.model.entries import JSON_OBJECT


def table(value: object) -> JSON_OBJECT:
    """Return `value` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[JSON_OBJECT]:
    """Return the objects of a list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def rows(body: JSON_OBJECT, name: str) -> list[JSON_OBJECT]:
    """Return the objects of a list in a field."""
    return listed(body.get(name))


def text(body: JSON_OBJECT, name: str) -> str:
    """Return the string in a field, "" where there is none."""
    value = body.get(name)
    return value if isinstance(value, str) else ""


def whole_number(body: JSON_OBJECT, name: str) -> int | None:
    """Return the number in a field, None where there is none of sane size."""
    value = body.get(name)
    sane = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if sane and isinstance(value, int) else None


def number(body: JSON_OBJECT, name: str) -> int:
    """Return the number in a field, 0 where there is none of sane size."""
    return whole_number(body, name) or 0
