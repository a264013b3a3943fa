"""All checks, by name; `any_of` is here, for it runs others."""

from __future__ import annotations

from collections.abc import Callable

from muniment.errors import EvidenceError
from tests.cases import check_closeout, check_store, check_view
from tests.cases.comparisons import same
from tests.cases.form import Check
from tests.cases.measures import measure
from tests.cases.outcome import CannotAskError, Result, WrongCaseError
from tests.cases.scene import Scene
from tests.cases.words import refusal_word

REFUSABLE = ("view", "packet", "get", "walk", "surfaces", "graphql", "closeout", "state")
"""Forms of questions that may be refused."""
COMPLETE = ("view", "packet")
"""Surfaces that must name all that is expected to be there."""


def run_check(scene: Scene, check: Check) -> Result:
    """Run one check; what cannot be asked is said so."""
    found = CHECKS.get(check.check)
    if found is None:
        raise WrongCaseError(f"no check is called {check.check!r}")
    refused = scene.world.refusal
    try:
        if refused is not None and check.check not in ("refused", "any_of"):
            return Result(check=check.check, wrong=[f"the store does not open: {refused.message}"])
        return found(scene, check)
    except CannotAskError as error:
        return Result(check=check.check, asked=False, missing=[error.capability])
    except EvidenceError as error:
        return Result(check=check.check, wrong=[f"{type(error).__name__}: {error}"])


def _refused(scene: Scene, check: Check) -> Result:
    """A question ended with an error of this code."""
    result = Result(check=check.check)
    codes = check.code if isinstance(check.code, tuple) else (check.code,)
    refusals = dict(scene.answers.refusals)
    if scene.world.refusal is not None:
        refusals["state"] = scene.world.refusal
    asked = [ask.form for ask in scene.case.ask if ask.form in REFUSABLE]
    matching = [refusals[form] for form in asked if form in refusals and refusal_word(refusals[form].code) in codes]
    missing = [name for form in asked for name in scene.answers.missing.get(form, [])]
    if not matching and missing and all(form in scene.answers.missing for form in asked):
        return Result(check=check.check, asked=False, missing=missing)
    if not matching:
        told = [refusal_word(refusal.code) for refusal in refusals.values()]
        result.wrong.append(f"refused with {told or 'nothing'}, expected {' or '.join(codes)}")
    elif check.needed_tokens_over is not None:
        needed = matching[0].needed
        if needed is None or needed <= check.needed_tokens_over:
            result.wrong.append(f"{needed} tokens are needed, expected more than {check.needed_tokens_over}")
    result.missing += missing
    return result


def _packet(scene: Scene, check: Check) -> Result:
    """Whether a proposal was accepted, and what was wrong with it: each error that is listed, with exactly its ids."""
    answer = scene.answers.accepted
    if answer is None:
        refusal = scene.answers.refusals.get("packet")
        if refusal is None:
            raise CannotAskError("packet")
        return Result(check=check.check, wrong=[f"no answer: {refusal.message}"])
    result = Result(check=check.check)
    if answer.accepted != check.accepted:
        result.wrong.append(f"accepted is {answer.accepted}, expected {check.accepted} ({answer.problems})")
    told = {problem.code: set(problem.ids) for problem in answer.problems}
    for expected in check.errors:
        found = told.get(expected.code)
        if found is None or (expected.ids is not None and found != set(expected.ids)):
            result.wrong.append(f"{expected.code} names {found}, expected {expected.ids}")
    return result


def _surfaces(scene: Scene, check: Check) -> Result:
    """On every surface that was asked: nothing of what must be absent, all of what must be there."""
    result = Result(check=check.check, missing=scene.answers.missing.get("surfaces", []))
    surfaces = scene.answers.surfaces
    if not surfaces:
        result.asked = False
        return result
    absent = check_view.texts_of(check.absent_text)
    for name, surface in surfaces.items():
        if surface.refusal is None:
            result.wrong += [f"{name} holds {text!r}" for text in absent if text in surface.text]
            result.wrong += [f"{name} names {record}" for record in check.absent_ids if record in surface.ids]
    for name in COMPLETE:
        complete = surfaces.get(name)
        if check.present_ids and complete is not None:
            result.wrong += [f"{name} lacks {record}" for record in check.present_ids if record not in complete.ids]
    return result


def _any_of(scene: Scene, check: Check) -> Result:
    """One of the lists of checks must hold."""
    told: list[str] = []
    missing: list[str] = []
    for option in check.options:
        results = [run_check(scene, inner) for inner in option]
        if all(result.asked and not result.failed for result in results):
            return Result(check=check.check, missing=[name for result in results for name in result.missing])
        told += [f"{result.check}: {text}" for result in results for text in result.wrong]
        if not any(result.failed for result in results):
            missing += [name for result in results for name in result.missing]
    if missing:
        return Result(check=check.check, asked=False, missing=missing)
    return Result(check=check.check, wrong=[f"none of {len(check.options)} options holds: {'; '.join(told)}"])


CHECKS: dict[str, Callable[[Scene, Check], Result]] = {
    "view_shows": check_view.view_shows,
    "view_lacks": check_view.view_lacks,
    "output": check_view.output,
    "refused": _refused,
    "packet": _packet,
    "claim": check_closeout.claim,
    "closeout": check_closeout.closeout,
    "record": check_store.record,
    "in_force": check_store.in_force,
    "collapse": check_store.collapse,
    "excerpt": check_store.excerpt,
    "file": check_store.file,
    "import": check_store.imported,
    "walk": check_store.walk,
    "same": same,
    "measure": measure,
    "surfaces": _surfaces,
    "any_of": _any_of,
}
"""Name of a check → how it is made."""
