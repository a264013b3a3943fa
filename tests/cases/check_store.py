"""Checks of what the store holds: records by id, what is in force, repeated reads, excerpts, files, imports, walks."""

from __future__ import annotations

import msgspec

from muniment.derive.links import Report
from muniment.errors import EvidenceError, PurgedError, UnknownIdError
from muniment.rehydration import Rehydrated
from tests.cases.expand import plain_text
from tests.cases.files import current_lines, excerpt_state, file_of, ranges
from tests.cases.form import Check, Told
from tests.cases.outcome import CannotAskError, Result
from tests.cases.scene import Scene
from tests.cases.words import ENDED_STATES, report_word, state_word


def record(scene: Scene, check: Check) -> Result:
    """Records, each by its id."""
    result = Result(check=check.check)
    for wanted in check.ids or ():
        got = _get(scene, wanted)
        found, state = isinstance(got, Rehydrated), "purged" if isinstance(got, PurgedError) else ""
        if isinstance(got, Rehydrated):
            state = state_word(got.kind, got.state, got.fields)
            _check_got(scene, check, got, result)
        elif isinstance(got, UnknownIdError) and check.text is None and not check.flags:
            found = any(entry.body is not None for entry in scene.entries([wanted])[wanted])
        if found != check.found:
            result.wrong.append(f"{wanted}: found is {not check.found}, expected {check.found} ({got})"[:200])
        if check.state is not None and state != check.state:
            result.wrong.append(f"{wanted} is {state!r}, expected {check.state!r}")
    return result


def in_force(scene: Scene, check: Check) -> Result:
    """What stands, what has ended, what contradicts one another, and which packet's boundary holds."""
    result = Result(check=check.check)
    for wanted in check.ids or ():
        how = _ended(scene, wanted)
        if how:
            result.wrong.append(f"{wanted} does not stand: {how}")
    result.wrong += [f"{wanted} still stands" for wanted in check.ended if not _ended(scene, wanted)]
    if check.conflict is not None:
        found = {
            scene.record_of(node, mission) for mission in scene.missions() for node in scene.state(mission).conflicts()
        }
        if found != set(check.conflict):
            result.wrong.append(f"in conflict are {sorted(found)}, expected {sorted(check.conflict)}")
    if not isinstance(check.packet, msgspec.UnsetType):
        standing = {
            scene.record_of(packet, mission)
            for mission in scene.missions()
            if (packet := scene.store.packet_in_force(mission, as_of=scene.as_of(scene.ask("state"))))
        }
        if standing != ({check.packet} if check.packet is not None else set()):
            result.wrong.append(f"in force is {sorted(standing)}, expected {check.packet}")
    return result


def collapse(scene: Scene, check: Check) -> Result:
    """Whether the collapse plan puts a marker to `into` in the place of `id`."""
    result = Result(check=check.check)
    pairs = [(step.record, step.into_record) for step in scene.store.collapse_plan(scene.mission_of(check.id))]
    if ((check.id, check.into) in pairs) != check.holds:
        result.wrong.append(
            f"{check.id} into {check.into} is {not check.holds}, expected {check.holds}; plan {pairs[:8]}"
        )
    return result


def excerpt(scene: Scene, check: Check) -> Result:
    """What has become of the lines that a read showed."""
    state, lines = excerpt_state(scene, check.id)
    for expected in check.states:
        if expected.state == state and expected.lines in (None, lines):
            return Result(check=check.check)
    allowed = [f"{each.state} {each.lines or ''}".strip() for each in check.states]
    return Result(check=check.check, wrong=[f"{check.id} is {state} {lines}, expected {' or '.join(allowed)}"])


def file(scene: Scene, check: Check) -> Result:
    """A file: its current text, its versions, which of its lines are known."""
    result = Result(check=check.check)
    found = file_of(scene, check.path or "")
    if found is None:
        result.wrong.append(f"no file {check.path}")
        return result
    if check.content is not None:
        text = scene.store.rehydrate(found.node.id, mission=found.mission).text
        if text != plain_text(check.content):
            result.wrong.append(f"the current text is {text[:80]!r}, expected {plain_text(check.content)[:80]!r}")
    covered = ranges(number for number, line in enumerate(current_lines(scene, found), 1) if line is not None)
    total = None if found.ledger is None else found.ledger.total
    for name, expected, actual in (
        ("versions", check.versions, found.versions),
        ("covered", check.covered, covered),
        ("total", check.total, total),
    ):
        if expected is not None and actual != expected:
            result.wrong.append(f"{check.path}: {name} is {actual}, expected {expected}")
    return result


def imported(scene: Scene, check: Check) -> Result:
    """What the last delivery brought, what is kept, and what is reported."""
    result = Result(check=check.check)
    delivery, report = scene.world.delivery, scene.world.delivery.report
    for name, expected, actual in (
        ("new", check.new, delivery.new),
        ("duplicates", check.duplicates, delivery.duplicates),
    ):
        if expected is not None and actual != expected:
            result.wrong.append(f"{name} is {actual}, expected {expected}")
    if report is not None and report.lines != report.parsed + report.quarantined + sum(report.ignored.values()):
        result.wrong.append(f"the lines do not add up: {report}")
    for wanted in check.stored or ():
        if isinstance(_get(scene, wanted), UnknownIdError) and not scene.entries([wanted])[wanted]:
            result.wrong.append(f"{wanted} is not stored")
    if check.quarantined is not None:
        gaps = [gap for mission in scene.missions() for gap in scene.state(mission).gaps()]
        lines = sorted(gap.line or 0 for gap in gaps if report_word(gap.code) == "lines_quarantined")
        if lines != sorted(check.quarantined):
            result.wrong.append(f"quarantined are lines {lines}, expected {sorted(check.quarantined)}")
    reports = [report for mission in scene.missions() for report in scene.store.reports(mission)]
    for expected_report in check.reports:
        _check_report(scene, reports, expected_report, result)
    return result


def walk(scene: Scene, check: Check) -> Result:
    """What a walk gave, its start left out."""
    result = Result(check=check.check)
    walked = scene.answers.walked
    if walked is None:
        refusal = scene.answers.refusals.get("walk")
        if refusal is None:
            raise CannotAskError("walk")
        result.wrong.append(f"no walk: {refusal.message}")
        return result
    if check.ids is not None and set(walked) != set(check.ids):
        result.wrong.append(f"it gave {walked[:10]}, expected {list(check.ids)[:10]}")
    if check.count is not None and len(walked) != check.count:
        result.wrong.append(f"it gave {len(walked)}, expected {check.count}")
    if check.each_once and len(set(walked)) != len(walked):
        result.wrong.append("it gave something twice")
    if check.in_order and check.ids is not None and [each for each in walked if each in check.ids] != list(check.ids):
        result.wrong.append(f"the order is {walked[:10]}")
    return result


def _get(scene: Scene, wanted: str) -> Rehydrated | EvidenceError:
    try:
        return scene.rehydrated(wanted)
    except EvidenceError as error:
        return error


def _check_got(scene: Scene, check: Check, got: Rehydrated, result: Result) -> None:
    if check.superseded_by is not None:
        by = scene.records_of(got.superseded_by, got.mission)
        if check.superseded_by not in by:
            result.wrong.append(f"{got.record} is superseded by {sorted(by)}, expected {check.superseded_by}")
    missing, there = set(check.flags) - set(got.flags), set(check.not_flags) & set(got.flags)
    if missing or there:
        result.wrong.append(
            f"the flags of {got.record} are {list(got.flags)}: lacks {sorted(missing)}, has {sorted(there)}"
        )
    if check.text is not None:
        answer = scene.answers.got
        text = got.text if answer is None or answer.record != got.record else answer.text
        if text.removesuffix("\n") != plain_text(check.text).removesuffix("\n"):
            result.wrong.append(f"the text of {got.record} is {text[:80]!r}, expected {plain_text(check.text)[:80]!r}")


def _ended(scene: Scene, wanted: str) -> str:
    """Return how something ended, "" where it stands."""
    got = _get(scene, wanted)
    if not isinstance(got, Rehydrated):
        return str(got)
    return got.state if got.state in ENDED_STATES | {"withdrawn", "superseded"} else ""


def _check_report(scene: Scene, reports: list[Report], expected: Told, result: Result) -> None:
    found = [report for report in reports if report_word(report.code) == expected.code]
    if not found:
        codes = sorted({report_word(report.code) for report in reports})
        result.wrong.append(f"{expected.code} is not reported; reported are {codes}")
        return
    ids = {record for report in found for record in report.ids}
    if expected.ids is not None and ids != set(expected.ids):
        result.wrong.append(f"{expected.code} names {sorted(ids)}, expected {sorted(expected.ids)}")
    count = sum(report.count for report in found)
    if expected.count is not None and count != expected.count:
        result.wrong.append(f"{expected.code} counts {count}, expected {expected.count}")
