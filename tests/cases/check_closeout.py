"""Checks of verdicts: of each claim, and whether the work may be called done."""

from __future__ import annotations

from muniment.closeout.verdict import ClaimVerdict
from tests.cases.files import same_path
from tests.cases.form import Check
from tests.cases.outcome import CannotAskError, Result
from tests.cases.scene import Scene
from tests.cases.words import reason_word

NOTHING_CLAIMED = "nothing_claimed"


def claim(scene: Scene, check: Check) -> Result:
    """The verdict of one claim."""
    result = Result(check=f"{check.check} {check.id}")
    _need_answer(scene)
    found = _verdict(scene, check.id)
    if found is None:
        result.wrong.append("no verdict on it")
        return result
    verdict, mission = found
    _check_words(verdict, check, result)
    _check_ids(scene, verdict, mission, check, result)
    _check_extent(scene, verdict, mission, check, result)
    return result


def closeout(scene: Scene, check: Check) -> Result:
    """The verdict on all claims that were asked for."""
    result = Result(check=check.check)
    _need_answer(scene)
    ask = scene.ask("closeout")
    assert ask is not None
    found = [_verdict(scene, wanted) for wanted in ask.claims]
    passed = bool(found) and all(each is not None and each[0].status == "proven" for each in found)
    judged = {verdict.record for answer in scene.answers.closeouts for verdict in answer.claims}
    if judged <= set(ask.claims):
        told = all(answer.passed for answer in scene.answers.closeouts)
        if told != passed:
            result.wrong.append(f"the claims say passed {passed}, the closeout says {told}")
    if passed != check.passed:
        result.wrong.append(f"passed is {passed}, expected {check.passed}")
    if NOTHING_CLAIMED in (check.code if isinstance(check.code, tuple) else (check.code,)):
        verdicts = [answer.verdict for answer in scene.answers.closeouts]
        if any(verdict != NOTHING_CLAIMED for verdict in verdicts):
            result.wrong.append(f"the verdict is {verdicts}, expected {NOTHING_CLAIMED}")
    return result


def _need_answer(scene: Scene) -> None:
    if scene.answers.closeouts:
        return
    refusal = scene.answers.refusals.get("closeout")
    raise CannotAskError("closeout" if refusal is None else f"closeout ({refusal.message})")


def _verdict(scene: Scene, record: str) -> tuple[ClaimVerdict, str] | None:
    for answer in scene.answers.closeouts:
        for verdict in answer.claims:
            if verdict.record == record:
                return verdict, answer.mission
    return None


def _check_words(verdict: ClaimVerdict, check: Check, result: Result) -> None:
    reason = reason_word(verdict.reason)
    if check.status is not None and verdict.status != check.status:
        result.wrong.append(f"is {verdict.status} ({reason}), expected {check.status}")
    if check.reason is not None and reason != check.reason:
        result.wrong.append(f"the reason is {reason!r}, expected {check.reason!r}")
    if check.reason_not is not None and reason == check.reason_not:
        result.wrong.append(f"the reason is {reason!r}")


def _check_ids(scene: Scene, verdict: ClaimVerdict, mission: str, check: Check, result: Result) -> None:
    by, via = scene.records_of(verdict.by, mission), scene.records_of(verdict.via, mission)
    for name, expected, found in (("by", check.by, by), ("via", check.via, via)):
        if expected is not None and not set(expected) <= found:
            result.wrong.append(f"{name} is {sorted(found)}, expected {list(expected)}")
    if check.not_by is not None and by & set(check.not_by):
        result.wrong.append(f"by holds {sorted(by & set(check.not_by))}")
    receipt = None if verdict.receipt is None else scene.record_of(verdict.receipt, mission)
    if check.receipt is not None and receipt != check.receipt:
        result.wrong.append(f"the receipt is {receipt}, expected {check.receipt}")


def _check_extent(scene: Scene, verdict: ClaimVerdict, mission: str, check: Check, result: Result) -> None:
    if check.path is not None and not same_path(scene.snapshot(mission), verdict.path, check.path):
        result.wrong.append(f"the path is {verdict.path}, expected {check.path}")
    if check.names is not None and set(verdict.names) != set(check.names):
        result.wrong.append(f"the names are {sorted(verdict.names)}, expected {sorted(check.names)}")
    if check.covered is not None and verdict.covered != check.covered:
        result.wrong.append(f"covered is {verdict.covered}, expected {check.covered}")
    if check.total is not None and verdict.total != check.total:
        result.wrong.append(f"the total is {verdict.total}, expected {check.total}")
