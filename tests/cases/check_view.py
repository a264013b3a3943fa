"""Checks of a view: what is in it, in which role, and whether it may be written out.

* A record is in the view if an item is made from it or cites it as its proof, or if its handle stands in the text.
* With a role, an item of that role must be made from it or cite it.
* A text is in a role if it stands in the view and in what an item of that role shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from muniment.derive.fold import RULES
from muniment.derive.texts import split_lines
from muniment.errors import EvidenceError
from muniment.model.records import DistillationMade
from muniment.selection.view import View, ViewItem
from muniment.tokens import o200k
from tests.cases.expand import plain_text
from tests.cases.files import same_path
from tests.cases.form import Check
from tests.cases.outcome import CannotAskError, Result
from tests.cases.scene import Scene

_OMITTED = re.compile(r"omitted|left out|not shown|\bmore\b", re.IGNORECASE)


def view_shows(scene: Scene, check: Check) -> Result:
    """All of it is in the view."""
    result = Result(check=check.check)
    view = _view(scene, result)
    if view is None:
        return result
    for record in check.ids or ():
        if not _shown(scene, view, record, check.role):
            result.wrong.append(f"{record} is not shown{_as(check)}; {_told(scene, view, record)}")
    for text in texts_of(check.text):
        if not _holds(scene, view, text, check.role):
            result.wrong.append(f"the text {text[:60]!r} is not shown{_as(check)}")
    if check.path is not None and check.lines is not None:
        missing = set(_range(check.lines)) - _lines_shown(scene, view, check.path, check.role)
        if missing:
            result.wrong.append(f"lines {_short(missing)} of {check.path} are not shown{_as(check)}")
    elif check.lines is not None:
        _check_output_lines(scene, view, check, result)
    _check_around(view, check, result)
    return result


def view_lacks(scene: Scene, check: Check) -> Result:
    """None of it is in the view."""
    result = Result(check=check.check)
    view = _view(scene, result)
    if view is None:
        return result
    for record in check.ids or ():
        if _shown(scene, view, record, check.role):
            result.wrong.append(f"{record} is shown{_as(check)}; {_told(scene, view, record)}")
    for text in texts_of(check.text):
        if _holds(scene, view, text, check.role):
            result.wrong.append(f"the text {text[:60]!r} is shown{_as(check)}")
    if check.path is not None and check.lines is not None:
        there = set(_range(check.lines)) & _lines_shown(scene, view, check.path, check.role)
        if there:
            result.wrong.append(f"lines {_short(there)} of {check.path} are shown{_as(check)}")
    return result


def output(scene: Scene, check: Check) -> Result:
    """What was answered can be written out: strict JSON, UTF-8, inside the budget; error answers too."""
    result = Result(check=check.check, asked=False)
    result.missing += scene.answers.missing.get("packet", [])
    for form in ("view", "packet"):
        refusal = scene.answers.refusals.get(form)
        if refusal is not None:
            result.asked = True
            _check_encodable(refusal.message, f"the error of {form}", result)
    view, ask = scene.answers.view, scene.ask("view")
    if view is not None and ask is not None:
        result.asked = True
        _check_encodable(view.text, "the view", result)
        _check_json(view, result)
        counted = o200k().count(view.text)
        for limit in filter(None, (ask.budget_tokens, check.tokens_at_most)):
            if counted > limit:
                result.wrong.append(f"the view has {counted} tokens, the limit is {limit}")
    if check.valid is False and not result.wrong:
        result.wrong.append("the output is valid")
    elif check.valid is False:
        result.wrong.clear()
    return result


def shown_records(scene: Scene, view: View, records: tuple[str, ...]) -> list[str]:
    """Return those of some records that a view shows."""
    return [record for record in records if _shown(scene, view, record, None)]


def copies(scene: Scene, view: View, path: str) -> int:
    """Return how often the line of a file that is shown most often is shown."""
    shown: dict[int, int] = {}
    for item in _items_of_path(scene, view, path, None):
        for line in _range(item.lines) if item.lines else ():
            shown[line] = shown.get(line, 0) + 1
    return max(shown.values(), default=0)


def _view(scene: Scene, result: Result) -> View | None:
    """Return the view; without one, the result says why."""
    if scene.answers.view is None:
        refusal = scene.answers.refusals.get("view")
        if refusal is None:
            raise CannotAskError("view")
        result.wrong.append(f"no view: {refusal.message}")
    return scene.answers.view


def _shown(scene: Scene, view: View, record: str, role: str | None) -> bool:
    if any(True for _ in _items_of(scene, view, record, role)):
        return True
    if role is not None:
        return False
    handles = {node.handle for node in scene.snapshot(view.mission).named(record) if node.record == record}
    return any(re.search(rf"\b{handle}\b", view.text) for handle in handles)


def _items_of(scene: Scene, view: View, record: str, role: str | None) -> Iterator[ViewItem]:
    for item in view.items:
        if role in (None, item.role) and (
            item.record == record or record in scene.records_of(item.receipts, view.mission)
        ):
            yield item


def _items_of_path(scene: Scene, view: View, path: str, role: str | None) -> Iterator[ViewItem]:
    snapshot = scene.snapshot(view.mission)
    for item in view.items:
        if role in (None, item.role) and same_path(snapshot, item.path, path):
            yield item


def _lines_shown(scene: Scene, view: View, path: str, role: str | None) -> set[int]:
    return {line for item in _items_of_path(scene, view, path, role) for line in _range(item.lines or (1, 0))}


def _holds(scene: Scene, view: View, text: str, role: str | None) -> bool:
    if text not in view.text:
        return False
    return role is None or any(text in _shown_by(scene, view, item) for item in view.items if item.role == role)


def _shown_by(scene: Scene, view: View, item: ViewItem) -> str:
    """Return the text behind an item: the lines of the file that it shows, else the whole of what it is made from."""
    try:
        got = scene.store.rehydrate(item.id, mission=view.mission)
    except EvidenceError:
        return ""
    if item.lines is None or got.kind == "receipt":
        return got.text
    first = got.fields.get("first")
    begin = item.lines[0] - (first if isinstance(first, int) else 1)
    return "\n".join(split_lines(got.text)[max(0, begin) : max(0, begin) + item.lines[1] - item.lines[0] + 1])


def _check_output_lines(scene: Scene, view: View, check: Check, result: Result) -> None:
    if DistillationMade not in RULES and any(event.get("kind") == "distillation_made" for event in scene.case.events):
        raise CannotAskError("distillation")
    for record in check.ids or ():
        wanted = scene.rehydrated(record, check.lines).text
        missing = [line for line in split_lines(wanted) if line.strip() not in view.text]
        if missing or not wanted:
            result.wrong.append(f"of lines {check.lines} of {record}, {missing[:2]!r} is not shown")


def _check_around(view: View, check: Check, result: Result) -> None:
    if check.exit_code is not None and not re.search(rf"\bexit\b\D{{0,12}}\b{check.exit_code}\b", view.text):
        result.wrong.append(f"exit code {check.exit_code} is not shown")
    if check.total_lines is not None:
        number = rf"(?:{check.total_lines}|{check.total_lines:,})"
        if not re.search(rf"\b{number} lines|(?:of |/ ?){number}\b", view.text):
            result.wrong.append(f"the number of lines, {check.total_lines}, is not shown")
    if check.says_omitted and not _OMITTED.search(view.text):
        result.wrong.append("nothing is said to be left out")


def _check_encodable(text: str, what: str, result: Result) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        result.wrong.append(f"{what} holds a lone surrogate: {error.reason}")


def _check_json(view: View, result: Result) -> None:
    try:
        json.loads(msgspec.json.encode(view).decode("utf-8"))
    except (ValueError, msgspec.MsgspecError) as error:
        result.wrong.append(f"the view cannot be written as JSON: {error}")


def texts_of(text: object) -> list[str]:
    """Return a text, or a list of texts, written out."""
    if text is None:
        return []
    return [plain_text(part) for part in text] if isinstance(text, list | tuple) else [plain_text(text)]


def _told(scene: Scene, view: View, record: str) -> str:
    roles = sorted({item.role for item in _items_of(scene, view, record, None)})
    return f"it is there as {', '.join(roles)}" if roles else "no item is about it"


def _as(check: Check) -> str:
    return "" if check.role is None else f" as {check.role}"


def _range(lines: tuple[int, int]) -> range:
    return range(lines[0], lines[1] + 1)


def _short(lines: set[int]) -> str:
    numbers = sorted(lines)
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}..{numbers[-1]}"
