"""Rulebooks: the settings of a project for its rules, read out of the text of a TOML file.

    [closeout]
    select = ["all"]                       # ids or tags of rules; without it: all
    ignore = ["task-open"]
    forbidden-paths = ["vendor/", "*.lock"]
    required-commands = ["make lint"]

    [closeout.severity]
    unseen-overwrite = "error"

    [[closeout.cypher]]
    id = "no-web"
    severity = "error"
    message = "{r.handle} went to the web"
    query = "MATCH (r:Node {kind: 'receipt'}) WHERE r.mission = $mission AND r.handle = 'R9' RETURN r.id, r.handle"

* Other tables of the file are other programs'. What stands in these and is not known is refused, with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from muniment.closeout.rules.cypher import CypherRule
from muniment.closeout.rules.rule import ERROR, NO_OPTIONS, SEVERITIES, Options, Rule
from muniment.closeout.rules.ruleset import RuleSet, chosen, is_chosen
from muniment.closeout.verdict import Finding
from muniment.errors import UsageError

TABLE: Final = "closeout"
_KEYS: Final = ("select", "ignore", "forbidden-paths", "required-commands", "severity", "cypher")
_CYPHER_KEYS: Final = ("id", "severity", "message", "query")
_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a file, or a caller, wants of the rules. `select` None: all."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severities: dict[str, str] = msgspec.field(default_factory=dict)
    options: Options = NO_OPTIONS
    cypher: tuple[CypherRule, ...] = ()
    source: str = ""

    def and_also(self, select: Sequence[str] | None, ignore: Sequence[str]) -> Wishes:
        """Return these with another selection, where one is given, and more to ignore."""
        chosen_now = self.select if select is None else tuple(select)
        return msgspec.structs.replace(self, select=chosen_now, ignore=(*self.ignore, *ignore))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """The rules of a closeout: those that look at the graph, and those that ask an engine. `source`: the file.

    `known` and `queries` are all of either that there are, also those that do not look.
    """

    rules: RuleSet
    cypher: tuple[CypherRule, ...] = ()
    source: str = ""
    known: tuple[Rule, ...] = ()
    queries: tuple[CypherRule, ...] = ()


def rulebook(known: Sequence[Rule], wishes: Wishes, faults: Sequence[Finding] = ()) -> Rulebook:
    """Return the rules that are wanted, of those that there are; `faults` are errors of rules that cannot be had.

    Raises:
        UsageError: an unknown rule or severity, or a rule about proof is to be ignored or made milder.
    """
    beside = [*(rule.id for rule in wishes.cypher), *(fault.rule for fault in faults)]
    twice = {rule.id for rule in known}.intersection(rule.id for rule in wishes.cypher)
    if twice:
        raise UsageError(f"{_at(wishes.source)}the id {min(twice)} is that of another rule")
    rules = chosen(
        known,
        select=wishes.select,
        ignore=wishes.ignore,
        severities=wishes.severities,
        options=wishes.options,
        others=beside,
    )
    kept = tuple(fault for fault in faults if is_chosen(fault.rule, wishes.select, wishes.ignore))
    cypher = tuple(_as_set(rule, wishes) for rule in wishes.cypher if is_chosen(rule.id, wishes.select, wishes.ignore))
    told = RuleSet(rules=rules.rules, severities=rules.severities, options=rules.options, faults=kept)
    return Rulebook(rules=told, cypher=cypher, source=wishes.source, known=tuple(known), queries=wishes.cypher)


def _as_set(rule: CypherRule, wishes: Wishes) -> CypherRule:
    return msgspec.structs.replace(rule, severity=wishes.severities.get(rule.id, rule.severity))


def wishes_in(text: str, source: str) -> Wishes:
    """Return what a file's text wants; `source` names the file in errors.

    Raises:
        UsageError: it is no TOML, or a key or a value is not what it may be; the message names file, line and key.
    """
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{source}: {error}") from error
    table = _Table(text, source)
    found = read.get(TABLE, {})
    if not isinstance(found, dict):
        raise table.wrong("", TABLE, f"a table [{TABLE}]")
    table.only(TABLE, found, _KEYS)
    astray = next((name for name, each in read.items() if name != TABLE and _is_astray(name, each)), None)
    if astray is not None:
        raise table.wrong("", astray, f"its settings in the table [{TABLE}]: nobody reads them here")
    return Wishes(
        select=table.words(found, "select") if "select" in found else None,
        ignore=table.words(found, "ignore"),
        severities=_severities(table, found.get("severity", {})),
        options=Options(
            forbidden_paths=table.words(found, "forbidden-paths"),
            required_commands=table.words(found, "required-commands"),
        ),
        cypher=tuple(_cypher(table, found.get("cypher", []))),
        source=source,
    )


def _is_astray(name: str, found: object) -> bool:
    """Tell whether settings of rules stand outside of their table; other tables are somebody else's."""
    return name in _KEYS or (isinstance(found, dict) and not found.keys().isdisjoint(_KEYS))


def _severities(table: _Table, found: object) -> dict[str, str]:
    if not isinstance(found, dict):
        raise table.wrong(TABLE, "severity", f"a table [{TABLE}.severity]")
    for rule, severity in found.items():
        if severity not in SEVERITIES:
            raise table.wrong(f"{TABLE}.severity", rule, f"one of {', '.join(SEVERITIES)}")
    return found


def _cypher(table: _Table, found: object) -> Iterator[CypherRule]:
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise table.wrong(TABLE, "cypher", f"tables [[{TABLE}.cypher]]")
    met: set[str] = set()
    for each in found:
        place = f"{TABLE}.cypher"
        table.only(place, each, _CYPHER_KEYS)
        given = {"severity": ERROR, **each}
        for key in _CYPHER_KEYS:
            if not isinstance(given.get(key), str) or not given[key]:
                raise table.wrong(place, key, "a text that is not empty")
        if not _ID.match(given["id"]) or given["id"] in met:
            raise table.wrong(place, "id", "small letters, digits and single hyphens, and no id twice", given["id"])
        if given["severity"] not in SEVERITIES:
            raise table.wrong(place, "severity", f"one of {', '.join(SEVERITIES)}", given["severity"])
        if "$mission" not in given["query"]:
            raise table.wrong(place, "query", "about the mission that is judged: $mission has to stand in it")
        met.add(given["id"])
        yield CypherRule(**given)


class _Table:
    """A TOML text, for errors that name file, line and key."""

    def __init__(self, text: str, source: str) -> None:
        self._lines = text.split("\n")
        self._source = source

    def only(self, place: str, found: Mapping[str, object], keys: Sequence[str]) -> None:
        """Refuse keys that are not known."""
        for key in found:
            if key not in keys:
                line = self._line(key, None)
                raise UsageError(f"{self._source}{line}: no key {key!r} in {place}; there are {', '.join(keys)}")

    def words(self, found: Mapping[str, object], key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = found.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise self.wrong(TABLE, key, 'a list of texts, such as ["a", "b"]')
        return tuple(value)

    def wrong(self, place: str, key: str, allowed: str, value: str | None = None) -> UsageError:
        """Return the error that a key's value is not what it may be."""
        name = f"{place}.{key}" if place else key
        return UsageError(f"{self._source}{self._line(key, value)}: {name} is {allowed}")

    def _line(self, key: str, value: str | None) -> str:
        """Return `, line N` of the first place of a key (with a value); "" where it cannot be told."""
        pattern = re.compile(rf"\s*(?:\[+[\w.\"-]*\b)?[\"']?{re.escape(key)}[\"']?\s*(?:=|\])")
        for number, line in enumerate(self._lines, 1):
            if pattern.match(line) and (value is None or value in line):
                return f", line {number}"
        return ""


def _at(source: str) -> str:
    return f"{source}: " if source else ""
