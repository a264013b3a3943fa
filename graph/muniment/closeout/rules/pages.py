"""Pages: what each rule is for and how to fix what it finds, in Markdown, made from the rules themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.closeout.rules.rule import SEVERITIES, Rule
from muniment.closeout.verdict import CONTRADICTED, REASONS

_WORDS: Final[dict[str, str]] = {
    **REASONS,
    CONTRADICTED: "the record says otherwise",
    "stale_base": "the lines had been changed by somebody else after the agent last saw them",
    "empty_artifact": "it is empty",
    "changed_artifact": "it was changed after it was produced",
    "question_open": "a question is open",
    "risk_open": "a risk is open",
    "gap_open": "a gap in what was verified is open",
    "distillation_pending": "no agent has said which lines matter",
    "purged": "it was purged on purpose",
    "lines_quarantined": "lines of the source could not be read",
    "log_replaced": "the source came again with other content",
    "no_authority": "somebody ended what only a user may end",
}
_INTRODUCTION: Final = """\
# The rules of closeout

What `muniment closeout` looks at, beside its verdict on each claim. An *error* fails the closeout, a *warning* or a
*note* does not. Rules about proof are always looked at and always errors: a claim that nobody proved stays unproven,
whatever is ignored; only a user can waive it.

`muniment rules` lists the rules with the severities that hold here, `muniment rules show ID` prints a page. Which of
them look, and how severe they are, is set in `muniment.toml`, in the store's folder or else beside it; `closeout
--config FILE`, `--select` and `--ignore` go before it. An agent that may write that file may change the rules: name it
in `forbidden-paths`, or keep it out of the agent's reach.

```toml
[closeout]
select = ["all"]                        # ids or tags of rules; without it: all; an empty list fails every closeout
ignore = ["task-without-proof"]
forbidden-paths = ["vendor/", "*.lock"] # nobody is to change these
required-commands = ["make lint"]       # to have succeeded on what is there now

[closeout.severity]
task-open = "error"                     # error, warning or note

[[closeout.cypher]]                     # a rule of your own: each row is a finding
id = "refused-call"
severity = "warning"
message = "the call of {r.handle} was refused"
query = '''
MATCH (r:Node {kind: "receipt"})
WHERE r.mission = $mission AND r.data CONTAINS '"status":"refused"'
RETURN r.id, r.handle
'''
```

A query only reads, as those of `muniment query` do; `$mission` has to stand in it, `$ordinal` may. In the message,
`{column}` is what the row has there; ids of nodes in a row become the finding's. At most 100 rows count. A store
that was opened without an engine opens one for the query; where that cannot be, or the query cannot be answered, the
rule is an error (`rule_failed`).

Rules in Python are entry points of the group `muniment.rules`, each a `Rule` of `muniment.closeout.rules` or a tuple of
them. Such a rule gets an `Inquiry` (the snapshot, the claims, their verdicts) and yields `Noticed`; whatever it raises
is an error finding that names it (`rule_failed`).

| rule | severity | what it notices | tags |
|---|---|---|---|
"""


def page(rule: Rule) -> str:
    """Return the page of a rule."""
    codes = "\n".join(f"* `{code}`: {_WORDS[code]}" if code in _WORDS else f"* `{code}`" for code in _codes(rule))
    return f"""\
# {rule.id}: {rule.title}

Severity: {rule.severity}. Tags: {", ".join(rule.tags)}.

## Why

{rule.why}

## How to fix it

{rule.fix}

## Codes of its findings

{codes}

## Settings

{_settings(rule)}
"""


def index(rules: Sequence[Rule]) -> str:
    """Return the page that lists all rules."""
    rows = [f"| [{r.id}]({r.id}.md) | {r.severity} | {r.title} | {', '.join(r.tags)} |" for r in rules]
    return _INTRODUCTION + "\n".join(rows) + "\n"


def _codes(rule: Rule) -> list[str]:
    return list(dict.fromkeys(rule.codes if rule.sound and rule.codes else (rule.code, *rule.codes)))


def _settings(rule: Rule) -> str:
    if rule.sound:
        return "This rule is about proof: it is always looked at, and always an error."
    others = " or ".join(f'"{severity}"' for severity in SEVERITIES if severity != rule.severity)
    return f"""\
```toml
[closeout]
ignore = ["{rule.id}"]     # not to be looked at

[closeout.severity]
{rule.id} = {others.split(" or ")[0]}     # or {others.split(" or ")[1]}
```"""
