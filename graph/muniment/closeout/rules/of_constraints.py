"""Rules about constraints: what the user forbade or required, and what the project's settings do.

* Only a user's own words in force bind: messages and facts; and instruction files, which a user wrote down.
* A breach is later than its constraint, was done by an agent, and is known: what may have been one is none.
* Whatever the user says later of the same act or path lifts a constraint on it from there on; a constraint that held
  "unless I ask" is lifted by any later message.
* A user may waive a breach: the constraint, or the very act, after it was done.
* A required command has to have succeeded on what is there now; where nothing was changed, nothing is required.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from muniment.closeout.evidence import Evidence
from muniment.closeout.rules import constraints as stated
from muniment.closeout.rules.acts import acts_of, commands, pushes_to, runs, words_of
from muniment.closeout.rules.constraints import Constraint, constraints_in
from muniment.closeout.rules.places import (
    Written,
    is_generated,
    is_gone,
    is_test,
    means,
    was_there,
    written_since,
)
from muniment.closeout.rules.required import missing_run, run_before
from muniment.closeout.rules.rule import ERROR, Inquiry, Noticed, Rule
from muniment.model.nodes import INSTRUCTIONS, WAIVER, Fact, File, Message, Receipt

_STATING: Final = frozenset({"constraint", "preference", "acceptance", "objective", INSTRUCTIONS})
_ACTING: Final = {
    "pull-request": ("gh ",),
    "install": (" install", " add", " i ", " get"),
    "force-push": (" push",),
    "amend": (" commit",),
}
"""Act → words of which its commands hold one; else the act itself."""
_MOST_CHARACTERS: Final = 100_000
_QUOTE: Final = 160
_EDITING: Final = re.compile(
    r"\b(?:edit|modif|updat|chang|fix|adapt|add|writ|rewrit|extend)\w*\b.{0,60}\btest|\btest\w*\b.{0,40}\b(?:edit|modif|updat|chang|adapt|rewrit)",
    re.I,
)


def _breaches(inquiry: Inquiry) -> Iterator[Noticed]:
    evidence = inquiry.evidence
    binding = inquiry.snapshot.binding()
    for node in filter(_binds, binding):
        text = evidence.text(node.text)[:_MOST_CHARACTERS]
        for constraint in constraints_in(text):
            for message, receipt, cause in _broken(evidence, constraint, node.ordinal):
                if not _waived(binding, node, receipt) and not _lifted(evidence, constraint, node, binding, receipt):
                    told = f"{message}: {node.handle} says {_short(constraint.quote)!r}"
                    ids = (receipt.id if receipt is not None else "", cause, node.id)
                    yield Noticed(message=told, ids=tuple(each for each in ids if each))


def _waived(binding: list[Fact | Message], node: Fact | Message, receipt: Receipt | None) -> bool:
    """Tell whether a user accepted a breach: by a waiver of the constraint, or of the act, given after it."""
    names = {name for each in (node, receipt) if each is not None for name in (each.id, each.record, each.handle)}
    since = receipt.ordinal if receipt is not None else node.ordinal
    return any(
        isinstance(each, Fact)
        and (each.class_, each.by) == (WAIVER, "user")
        and each.target in names
        and each.ordinal > since
        for each in binding
    )


def _binds(node: Fact | Message) -> bool:
    if isinstance(node, Message):
        return node.by == "user"
    return node.class_ in _STATING and (node.by == "user" or node.class_ == INSTRUCTIONS)


_Broken = tuple[str, Receipt | None, str]
"""What is wrong, the receipt that shows it, and what made it so where that is another node."""


def _broken(evidence: Evidence, constraint: Constraint, since: int) -> Iterator[_Broken]:
    if constraint.kind == stated.ACT:
        yield from _forbidden_acts(evidence, constraint, since)
    elif constraint.kind == stated.COMMAND:
        yield from _forbidden_commands(evidence, constraint, since)
    elif constraint.kind == stated.RUN:
        yield from _required(evidence, constraint, since)
    else:
        yield from _forbidden_writes(evidence, constraint, since)


def _forbidden_acts(evidence: Evidence, constraint: Constraint, since: int) -> Iterator[_Broken]:
    found = []
    holding = tuple(word for act in constraint.what for word in _ACTING.get(act, (f" {act}",)))
    for receipt, simples in commands(evidence, since, holding):
        for simple in simples:
            done = acts_of(simple) & set(constraint.what)
            if done and receipt.status != "failed" and (not constraint.to or pushes_to(simple, constraint.to)):
                found.append((f"{receipt.handle} did {min(done)}", receipt, ""))
                break
    yield from reversed(found)


def _forbidden_commands(evidence: Evidence, constraint: Constraint, since: int) -> Iterator[_Broken]:
    wanted = words_of(constraint.what[0])
    if not wanted:
        return
    found = []
    for receipt, simples in commands(evidence, since, wanted[:1]):
        named = [simple for simple in simples if runs(simple, wanted)]
        if named and not (receipt.status == "failed" and all(simple.before == "&&" for simple in named)):
            found.append((f"{receipt.handle} ran `{' '.join(wanted)}`", receipt, ""))
    yield from reversed(found)


def _forbidden_writes(evidence: Evidence, constraint: Constraint, since: int) -> Iterator[_Broken]:
    def meant(file: File) -> bool:
        return _is_meant(evidence, constraint, file)

    for written in written_since(evidence, since, meant, by_hand=constraint.by_hand):
        if constraint.removal and not is_gone(evidence, written.file):
            continue
        if constraint.existing and not was_there(evidence, written.file):
            continue
        yield f"{written.receipt.handle} changed {written.file.path}", written.receipt, ""


def _is_meant(evidence: Evidence, constraint: Constraint, file: File) -> bool:
    if constraint.kind == stated.TESTS:
        return is_test(evidence, file)
    if constraint.kind == stated.GENERATED:
        return is_generated(evidence, file)
    named = any(means(evidence, file, wanted) for wanted in constraint.what)
    return named if constraint.kind == stated.PATH else not named


def _required(evidence: Evidence, constraint: Constraint, since: int) -> Iterator[_Broken]:
    wanted = words_of(constraint.what[0])
    if not wanted:
        return
    if constraint.before == stated.DONE:
        missing = missing_run(evidence, wanted, since)
        if missing is not None and not missing.doubtful:
            yield missing.message, missing.receipt, missing.cause
        return
    for receipt, simples in commands(evidence, since, (f" {constraint.before}",)):
        acted = any(constraint.before in acts_of(simple) for simple in simples)
        if acted and receipt.status != "failed" and not run_before(evidence, wanted, receipt, since):
            yield f"{receipt.handle} did {constraint.before} without `{' '.join(wanted)}` before it", receipt, ""


def _lifted(
    evidence: Evidence,
    constraint: Constraint,
    node: Fact | Message,
    binding: list[Fact | Message],
    receipt: Receipt | None,
) -> bool:
    """Tell whether a later word of the user, before the act, speaks of it without forbidding it again."""
    until = evidence.changes.asked(receipt) if receipt is not None else evidence.snapshot.ordinal
    for later in binding:
        if not node.ordinal < later.ordinal < until or not isinstance(later, Message):
            continue
        text = evidence.text(later.text)[:_MOST_CHARACTERS]
        if constraint.consent or _speaks_of(evidence, constraint, text, receipt):
            again = {(each.kind, each.what) for each in constraints_in(text)}
            if (constraint.kind, constraint.what) not in again:
                return True
    return False


def _speaks_of(evidence: Evidence, constraint: Constraint, text: str, receipt: Receipt | None) -> bool:
    low = text.lower()
    if constraint.kind == stated.ACT:
        return any(re.search(rf"\b{_stem(act)}", low) for act in constraint.what)
    if constraint.kind in (stated.COMMAND, stated.RUN):
        return constraint.what[0].lower() in low
    if constraint.kind == stated.TESTS and _EDITING.search(text):
        return True
    paths = [evidence.path_of(file) or "" for file in _files_of(evidence, receipt)]
    named = [*(path.rsplit("/", 1)[-1] for path in paths), *(constraint.what if constraint.kind == stated.PATH else ())]
    return any(name and name.strip("/").lower() in low for name in named)


def _stem(act: str) -> str:
    return {"pull-request": r"(?:pr\b|pull request)", "rebase": "rebas", "force-push": "(?:force|push)"}.get(act, act)


def _files_of(evidence: Evidence, receipt: Receipt | None) -> list[str]:
    if receipt is None:
        return []
    return [file for change in evidence.changes.all if change.cause == receipt.id for file in change.files]


def _short(quote: str) -> str:
    return quote if len(quote) <= _QUOTE else quote[: _QUOTE - 1] + "…"


def _forbidden_paths(inquiry: Inquiry) -> Iterator[Noticed]:
    wanted = inquiry.options.forbidden_paths
    if not wanted:
        return
    evidence = inquiry.evidence

    def meant(file: File) -> bool:
        return any(means(evidence, file, pattern) for pattern in wanted)

    for written in written_since(evidence, 0, meant):
        yield Noticed(message=_changed(evidence, written, wanted), ids=(written.receipt.id, written.file.id))


def _changed(evidence: Evidence, written: Written, wanted: tuple[str, ...]) -> str:
    pattern = next(pattern for pattern in wanted if means(evidence, written.file, pattern))
    return f"{written.receipt.handle} changed {written.file.path}, and {pattern} is not to be changed"


def _required_commands(inquiry: Inquiry) -> Iterator[Noticed]:
    for command in inquiry.options.required_commands:
        missing = missing_run(inquiry.evidence, words_of(command), 0)
        if missing is not None:
            yield Noticed(message=missing.message, ids=missing.ids)


CONSTRAINT_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="constraint-breached",
        severity=ERROR,
        title="something was done that the user had forbidden, or left undone that was required",
        why="A user's word binds until the user takes it back. Looked for are plain ones that a record can show: never "
        "push, commit, rebase, stash, open a pull request; do not run a command; do not touch a path, tests or "
        "generated files; install packages; run a command before you are done, or before a commit.",
        fix="Undo it, or ask the user: what the user says of it later, or a withdrawal of the constraint, lifts it; a "
        "waiver accepts what was done.",
        check=_breaches,
        tags=("constraints",),
    ),
    Rule(
        id="forbidden-path",
        severity=ERROR,
        title="a path was changed that the settings forbid",
        why="The project says in `forbidden-paths` which files nobody is to change.",
        fix="Put the file back as it was; a file that holds again what it held is no breach.",
        check=_forbidden_paths,
        tags=("constraints", "files"),
    ),
    Rule(
        id="required-command",
        severity=ERROR,
        title="a command that the settings require has not succeeded on what is there now",
        why="The project says in `required-commands` what has to have been run before work is done.",
        fix="Run it, by itself, so that its exit status is seen.",
        check=_required_commands,
        tags=("constraints", "runs"),
    ),
)
