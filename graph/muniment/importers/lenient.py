"""Reading objects of which only the outer shape is known: a wrong type reads as absent, and nothing here raises.

* `string`, `integer`, `mapping`, `sequence` and their kin fetch one field; missing or of another type, it is
  empty or None.
* `storable` makes text safe for a saved state: a lone surrogate, which no encoder takes, becomes a question mark.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from muniment.model.entries import JSON_OBJECT

_LIMIT = 2**63
_EMPTY: JSON_OBJECT = {}
_NONE: list[object] = []


def string(holder: Mapping[str, object], key: str) -> str:
    """Return the text under `key`, or "" where there is none."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def maybe_string(holder: Mapping[str, object], key: str) -> str | None:
    """Return the text under `key`, or None where there is none (an empty text stays)."""
    value = holder.get(key)
    return value if isinstance(value, str) else None


def integer(holder: Mapping[str, object], key: str) -> int | None:
    """Return the whole number under `key`; true and false are none, nor is what 64 bits cannot hold."""
    value = holder.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -_LIMIT <= value < _LIMIT else None


def mapping(holder: Mapping[str, object], key: str) -> JSON_OBJECT:
    """Return the object under `key`, or an empty one. Not to be changed."""
    value = holder.get(key)
    return value if isinstance(value, dict) else _EMPTY


def sequence(holder: Mapping[str, object], key: str) -> list[object]:
    """Return the list under `key`, or an empty one. Not to be changed."""
    value = holder.get(key)
    return value if isinstance(value, list) else _NONE


def objects(holder: Mapping[str, object], key: str) -> list[JSON_OBJECT]:
    """Return the objects in the list under `key`; what is no object is left out."""
    return [item for item in sequence(holder, key) if isinstance(item, dict)]


def strings(holder: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return the texts in the list under `key`; what is no text is left out."""
    return tuple(item for item in sequence(holder, key) if isinstance(item, str))


def storable(value: object) -> object:
    """Return `value` with every lone surrogate in it replaced, so that it can be saved; most often `value` itself."""
    try:
        msgspec.msgpack.encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError, TypeError):
        return _storable(value)
    return value


def _storable(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {str(_storable(key)): _storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return value
