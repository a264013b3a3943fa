"""Sets of rules: which rules look, how severe each is, and the options that they go by.

* `select` and `ignore` name rules by id, by tag, or all of them by `all`. What is not known is refused, with what there
  is.
* Rules about proof (`sound`) are in every set that is not empty: they cannot be ignored, and stay errors.
* `select = []` is an empty set, and a closeout with it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from muniment.closeout.rules.rule import ERROR, NO_OPTIONS, SEVERITIES, Options, Rule
from muniment.closeout.verdict import Finding
from muniment.errors import UsageError

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Rules in their order. `severities`: those that differ from the rules' own, by id; `faults`: rules that could not
    be had.
    """

    rules: tuple[Rule, ...]
    severities: Mapping[str, str] = field(default_factory=dict)
    options: Options = NO_OPTIONS
    faults: tuple[Finding, ...] = ()


def chosen(
    known: Sequence[Rule],
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    severities: Mapping[str, str] | None = None,
    options: Options | None = None,
    others: Iterable[str] = (),
) -> RuleSet:
    """Return the rules that are selected and not ignored; `select` None: all. `others` are ids of rules that run
    elsewhere, and may be named as well.

    Raises:
        UsageError: an unknown rule or severity, or a rule about proof is to be ignored or made milder.
    """
    beside = frozenset(others)
    wanted = None if select is None else _named(known, select, beside)
    unwanted = _named(known, ignore, beside, refuse_sound=True)
    for rule, severity in (severities or {}).items():
        check_severity(known, rule, severity, beside)
    if wanted is not None and not wanted:
        return RuleSet(rules=(), options=options or NO_OPTIONS)
    rules = [r for r in known if r.sound or ((wanted is None or r.id in wanted) and r.id not in unwanted)]
    return RuleSet(rules=tuple(rules), severities=dict(severities or {}), options=options or NO_OPTIONS)


def is_chosen(rule: str, select: Iterable[str] | None, ignore: Iterable[str]) -> bool:
    """Tell whether a rule that runs elsewhere is selected and not ignored."""
    return (select is None or bool({rule, ALL}.intersection(select))) and rule not in set(ignore)


def check_severity(known: Sequence[Rule], rule: str, severity: str, others: frozenset[str] = frozenset()) -> None:
    """Refuse a severity that there is not, or that a rule may not have.

    Raises:
        UsageError: unknown rule or severity, or a rule about proof would be made milder.
    """
    if severity not in SEVERITIES:
        raise UsageError(f"severity {severity!r} of {rule}: there are {', '.join(SEVERITIES)}")
    found = {each.id: each for each in known}.get(rule)
    if found is None and rule not in others:
        raise UsageError(_unknown(known, rule, others, tags=False))
    if found is not None and found.sound and severity != ERROR:
        raise UsageError(f"{rule} is about proof and stays an error: {_WHY}")


_WHY = "a claim that is not proven stays so, whatever is ignored; a user may waive it"


def _named(
    known: Sequence[Rule], names: Iterable[str], others: frozenset[str], *, refuse_sound: bool = False
) -> set[str]:
    found: set[str] = set()
    for name in names:
        meant = [rule for rule in known if name in (rule.id, ALL) or name in rule.tags]
        if not meant and name not in others and name != ALL:
            raise UsageError(_unknown(known, name, others))
        if refuse_sound and any(rule.sound and rule.id == name for rule in meant):
            raise UsageError(f"{name} is about proof and cannot be ignored: {_WHY}")
        found |= {name} | {rule.id for rule in meant}
    return found


def _unknown(known: Sequence[Rule], name: str, others: frozenset[str], *, tags: bool = True) -> str:
    words = [*(rule.id for rule in known), *others]
    words += sorted({tag for rule in known for tag in rule.tags}) if tags else []
    near = get_close_matches(name, words, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no rule {name!r}{hint} There are {', '.join(words)}".replace("' There", "'. There")
