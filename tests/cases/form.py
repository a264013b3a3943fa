"""The form of a case file, as types. A field that the vocabulary does not have makes the case wrong, not the product.

`object` stands for a text (see `expand`), which may be a string, a repeat, base64 or a list of these.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

EVENT = dict[str, object]
Covered = int | tuple[tuple[int, int], ...]


class _Closed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a case: no unknown fields."""


class Raw(_Closed, frozen=True, kw_only=True):
    """The bytes of a session file."""

    format: str
    raw_lines: tuple[object, ...]
    line_end: str = "\n"
    bom: bool = False
    final_newline: bool = True


class Step(_Closed, frozen=True, kw_only=True):
    """A step after the first import."""

    do: str
    ids: tuple[str, ...] = ()
    events: tuple[EVENT, ...] = ()
    raw_lines: tuple[object, ...] = ()
    final_newline: bool = True
    id: str = ""
    packet: str = ""
    kill: str | None = None
    what: str = ""
    writers: int = 0
    each: int = 0
    event: EVENT = {}
    sessions: tuple[str, ...] = ()
    retry: bool = False
    reader_holds_s: float = 0


class Ask(_Closed, frozen=True, kw_only=True):
    """A question. `start` is spelled `from` in the files."""

    form: str
    timeout_s: float | None = None
    at: int | None = None
    budget_tokens: int = 8000
    task: str | None = None
    session: str | None = None
    id: str | None = None
    claims: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    by: str = "order"
    start: str | None = msgspec.field(default=None, name="from")
    scope: dict[str, str] | None = None
    claimed_scope: dict[str, str] | None = None
    surfaces: tuple[str, ...] = ()
    text: object = ""
    near: str | None = None
    queries: tuple[object, ...] = ()
    limits: dict[str, int] = {}


class Told(_Closed, frozen=True, kw_only=True):
    """An error or report that is expected, with exactly these ids and this count where they are given."""

    code: str
    ids: tuple[str, ...] | None = None
    count: int | None = None


class ExcerptState(_Closed, frozen=True, kw_only=True):
    """A state that an excerpt may be in."""

    state: str
    lines: tuple[int, int] | None = None


class Check(_Closed, frozen=True, kw_only=True):
    """One thing that must hold. What is None (for `packet`: unset) is not asserted."""

    check: str
    id: str = ""
    ids: tuple[str, ...] | None = None
    text: object = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    role: str | None = msgspec.field(default=None, name="as")
    exit_code: int | None = None
    total_lines: int | None = None
    says_omitted: bool = False
    code: str | tuple[str, ...] = ()
    needed_tokens_over: int | None = None
    accepted: bool = False
    errors: tuple[Told, ...] = ()
    status: str | None = None
    reason: str | None = None
    reason_not: str | None = None
    by: tuple[str, ...] | None = None
    not_by: tuple[str, ...] | None = None
    via: tuple[str, ...] | None = None
    receipt: str | None = None
    names: tuple[str, ...] | None = None
    covered: Covered | None = None
    total: int | None = None
    passed: bool = False
    found: bool = True
    state: str | None = None
    superseded_by: str | None = None
    flags: tuple[str, ...] = ()
    not_flags: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    conflict: tuple[str, ...] | None = None
    packet: str | msgspec.UnsetType | None = msgspec.UNSET
    what: str = ""
    value: bool = True
    over: str | None = None
    with_case: str | None = None
    into: str = ""
    holds: bool = True
    states: tuple[ExcerptState, ...] = ()
    content: object = None
    versions: int | None = None
    stored: tuple[str, ...] | None = None
    quarantined: tuple[int, ...] | None = None
    new: int | None = None
    duplicates: int | None = None
    reports: tuple[Told, ...] = ()
    equals: float | None = None
    at_most: float | None = None
    equal_over_sizes: bool = False
    scope: dict[str, str] | None = None
    has_next_page: bool | None = None
    target: bool = False
    count: int | None = None
    each_once: bool = False
    in_order: bool = False
    absent_text: tuple[object, ...] = ()
    absent_ids: tuple[str, ...] = ()
    present_ids: tuple[str, ...] = ()
    valid: bool | None = None
    tokens_at_most: int | None = None
    options: tuple[tuple[Check, ...], ...] = ()


class Case(_Closed, frozen=True, kw_only=True):
    """One case."""

    name: str
    ask: tuple[Ask, ...]
    expected: tuple[Check, ...]
    events: tuple[EVENT, ...] = ()
    raw: Raw | None = None
    dangling: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    then: tuple[Step, ...] = ()
    adjusted: str = ""

    def checks(self) -> list[Check]:
        """Return all checks, those inside `any_of` too."""
        found: list[Check] = []
        todo = list(self.expected)
        while todo:
            check = todo.pop(0)
            found.append(check)
            todo += [inner for option in check.options for inner in option]
        return found


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of cases; what people read beside them is left out."""

    id: str
    cases: tuple[dict[str, object], ...]


def read_cases(path: Path) -> tuple[str, list[Case | tuple[str, str]]]:
    """Return the file's id and its cases; a case in no right form as (name, what is wrong).

    Raises:
        ValueError: the file is no JSON, or no case file.
    """
    file = msgspec.convert(json.loads(path.read_text("utf-8")), CaseFile)
    return file.id, [_case(given) for given in file.cases]


def _case(given: dict[str, object]) -> Case | tuple[str, str]:
    try:
        return msgspec.convert(given, Case)
    except msgspec.ValidationError as error:
        return str(given.get("name", "?")), f"not in the form of a case: {error}"
