"""Rules about proof: what it is that a claim falls short of, one rule for each sort of shortcoming.

The verdicts are the judge's; these rules say them as findings, so that each shortcoming has a name, a page and a fix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from muniment.closeout.rules.rule import ERROR, Inquiry, Noticed, Rule
from muniment.closeout.verdict import CONTRADICTED, PROVEN, REASONS, ClaimVerdict

TAG: Final = "proof"


def _falling_short(reasons: frozenset[str]) -> Callable[[Inquiry], Iterator[Noticed]]:
    def check(inquiry: Inquiry) -> Iterator[Noticed]:
        for verdict in inquiry.verdicts:
            code = _code(verdict)
            if code in reasons:
                why = "the record says otherwise" if code == CONTRADICTED else REASONS.get(code, code)
                yield Noticed(message=f"{verdict.handle}: {why}", ids=(verdict.id,), code=code)

    return check


def _code(verdict: ClaimVerdict) -> str:
    if verdict.status == PROVEN or verdict.waived is not None:
        return ""
    return CONTRADICTED if verdict.status == CONTRADICTED else verdict.reason


def _nothing_claimed(inquiry: Inquiry) -> Iterator[Noticed]:
    if not inquiry.verdicts:
        message = "no claim was stated or found in the final answer: state what was reached, so that it can be judged"
        yield Noticed(message=message)


def _rule(name: str, reasons: tuple[str, ...], *, title: str, why: str, fix: str, tags: tuple[str, ...] = ()) -> Rule:
    return Rule(
        id=name,
        severity=ERROR,
        title=title,
        why=why,
        fix=fix,
        check=_falling_short(frozenset(reasons)),
        tags=(TAG, *tags),
        codes=reasons,
        sound=True,
    )


NOTHING_CLAIMED: Final = Rule(
    id="nothing-claimed",
    severity=ERROR,
    title="nothing is claimed",
    why="Work that says nothing of its result cannot be checked, and so cannot be called done.",
    fix="Say in the final answer what was reached (`All tests pass.`), or record a claim with what shows it.",
    check=_nothing_claimed,
    tags=(TAG,),
    sound=True,
)

CLAIM_RULES: Final[tuple[Rule, ...]] = (
    NOTHING_CLAIMED,
    _rule(
        "unsupported-claim",
        (
            "no_receipt",
            "support_not_a_receipt",
            "support_unproven",
            "no_machine_report",
            "not_final",
        ),
        title="a claim has no receipt",
        why="Only what a tool or the harness answered shows what was done. What an agent or a child says of itself, or "
        "a tool's prose, is no proof.",
        fix="Do the step that the verdict names as next, so that its result is on record; or claim less.",
    ),
    _rule(
        "stale-receipt",
        ("subject_changed", "subject_set_changed"),
        title="what was looked at has changed since",
        why="A run tells of the content that it ran on. After an edit it tells of the past.",
        fix="Run again what the receipt ran: the verdict names the command.",
        tags=("runs", "files"),
    ),
    _rule(
        "effect-unknown",
        ("effect_unknown",),
        title="something ran since that may have changed it",
        why="A command of which nobody knows what it changes may have changed what was proven before it.",
        fix="Run the proof after it, or look at the file again.",
        tags=("runs", "files"),
    ),
    _rule(
        "subset-for-whole",
        ("scope_narrower", "coverage_incomplete", "coverage_split"),
        title="less was looked at than is claimed",
        why="A run of some tests says nothing of the others, and a look at some lines nothing of the rest.",
        fix="Run or read all of it, in one go; or claim no more than was looked at.",
        tags=("runs", "files"),
    ),
    _rule(
        "skipped-or-empty-run",
        ("nothing_executed", "subject_skipped"),
        title="a run executed nothing, or skipped part of what is claimed",
        why="A run that finds no test ends well, and so does one that skips them. Neither shows that anything works.",
        fix="Make the runner find what is claimed and run it unskipped, or say in the claim what was skipped.",
        tags=("runs",),
    ),
    _rule(
        "masked-exit-status",
        ("status_unknown",),
        title="whether it succeeded is not known",
        why="Behind a pipe, `|| true` or a later command, the status that is seen is not the run's own.",
        fix="Run it so that its own exit status is seen, for instance with `set -o pipefail`.",
        tags=("runs",),
    ),
    _rule(
        "replayed-result",
        ("not_executed", "origin_subject_differs"),
        title="a result was replayed, refused, or is of other content",
        why="A cache repeats what was true of other runs. It is worth as much as the run behind it, on equal content.",
        fix="Run it here, without the cache.",
        tags=("runs",),
    ),
    _rule(
        "unmet-whole",
        ("criterion_unmet", "not_settled", "dependency_open", "artifact_empty", "facts_conflict"),
        title="what is claimed as a whole lacks a part",
        why="A criterion is met, a task done, a result there and a fact current only if all that makes it so is there.",
        fix="Do the part that the verdict names; what only a user can accept, let the user waive.",
        tags=("work",),
    ),
    _rule(
        "contradicted-later",
        (CONTRADICTED,),
        title="the record says otherwise",
        why="A receipt that still holds shows the opposite of what is claimed.",
        fix="Correct what it shows and run it again, or take the claim back.",
        tags=("runs", "files"),
    ),
)
"""Each reason of an unproven claim is a code of one of these, or of a rule in `of_support`."""
