"""What the clients ask and how answers are read: one implementation for all of them.

* A call is a GraphQL document, its variables, and a function that turns the answer's data into a value.
* Values are those of the core (`View`, `Closeout`, ...), errors too: what a store in this process would raise is raised
  here, with the same facts. Codes that the core does not have become a `ServerError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import msgspec

from muniment import errors
from muniment.capture.importing import ImportReport
from muniment.closeout.reports.render import CloseoutReport, check_format
from muniment.closeout.verdict import Closeout
from muniment.errors import EvidenceError, StoreError
from muniment.journal.port import MissionInfo
from muniment.model.codec import record_object
from muniment.model.records import Record
from muniment.rehydration import Rehydrated
from muniment.results import Recorded
from muniment.search.hits import Hit
from muniment.selection.view import View
from muniment_api import client_documents as documents

T = TypeVar("T")
Data = Mapping[str, object]

PAGE = 500
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")
_AS_IT_IS = frozenset({"fields", "covered", "ignored", "redacted", "body"})
"""JSON of somebody else: its keys stay as they are."""


class ServerError(EvidenceError):
    """The server could not do it, for a reason that the core knows nothing of; `code` is the server's."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class AnswerError(StoreError):
    """What came back is no answer that this client knows: whoever answers may be of another version, or no server."""

    code = "bad_answer"


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the journal, as a subscription gives it. `body` is None where it was purged."""

    position: int
    number: int
    mission: str
    project: str
    session: str
    stream: str
    source_id: str
    actor: str
    recorded_at: str
    format: str
    body: dict[str, object] | None


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """Something to ask."""

    document: str
    variables: dict[str, object]
    parse: Callable[[Data], T]


def view(mission: str, focus: Mapping[str, object], *, emit: bool) -> Call[View]:
    """Ask for a view; `focus` holds what `muniment.views.Asked` lists, as far as it is given."""
    given = {"mission": mission, **camel(focus)}
    if emit:
        return Call(
            documents.EMIT,
            {"input": given},
            lambda data: msgspec.convert(object_of(data, "emitView"), View, strict=False),
        )
    return Call(documents.VIEW, given, lambda data: value_of(data["view"], View))


def closeout(mission: str, task: str | None, as_of: int | None) -> Call[Closeout]:
    """Ask for a closeout."""
    variables: dict[str, object] = {"mission": mission, "task": task, "asOf": as_of}
    return Call(documents.CLOSEOUT, variables, lambda data: value_of(_lower_verdicts(data["closeout"]), Closeout))


def closeout_report(mission: str, form: str, task: str | None, as_of: int | None) -> Call[CloseoutReport]:
    """Ask for a closeout as a file."""
    variables: dict[str, object] = {
        "mission": mission, "format": check_format(form).upper(), "task": task, "asOf": as_of
    }  # fmt: skip

    def parse(data: Data) -> CloseoutReport:
        found = data["closeoutReport"]
        assert isinstance(found, dict)
        return value_of({**found, "format": form}, CloseoutReport)

    return Call(documents.CLOSEOUT_REPORT, variables, parse)


def node(wanted: str, mission: str | None, lines: tuple[int, int] | None) -> Call[Rehydrated]:
    """Ask for the whole thing that an id names, or some lines of it."""
    first, last = lines or (None, None)
    variables: dict[str, object] = {"id": wanted, "mission": mission, "first": first, "last": last}
    return Call(documents.NODE, variables, lambda data: value_of(data["rehydrate"], Rehydrated))


def search(text: str, mission: str | None, limit: int, *, history: bool) -> Call[list[Hit]]:
    """Ask for what holds the words of a text."""
    variables: dict[str, object] = {"text": text, "mission": mission, "first": limit, "history": history}

    def parse(data: Data) -> list[Hit]:
        found = data["search"]
        assert isinstance(found, list)
        return [value_of(one, Hit) for one in found]

    return Call(documents.SEARCH, variables, parse)


def missions(after: str | None) -> Call[list[MissionInfo]]:
    """Ask for a page of missions."""

    def parse(data: Data) -> list[MissionInfo]:
        found = data["missions"]
        assert isinstance(found, list)
        return [value_of({**one, "mission": one["id"]}, MissionInfo) for one in found]

    return Call(documents.MISSIONS, {"after": after, "first": PAGE}, parse)


def record(
    records: Sequence[Record | Mapping[str, object]], mission: str | None, expected: int | None
) -> Call[Recorded]:
    """Record neutral records, all or none."""
    objects = [record_object(one) if isinstance(one, Record) else dict(one) for one in records]
    given = {"records": objects, "mission": mission, "expected": expected}

    def parse(data: Data) -> Recorded:
        done = object_of(data, "recordBatch")
        return Recorded(*(msgspec.convert(done[name], int) for name in ("position", "stored", "duplicates")))

    return Call(documents.RECORD, {"input": given}, parse)


def import_session(path: str, form: str | None, mission: str | None) -> Call[ImportReport]:
    """Import a session from the server's machine."""
    given = {"path": path, "format": form, "mission": mission}
    whole = {"bytes": 0, "unfinished": 0}  # what the wire does not carry
    return Call(
        documents.IMPORT,
        {"input": given},
        lambda data: value_of(object_of(data, "importSession") | whole, ImportReport),
    )


def withdraw(wanted: str, why: str, mission: str | None) -> Call[str]:
    """Take something out of force; the answer is its state."""
    given = {"id": wanted, "why": why, "mission": mission}
    return Call(documents.WITHDRAW, {"input": given}, lambda data: str(object_of(data, "withdraw")["state"]))


def records_after(position: int) -> Call[JournalEntry]:
    """Follow what is recorded behind a position; each answer is one entry."""
    return Call(documents.RECORDS, {"after": position}, lambda data: value_of(data["records"], JournalEntry))


def answer(call: Call[T], body: Mapping[str, object]) -> T:
    """Return the value that a response's body holds.

    Raises:
        EvidenceError: it holds errors; the first is raised.
        AnswerError: it holds nothing of what was asked.
    """
    raise_errors(body)
    data = body.get("data")
    if not isinstance(data, dict):
        raise AnswerError("the server's answer holds neither data nor errors")
    try:
        return call.parse(data)
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
        raise AnswerError("the server's answer has another form; it may be of another version") from error


def raise_errors(body: Mapping[str, object]) -> None:
    """Raise the first error that a response's body holds, if it holds one.

    Raises:
        EvidenceError: that error.
    """
    found = body.get("errors")
    first = found[0] if isinstance(found, list) and found else None
    if isinstance(first, dict):
        facts = first.get("extensions")
        raise error_of(facts if isinstance(facts, dict) else {}, str(first.get("message")))


def error_of(facts: Mapping[str, object], message: str) -> EvidenceError:
    """Return the error that a code and its facts stand for."""
    code = str(facts.get("code", "unknown"))
    kind = _ERRORS.get(code)
    if kind is None:
        return ServerError(code, message)
    error = kind.__new__(kind, message)
    Exception.__init__(error, message)
    for name, value in facts.items():
        if name != "code":
            setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error


def _errors() -> dict[str, type[EvidenceError]]:
    known = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, EvidenceError)]
    return {kind.code: kind for kind in known if kind is not EvidenceError}


def object_of(data: Data, name: str) -> dict[str, object]:
    """Return the object of a payload.

    Raises:
        EvidenceError: the payload tells of user errors.
    """
    payload = data[name]
    assert isinstance(payload, dict)
    if payload["userErrors"]:
        first = payload["userErrors"][0]
        way = ".".join(first["field"] or [])
        raise error_of({"code": first["code"], "path": way, "found": first["message"]}, first["message"])
    found = _snake(payload["object"])
    assert isinstance(found, dict)
    return found


def value_of(value: object, kind: type[T]) -> T:
    """Return a value of the core out of one of the wire."""
    return msgspec.convert(_snake(value), kind, strict=False)


def _snake(value: object) -> object:
    if isinstance(value, list):
        return [_snake(part) for part in value]
    if isinstance(value, dict):
        return {
            _HUMP.sub(lambda hump: "_" + hump[1].lower(), name): part if name in _AS_IT_IS else _snake(part)
            for name, part in value.items()
        }
    return value


def camel(value: Mapping[str, object]) -> dict[str, object]:
    """Return variables under the names of the wire, without those that are None."""
    return {
        re.sub("_(.)", lambda hump: hump[1].upper(), name): part for name, part in value.items() if part is not None
    }


def _lower_verdicts(found: object) -> object:
    """Return a closeout whose verdicts are the core's words, and not the names of an enumeration."""
    assert isinstance(found, dict)
    claims = [{**claim, "status": claim["status"].lower()} for claim in found["claims"]]
    return {**found, "verdict": found["verdict"].lower(), "claims": claims}


_ERRORS: Final = _errors()
