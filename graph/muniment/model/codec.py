"""The codec: the only place where plain JSON objects become records, and records plain JSON objects.

* Unknown fields are kept in `extra` and written back where they were.
* A wrong field raises :class:`FieldError` with the path to it, as in `counts.passed`.
* Integers have at most 64 bits, as everything that saves them.
* Lone surrogates pass through untouched; they are dealt with where bytes are made.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.errors import FieldError
from muniment.model import records
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import AUTHORS, CHILD_AUTHOR, Record

_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?\Z", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]*)`")


def _kinds() -> dict[str, type[Record]]:
    found: dict[str, type[Record]] = {}
    for thing in vars(records).values():
        if isinstance(thing, type) and issubclass(thing, Record) and thing is not Record:
            found[str(thing.__struct_config__.tag)] = thing
    return found


KINDS: Final = _kinds()
"""Record kind → its class."""

_NAMES: Final = {
    kind: frozenset(field.encode_name for field in msgspec.structs.fields(cls)) for kind, cls in KINDS.items()
}


_WORDS: Final = {
    ("tool_returned", "status"): frozenset({"ok", "failed", "refused", "unknown"}),
    ("tool_returned", "effect"): frozenset({"none", "writes", "unknown"}),
    ("tool_returned", "within"): frozenset({"text", "names"}),
    ("tool_returned", "counts_from"): frozenset({"report", "output"}),
    ("task_moved", "to"): frozenset({"open", "active", "settled", "cancelled", "blocked"}),
    ("file_changed_outside", "change"): frozenset({"written", "deleted", "renamed", "relinked"}),
    ("fact_stated", "class"): frozenset(
        {"objective", "constraint", "acceptance", "preference", "environment", "absence"}
    ),
    ("question_opened", "what"): frozenset({"question", "risk", "gap"}),
    ("delegation_ended", "outcome"): frozenset({"done", "failed", "lost"}),
    ("session_opened", "fs_style"): frozenset({"posix", "windows"}),
}
"""(kind, field) → the only words that it may hold."""
_STAYS_JSON: Final = frozenset({"extra", "arguments", "prose"})
_LIMIT: Final = 2**63


def parse_record(value: object) -> Record:
    """Parse a JSON object into a record.

    Raises:
        FieldError: no object, an unknown kind, a missing or wrong field, an empty id, or an author that does not exist.
    """
    if not isinstance(value, dict):
        raise FieldError("", f"expected an object, found {type(value).__name__}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise FieldError("kind", f"expected one of {', '.join(sorted(KINDS))}, found {kind!r}")
    names = _NAMES[kind]
    known = {name: part for name, part in value.items() if part is not None and name in names}
    unknown = {name: part for name, part in value.items() if name not in names and name != "kind"}
    extra = known.get("extra", {})
    if not isinstance(extra, dict):
        raise FieldError("extra", f"expected an object, found {type(extra).__name__}")
    if unknown:
        known["extra"] = {**extra, **unknown}
    _check_words(kind, known)
    _check_integers(known)
    record = _convert(known, KINDS[kind])
    if not record.id:
        raise FieldError("id", "is empty: a record is found by its id")
    _check_author(record.by)
    return record


def record_object(record: Record) -> JSON_OBJECT:
    """Return the JSON object of a record: what `parse_record` parses back into an equal one. It holds no tuples: what
    walks over JSON values (redaction, payloads and their marks) looks into lists.
    """
    written: JSON_OBJECT = {name: _listed(part) for name, part in msgspec.to_builtins(record).items()}
    extra = written.pop("extra", None)
    if isinstance(extra, dict):
        written.update({name: part for name, part in extra.items() if name not in written})
    return written


def _listed(value: object) -> object:
    if isinstance(value, dict):
        return {name: _listed(part) for name, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value


def _check_words(kind: str, known: JSON_OBJECT) -> None:
    for (of_kind, field), words in _WORDS.items():
        if of_kind == kind and isinstance(known.get(field), str) and known[field] not in words:
            raise FieldError(field, f"expected one of {', '.join(sorted(words))}, found {known[field]!r}")
    lines = known.get("lines")
    if isinstance(lines, list | tuple) and [type(line) for line in lines] == [int, int]:
        first, last = lines
        if first < 1 or last < first - 1:
            raise FieldError("lines", f"expected first and last line, from 1, found {first} and {last}")


def _check_integers(known: JSON_OBJECT) -> None:
    """Refuse integers that a saved fold cannot hold. What stays JSON (`extra`, `arguments`, `prose`) may hold any."""
    waiting: list[tuple[str, object]] = [
        (name, part) for name, part in known.items() if not isinstance(part, str) and name not in _STAYS_JSON
    ]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, int) and not -_LIMIT <= part < _LIMIT:
            raise FieldError(path, "expected an integer of 64 bits")
        if isinstance(part, dict):
            waiting += [(f"{path}.{name}", inner) for name, inner in part.items()]
        elif isinstance(part, list | tuple):
            waiting += [(f"{path}[{place}]", inner) for place, inner in enumerate(part)]


def _convert(value: JSON_OBJECT, cls: type[Record]) -> Record:
    try:
        return msgspec.convert(value, cls)
    except msgspec.ValidationError as error:
        match = _PLACE.match(str(error))
        what, path = (match["what"], match["path"] or "$") if match else (str(error), "$")
        if missing := _MISSING.fullmatch(what):
            what, path = "is missing", f"{path}.{missing['field']}"
        raise FieldError(path.removeprefix("$").removeprefix("."), what) from None


def _check_author(by: str) -> None:
    if by not in AUTHORS and not by.startswith(CHILD_AUTHOR):
        raise FieldError("by", f"expected one of {', '.join(sorted(AUTHORS))} or child:<id>, found {by!r}")
