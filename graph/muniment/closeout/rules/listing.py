"""Listing: the rules that there are, with the severity that each has here, or off."""

from __future__ import annotations

import msgspec

from muniment.closeout.rules.cypher import CypherRule
from muniment.closeout.rules.pages import page
from muniment.closeout.rules.registry import BY_ID
from muniment.closeout.rules.rule import Rule
from muniment.closeout.rules.rulebook import Rulebook

OFF = "off"
MUNIMENT, INSTALLED, SETTINGS = "muniment", "installed", "settings"
"""Where a rule comes from."""


class ListedRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule as people and programs see it. `severity`: error, warning, note or off; `origin`: muniment, installed or
    settings; `sound`: about proof, so always on; `page`: all of it in Markdown.
    """

    id: str
    severity: str
    title: str
    origin: str
    tags: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    why: str = ""
    fix: str = ""
    sound: bool = False
    page: str = ""


def listed(book: Rulebook) -> list[ListedRule]:
    """Return all rules that a rulebook knows, also those that are off."""
    looking = {rule.id for rule in book.rules.rules} | {query.id for query in book.cypher}
    python = [_python(book, rule, looks=rule.id in looking) for rule in book.known]
    return [*python, *(_query(book, query, looks=query.id in looking) for query in book.queries)]


def _python(book: Rulebook, rule: Rule, *, looks: bool) -> ListedRule:
    return ListedRule(
        id=rule.id,
        severity=book.rules.severities.get(rule.id, rule.severity) if looks else OFF,
        title=rule.title,
        origin=MUNIMENT if rule.id in BY_ID else INSTALLED,
        tags=rule.tags,
        codes=tuple(dict.fromkeys((rule.code, *rule.codes))),
        why=rule.why,
        fix=rule.fix,
        sound=rule.sound,
        page=page(rule),
    )


def _query(book: Rulebook, query: CypherRule, *, looks: bool) -> ListedRule:
    return ListedRule(
        id=query.id,
        severity=book.rules.severities.get(query.id, query.severity) if looks else OFF,
        title=query.message,
        origin=SETTINGS,
        codes=(query.id.replace("-", "_"),),
        page=f"# {query.id}: {query.message}\n\n```cypher\n{query.query.strip()}\n```\n",
    )
