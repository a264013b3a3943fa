"""Rules in Cypher: a query that only reads, each row of which is a finding, with a message.

* `$mission` in the query stands for the mission that is judged, and has to be there; `$ordinal` for the newest ordinal
  that the closeout sees.
* In the message `{column}` stands for what the row has in that column. Ids of nodes in a row are the finding's ids.
* A query that cannot be answered is an error of its own, never a pass; so is one with no engine to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from muniment.closeout.rules.rule import ERROR
from muniment.closeout.verdict import Finding
from muniment.errors import EvidenceError
from muniment.model.packing import writable
from muniment.snapshot import Snapshot

FAILED: Final = "rule_failed"
MOST_ROWS: Final = 100
"""Rows of a query that become findings."""
_MOST_SHOWN: Final = 200


class CypherRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that is a query."""

    id: str
    severity: str
    message: str
    query: str


class Rows(Protocol):
    """What an engine answers: columns and rows; `more`: there were more rows than were asked for."""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""

    @property
    def rows(self) -> Sequence[Sequence[object]]:
        """The rows."""

    @property
    def more(self) -> bool:
        """Whether there were more."""


Ask = Callable[[str, Mapping[str, str | int], int], Rows]
"""Asks an engine: query, values of its parameters, most rows. Raises EvidenceError."""


def asked(rules: Iterable[CypherRule], ask: Ask, snapshot: Snapshot) -> list[Finding]:
    """Return what the rules find in a mission, as of a snapshot."""
    return [finding for rule in rules for finding in _findings(rule, ask, snapshot)]


def failed(rule: str, why: str) -> Finding:
    """Return the error that a rule which could not be asked is."""
    message = f"the rule {rule} could not be asked: {why}"
    return Finding(code=FAILED, severity=ERROR, message=message, rule=rule)


def _findings(rule: CypherRule, ask: Ask, snapshot: Snapshot) -> Iterator[Finding]:
    known: dict[str, str | int] = {"mission": snapshot.mission, "ordinal": snapshot.ordinal}
    values = {name: value for name, value in known.items() if f"${name}" in rule.query}
    try:
        answer = ask(rule.query, values, MOST_ROWS)
    except EvidenceError as error:
        yield failed(rule.id, str(error))
        return
    for row in answer.rows:
        told = _told(rule.message, answer.columns, row)
        ids = tuple(dict.fromkeys(each for value in row for each in _ids(value, snapshot)))
        yield writable(Finding(code=_code(rule), severity=rule.severity, message=told, ids=ids, rule=rule.id))
    if answer.more:
        message = f"{rule.id}: there are more than {MOST_ROWS}"
        yield Finding(code=_code(rule), severity=rule.severity, message=message, rule=rule.id)


def _code(rule: CypherRule) -> str:
    return rule.id.replace("-", "_")


def _told(message: str, columns: Sequence[str], row: Sequence[object]) -> str:
    for column, value in zip(columns, row, strict=True):
        message = message.replace(f"{{{column}}}", str(value)[:_MOST_SHOWN])
    return message


def _ids(value: object, snapshot: Snapshot) -> Iterator[str]:
    if isinstance(value, str):
        if snapshot.node(value) is not None:
            yield value
    elif isinstance(value, Mapping):
        yield from _ids(value.get("id"), snapshot)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _ids(each, snapshot)
