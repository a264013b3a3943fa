"""The options of commands that go by rules: which settings hold, and what is selected and ignored beside them.

* Without any of them the store's own settings hold, and a server of the store answers, if one is there.
* With one of them this process judges, whoever serves the store; rules in Cypher are asked of whoever has the engine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from muniment.closeout.rules.cypher import asked
from muniment.closeout.rules.rulebook import Rulebook
from muniment.closeout.rules.running import with_findings
from muniment.closeout.verdict import Closeout
from muniment.projection.asking import Answer
from muniment.projection.engine import ENGINES
from muniment.rulebooks import FILE_NAME, rulebook_for
from muniment.store import EvidenceStore
from muniment_api.console import Console
from muniment_api.owner import SOCKET_NAME, ask_owner, query


class What(TypedDict, total=False):
    """What is judged: one task alone, and as of when."""

    task: str | None
    as_of: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """What was asked for. `select` None: what the settings say."""

    config: Path | None
    select: tuple[str, ...] | None
    ignore: tuple[str, ...]

    @property
    def usual(self) -> bool:
        """Whether the store's own settings are to hold, and nothing else."""
        return self.config is None and self.select is None and not self.ignore

    def rulebook(self, store: Path) -> Rulebook:
        """Return the rules that were asked for.

        Raises:
            StoreError: the settings cannot be read.
            UsageError: they are not understood, or a rule is not known.
        """
        return rulebook_for(store, self.config, self.select, self.ignore)


def rule_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command; it gets them as one argument, `rules`."""

    @click.option(
        "--config",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Settings of the rules.  [default: {FILE_NAME} in the store's folder or beside it]",
    )
    @click.option("--select", multiple=True, metavar="RULE", help="Only these rules: an id or a tag; may be repeated.")
    @click.option("--ignore", multiple=True, metavar="RULE", help="Not this rule; may be repeated.")
    @functools.wraps(function)
    def with_rules(
        *args: object, config: Path | None, select: tuple[str, ...], ignore: tuple[str, ...], **others: object
    ) -> None:
        given = RuleOptions(config=config, select=select or None, ignore=ignore)
        function(*args, rules=given, **others)

    return with_rules


def closeout_by(
    console: Console, store: EvidenceStore, mission: str, rules: RuleOptions, **asked_of: Unpack[What]
) -> Closeout:
    """Return the closeout of a mission, or of one task, by the rules that were asked for.

    Raises:
        EvidenceError: what the store, or its server, says.
    """

    def judged_here() -> Closeout:
        return _judged(console, store, mission, rules, asked_of)

    if not (rules.usual and (console.store / SOCKET_NAME).exists()):
        return judged_here()
    return ask_owner(
        console,
        store,
        mission,
        lambda owner: judged_here() if owner is store else owner.closeout(mission, **asked_of),
    )


def _judged(console: Console, store: EvidenceStore, mission: str, rules: RuleOptions, asked_of: What) -> Closeout:
    book = rules.rulebook(console.store)
    judged = store.closeout(mission, **asked_of, rules=replace(book, cypher=()))
    if not book.cypher:
        return judged

    def ask(cypher: str, values: Mapping[str, str | int], most: int) -> Answer:
        return query(console, ENGINES[0], cypher, values, most)

    return with_findings(judged, asked(book.cypher, ask, store.snapshot(mission, as_of=asked_of.get("as_of"))))
